"""A question from evidence to the last word: one flat async generator of frames."""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from apps.chat import prompting
from apps.chat.citations import AnswerText, Marked, keyed
from apps.chat.context import TurnContext
from apps.chat.decision import decide
from apps.chat.frames import (
    MAX_EXCERPT,
    MAX_SOURCES,
    AclMeta,
    CitationFrame,
    Delta,
    ErrorFrame,
    Payload,
    Phase,
    SourceDetail,
    TokensUsed,
)
from apps.chat.language import answer_language
from apps.chat.reading import SearchTools
from apps.chat.values import Decision, Facts, PhaseName, Reason
from apps.common.db import in_db_thread
from apps.common.text import one_line, slug
from apps.llm.client import ModelClient
from apps.llm.scoring import best_coverage
from apps.llm.values import (
    Answerable,
    CitationKey,
    Finished,
    ModelEvent,
    Piece,
    Prompt,
    ProviderError,
    TextDelta,
    Usage,
)
from apps.notebooks import evidence
from apps.notebooks.evidence import Evidence

MAX_PIECES = 8
MAX_WORDS = 60


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of a turn by its keys, and what it weighs.

    `language` is the question's; where its words do not tell, the person's, then the evidence's.
    """

    cited: Mapping[str, Evidence]
    pieces: Sequence[Piece]
    language: str
    facts: Facts


async def answer(
    context: TurnContext, client: ModelClient, text: AnswerText
) -> AsyncGenerator[Payload, None]:
    """The frames of a turn in order, `done` left to whoever stores them.

    `text` grows along, so that what was said is known also when the generator is closed
    half-way. A failing provider ends the frames with an `error`, it does not raise.
    """
    found = await in_db_thread(_find, context)
    cited = found.cited
    decision = decide(found.facts)
    meta = _meta(context, decision, list(cited.values()))
    yield meta
    yield Phase(PhaseName.ANSWERING, _("Answering"))
    text.give_out({key: hit.text for key, hit in cited.items()})
    prompt = _prompt(context, decision, found)
    used = Usage()
    try:
        async with aclosing(_events(client, prompt)) as events:
            async for event in events:
                if isinstance(event, Usage):
                    used += event
                for payload in _payloads(event, text, cited):
                    yield payload
    except ProviderError as error:
        for payload in _failed(meta, found.facts, text, error):
            yield payload
        return
    yield replace(
        meta,
        llm_called=client.calls_a_model,
        tokens_used=TokensUsed(used.input, used.output, used.cached),
    )


def _find(context: TurnContext) -> Found:
    """Searches and weighs what was found; for a thread, since both take their time."""
    hits = evidence.search(
        context.pins, context.question, limit=MAX_PIECES, source_ids=context.source_ids
    ).hits
    cited = dict(zip(keyed(len(hits)), hits, strict=True))
    pieces = _pieces(cited)
    likely = [context.actor.language, *(piece.language for piece in pieces)]
    language = answer_language(context.question, likely)
    coverage = best_coverage(context.question, language, pieces, SearchTools())
    return Found(cited, pieces, language, Facts(passages=len(pieces), coverage=coverage))


async def _events(client: ModelClient, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
    """The provider's events; one that ends without `Finished` was cut on the way."""
    whole = False
    async with aclosing(client.stream(prompt)) as events:
        async for event in events:
            whole = isinstance(event, Finished)
            yield event
    if not whole:
        raise ProviderError("the stream was cut", reached=True, retryable=True)


def _prompt(context: TurnContext, decision: Decision, found: Found) -> Prompt:
    asking = prompting.Asking(
        question=context.question,
        language=found.language,
        person=context.actor.name,
        policy=context.policy,
        answerable=_answerable(decision, found.pieces),
        max_words=MAX_WORDS,
    )
    return prompting.build(asking, found.pieces)


def _answerable(decision: Decision, pieces: Sequence[Piece]) -> Answerable:
    if not pieces:
        return Answerable.NO
    return Answerable.YES if decision.reason is Reason.OK else Answerable.WEAK


