"""After ranking: sources take turns, neighbours join."""

from apps.retrieval.selection import Cut, join_adjacent, limit_per_source


def test_no_source_takes_more_than_its_share_and_others_move_up() -> None:
    kept, cut = limit_per_source(["a1", "a2", "a3", "b1", "c1", "d1"], lambda hit: hit[0], 4)
    assert kept == ("a1", "a2", "b1", "c1")
    assert cut == (Cut(2, "source_full"), Cut(5, "below_limit"))


def test_the_share_is_a_setting() -> None:
    kept, _ = limit_per_source(["a1", "a2", "b1"], lambda hit: hit[0], 9, max_per_source=1)
    assert kept == ("a1", "b1")


def test_neighbours_join_in_reading_order_at_the_place_of_the_best() -> None:
    hits = [("v", 5), ("w", 6), ("v", 9), ("v", 4)]
    passages = join_adjacent(hits, lambda hit: hit)
    assert passages == ((("v", 4), ("v", 5)), (("w", 6),), (("v", 9),))
