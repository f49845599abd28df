"""Inflections that suffix stripping cannot reach: irregular English forms, Romance plurals. Pure."""

import regex

_ENGLISH = {
    form: base
    for base, forms in {
        "analysis": "analyses", "appendix": "appendices", "axis": "axes", "basis": "bases",
        "bacterium": "bacteria", "child": "children", "crisis": "crises", "criterion": "criteria",
        "datum": "data", "foot": "feet", "goose": "geese", "hypothesis": "hypotheses",
        "index": "indices indexes", "life": "lives", "man": "men", "matrix": "matrices",
        "mouse": "mice", "phenomenon": "phenomena", "thesis": "theses", "tooth": "teeth",
        "vertex": "vertices", "wife": "wives", "woman": "women", "wolf": "wolves",
        "arise": "arose arisen", "bear": "bore borne", "become": "became", "begin": "began begun",
        "bend": "bent", "bind": "bound", "bite": "bit bitten", "blow": "blew blown",
        "break": "broke broken", "bring": "brought", "build": "built", "buy": "bought",
        "catch": "caught", "choose": "chose chosen", "come": "came", "deal": "dealt",
        "draw": "drew drawn", "drink": "drank drunk", "drive": "drove driven",
        "eat": "ate eaten", "fall": "fell fallen", "feed": "fed", "feel": "felt",
        "fight": "fought", "find": "found", "fly": "flew flown", "forget": "forgot forgotten",
        "freeze": "froze frozen", "get": "got gotten", "give": "gave given", "go": "went gone",
        "grow": "grew grown", "hear": "heard", "hide": "hid hidden", "hold": "held",
        "keep": "kept", "know": "knew known", "lay": "laid", "lead": "led", "leave": "left",
        "lend": "lent", "lose": "lost", "make": "made", "mean": "meant", "meet": "met",
        "pay": "paid", "ride": "rode ridden", "ring": "rang rung", "rise": "rose risen",
        "run": "ran", "say": "said", "see": "saw seen", "seek": "sought", "sell": "sold",
        "send": "sent", "shake": "shook shaken", "shoot": "shot", "sing": "sang sung",
        "sink": "sank sunk", "sit": "sat", "sleep": "slept", "speak": "spoke spoken",
        "spend": "spent", "stand": "stood", "steal": "stole stolen", "swim": "swam swum",
        "take": "took taken", "teach": "taught", "tell": "told", "think": "thought",
        "throw": "threw thrown", "understand": "understood", "wear": "wore worn",
        "win": "won", "write": "wrote written",
    }.items()
    for form in forms.split()
}  # fmt: skip
_SPANISH_PLURAL = regex.compile(r"(?<=\p{L}[aeiouáéíóú])ces$")
_PORTUGUESE_PLURALS = (
    (regex.compile(r"(?<=\p{L})(?:ões|ães)$"), "ão"),
    (regex.compile(r"(?<=\p{L}{2})éis$"), "el"),
    (regex.compile(r"(?<=\p{L}{2})óis$"), "ol"),
    (regex.compile(r"(?<=\p{L}{2})ais$"), "al"),
)


def base_form(word: str, language: str) -> str:
    """Give the base form of an irregular lower-case word, any other word unchanged.

    English from a table; Spanish "veces" gives "vez", Portuguese "papéis" gives "papel".
    """
    if language == "en":
        return _ENGLISH.get(word, word)
    if language == "es":
        return _SPANISH_PLURAL.sub("z", word)
    if language == "pt":
        return _portuguese_singular(word)
    return word


def _portuguese_singular(word: str) -> str:
    for plural, singular in _PORTUGUESE_PLURALS:
        if plural.search(word):
            return plural.sub(singular, word)
    return word
