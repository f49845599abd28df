"""The lists of the library: order, search, facets, and how few queries they take."""

import pytest

from apps.common.errors import Invalid, NotFound
from apps.library.actions import remove_resource
from apps.library.queries import library_page, resource_detail, selector_page
from tests.support.cast import Cast
from tests.support.factories import (
    attach,
    link_to,
    resource_with_file,
    resource_with_link,
    resource_without_sources,
    template_record,
)

pytestmark = pytest.mark.everywhere


def _titles(page) -> list[str]:
    return [row.title for row in page.results]


def _counts(values) -> dict[str, int]:
    return {value.value: value.count for value in values}


@pytest.fixture
def shelf(cast: Cast):
    clara = cast.clara
    resource_with_file(
        clara, "Érosion des sols", kind="report", authors=["Anna Puig"], tags=["soil"], year=2019
    )
    resource_with_file(
        clara,
        "«Aigua» i ciutat",
        kind="article",
        authors=["Anna Puig", "Joan Serra"],
        tags=["water"],
    )
    resource_with_link(clara, "zebra crossings", kind="web_page", tags=["water", "soil"])
    resource_with_file(clara, "Eines", kind="report", authors=["Joan Serra"])
    return cast.actors["lola"]


def test_titles_stand_in_alphabetical_order_without_accents_case_and_quotes(shelf):
    assert _titles(selector_page(shelf)) == [
        "«Aigua» i ciutat",
        "Eines",
        "Érosion des sols",
        "zebra crossings",
    ]


def test_the_order_is_made_before_the_pages(shelf):
    pages = [selector_page(shelf, page=number, page_size=3) for number in (1, 2, 3)]
    assert [_titles(page) for page in pages] == [
        ["«Aigua» i ciutat", "Eines", "Érosion des sols"],
        ["zebra crossings"],
        [],
    ]
    assert [(page.total, page.pages) for page in pages] == [(4, 2)] * 3


@pytest.mark.parametrize(
    "q, found",
    [
        ("erosion", ["Érosion des sols"]),
        ("ÈROSION", ["Érosion des sols"]),
        ("puig 2019", ["Érosion des sols"]),
        ("puig water", ["«Aigua» i ciutat"]),
        ("puig zebra", []),
        ("100%", []),
        ("_", []),
        ("   ", ["«Aigua» i ciutat", "Eines", "Érosion des sols", "zebra crossings"]),
    ],
)
def test_every_word_of_a_search_must_occur(shelf, q, found):
    assert _titles(selector_page(shelf, q=q)) == found


def test_facets_are_counted_over_everything_without_filters(shelf):
    facets = selector_page(shelf).facets
    assert _counts(facets.kind) == {"report": 2, "article": 1, "web_page": 1}
    assert _counts(facets.author) == {"Anna Puig": 2, "Joan Serra": 2}
    assert _counts(facets.tag) == {"soil": 2, "water": 2}
    assert facets.kind[0].label == "Report"


def test_a_facet_is_counted_with_the_other_filters_but_not_its_own(shelf):
    page = selector_page(shelf, author="Anna Puig", kind=["report"])
    assert _titles(page) == ["Érosion des sols"]
    assert _counts(page.facets.kind) == {"report": 1, "article": 1}
    assert _counts(page.facets.author) == {"Anna Puig": 1, "Joan Serra": 1}
    assert _counts(page.facets.tag) == {"soil": 1}
    assert [value.value for value in page.facets.author if value.is_chosen] == ["Anna Puig"]


def test_several_values_of_a_facet_widen_and_several_facets_narrow(shelf):
    assert selector_page(shelf, kind=["report", "article"]).total == 3
    assert selector_page(shelf, kind=["report", "article"], tag="water").total == 1


def test_records_with_nothing_to_read_are_counted_and_not_offered(cast, shelf):
    resource_without_sources(cast.clara, "Empty eines")
    page = selector_page(shelf)
    assert ("Empty eines" in _titles(page), page.hidden_without_sources) == (False, 1)
    assert selector_page(shelf, q="eines").hidden_without_sources == 1
    assert selector_page(shelf, q="zebra").hidden_without_sources == 0
    assert "Empty eines" in _titles(library_page(shelf))