def _pieces(cited: Mapping[str, Evidence]) -> Sequence[Piece]:
    best = max((hit.score for hit in cited.values()), default=0.0) or 1.0
    return [
        Piece(
            key=key,
            text=hit.text,
            label=hit.locator_label,
            language=hit.language,
            score=hit.score / best,
            group=str(hit.source_id),
            order=hit.ordinal,
        )
        for key, hit in cited.items()
    ]


def _payloads(
    event: ModelEvent, text: AnswerText, cited: Mapping[str, Evidence]
) -> Iterator[Payload]:
    match event:
        case TextDelta(fragment):
            text.add(fragment)
            yield Delta(fragment)
        case CitationKey():
            marked = text.cite(event)
            if marked is not None:
                yield Delta(marked.text)
                yield _citation(marked, cited[marked.key])


def _citation(marked: Marked, hit: Evidence) -> CitationFrame:
    return CitationFrame(
        n=marked.n,
        marker=marked.marker,
        sentence=marked.sentence,
        chunk_id=hit.chunk_id,
        notebook_id=hit.notebook_id,
        revision=hit.revision_number,
        source_id=hit.source_id,
        resource_id=hit.resource_id,
        title=hit.resource_title,
        source_label=hit.source_label,
        kind=hit.kind,
        locator=hit.locator,
        label=hit.locator_label,
        href=hit.href,
        start=hit.start,
        quote=marked.quote,
        quoted=hit.text[slice(*marked.quote)],
        support=marked.support,
    )


def _failed(
    meta: AclMeta, facts: Facts, text: AnswerText, error: ProviderError
) -> Iterator[Payload]:
    """A hard stop with its fixed text; what had been said already stays, marked as broken off."""
    if text.text:
        yield replace(meta, llm_called=error.reached)
        sentence = _("The answer broke off. What had arrived is kept.")
    else:
        sentence = _("No answer could be made just now. Your question is kept.")
        yield replace(
            _with_decision(meta, decide(replace(facts, provider_failed=True))),
            llm_called=error.reached,
        )
        text.add(sentence)
        yield Delta(sentence)
    yield ErrorFrame("provider_error", sentence, retryable=error.retryable)


def _meta(context: TurnContext, decision: Decision, hits: Sequence[Evidence]) -> AclMeta:
    details = _source_details(hits)
    return AclMeta(
        label=_label(decision.reason),
        sources=tuple(detail.source for detail in details),
        source_details=details,
        decision=decision.verdict,
        reason=decision.reason,
        confidence=decision.confidence,
        allow_generation=decision.allow_generation,
        llm_called=False,
        tokens_used=TokensUsed(),
        grounding_policy=context.policy,
        pinned_active=False,
        pinned_display="",
        pin_chunks_used=False,
        revisions={str(pin.notebook_id): pin.revision_number for pin in context.pins},
    )


def _with_decision(meta: AclMeta, decision: Decision) -> AclMeta:
    return replace(
        meta,
        label=_label(decision.reason),
        decision=decision.verdict,
        reason=decision.reason,
        confidence=decision.confidence,
        allow_generation=decision.allow_generation,
    )


def _source_details(hits: Sequence[Evidence]) -> tuple[SourceDetail, ...]:
    """Each resource once, with its best passage, at most twenty."""
    best: dict[str, Evidence] = {}
    for hit in hits:
        best.setdefault(_source_name(hit), hit)
    return tuple(
        SourceDetail(
            source=name,
            title=hit.resource_title,
            notebook=hit.notebook_title,
            kind=hit.kind,
            excerpt=one_line(hit.text, MAX_EXCERPT),
            locator=hit.locator_label,
        )
        for name, hit in list(best.items())[:MAX_SOURCES]
    )


def _source_name(hit: Evidence) -> str:
    return f"db:{slug(hit.notebook_title)}/{slug(hit.resource_title)}"


def _label(reason: Reason) -> str:
    match reason:
        case Reason.OK:
            return _("From the sources")
        case Reason.PROVIDER_ERROR:
            return _("No answer could be made")
        case _:
            return _("Little in the sources speaks to this")
