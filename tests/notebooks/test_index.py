"""The stored index: the same bits as in memory, on both databases, whatever else is stored."""

import pytest

from apps.notebooks import index, segments
from apps.notebooks.models import Chunk, IndexSpace, Notebook, Posting, SegmentLengths
from apps.retrieval.ranking import ScoredChunk
from tests.notebooks.cast_of_texts import VERSIONS
from tests.retrieval.builders import Shelf
from tests.support.cast import Cast
from tests.support.factories import resource_with_file
from tests.support.notebooks import notebook_of, read_notebook

pytestmark = pytest.mark.everywhere

QUESTIONS = (
    "pension fund",
    "report sickness",
    "employee pensions",
    "the",
    "pensions supervised by",
)


@pytest.fixture
def notebook(cast: Cast) -> Notebook:
    return notebook_of(cast.clara, resource_with_file(cast.clara))


@pytest.fixture
def space(notebook: Notebook) -> int:
    return notebook.index_space.pk


@pytest.fixture
def other_space(cast: Cast) -> int:
    return notebook_of(cast.clara, resource_with_file(cast.clara, "Other")).index_space.pk


def write(space: int, version: int, texts: list[str]) -> None:
    index.write_segment(space, version, enumerate(texts), "en")


def search(space: int, question: str, *versions: int, limit: int = 10) -> list[ScoredChunk]:
    asked = [(version, "en") for version in versions or VERSIONS]
    return list(index.search(space, asked, question, limit=limit, max_per_source=99).hits)


def write_all(space: int) -> None:
    for version, texts in VERSIONS.items():
        write(space, version, texts)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_database_ranks_to_the_bit_like_memory(space: int, question: str) -> None:
    write_all(space)
    assert search(space, question) == list(Shelf(VERSIONS).search(question).chunks)


def test_no_other_notebook_changes_a_bit_of_a_score(space: int, other_space: int) -> None:
    write_all(space)
    before = [search(space, question) for question in QUESTIONS]
    for version in range(100, 140):
        write(other_space, version, ["pension fund report sickness", "pension pension"])
    assert [search(space, question) for question in QUESTIONS] == before


def test_an_unasked_source_is_as_if_it_had_never_been_there(space: int, other_space: int) -> None:
    write_all(space)
    for version in (3, 9):
        write(other_space, version, VERSIONS[version])
    for question in QUESTIONS:
        assert search(space, question, 3, 9) == search(other_space, question, 3, 9)


def test_merging_segments_changes_no_bit(space: int) -> None:
    for number in range(20):
        for version, texts in VERSIONS.items():
            write(space, version * 100 + number, texts)
    many = {v * 100 + n: texts for v, texts in VERSIONS.items() for n in range(20)}
    assert SegmentLengths.objects.filter(space_id=space).count() < 20
    expected = list(Shelf(many).search("pension fund report", limit=30).chunks)
    assert search(space, "pension fund report", *many, limit=30) == expected


def test_a_dropped_version_is_neither_counted_nor_found(space: int) -> None:
    write_all(space)
    index.drop_segments(space, [5])
    assert index.indexed_count(space, list(VERSIONS)) == 4
    assert {hit.version_id for hit in search(space, "pension")} == {3, 9}


def test_compacting_leaves_no_byte_of_dropped_versions(space: int, other_space: int) -> None:
    for number in range(8):
        write(space, number, [f"marker{number} text"])
    write(other_space, 1, ["marker1 text"])
    index.drop_segments(space, [0, *range(2, 8)])
    index.compact(space)
    pages = [
        sorted(
            bytes(page)
            for page in Posting.objects.filter(space_id=s).values_list("page", flat=True)
        )
        for s in (space, other_space)
    ]
    assert pages[0] == pages[1]


def test_dropping_everything_leaves_no_rows(space: int) -> None:
    write_all(space)
    index.drop_segments(space, list(VERSIONS))
    assert not Posting.objects.exists()
    assert not SegmentLengths.objects.exists()


def test_deleting_the_space_takes_its_rows_along(space: int) -> None:
    write_all(space)
    IndexSpace.objects.filter(pk=space).delete()
    assert not Posting.objects.exists()


def test_writing_a_version_again_replaces_it(space: int) -> None:
    write_all(space)
    write_all(space)
    assert index.indexed_count(space, list(VERSIONS)) == 6
    assert search(space, "pension fund") == list(Shelf(VERSIONS).search("pension fund").chunks)


def test_a_copied_version_ranks_like_a_written_one(
    cast: Cast, other_space: int, space: int
) -> None:
    text = b"The pension fund is supervised.\n\nHolidays are agreed.\n"
    read = read_notebook(cast.clara, resource_with_file(cast.clara, "Read", text))
    assert read.active_revision is not None
    version = read.active_revision.entries.get().version
    assert index.copy_segment(version.id, to_space=space)
    assert index.indexed_count(space, [version.id]) == version.chunk_count
    asked = [(version.id, version.language)]
    original = index.search(read.index_space.pk, asked, "pension fund", limit=5)
    assert index.search(space, asked, "pension fund", limit=5) == original
    assert not index.copy_segment(version.id + 1_000, to_space=other_space)


