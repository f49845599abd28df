"""Different people at the same pages: another language, a reader, the keyboard alone."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.e2e.conftest import Visits
from tests.e2e.steps import ask, violations

SignIn = Callable[..., Any]


def test_a_catalan_reads_everything_in_catalan(visits: Visits, sign_in: SignIn, river: str) -> None:
    page = visits.page(storage_state=sign_in("Marta", role="editor", language="ca"))
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "ca")
    expect(page.get_by_role("link", name="Biblioteca").first).to_be_visible()
    page.goto(river)
    expect(page.get_by_role("heading", name="Fonts")).to_be_visible()
    turn = ask(page, "Quantes tones de sediment mou una crescuda?")
    expect(turn).to_contain_text("Tu va preguntar")
    expect(turn.locator(".turn__foot")).to_contain_text("Mode didàctic")
    assert violations(page) == []


def test_a_stranger_chooses_a_language_before_signing_in(visits: Visits) -> None:
    page = visits.page()
    page.goto("/sign-in")
    page.locator(".authlang").click()
    page.get_by_role("link", name="Català").click()
    expect(page.get_by_role("heading", name="Obre els teus quaderns")).to_be_visible()
    page.goto("/welcome?token=made-up")
    expect(page.get_by_role("heading")).to_contain_text("enllaç")
    assert violations(page) == []


def test_a_reader_finds_no_way_to_write(visits: Visits, sign_in: SignIn, river: str) -> None:
    page = visits.page(storage_state=sign_in("Lola", role="reader"))
    page.goto(river)
    expect(page.locator(".turn").first).to_contain_text("118,000 tonnes")
    expect(page.get_by_text("You can read this conversation.")).to_be_visible()
    for way in ("textarea", "[data-refresh-all]", "[data-add]", "[data-delete]", "#p-set input"):
        expect(page.locator(way)).to_have_count(0)
    page.locator("#p-src details summary").first.click()
    expect(page.locator("#p-src [data-remove], #p-src [data-retry]")).to_have_count(0)
    assert violations(page) == []
    page.goto("/library")
    expect(page.locator("[data-choose-files], [data-select]")).to_have_count(0)
    page.goto("/notebooks")
    expect(page.locator("[data-new-notebook]")).to_have_count(0)


def test_the_keyboard_alone_goes_from_the_skip_link_to_the_evidence(
    visits: Visits, owner: Any, river: str
) -> None:
    page = visits.page(storage_state=owner)
    page.goto(river)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("[data-composer] textarea")).to_be_focused()
    page.locator("[data-composer] textarea").blur()
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#keys-dialog")).to_be_hidden()
    page.keyboard.press("]")
    expect(page.locator("a.cite").first).to_be_focused()
    expect(page.locator(".said").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".src a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/evidence/**")
    expect(page.locator(".pdfpage canvas")).to_be_visible(timeout=20_000)
    page.keyboard.press("Escape")
    page.wait_for_url(f"**{river}*")


def test_single_keys_can_be_switched_off(visits: Visits, owner: Any, river: str) -> None:
    page = visits.page(storage_state=owner)
    page.goto(river)
    page.keyboard.press("?")
    page.get_by_label("Single keys work while I am not typing").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("[data-composer] textarea")).not_to_be_focused()
    page.reload()
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_hidden()


def test_the_profile_changes_language_and_theme(visits: Visits, sign_in: SignIn) -> None:
    page = visits.page(storage_state=sign_in("Pep", role="reader"))
    page.goto("/profile")
    page.get_by_label("Dark").check()
    page.get_by_label("Language", exact=True).select_option("ca")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Desat.")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    page.locator("[data-menu]:not(.head__menu)").last.locator("summary").click()
    page.get_by_role("button", name="Surt").click()
    page.wait_for_url("**/sign-in")
    page.goto("/library")
    page.wait_for_url("**/sign-in?next=/library")
