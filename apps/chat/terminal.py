"""A question to files and addresses without a browser: the same library, reading and answering."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.core.files import File
from django.db import close_old_connections

from apps.accounts.actions import create_account
from apps.accounts.queries import account_at
from apps.chat import queries, running, turns
from apps.chat.access import turn_for
from apps.chat.queries import TurnView
from apps.chat.values import Question
from apps.common.errors import Invalid, QuadernError
from apps.jobs import runner
from apps.jobs.queries import JobView, latest
from apps.jobs.values import State
from apps.library import actions as library
from apps.library.access import references_table_for, resources_visible_to
from apps.library.actions import create_references_table
from apps.notebooks.access import notebook_for
from apps.notebooks.actions import NotebookDraft, create_notebook
from apps.notebooks.queries import ResourceView, source_rows
from apps.notebooks.values import INGEST, ConversationMode, Visibility
from apps.vaults.actions import create_vault
from apps.vaults.actor import Actor, actor_for
from apps.vaults.roles import Capability

ADDRESS = "terminal@localhost"
POLL_SECONDS = 0.1
OnProgress = Callable[[JobView], None]


@dataclass(frozen=True, slots=True)
class Refused:
    """Something named on the command line that was not taken in, and why."""

    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with what it was made from, and what had to be left out."""

    turn: TurnView | None
    resources: tuple[ResourceView, ...]
    refused: tuple[Refused, ...]


def ask(names: Sequence[str], question: str, on_progress: OnProgress) -> Asked:
    """Reads files, folders and addresses, and answers from them alone.

    What was read in an earlier call is not read again. `turn` is None when nothing at all
    could be read. Raises Invalid when a question or everything to read is missing.
    """
    actor = _terminal_actor()
    resource_ids, refused = _take_in(actor, names)
    if not resource_ids:
        return Asked(None, (), tuple(refused))
    notebook = create_notebook(
        actor,
        NotebookDraft(question[:160], Visibility.PRIVATE, ConversationMode.SHARED, resource_ids),
    )
    _read(notebook.id, on_progress)
    notebook = notebook_for(actor, notebook.id, Capability.NOTEBOOK_CHAT)
    rows = tuple(source_rows(notebook).rows)
    turn = _answered(actor, notebook.id, question) if notebook.is_ready else None
    return Asked(turn, rows, tuple(refused))


def _terminal_actor() -> Actor:
    """Whoever sits at the terminal: an account nobody can sign in to, with a vault of its own."""
    user = account_at(ADDRESS)
    if user is None:
        user = create_account(ADDRESS, name="Terminal")
        create_references_table(create_vault("Terminal", "Terminal", owner=user))
    return actor_for(user)


def _take_in(actor: Actor, names: Sequence[str]) -> tuple[list[uuid.UUID], list[Refused]]:
    taken: list[uuid.UUID] = []
    refused: list[Refused] = []
    for name in _expanded(names):
        try:
            taken.append(_url(actor, name) if _is_url(name) else _file(actor, Path(name)))
        except QuadernError as error:
            refused.append(Refused(name, str(error.sentence)))
        except OSError as error:
            refused.append(Refused(name, error.strerror or "cannot be opened"))
    return list(dict.fromkeys(taken)), refused


def _expanded(names: Sequence[str]) -> Iterator[str]:
    """The names with folders replaced by the files in them, hidden ones left out."""
    for name in names:
        folder = Path(name)
        if _is_url(name) or not folder.is_dir():
            yield name
            continue
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder).parts
            if path.is_file() and not any(part.startswith(".") for part in inside):
                yield str(path)


def _is_url(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def _url(actor: Actor, url: str) -> uuid.UUID:
    known = resources_visible_to(actor).filter(links__url=url, links__deleted_at=None).first()
    if known is not None:
        return known.id
    added = library.add_resources_from_urls(actor, [url])
    if added.refused:
        raise Invalid(added.refused[0].detail)
    return added.created[0].id


def _file(actor: Actor, path: Path) -> uuid.UUID:
    """The record of this file: the one an earlier call made of the same bytes and name, or a new one."""
    references_table_for(actor, Capability.LIBRARY_WRITE)
    with path.open("rb") as source:
        attachment = library.add_resource_from_upload(actor, File(source, name=path.name))
    twin = (
        resources_visible_to(actor)
        .filter(
            attachments__stored_file=attachment.stored_file,
            attachments__filename=attachment.filename,
            attachments__deleted_at=None,
        )
        .order_by("created_at")
        .first()
    )
    if twin is None or twin.id == attachment.resource_id:
        return attachment.resource_id
    library.remove_resource(actor, attachment.resource)
    return twin.id


def _read(notebook_id: uuid.UUID, on_progress: OnProgress) -> None:
    """Does the queued reading in a thread of this process and tells how far it is."""
    worker = threading.Thread(target=_work, name="reading", daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(POLL_SECONDS)
        job = latest(INGEST, str(notebook_id))
        if job is not None and job.state in (State.QUEUED, State.RUNNING):
            on_progress(job)


def _work() -> None:
    try:
        runner.run_due(limit=1000)
    finally:
        close_old_connections()


def _answered(actor: Actor, notebook_id: uuid.UUID, question: str) -> TurnView:
    opened = turns.open_turn(actor, Question(notebook_id, question, uuid.uuid4()))
    asyncio.run(_finish(opened))
    return queries.turn_view(turn_for(actor, opened.turn_id), actor)


async def _finish(opened: turns.Opened) -> None:
    running.start(opened)
    await running.settle()