def test_templates_and_removed_records_are_in_no_list_and_in_no_count(cast, shelf):
    template_record(cast.clara, "Template eines")
    gone = resource_with_file(cast.clara, "Gone eines", authors=["Ghost"])
    remove_resource(cast.actors["clara"], gone)
    for page in (selector_page(shelf, q="eines"), library_page(shelf, "eines")):
        assert (_titles(page), page.total, page.hidden_without_sources) == (["Eines"], 1, 0)
        assert _counts(page.facets.author) == {"Joan Serra": 1}


def test_no_title_count_or_facet_of_another_workspace_shows(cast, shelf):
    resource_with_file(cast.otto, "Otto's", authors=["Otto Author"], tags=["ottos"])
    resource_without_sources(cast.otto, "Otto's empty")
    mine = selector_page(shelf)
    assert (mine.total, mine.hidden_without_sources) == (4, 0)
    assert "Otto Author" not in _counts(mine.facets.author)
    victors = selector_page(cast.actors["victor"])
    assert (victors.results, victors.total, victors.facets.kind) == ((), 0, ())


def test_a_row_names_what_there_is_to_read(cast, shelf):
    resource = resource_with_file(cast.clara, "Two things", filename="plan.pdf")
    link_to(cast.clara, resource, "https://example.org/plan")
    (row,) = selector_page(shelf, q="two things").results
    assert [(one.kind, one.label) for one in row.sources] == [
        ("attachment", "plan.pdf"),
        ("url", "https://example.org/plan"),
    ]


LISTS = pytest.mark.parametrize(
    "listing, filters, queries",
    [
        (library_page, {}, 7),
        (library_page, {"q": "record"}, 5),
        (selector_page, {}, 8),
        (selector_page, {"q": "record"}, 5),
        (selector_page, {"q": "record", "tag": "t"}, 7),
        (selector_page, {"tag": "t"}, 6),
    ],
)


@LISTS
def test_a_list_takes_as_many_queries_for_sixty_records_as_for_three(
    cast, django_assert_num_queries, listing, filters, queries
):
    lola = cast.actors["lola"]
    for number in range(3):
        resource_with_file(cast.clara, f"Record {number}", authors=["A"], tags=["t"])
    with django_assert_num_queries(queries):
        assert listing(lola, **filters).total == 3
    for number in range(3, 60):
        resource_with_link(cast.clara, f"Record {number}", authors=["B"], tags=["t"])
    with django_assert_num_queries(queries):
        assert listing(lola, **filters).total == 60


@pytest.mark.parametrize("most", [0, 20_000])
def test_counting_by_a_join_gives_what_counting_by_ids_gives(shelf, monkeypatch, most):
    monkeypatch.setattr("apps.library.queries.MOST_IDS", most)
    facets = selector_page(shelf, q="e", author="Joan Serra").facets
    assert _counts(facets.kind) == {"article": 1, "report": 1}
    assert _counts(facets.author) == {"Anna Puig": 2, "Joan Serra": 2}
    assert _counts(facets.tag) == {"water": 1}


def test_a_record_page_shows_files_and_addresses_in_three_queries(cast, django_assert_num_queries):
    resource = resource_with_file(cast.clara, "Shown", body="Notes", filename="a.txt")
    attach(cast.clara, resource, filename="b.txt")
    link_to(cast.clara, resource)
    lola = cast.actors["lola"]
    with django_assert_num_queries(3):
        detail = resource_detail(lola, resource.id)
    assert [one.filename for one in detail.attachments] == ["a.txt", "b.txt"]
    assert (detail.added_by, detail.body, detail.can_edit) == ("Clara", "Notes", False)
    assert resource_detail(cast.actors["enric"], resource.id).can_edit


def test_a_record_page_is_absent_for_strangers(cast):
    resource = resource_with_file(cast.clara)
    with pytest.raises(NotFound):
        resource_detail(cast.actors["victor"], resource.id)


@pytest.mark.parametrize(
    "filters",
    [{"q": "x" * 20_000}, {"q": "a\x00b"}, {"kind": ["a"] * 51}, {"author": ["\ud800"]}],
)
def test_unusable_filters_are_refused_with_a_sentence(cast, filters):
    with pytest.raises(Invalid):
        selector_page(cast.actors["clara"], **filters)
