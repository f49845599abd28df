"""Quoted phrases: what a question puts in quotes must stand in the text word for word. Pure."""

from collections.abc import Iterable

import regex

from apps.retrieval.folding import fold_accents, normalise

_QUOTED = regex.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|„([^“”]+)[“”]")
_BETWEEN_WORDS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_MAX_PHRASES = 8


def quoted_phrases(question: str) -> tuple[str, ...]:
    """Give the phrases quoted in a question, in searched form; a lone quote quotes nothing."""
    quoted = ("".join(filter(None, groups)) for groups in _QUOTED.findall(question))
    phrases = (_plain(phrase) for phrase in quoted)
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase.strip()))[:_MAX_PHRASES]


def holds_phrases(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a shown text holds every phrase given by `quoted_phrases`, at word borders."""
    plain = _plain(text)
    return all(phrase in plain for phrase in phrases)


def _plain(text: str) -> str:
    """The words of a text with one space around each, so that borders are part of the match."""
    return f" {_BETWEEN_WORDS.sub(' ', fold_accents(normalise(text))).strip()} "
