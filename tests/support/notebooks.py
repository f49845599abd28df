"""Notebooks to test with: made and read through the product's own actions and jobs."""

from apps.accounts.models import User
from apps.library.models import Resource
from apps.notebooks.actions import NotebookDraft, create_notebook
from apps.notebooks.models import Notebook
from apps.notebooks.values import ConversationMode, Visibility
from apps.vaults.actor import actor_for
from tests.support.jobs import run_jobs


def notebook_of(
    by: User,
    *resources: Resource,
    title: str = "A notebook",
    visibility: Visibility = Visibility.WORKSPACE,
    mode: ConversationMode = ConversationMode.SHARED,
) -> Notebook:
    """A notebook whose resources still wait to be read."""
    draft = NotebookDraft(title, visibility, mode, [resource.id for resource in resources])
    return create_notebook(actor_for(by), draft)


def read_notebook(by: User, *resources: Resource, **facts: object) -> Notebook:
    """A notebook whose resources have been read."""
    notebook = notebook_of(by, *resources, **facts)  # type: ignore[arg-type]
    run_jobs()
    return fresh(notebook)


def fresh(notebook: Notebook) -> Notebook:
    """The notebook as the database has it now."""
    return Notebook.objects.select_related("active_revision", "index_space").get(id=notebook.id)
