"""In which language to answer. Pure."""

from collections.abc import Iterable

from apps.common.text import fold
from apps.retrieval.stopwords import stopwords
from apps.retrieval.tokens import tokens

LANGUAGES = ("en", "ca", "es", "pt", "nl")
"""What the product speaks; the fixed sentences of an answer exist in these."""


def answer_language(question: str, candidates: Iterable[str]) -> str:
    """The language the question is in, judged by its small words.

    A question is too short for a statistical guess, but "who", "wie" and "quem" give it away.
    Where several fit equally, the first of `candidates` (best guess first) among them decides,
    then the order of `LANGUAGES`.
    """
    words = [fold(word) for word in tokens(question.casefold())]
    hits = {code: sum(word in stopwords(code) for word in words) for code in LANGUAGES}
    most = max(hits.values())
    fitting = [code for code in LANGUAGES if hits[code] == most]
    return next((code for code in candidates if code in fitting), fitting[0])
