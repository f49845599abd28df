"""`./run ask`: a cited answer in the terminal."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from apps.chat.queries import TurnView
from apps.chat.terminal import Asked, ask
from apps.common.errors import QuadernError
from apps.jobs.queries import JobView
from apps.notebooks.values import SourceStatus


class Command(BaseCommand):
    """Reads what is named, asks, prints the answer with the place of each claim."""

    help = "Read files, folders and addresses, and answer a question from them with citations."

    def add_arguments(self, parser: CommandParser) -> None:
        """Names of what to read, the question, and the form of the output."""
        parser.add_argument("names", nargs="+", metavar="FILE-or-URL")
        parser.add_argument("--question", required=True)
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exits with 0 after an answer, with 1 when nothing could be read."""
        try:
            asked = _with_progress(options["names"], options["question"])
        except QuadernError as error:
            raise CommandError(str(error.sentence)) from error
        if options["as_json"]:
            json.dump(_as_json(asked), sys.stdout, ensure_ascii=False, indent=2, default=str)
            sys.stdout.write("\n")
        else:
            _print(asked)
        if asked.turn is None:
            sys.exit(1)


def _with_progress(names: list[str], question: str) -> Asked:
    columns = (
        TextColumn("Reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(job: JobView) -> None:
            progress = job.progress
            bar.update(
                task,
                total=progress.total or None,
                completed=progress.done,
                description=progress.item,
            )

        return ask(names, question, show)


def _print(asked: Asked) -> None:
    out, aside = Console(), Console(stderr=True)
    for name, sentence in _left_out(asked):
        aside.print(Text(f"Left out: {name}: {sentence}", style="yellow"))
    if asked.turn is None:
        aside.print(Text("There is nothing to answer from.", style="red"))
        return
    # The lines of a passage are those of its page; a terminal breaks its own.
    out.print(Text("\n\n".join(" ".join(one.split()) for one in asked.turn.text.split("\n\n"))))
    for line in _places(asked.turn):
        out.print(line)


def _left_out(asked: Asked) -> list[tuple[str, str]]:
    unread = [
        (row.title, row.reason_sentence)
        for row in asked.resources
        if row.state is not SourceStatus.AVAILABLE
    ]
    return [(one.name, one.sentence) for one in asked.refused] + unread


def _places(turn: TurnView) -> list[Text]:
    if turn.citations:
        return [Text()] + [_place(citation) for citation in turn.citations]
    return []


def _place(citation: dict[str, Any]) -> Text:
    where = " › ".join(part for part in (citation["source_label"], citation["label"]) if part)
    line = Text(f"[{citation['n']}] ", style="bold")
    line.append(where, style="default")
    line.append(f"  “{' '.join(citation['quoted'].split())}”", style="italic dim")
    return line


def _as_json(asked: Asked) -> dict[str, Any]:
    turn = asked.turn
    return {
        "answer": turn.text if turn else None,
        "citations": list(turn.citations) if turn else [],
        "meta": turn.meta if turn else None,
        "state": turn.state if turn else None,
        "sources": [asdict(row) for row in asked.resources],
        "refused": [asdict(one) for one in asked.refused],
    }
