"""Fixed sentences of the quoting provider in the languages of the answer, and Markdown escapes. Pure."""

import re

DEFAULT_LANGUAGE = "en"

NOT_ANSWERED = {
    "en": "The material of this notebook does not answer this question.",
    "ca": "El material d'aquest quadern no respon aquesta pregunta.",
    "es": "El material de este cuaderno no responde a esta pregunta.",
    "pt": "O material deste caderno não responde a esta pergunta.",
    "nl": "Het materiaal van dit notitieboek geeft geen antwoord op deze vraag.",
}
CLOSEST = {
    "en": "The material does not answer this clearly. The passage that comes closest:",
    "ca": "El material no ho respon amb claredat. El passatge que més s'hi acosta:",
    "es": "El material no lo responde con claridad. El pasaje que más se acerca:",
    "pt": "O material não responde a isto com clareza. A passagem mais próxima:",
    "nl": "Het materiaal geeft hierop geen duidelijk antwoord. De passage die het dichtst komt:",
}

_INLINE = re.compile(r"[\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
_LINE_START = re.compile(r"^([ \t]*)([#+\-=]|\d{1,9}[.)](?=\s))", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def said(sentences: dict[str, str], language: str) -> str:
    """The sentence in that language, in English where there is none."""
    return sentences.get(language, sentences[DEFAULT_LANGUAGE])


def escape_markdown(text: str) -> str:
    """Plain text as Markdown that shows exactly that text.

    Only what could become markup gets a backslash, so ordinary prose stays byte-identical.
    """
    inline = _INLINE.sub(lambda mark: "\\" + mark.group(), text)
    return _LINE_START.sub(_escape_line_start, inline)


def _escape_line_start(found: re.Match[str]) -> str:
    indent, mark = found.groups()
    return f"{indent}{mark[:-1]}\\{mark[-1]}"


def unescape_markdown(text: str) -> str:
    """The text that `escape_markdown` was given (CommonMark backslash escapes)."""
    return _ESCAPED.sub(r"\1", text)
