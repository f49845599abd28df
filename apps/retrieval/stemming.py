"""Word stems by language; the only door to PyStemmer (Snowball)."""

from functools import cache

import Stemmer

from apps.retrieval.irregular import base_form

_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hu": "hungarian",
    "it": "italian",
    "lt": "lithuanian",
    "nl": "dutch_porter",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    # The cache inside PyStemmer is what makes repeated words cheap.
    return Stemmer.Stemmer(algorithm, 30_000)


def stem(word: str, language: str) -> str:
    """Give the Snowball stem of a lower-case word, the word itself for languages without one."""
    algorithm = _ALGORITHMS.get(language)
    return _stemmer(algorithm).stemWord(base_form(word, language)) if algorithm else word
