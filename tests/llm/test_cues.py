"""What a question asks for, and whether a sentence holds it."""

import pytest

from apps.llm.cues import Kind, fit, kind_of


@pytest.mark.parametrize(
    "question, kind",
    [
        ("How many people live there?", Kind.NUMBER),
        ("¿Cuántos puntos anotó?", Kind.NUMBER),
        ("Quantes persones hi viuen?", Kind.NUMBER),
        ("Quantas pessoas vivem lá?", Kind.NUMBER),
        ("Hoeveel mensen wonen er?", Kind.NUMBER),
        ("In what year was it built?", Kind.TIME),
        ("¿En qué año se construyó?", Kind.TIME),
        ("Quan es va construir?", Kind.TIME),
        ("Em que ano foi construída?", Kind.TIME),
        ("In welk jaar is het gebouwd?", Kind.TIME),
        ("Who paid?", Kind.PERSON),
        ("¿Quién pagó?", Kind.PERSON),
        ("Qui va pagar?", Kind.PERSON),
        ("Quem pagou?", Kind.PERSON),
        ("Wie betaalde?", Kind.PERSON),
        ("Where is it?", Kind.PLACE),
        ("¿Dónde está?", Kind.PLACE),
        ("On és el delta?", Kind.PLACE),
        ("Onde fica?", Kind.PLACE),
        ("Waar ligt het?", Kind.PLACE),
        ("Why did it fall?", Kind.REASON),
        ("¿Por qué cayó?", Kind.REASON),
        ("Per què va caure?", Kind.REASON),
        ("Por que caiu?", Kind.REASON),
        ("Waarom viel het?", Kind.REASON),
        ("On what ground does it stand?", Kind.OTHER),
        ("Describe the delta.", Kind.OTHER),
    ],
)
def test_the_kind_of_a_question(question: str, kind: Kind) -> None:
    assert kind_of(question) is kind


@pytest.mark.parametrize(
    "question, sentence, language, holds",
    [
        ("How many came?", "About 300 came.", "en", True),
        ("How many came in 1953?", "Many came in 1953.", "en", False),
        ("How many came?", "Twelve came.", "en", True),
        ("¿Cuántos vinieron?", "Vinieron doce.", "es", True),
        ("When did she leave?", "She left in March.", "en", True),
        ("When did she leave?", "She left early.", "en", False),
        ("Quan va marxar?", "Va marxar al març.", "ca", True),
        ("Who built it?", "It was built by Marta Soler.", "en", True),
        ("Who built it?", "It was built by engineers.", "en", False),
        ("Who built Girona?", "The town of Girona is old.", "en", False),
        ("Why did it fall?", "It fell because of the rain.", "en", True),
        ("Waarom viel het?", "Het viel omdat het regende.", "nl", True),
        ("Why did it fall?", "It fell.", "sw", False),
    ],
)
def test_a_sentence_holds_the_kind_or_not(
    question: str, sentence: str, language: str, holds: bool
) -> None:
    assert (fit(kind_of(question), sentence, question, language) > 0) is holds


def test_an_open_question_prefers_no_sentence() -> None:
    assert fit(Kind.OTHER, "Twelve came in 1953.", "Describe it.", "en") == 0
