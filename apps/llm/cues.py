"""What kind of thing a question asks for, and whether a sentence holds one; five languages. Pure."""

import re
from enum import Enum

from apps.common.text import fold


class Kind(Enum):
    """The kind of answer a question wants."""

    NUMBER = "number"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    OTHER = "other"


TELLS = {
    Kind.NUMBER: 1.0,
    Kind.TIME: 1.1,
    Kind.PERSON: 0.45,
    Kind.PLACE: 0.35,
    Kind.REASON: 0.3,
    Kind.OTHER: 0.0,
}
"""How much it tells that a sentence holds the kind: numbers and dates decide, names only lean."""


def _words(text: str) -> str:
    return r"\b(?:" + "|".join(text.split()) + r")\b"


_ASKS = {
    Kind.NUMBER: (
        r"\bhow (?:many|much|long|old|far|large|big|tall|high|often|few|deep|fast)\b"
        r"|\bwhat (?:percent\w*|number|amount|share|proportion)\b"
        r"|\b(?:cuant[oa]s?|quant[oa]s?|quantes|quant|que porcentaje|quin percentatge"
        r"|que percentagem|qual a percentagem|hoeveel|hoe (?:lang|oud|ver|groot|hoog|vaak|diep))\b"
        r"|\bwelk percentage\b"
    ),
    Kind.TIME: (
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade|time)\b"
        r"|\bcuando\b|\bquan\b|\bquando\b|\bwanneer\b"
        r"|\b(?:que|quin|quina|em que|en que|welk|welke|qual) "
        r"(?:ano|any|dia|data|fecha|mes|segle|siglo|seculo|decada|jaar|datum|maand|eeuw|dag)\b"
    ),
    Kind.PERSON: (r"\bwho(?:m|se)?\b|\bquien(?:es)?\b|\bqui\b|\bquem\b|\bwie(?:ns)?\b"),
    Kind.PLACE: (
        r"\bwhere\b|\b(?:what|which) (?:city|country|state|place|town|region|river|island)\b"
        r"|\b(?:a?donde|a?onde|waar(?:heen|vandaan)?)\b|^\W*(?:a |d['’])?on\b(?! wh)"
        r"|\b(?:que|quin|quina|qual|welk|welke|em que|en que) "
        r"(?:ciudad|pais|lugar|ciutat|lloc|cidade|stad|land|plaats|regio|regiao|comarca|poble)\b"
    ),
    Kind.REASON: (
        r"\bwhy\b|\bwhat (?:caused|causes|reason)\b|\bpor que\b|\bper que\b|\bporque\b"
        r"|\bwaarom\b|\bwaardoor\b"
    ),
}
_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in _ASKS.items())

_NUMBER_WORDS = {
    "en": "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty "
    "hundreds? thousands? millions? billions? half third quarter dozen",
    "ca": "dos dues tres quatre cinc sis set vuit nou deu onze dotze vint cent mil milions? meitat",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce veinte cien mil "
    "millon(?:es)? mitad",
    "pt": "dois duas tres quatro cinco seis sete oito nove dez onze doze vinte cem mil "
    "milhao milhoes metade",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf twintig honderd duizend "
    "miljoen miljard helft kwart",
}
_TIME_WORDS = {
    "en": "january february march april may june july august september october november december "
    "century centuries decade years? since until",
    "ca": "gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre "
    "segles? anys?",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre siglos? anos?",
    "pt": "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro "
    "dezembro seculos? anos?",
    "nl": "januari februari maart april mei juni juli augustus september oktober november "
    "december eeuw eeuwen jaar jaren sinds",
}
_REASON_WORDS = {
    "en": "because due reasons? caus\\w+ since therefore results? resulted",
    "ca": "perque causa causes raons? motius? degut aixo gracies",
    "es": "porque causas? razon razones motivos? debido gracias",
    "pt": "porque causas? razao razoes motivos? devido gracas pois",
    "nl": "omdat doordat want daarom waardoor oorzaak oorzaken reden redenen dankzij zodat",
}


def _by_language(words: dict[str, str], *signs: str) -> dict[str, re.Pattern[str]]:
    return {code: re.compile("|".join((*signs, _words(text)))) for code, text in words.items()}


_HOLDS_NUMBER = _by_language(_NUMBER_WORDS, r"\d", "%")
_HOLDS_TIME = _by_language(_TIME_WORDS, r"\d")
_HOLDS_REASON = _by_language(_REASON_WORDS)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<!\w)[^\W\d_a-zß-öø-ÿ][\w'’-]+")


def kind_of(question: str) -> Kind:
    """The kind of answer the question asks for; the first fitting rule decides."""
    folded = fold(question)
    return next((kind for kind, asks in _KINDS if asks.search(folded)), Kind.OTHER)


def fit(kind: Kind, sentence: str, question: str, language: str) -> float:
    """How well the sentence could hold that kind of answer: what that kind tells, or its negative.

    What the question says itself does not count: a year repeated from the question is not
    the year it asks for. `language` is the sentence's; an unknown one is read as English.
    """
    if kind is Kind.OTHER:
        return 0.0
    held = _holds(kind, sentence, question, language if language in _NUMBER_WORDS else "en")
    return TELLS[kind] if held else -TELLS[kind]


def _holds(kind: Kind, sentence: str, question: str, language: str) -> bool:
    match kind:
        case Kind.NUMBER:
            return _new(_HOLDS_NUMBER[language], fold(sentence), fold(question))
        case Kind.TIME:
            return _new(_HOLDS_TIME[language], fold(sentence), fold(question))
        case Kind.REASON:
            return _HOLDS_REASON[language].search(fold(sentence)) is not None
        case _:
            return _new(_NAME, sentence, question)


def _new(pattern: re.Pattern[str], sentence: str, question: str) -> bool:
    """Whether the sentence holds a match inside a word that the question does not hold."""
    asked = {word.strip(".,;:?!¿¡()\"'") for word in question.split()}
    found = (_word_at(sentence, match.start()) for match in pattern.finditer(sentence))
    return any(word not in asked for word in found)


def _word_at(text: str, position: int) -> str:
    start = max(text.rfind(mark, 0, position) for mark in " \n\t") + 1
    return text[start:].split(maxsplit=1)[0].strip(".,;:?!¿¡()\"'")
