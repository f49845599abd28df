"""The things that the access table is tried on, made by the product's own actions."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from apps.accounts.models import User
from apps.chat.models import Turn
from apps.chat.turns import open_turn
from apps.chat.values import Question, TurnState
from apps.library.models import Resource
from apps.notebooks.models import Chunk, IndexSpace, Notebook, RevisionSource
from apps.notebooks.values import Visibility
from apps.vaults.actor import actor_for
from tests.contracts.access_table import Thing
from tests.support.cast import Cast, build_cast
from tests.support.factories import link_to, resource_with_file, template_record
from tests.support.notebooks import read_notebook

WORDS = b"Evidence is what a page says. A notebook reads pages and nothing else.\n"


@dataclass(frozen=True, slots=True)
class Stage:
    """The cast and everything that stands around them, by name; "" is no thing at all.

    `titles` tells who may ever read the title of a thing.
    """

    cast: Cast
    things: Mapping[str, Thing]
    titles: Mapping[str, frozenset[str]]

    def leaks(self, text: str, person: str) -> list[str]:
        """The titles in a text that the person may not know of."""
        return [
            title for title, known in self.titles.items() if title in text and person not in known
        ]


def build_stage() -> Stage:
    """A stage in the database; commits, because streams read from other threads."""
    cast = build_cast()
    ours = resource_with_file(cast.clara, "Our record", WORDS)
    spare = resource_with_file(cast.clara, "Our spare record", b"More evidence to add.\n")
    ottos = resource_with_file(cast.otto, "Ottos record", WORDS)
    ottos_spare = resource_with_file(cast.otto, "Ottos spare record", b"More of Otto's.\n")
    template = template_record(cast.clara, "Our template")
    private = read_notebook(cast.clara, ours, title="Clara alone", visibility=Visibility.PRIVATE)
    hidden = resource_with_file(
        cast.clara, "Our hidden record", b"Only the private notebook reads this.\n"
    )
    secret = read_notebook(
        cast.clara, hidden, title="Clara in secret", visibility=Visibility.PRIVATE
    )
    shared = read_notebook(cast.clara, ours, title="All of the room")
    theirs = read_notebook(cast.otto, ottos, title="Ottos notebook")
    victors = _notebook_next_door(cast)
    things = {
        "": Thing(),
        **_records(cast, ours, ottos, template),
        **_notebooks(private=private, shared=shared, victors=victors, ottos=theirs),
        **_selections(ours, ottos, template),
        **_additions(private, shared, theirs, spare, ottos_spare),
        **_members(private, shared, theirs, ours, ottos, hidden),
        **_passages(private, shared, theirs, secret),
        **_turns(cast, private, shared, theirs),
        "workspace.ours": Thing(facts={"workspace": cast.workspace.id}),
        "workspace.victors": Thing(facts={"workspace": cast.victors_workspace.id}),
        "workspace.ottos": Thing(facts={"workspace": cast.ottos_workspace.id}),
        "workspace.absent": Thing(facts={"workspace": uuid.uuid4()}),
    }
    return Stage(cast, things, _titles())


def _titles() -> dict[str, frozenset[str]]:
    room = frozenset({"neus", "clara", "enric", "lola"})
    return {
        "Our record": room,
        "Our spare record": room,
        "Our hidden record": room,
        "Our template": frozenset(),
        "Ottos record": frozenset({"otto"}),
        "Ottos spare record": frozenset({"otto"}),
        "Clara alone": frozenset({"clara"}),
        "Clara in secret": frozenset({"clara"}),
        "All of the room": room,
        "Victors notebook": frozenset({"victor"}),
        "Ottos notebook": frozenset({"otto"}),
    }


def _notebook_next_door(cast: Cast) -> Notebook:
    """A notebook of Víctor's; no action makes one where there is no References table."""
    notebook = Notebook.objects.create(
        vault=cast.vault,
        workspace=cast.victors_workspace,
        table=cast.references,
        title="Victors notebook",
        visibility=Visibility.WORKSPACE,
        created_by=cast.victor,
    )
    IndexSpace.objects.create(notebook=notebook)
    return notebook


