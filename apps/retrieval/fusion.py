"""One ranking from several channels: min–max linear, not reciprocal ranks. Pure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """What each channel counts; the share of the vectors grows as coverage falls."""

    words: float = 0.6
    grams: float = 0.4
    vectors_at_least: float = 0.2
    vectors_gain: float = 0.6
    coverage_knee: float = 0.5


DEFAULT_WEIGHTS = FusionWeights()


def fuse(
    words: Floats,
    grams: Floats,
    vectors: Floats | None = None,
    *,
    coverage: float = 0.0,
    weights: FusionWeights = DEFAULT_WEIGHTS,
) -> Floats:
    """Give `(1−w)(.6 words + .4 grams) + w · vectors` over channels scaled to 0..1.

    w = .2 + .6 · max(0, .5 − coverage) ÷ .5; without vectors w is 0.
    """
    lexical = weights.words * scaled(words) + weights.grams * scaled(grams)
    if vectors is None:
        return lexical
    share = vector_share(coverage, weights)
    return (1.0 - share) * lexical + share * scaled(vectors)


def vector_share(coverage: float, weights: FusionWeights = DEFAULT_WEIGHTS) -> float:
    """Give the part of a score that the vectors decide, from the lexical coverage."""
    missing = max(0.0, weights.coverage_knee - coverage) / weights.coverage_knee
    return weights.vectors_at_least + weights.vectors_gain * missing


def scaled(scores: Floats) -> Floats:
    """Give scores as parts of the best one.

    The minimum of the scale is 0, the score of a chunk without any term of the question: a
    notebook of one chunk ranks too, and a chunk more or less at the bottom changes nothing.
    """
    best = float(scores.max(initial=0.0))
    return np.maximum(scores, 0.0) / best if best > 0.0 else np.zeros_like(scores)
