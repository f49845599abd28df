"""Who gets what from the addresses of the chat: home, a notebook's page, turns.

The shared turn is Enric's question in Clara's notebook: he and she may stop its answer. The
private turn is Clara's own.
"""

import uuid
from typing import Any

from tests.contracts.access_table import ABSENT, ABSENT_PAGE, Row, Thing


def _question(thing: Thing) -> dict[str, Any]:
    return {
        "notebook_id": str(thing.facts["notebook"]),
        "message": "What is evidence?",
        "client_turn_id": str(uuid.uuid4()),
    }


ROWS = (
    #                            neus clar enri lola vict ona  otto nobody
    Row("home", "GET", {"": "    200  200  200  200  200  404  200  302"}),
    Row(
        "notebook",
        "GET",
        {
            "notebook.private": "404  200  404  404  404  404  404  302",
            "notebook.shared": " 200  200  200  200  404  404  404  302",
            "notebook.victors": "404  404  404  404  200  404  404  302",
            "notebook.ottos": "  404  404  404  404  404  404  200  302",
            "notebook.absent": ABSENT_PAGE,
        },
    ),
    Row(
        "api_conversation",
        "GET",
        {
            "notebook.private": "404  200  404  404  404  404  404  401",
            "notebook.shared": " 200  200  200  200  404  404  404  401",
            "notebook.victors": "404  404  404  404  200  404  404  401",
            "notebook.ottos": "  404  404  404  404  404  404  200  401",
            "notebook.absent": ABSENT,
        },
    ),
    Row(
        "api_chat",
        "POST",
        {
            "question.private": "404  200  404  404  404  404  404  401",
            "question.shared": " 200  200  200  403  404  404  404  401",
            "question.victors": "404  404  404  404  409  404  404  401",
            "question.ottos": "  404  404  404  404  404  404  200  401",
            "question.absent": ABSENT,
        },
        body=_question,
        streams=True,
    ),
    Row(
        "api_turn",
        "GET",
        {
            "turn.private": "    404  200  404  404  404  404  404  401",
            "turn.shared": "     200  200  200  200  404  404  404  401",
            "turn.ottos": "      404  404  404  404  404  404  200  401",
            "turn.absent": ABSENT,
        },
    ),
    Row(
        "api_turn_stream",
        "GET",
        {
            "turn.private": "    404  200  404  404  404  404  404  401",
            "turn.shared": "     200  200  200  200  404  404  404  401",
            "turn.ottos": "      404  404  404  404  404  404  200  401",
            "turn.absent": ABSENT,
        },
        streams=True,
    ),
    Row(
        "api_turn_stop",
        "POST",
        {
            "turn.private": "    404  202  404  404  404  404  404  401",
            "turn.shared": "     403  202  202  403  404  404  404  401",
            "turn.ottos": "      404  404  404  404  404  404  202  401",
            "turn.absent": ABSENT,
        },
    ),
)