def _records(cast: Cast, ours: Resource, ottos: Resource, template: Resource) -> dict[str, Thing]:
    links = {"ours": link_to(cast.clara, ours), "ottos": link_to(cast.otto, ottos)}
    records = {"ours": ours.id, "ottos": ottos.id, "template": template.id, "absent": uuid.uuid4()}
    files = {"ours": ours.attachments.get().id, "ottos": ottos.attachments.get().id}
    return {
        **{f"resource.{key}": Thing({"resource_id": one}) for key, one in records.items()},
        **{f"upload.{key}": Thing(facts={"resource": one}) for key, one in records.items()},
        **{f"link.{key}": Thing({"link_id": one.id}) for key, one in links.items()},
        **{f"attachment.{key}": Thing({"attachment_id": one}) for key, one in files.items()},
        "link.absent": Thing({"link_id": uuid.uuid4()}),
        "attachment.absent": Thing({"attachment_id": uuid.uuid4()}),
    }


def _notebooks(**notebooks: Notebook) -> dict[str, Thing]:
    ids = {**{key: one.id for key, one in notebooks.items()}, "absent": uuid.uuid4()}
    return {
        **{f"notebook.{key}": Thing({"notebook_id": one}) for key, one in ids.items()},
        **{f"question.{key}": Thing(facts={"notebook": one}) for key, one in ids.items()},
    }


def _selections(ours: Resource, ottos: Resource, template: Resource) -> dict[str, Thing]:
    chosen = {
        "ours": [ours.id],
        "ottos": [ottos.id],
        "mixed": [ours.id, ottos.id],
        "template": [template.id],
        "absent": [uuid.uuid4()],
    }
    return {f"selection.{key}": Thing(facts={"resources": ids}) for key, ids in chosen.items()}


def _additions(
    private: Notebook, shared: Notebook, theirs: Notebook, spare: Resource, ottos_spare: Resource
) -> dict[str, Thing]:
    chosen = {
        "private": (private.id, spare.id),
        "shared": (shared.id, spare.id),
        "foreign": (shared.id, ottos_spare.id),
        "ottos": (theirs.id, ottos_spare.id),
        "absent": (uuid.uuid4(), spare.id),
    }
    return {
        f"addition.{key}": Thing({"notebook_id": notebook}, {"resources": [resource]})
        for key, (notebook, resource) in chosen.items()
    }


def _members(
    private: Notebook,
    shared: Notebook,
    theirs: Notebook,
    ours: Resource,
    ottos: Resource,
    hidden: Resource,
) -> dict[str, Thing]:
    chosen = {
        "private": (private.id, ours.id),
        "shared": (shared.id, ours.id),
        "foreign": (shared.id, hidden.id),
        "ottos": (theirs.id, ottos.id),
        "absent": (uuid.uuid4(), ours.id),
    }
    return {
        f"member.{key}": Thing({"notebook_id": notebook, "resource_id": resource})
        for key, (notebook, resource) in chosen.items()
    }


def _passages(
    private: Notebook, shared: Notebook, theirs: Notebook, secret: Notebook
) -> dict[str, Thing]:
    chosen = {
        "private": (private.id, private),
        "shared": (shared.id, shared),
        "ottos": (theirs.id, theirs),
        "foreign": (shared.id, secret),
        "absent": (uuid.uuid4(), shared),
    }
    things = {}
    for key, (notebook_id, source) in chosen.items():
        version_id = _version_of(source)
        chunk_id = Chunk.objects.filter(version_id=version_id).values_list("id", flat=True)[0]
        things[f"chunk.{key}"] = Thing({"notebook_id": notebook_id, "chunk_id": chunk_id})
        things[f"version.{key}"] = Thing({"notebook_id": notebook_id, "version_id": version_id})
    return things


def _version_of(notebook: Notebook) -> int:
    return RevisionSource.objects.get(revision=notebook.active_revision).version_id


def _turns(cast: Cast, private: Notebook, shared: Notebook, theirs: Notebook) -> dict[str, Thing]:
    ids = {
        "private": _turn(cast.clara, private),
        "shared": _turn(cast.enric, shared),
        "ottos": _turn(cast.otto, theirs),
        "absent": uuid.uuid4(),
    }
    return {f"turn.{key}": Thing({"turn_id": one}) for key, one in ids.items()}


def _turn(by: User, notebook: Notebook) -> uuid.UUID:
    """A question of this person, its answer over."""
    opened = open_turn(actor_for(by), Question(notebook.id, "What is evidence?", uuid.uuid4()))
    Turn.objects.filter(id=opened.turn_id).update(state=TurnState.STOPPED, lease_owner="")
    return opened.turn_id
