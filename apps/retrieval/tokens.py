"""Cutting searched text into words: elision, clitics, compounds, scripts without spaces. Pure."""

import re
from functools import lru_cache
from typing import NamedTuple

import regex


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NO_SPACES = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_PART = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{_NO_SPACES}]+"
_CONNECTOR = r"(?:['\-\u2010_·•.:/&@]|(?<=\p{N}),(?=\p{N}))"
_TOKEN = regex.compile(
    rf"{_NO_SPACES}+|{_PART}(?:{_CONNECTOR}{_PART})*(?:\+\+|\#)?", regex.VERSION1
)
# The same for Latin letters alone, by the standard library: three times as fast.
_LATIN_TOKEN = re.compile(r"[^\W_]+(?:(?:['\-\u2010_·•.:/&@]|(?<=\d),(?=\d))[^\W_]+)*(?:\+\+|#)?")
_BEYOND_LATIN = re.compile("[\u0300-\u1dff\u2c00-\ua71f\ua800-\U0010ffff]")
_RUN = regex.compile(rf"{_NO_SPACES}+", regex.VERSION1)
_PIECE = regex.compile(r"([^\p{L}\p{M}\p{N}]*)([\p{L}\p{M}\p{N}]+)")
_GEMINATE = regex.compile(r"(?<=l)[·•](?=l)")
_CATALAN_GEMINATE = regex.compile(r"(?<=\p{L}l)[.\-](?=l\p{L})")
_ELIDED = frozenset({"l", "d", "s", "m", "t", "n", "j", "c", "qu", "jusqu", "lorsqu", "puisqu"})
_ENCLITICS = frozenset({"l", "n", "ls", "s", "m", "t", "ns", "hi", "ho", "en"})
_PRONOUNS = {
    "ca": _words("lo la los les li se me te nos us vos ne hi ho en ls"),
    "es": _words("lo la los las le les se me te nos os"),
    "pt": _words("lo la los las lhe lhes se me te nos vos no na nas o a os as"),
    "fr": _words("le la les lui leur se me te moi toi nous vous en y je tu il elle"),
}
_MAX_JOINED_PARTS = 4
_MAX_JOINED_CHARS = 40


class Words(NamedTuple):
    """What one raw token holds: its words and, for a compound, the words written as one."""

    words: tuple[str, ...]
    joined: str


def tokens(searched: str) -> list[str]:
    """Give the raw tokens of a searched text: words with inner connectors, runs of ideographs."""
    pattern = _TOKEN if _BEYOND_LATIN.search(searched) else _LATIN_TOKEN
    return pattern.findall(searched)


def is_run(token: str) -> bool:
    """Tell whether a token is a run of a script written without spaces."""
    return _RUN.fullmatch(token) is not None


@lru_cache(maxsize=65_536)
def split_token(token: str, language: str) -> Words:
    """Give the words of a raw token, without elided articles and attached pronouns.

    "l'hôtel" gives (("hôtel",), ""), "e-mail" (("e", "mail"), "email"), "don't" (("dont",), "")
    and Catalan "instal·lar-se" (("installar",), ""). A run of ideographs holds no words.
    """
    if is_run(token):
        return Words((), "")
    pieces = _pieces(token, language)
    pieces = _without_elision(_without_pronouns(pieces, language))
    parts = tuple(part for _connector, part in pieces)
    if token[-1] in "+#":
        parts = (*parts[:-1], parts[-1] + token[len(token.rstrip("+#")) :])
    return Words(parts, _joined(parts))


def _pieces(token: str, language: str) -> list[tuple[str, str]]:
    token = _GEMINATE.sub("", token)
    if language == "ca":
        token = _CATALAN_GEMINATE.sub("", token)
    return _PIECE.findall(token)


def _without_pronouns(pieces: list[tuple[str, str]], language: str) -> list[tuple[str, str]]:
    pronouns = _PRONOUNS.get(language, frozenset())
    while len(pieces) > 1:
        connector, last = pieces[-1]
        before = pieces[-2]
        if connector == "'" and last == "t" and before[1].endswith("n"):
            pieces = [*pieces[:-2], (before[0], before[1] + last)]
        elif (connector == "'" and last in _ENCLITICS) or (connector == "-" and last in pronouns):
            pieces = pieces[:-1]
        else:
            break
    return pieces


def _without_elision(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    while len(pieces) > 1 and pieces[1][0] == "'" and pieces[0][1] in _ELIDED:
        pieces = pieces[1:]
    return pieces


def _joined(parts: tuple[str, ...]) -> str:
    if not 1 < len(parts) <= _MAX_JOINED_PARTS:
        return ""
    joined = "".join(parts)
    return joined if len(joined) <= _MAX_JOINED_CHARS else ""