def test_a_version_inside_a_much_larger_segment_is_not_copied(
    cast: Cast, space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = read_notebook(cast.clara, resource_with_file(cast.clara, "Read"))
    assert read.active_revision is not None
    version_id = read.active_revision.entries.get().version_id
    monkeypatch.setattr(index, "_COPY_UP_TO", 0)
    assert not index.copy_segment(version_id, to_space=space)


def test_a_long_version_spans_segments_and_keeps_its_ordinals(
    space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_CHUNKS_PER_SEGMENT", 3)
    texts = [f"page {number} tells of weirs" for number in range(8)]
    write(space, 1, texts)
    assert search(space, "weirs", 1) == list(Shelf({1: texts}).search("weirs").chunks)
    assert search(space, "page 7", 1)[0].ordinal == 7


def test_ordinals_with_a_gap_are_refused(space: int) -> None:
    with pytest.raises(ValueError, match="not contiguous"):
        index.write_segment(space, 1, [(0, "a"), (2, "b")], "en")


def test_what_a_killed_writer_left_is_swept_and_never_read(space: int) -> None:
    write(space, 3, VERSIONS[3])
    row = SegmentLengths.objects.get(space_id=space)
    left = SegmentLengths.objects.create(
        space_id=space, page_bits=0, chunk_count=1, byte_count=0, members=[[77, 0, 0, 1]],
        word_lengths=b"\x01\x00", gram_lengths=b"\x01\x00",
    )  # fmt: skip
    Posting.objects.create(space_id=space, slot=1, segment_id=left.pk, page=b"\x00" * 4)
    assert index.indexed_count(space, [77]) == 0
    write(space, 5, VERSIONS[5])
    assert not Posting.objects.filter(segment_id=left.pk).exists()
    assert SegmentLengths.objects.filter(pk=row.pk).exists()


def test_a_merge_that_meets_a_removal_gives_way(
    space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        write(space, number, ["pension"])
    swap = segments._swap

    def removal_first(rows: list[SegmentLengths], merged: SegmentLengths) -> bool:
        index.drop_segments(space, [3])
        return swap(rows, merged)

    monkeypatch.setattr(segments, "_swap", removal_first)
    write(space, 7, ["pension"])
    assert index.indexed_count(space, range(8)) == 7
    assert not SegmentLengths.objects.filter(ready=False).exists()
    monkeypatch.setattr(segments, "_swap", swap)
    write(space, 8, ["pension"])
    assert index.indexed_count(space, range(9)) == 8


def test_a_reader_that_meets_a_merge_reads_again(
    space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        write(space, number, ["pension"])
    read_pages = segments.read_pages
    merged: list[int] = []

    def merge_first(space_id: int, slots: list[int]) -> object:
        if not merged:
            merged.append(1)
            write(space, 7, ["pension"])
        return read_pages(space_id, slots)

    monkeypatch.setattr(segments, "read_pages", merge_first)
    assert len(search(space, "pension", *range(8))) == 8


def test_one_source_gives_no_more_than_its_share(space: int) -> None:
    write(space, 1, ["weir", "weir", "weir"])
    write(space, 2, ["weir and dam"])
    found = index.search(space, [(1, "en"), (2, "en")], "weir", limit=10)
    assert [(hit.version_id, hit.ordinal) for hit in found.hits] == [(1, 0), (1, 1), (2, 0)]


def test_explaining_tells_what_was_cut_and_why(space: int) -> None:
    write(space, 1, ["weir", "weir", "weir"])
    write(space, 2, ["weir and dam"])
    told = index.explain(space, [(1, "en"), (2, "en")], "weir", limit=10)
    assert [(cut.position, cut.reason) for cut in told.cut] == [(2, "source_full")]
    assert told.ranks == ((1, 1), (1, 1), (1, 1), (4, 4))


def test_a_quoted_phrase_must_stand_in_the_hit(cast: Cast) -> None:
    texts = {"One": b"The weir was old.", "Two": b"An old man saw the weir."}
    resources = [resource_with_file(cast.clara, title, text) for title, text in texts.items()]
    read = read_notebook(cast.clara, *resources)
    asked = list(
        Chunk.objects.order_by("version_id").values_list("version_id", "version__language")
    )
    found = index.search(read.index_space.pk, asked, '"the weir was"', limit=5)
    assert [Chunk.objects.get(version_id=h.version_id).text.strip() for h in found.hits] == [
        "The weir was old."
    ]
    assert index.search(read.index_space.pk, asked, '"was the weir"', limit=5).hits == ()


@pytest.mark.parametrize(
    "question", ['"', "NEAR(a b)", "\x00", "", "%' OR 1=1 --", "\ud83d", "x" * 20_000]
)
def test_no_question_reaches_the_database_as_language(space: int, question: str) -> None:
    write_all(space)
    index.search(space, [(3, "en")], question, limit=5)


def test_a_question_takes_a_constant_number_of_queries(
    space: int, django_assert_num_queries: object
) -> None:
    write_all(space)
    with django_assert_num_queries(2):  # type: ignore[operator]
        search(space, "pension fund report of the employees")
