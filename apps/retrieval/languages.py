"""Which language a text is written in; the only door to py3langid."""

from py3langid import langid

UNKNOWN = "und"

_SAMPLE_CHARS = 20_000
_MIN_LETTERS = 12


def detect_language(text: str) -> str:
    """Give the ISO 639-1 code of a text, or "und" when it holds too few letters to tell.

    Reads at most the first 20,000 characters. Meant for whole sources: on a single short line
    the answer is a guess.
    """
    sample = text[:_SAMPLE_CHARS]
    if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
        return UNKNOWN
    code, _score = langid.classify(sample)
    return str(code)
