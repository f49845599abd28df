"""Notebooks that can be asked at once: real records, versions, index and revisions, read by hand.

The pages of a text file stand for what the extractors give; what they do has tests of its own.
"""

from dataclasses import dataclass, field
from typing import Any

from apps.accounts.models import User
from apps.library.models import Resource, StoredFile
from apps.library.storage import open_stored
from apps.notebooks import revisions, versions
from apps.notebooks.indexing import ensure_segment
from apps.notebooks.models import Notebook, NotebookResource
from apps.notebooks.sources import MemberSource, member_sources
from apps.notebooks.values import SourceStatus
from apps.notebooks.versions import VersionFacts
from tests.support.factories import resource_with_file
from tests.support.notebooks import fresh, notebook_of


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph as a chunk of its own."""

    ordinal: int
    part: int
    start: int
    end: int
    text: str
    locator: dict[str, Any]
    lines: tuple[Any, ...] = field(default=())


def shelved(by: User, texts: dict[str, str], **facts: Any) -> Notebook:
    """A notebook whose active revision holds one record per title, a chunk per paragraph."""
    records = [
        resource_with_file(by, title, text.encode(), f"{number}.txt")
        for number, (title, text) in enumerate(texts.items())
    ]
    notebook = notebook_of(by, *records, **facts)
    read(notebook)
    return fresh(notebook)


def read(notebook: Notebook) -> None:
    """Makes what the notebook holds now its next active revision."""
    draft = revisions.begin(notebook.id, job_id=1, fence=1)
    for source in member_sources(notebook):
        version = _version(source)
        ensure_segment(notebook, version)
        revisions.add(draft, source.id, version.id)
    revisions.activate(draft, assert_lease=lambda: None, report={})
    NotebookResource.objects.filter(notebook=notebook).update(state=SourceStatus.AVAILABLE)


def _version(source: MemberSource) -> Any:
    holding = source.holding
    attachment = Resource.objects.get(id=holding.resource_id).attachments.get()
    lines = _lines(attachment.stored_file)
    facts = VersionFacts(
        source_id=source.id,
        content_hash=holding.sha256,
        extractor="by hand",
        media_type="text/plain",
        language="en",
        title=holding.resource_title,
        stored_file_id=attachment.stored_file_id,
        page_count=None,
        part_count=1,
        chunk_count=len(lines),
        word_count=sum(len(line.text.split()) for line in lines),
        notes=[],
    )
    known = versions.find_version(source.id, holding.sha256, "by hand")
    return known or versions.store_version(facts, lines)


def _lines(stored: StoredFile) -> list[Line]:
    lines: list[Line] = []
    start = 0
    with open_stored(stored) as file:
        paragraphs = file.read().decode().split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        end = start + len(paragraph)
        locator = {"kind": "lines", "lines": [number + 1, number + 1], "start": start, "end": end}
        lines.append(Line(number, 0, start, end, paragraph, locator))
        start = end
    return lines
