"""Fusing channels."""

import numpy as np
import pytest

from apps.retrieval.fusion import fuse, scaled, vector_share


def test_two_channels_are_weighed_six_to_four() -> None:
    fused = fuse(np.array([2.0, 1.0, 0.0]), np.array([0.0, 4.0, 1.0]))
    assert fused.tolist() == pytest.approx([0.6, 0.3 + 0.4, 0.1])


def test_an_empty_channel_leaves_the_other_to_decide() -> None:
    assert fuse(np.zeros(2), np.array([1.0, 2.0])).tolist() == pytest.approx([0.2, 0.4])


@pytest.mark.parametrize("coverage, share", [(0.0, 0.8), (0.25, 0.5), (0.5, 0.2), (0.9, 0.2)])
def test_vectors_decide_more_when_words_cover_less(coverage: float, share: float) -> None:
    assert vector_share(coverage) == pytest.approx(share)


def test_vectors_join_with_their_share() -> None:
    fused = fuse(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([0.0, 0.5]), coverage=0.5)
    assert fused.tolist() == pytest.approx([0.8, 0.2])


def test_scaling_nothing_gives_nothing() -> None:
    assert scaled(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    assert scaled(np.array([])).tolist() == []
