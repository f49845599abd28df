"""Bringing things in, choosing among them, and taking them out again."""

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.e2e.conftest import Visits
from tests.e2e.steps import make_notebook, upload, violations, write_pdf


def test_several_files_are_uploaded_and_the_bad_one_says_why(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    good = [tmp_path / f"Good note {number}.md" for number in range(3)]
    for path in good:
        path.write_text(f"# {path.stem}\n\nThe weir stands at kilometre 12.", encoding="utf-8")
    refused = {"detail": "There is no room left to store the file.", "code": "no_room"}
    page.route(
        "**/api/library/uploads",
        lambda route: (
            route.fulfill(status=413, json=refused)
            if b"Bad note" in (route.request.post_data_buffer or b"")
            else route.continue_()
        ),
    )
    bad = tmp_path / "Bad note.md"
    bad.write_text("x", encoding="utf-8")
    page.goto("/library")
    page.locator("[data-files]").set_input_files([*good, bad])
    expect(page.locator(".up", has_text="Bad note")).to_contain_text("no room left", timeout=20_000)
    expect(page.locator(".up progress.is-done")).to_have_count(3, timeout=20_000)
    assert violations(page) == []
    page.reload()
    for path in good:
        expect(page.get_by_role("link", name=path.stem)).to_be_visible()


def test_pasted_links_become_records_and_refused_ones_stay_with_their_reason(
    visits: Visits, owner: Any
) -> None:
    page = visits.page(storage_state=owner)
    page.goto("/library")
    page.locator("[data-open-links]").click()
    page.locator("#links-text").fill("https://river.example/annex-4\nhttp://127.0.0.1/secret")
    page.get_by_role("button", name="Add links").click()
    expect(page.locator("#links-dialog [data-refused]")).to_contain_text("127.0.0.1")
    expect(page.locator("#links-text")).to_have_value("http://127.0.0.1/secret")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("table", has_text="river.example")).to_be_visible()


def test_a_selection_survives_filters_and_becomes_a_notebook(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "Chosen one.pdf"), write_pdf(tmp_path / "Chosen two.pdf"))
    page.get_by_label("Select Chosen one").check()
    page.goto("/library?q=two")
    page.get_by_label("Select Chosen two").check()
    bar = page.locator("[data-selection]")
    expect(bar).to_contain_text("2 selected")
    expect(bar).to_contain_text("1 not on this page")
    assert violations(page) == []
    bar.get_by_role("button", name="New notebook").click()
    dialog = page.locator("#create-dialog")
    expect(dialog.locator("[data-chosen]")).to_contain_text("2 chosen")
    dialog.locator("[name=title]").fill("Of the chosen")
    dialog.locator("button[type=submit]").click()
    page.wait_for_url("**/notebooks/*-*")
    expect(page.locator(".res")).to_have_count(2)


def test_sources_are_left_out_removed_and_brought_back(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "Kept.pdf"), write_pdf(tmp_path / "Taken out.pdf"))
    make_notebook(page, "In and out", "Kept", "Taken out")
    page.get_by_label("Use Taken out in the next question").uncheck()
    expect(page.locator("[data-taking]")).to_have_text("1 of 2 take part in the next question")
    page.reload()
    expect(page.get_by_label("Use Taken out in the next question")).not_to_be_checked()
    row = page.locator(".res", has_text="Taken out")
    row.locator("summary").click()
    row.get_by_role("button", name="Remove from this notebook").click()
    expect(page.locator(".res")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".res")).to_have_count(2, timeout=20_000)


def test_the_title_is_changed_in_place_and_a_notebook_goes_only_when_meant(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "Short lived.pdf"))
    make_notebook(page, "First title", "Short lived")
    page.get_by_label("Notebook title").fill("Second title")
    page.keyboard.press("Enter")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(page.get_by_label("Notebook title")).to_have_value("Second title")
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete the notebook").click()
    page.wait_for_url("**/notebooks")
    expect(page.get_by_role("link", name="Second title")).to_have_count(0)
