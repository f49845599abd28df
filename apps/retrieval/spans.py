"""Sentences with exact offsets, and how well each answers a question. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from apps.retrieval.analysis import Analysed, QueryTerms, analyse
from apps.retrieval.folding import SearchText, fold_accents, search_text


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


MAX_SENTENCE_CHARS = 600
"""Longer stretches without a full stop (tables, code) are cut at line ends and semicolons."""

_STOP = regex.compile(
    r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”）]*|\n\s*\n|\n(?=\s*(?:[-–•*·▪]|\d{1,3}[.)])\s)"
)
_OPENING = regex.compile(r"[\s\"'“‘«„(\[]*")
_LAST_WORD = regex.compile(r"[\p{L}\p{M}\p{N}.ºª]+$")
_LONG_CUTS = (regex.compile(r"\n+"), regex.compile(r";\s|\t+"), regex.compile(r"\s+"))
# "Dr. Vidal", "p. ex. Girona": the next word may be capital and the sentence goes on.
_ABBREVIATIONS = _words(
    """
    mr mrs ms dr dra drs prof profa sr sra srs srta sres st sta sto mgr mn mme mlle dhr mevr ing ir
    jr vs cf viz e.g i.e eg p.ex p.e ex v.gr bijv bv d.w.z dwz m.b.t t.a.v o.a m.a.w i.v.m i.p.v
    t.o.v n.a.v a.u.b av avda gral tte cap cia ltda lda exmo exma excm ilm il·lm hble ud uds vd vds
    resp incl excl approx aprox ca c.a
    """
)
# "núm. 3", "p. 14": an abbreviation only before a number; "no." alone ends many sentences.
_BEFORE_NUMBERS = _words(
    """
    no nos nr nrs num nums n nº n.º art arts fig figs p pp pag pags pg blz vol vols sec secs eq ch
    chap tit par paragr lid ap apdo tel sect tab ann dec des jan feb mar apr aug sept oct nov
    """
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch [start, end) of a shown text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """How well one sentence answers a question.

    `coverage` is the part of the question's weight that the sentence holds, 0..1; `score` adds
    what its character grams share with the question, so inflections and typos count a little.
    `matched` are the word terms found.
    """

    span: Span
    score: float
    coverage: float
    matched: tuple[str, ...]


def sentences(text: str) -> tuple[Span, ...]:
    """Give the sentences of a text in order: disjoint, trimmed, only white space between them.

    Abbreviations, initials, decimals and quotes of the five languages do not cut a sentence.
    """
    spans: list[Span] = []
    start = 0
    for end in _ends(text):
        spans.extend(_pieces(text, start, end))
        start = end
    return tuple(spans)


def score_sentences(
    text: str, question: QueryTerms, language: str, idf: Mapping[str, float] | None = None
) -> tuple[SentenceScore, ...]:
    """Give each sentence of a text with its score against a question, in reading order.

    `idf` weighs the question's word terms by their rarity in the notebook (`Ranking.idf`);
    without it they weigh the same.
    """
    rarity = idf or {}
    weights = {term.term: term.weight * rarity.get(term.term, 1.0) for term in question.words}
    needed = sum(weights[term.term] for term in question.words if not term.optional)
    grams = {term.term: term.weight for term in question.grams}
    return tuple(
        _score(span, analyse(text[span.start : span.end], language), weights, needed, grams)
        for span in sentences(text)
    )


def best_sentences(scored: Sequence[SentenceScore], limit: int) -> tuple[SentenceScore, ...]:
    """Give the `limit` best sentences that match at all, in reading order; ties to the earlier."""
    matching = [sentence for sentence in scored if sentence.score > 0.0]
    best = sorted(matching, key=lambda sentence: (-sentence.score, sentence.span.start))[:limit]
    return tuple(sorted(best, key=lambda sentence: sentence.span.start))


def find_phrase(text: str, phrase: str) -> Span | None:
    """Give where a phrase first stands in a shown text, whatever its case, accents, hyphenation.

    The span holds the page's own wording: "knowledge" is found in "know-⏎ledge".
    """
    searched = search_text(text)
    wanted = fold_accents(search_text(phrase).text).split()
    if not wanted:
        return None
    folded, positions = _folded(searched)
    match = regex.search(r"\s+".join(regex.escape(word) for word in wanted), folded)
    if match is None:
        return None
    start, _ = searched.shown_span(positions[match.start()], positions[match.start()] + 1)
    _, end = searched.shown_span(positions[match.end() - 1], positions[match.end() - 1] + 1)
    return Span(start, end)


def _folded(searched: SearchText) -> tuple[str, list[int]]:
    """The text without accents and, for each character, its place in the searched text."""
    folded: list[str] = []
    positions: list[int] = []
    for place, character in enumerate(searched.text):
        bare = fold_accents(character)
        folded.append(bare)
        positions.extend([place] * len(bare))
    return "".join(folded), positions


def _ends(text: str) -> Iterator[int]:
    for stop in _STOP.finditer(text):
        if _ends_sentence(text, stop.start(), stop.end()):
            yield stop.end()
    yield len(text)


def _ends_sentence(text: str, stop: int, end: int) -> bool:
    if text[stop] in "\n。！？":
        return True
    following = _OPENING.match(text, end)
    after = text[following.end() : following.end() + 1] if following else ""
    if after.islower():
        return False
    return text[stop] != "." or not _is_abbreviation(text[max(0, stop - 24) : stop], after)


def _is_abbreviation(before: str, after: str) -> bool:
    found = _LAST_WORD.search(before)
    if found is None:
        return False
    word = fold_accents(found.group().casefold())
    initial = len(word) == 1 and word.isalpha() and found.group().isupper()
    return initial or word in _ABBREVIATIONS or (after.isdigit() and word in _BEFORE_NUMBERS)


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """The trimmed sentence between two bounds, in pieces when it is very long."""
    trimmed = _trimmed(text, start, end)
    if trimmed is None:
        return
    while trimmed.end - trimmed.start > MAX_SENTENCE_CHARS:
        cut = _long_cut(text, trimmed)
        head, tail = _trimmed(text, trimmed.start, cut), _trimmed(text, cut, trimmed.end)
        if head is None or tail is None:
            break
        yield head
        trimmed = tail
    yield trimmed


def _long_cut(text: str, span: Span) -> int:
    """Where to cut a long stretch: at the last line end in reach, else cell, else space."""
    reach = span.start + MAX_SENTENCE_CHARS
    for kind in _LONG_CUTS:
        breaks = [match.end() for match in kind.finditer(text, span.start + 1, reach)]
        if breaks:
            return int(breaks[-1])
    return reach


def _trimmed(text: str, start: int, end: int) -> Span | None:
    part = text[start:end]
    bare = part.strip()
    if not bare:
        return None
    begin = start + len(part) - len(part.lstrip())
    return Span(begin, begin + len(bare))


def _score(
    span: Span,
    sentence: Analysed,
    weights: Mapping[str, float],
    needed: float,
    grams: Mapping[str, float],
) -> SentenceScore:
    matched = tuple(term for term in weights if term in sentence.words)
    coverage = min(1.0, sum(weights[term] for term in matched) / needed) if needed > 0.0 else 0.0
    asked = sum(grams.values())
    shared = sum(weight for gram, weight in grams.items() if gram in sentence.grams)
    closeness = shared / asked if asked else 0.0
    return SentenceScore(span, 0.8 * coverage + 0.2 * closeness, coverage, matched)
