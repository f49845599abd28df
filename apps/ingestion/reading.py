"""One source, from its bytes or its address to a stored version."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from django.utils import timezone

from apps.ingestion import sandbox
from apps.ingestion.extractors.registry import READERS
from apps.ingestion.fetching import Fetched, NotModified, Validators, fetch
from apps.ingestion.plan import must_ask_in_full
from apps.ingestion.policy import fetch_policy
from apps.ingestion.recognition import recognition_for
from apps.ingestion.sandbox import Extracted
from apps.ingestion.values import Failure, Reason
from apps.jobs.context import JobContext
from apps.library import holdings
from apps.library.models import StoredFile
from apps.notebooks import sources, versions
from apps.notebooks.models import SourceVersion
from apps.notebooks.sources import MemberSource, Seen
from apps.retrieval.languages import detect_language

LANGUAGE_SAMPLE_CHUNKS = 12


@dataclass(frozen=True, slots=True)
class Read:
    """The source was read into this version."""

    version_id: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The source still says what this version says."""

    version_id: int


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where the bytes came from: kept file, name and address, and what an answer said of them."""

    stored: StoredFile
    filename: str
    charset: str = ""
    is_web_page: bool = False
    final_url: str = ""
    fetched_at: datetime | None = None


Outcome = Read | Unchanged | Failure


def read_source(vault_id: uuid.UUID, source: MemberSource, context: JobContext) -> Outcome:
    """Reads a source, unless it turns out to be unchanged. Never raises for a bad source.

    Lets pass what `context.checkpoint` raises when the job is to stop.
    """
    return _link(vault_id, source, context) if source.is_link else _file(source, context)


def _file(source: MemberSource, context: JobContext) -> Outcome:
    holding = source.holding
    if holding.stored_file_id is None:
        return Failure(Reason.NOT_FOUND)
    stored = holdings.stored_file(holding.stored_file_id)
    origin = _Origin(stored, holding.filename)
    with holdings.local_copy(stored) as path:
        return _extract(source, path, origin, context)


def _link(vault_id: uuid.UUID, source: MemberSource, context: JobContext) -> Outcome:
    answer = _ask(source, context)
    match answer:
        case Failure():
            return answer
        case NotModified():
            sources.remember_unchanged(source.id)
            return Unchanged(_seen(source).version_id)
    with answer:
        return _page(vault_id, source, answer, context)


def _ask(source: MemberSource, context: JobContext) -> Fetched | NotModified | Failure:
    """Asks the address, with validators when there is something they could confirm."""
    return fetch(
        source.holding.url,
        policy=fetch_policy(),
        validators=_validators(source.seen),
        should_stop=context.cancel_requested.is_set,
    )


def _validators(seen: Seen | None) -> Validators | None:
    if seen is None or not _is_current(seen) or must_ask_in_full(seen.checks_since_full):
        return None
    return Validators(seen.etag, seen.last_modified)


def _seen(source: MemberSource) -> Seen:
    if source.seen is None:
        raise ValueError("an address that was never read cannot be unchanged")
    return source.seen


def _page(
    vault_id: uuid.UUID, source: MemberSource, answer: Fetched, context: JobContext
) -> Outcome:
    seen = source.seen
    if seen is not None and seen.body_sha256 == answer.sha256 and _is_current(seen):
        version = versions.version_of(seen.version_id)
        _remember(source, version, answer)
        return Unchanged(version.id)
    stored = holdings.keep_file(vault_id, answer.path, answer.filename)
    origin = _Origin(
        stored,
        answer.filename,
        charset=answer.charset,
        is_web_page=True,
        final_url=answer.final_url,
        fetched_at=timezone.now(),
    )
    outcome = _extract(source, answer.path, origin, context)
    if not isinstance(outcome, Failure):
        _remember(source, versions.version_of(outcome.version_id), answer)
    return outcome


def _remember(source: MemberSource, version: SourceVersion, answer: Fetched) -> None:
    sources.remember(source.id, version, etag=answer.etag, last_modified=answer.last_modified)


def _is_current(seen: Seen) -> bool:
    return seen.extractor in current_extractors()


def current_extractors(languages: Sequence[str] = ()) -> frozenset[str]:
    """The identities of today's extractors; what an older one read is read again.

    `languages` are those expected in scans; read in others, a scan is read again.
    """
    recognition = recognition_for(languages)
    readers = READERS.values()
    with_scans = {r.identity_with(recognition) for r in readers if r.recognises}
    return frozenset({reader.identity for reader in readers} | with_scans)


def _extract(source: MemberSource, path: Path, origin: _Origin, context: JobContext) -> Outcome:
    item = source.holding.resource_title

    def tell(done: int, total: int) -> None:
        context.checkpoint(item=f"{item}, {done}/{total}")

    extracted = sandbox.extract(
        path,
        filename=origin.filename,
        charset=origin.charset,
        is_web_page=origin.is_web_page,
        on_progress=tell,
        should_stop=context.cancel_requested.is_set,
    )
    if isinstance(extracted, Failure):
        context.checkpoint()
        return extracted
    with extracted:
        return _keep(source, extracted, origin)


def _keep(source: MemberSource, extracted: Extracted, origin: _Origin) -> Outcome:
    """Stores what was read as a version, or finds that this content was read before."""
    summary = extracted.summary
    # Bytes are the truth of a file; of a page it is its text, so that an advert is no change.
    content_hash = summary.text_sha256 if origin.is_web_page else origin.stored.sha256
    known = versions.find_version(source.id, content_hash, summary.extractor)
    if known is not None:
        sources.remember(source.id, known)
        return Unchanged(known.id)
    facts = versions.VersionFacts(
        source_id=source.id,
        content_hash=content_hash,
        extractor=summary.extractor,
        media_type=summary.media_type,
        language=_language(extracted),
        title=summary.title,
        stored_file_id=origin.stored.id,
        page_count=summary.page_count,
        part_count=summary.part_count,
        chunk_count=summary.chunk_count,
        word_count=summary.word_count,
        notes=[{"note": note, "count": count} for note, count in summary.notes.items()],
        fetched_at=origin.fetched_at,
        final_url=origin.final_url,
    )
    version = versions.store_version(facts, extracted.chunks())
    sources.remember(source.id, version)
    return Read(version.id)


def _language(extracted: Extracted) -> str:
    """The language of the first passages; a source is indexed by the rules of one language."""
    sample = islice(extracted.chunks(), LANGUAGE_SAMPLE_CHUNKS)
    return detect_language(" ".join(chunk.text for chunk in sample))
