"""Words too common to rank by; the only door to stopwordsiso."""

from functools import cache

import stopwordsiso

from apps.retrieval.folding import fold_accents
from apps.retrieval.function_words import FUNCTION_WORDS


@cache
def stopwords(language: str) -> frozenset[str]:
    """Give the stopwords of a language, case and accents folded; empty for unknown languages."""
    if language in FUNCTION_WORDS:
        return FUNCTION_WORDS[language]
    if not stopwordsiso.has_lang(language):
        return frozenset()
    return frozenset(fold_accents(word.casefold()) for word in stopwordsiso.stopwords(language))
