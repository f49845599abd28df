"""The demo vault: records and notebooks out of the `demo` folder, made as a person would."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File

from apps.library import actions as library
from apps.library.models import Resource
from apps.notebooks.actions import NotebookDraft, create_notebook
from apps.notebooks.models import Notebook
from apps.notebooks.values import ConversationMode, Visibility
from apps.vaults.actor import Actor

FOLDER: Path = settings.BASE_DIR / "demo"


def manifest() -> dict[str, Any]:
    """What the demo consists of; `demo/README.md` tells the fields."""
    data: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    return data


def load_demo(actor: Actor) -> list[Notebook]:
    """Adds the demo's records and notebooks to the actor's workspace; reading starts at once."""
    facts = manifest()
    resources = {one["key"]: _add_resource(actor, one) for one in facts["resources"]}
    return [_add_notebook(actor, one, resources) for one in facts["notebooks"]]


def _add_resource(actor: Actor, facts: dict[str, Any]) -> Resource:
    resource: Resource | None = None
    for name in facts["files"]:
        path = FOLDER / name
        with path.open("rb") as source:
            attachment = library.add_resource_from_upload(
                actor, File(source, name=path.name), resource
            )
        resource = attachment.resource
    if resource is None:
        raise ValueError(f"{facts['key']} has no file")
    return library.update_resource(
        actor,
        resource,
        {
            "title": facts["title"],
            "kind": facts["kind"],
            "authors": facts["authors"],
            "tags": facts["tags"],
            "year": facts["year"],
        },
    )


def _add_notebook(actor: Actor, facts: dict[str, Any], resources: dict[str, Resource]) -> Notebook:
    return create_notebook(
        actor,
        NotebookDraft(
            title=facts["title"],
            visibility=Visibility(facts["visibility"]),
            conversation_mode=ConversationMode(facts["conversation_mode"]),
            resource_ids=[resources[key].id for key in facts["resources"]],
        ),
    )
