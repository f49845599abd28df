"""How the chat reads text: sentences and words as the search itself reads them. Pure."""

from collections.abc import Sequence
from functools import lru_cache

from apps.llm.scoring import Word
from apps.retrieval.folding import fold_accents, normalise
from apps.retrieval.spans import sentences
from apps.retrieval.stemming import stem
from apps.retrieval.stopwords import stopwords
from apps.retrieval.tokens import is_run, split_token, tokens


class SearchTools:
    """The reading that the quoting provider asks for; fits `apps.llm.scoring.TextTools`."""

    def sentences(self, text: str) -> Sequence[tuple[int, int]]:
        """The sentences of a text as [start, end) code points, in order."""
        return _sentences(text)

    def words(self, text: str, language: str) -> Sequence[Word]:
        """The words of a text in order, without the stopwords of its language."""
        return _words(text, language)


# A turn reads each passage twice, for its verdict and for its answer, and popular passages
# come back in every turn.
@lru_cache(maxsize=2_048)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in sentences(text))


@lru_cache(maxsize=16_384)
def _words(text: str, language: str) -> tuple[Word, ...]:
    return tuple(word for token in tokens(normalise(text)) for word in _words_of(token, language))


@lru_cache(maxsize=65_536)
def _words_of(token: str, language: str) -> tuple[Word, ...]:
    if is_run(token):
        return tuple(Word(sign, sign) for sign in token)
    ignored = stopwords(language)
    forms = [(part, fold_accents(part)) for part in split_token(token, language).words]
    return tuple(
        Word(fold_accents(stem(part, language)), form)
        for part, form in forms
        if form not in ignored
    )
