"""BM25 with Lucene's idf, over arrays. Pure.

S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework (2009); the idf that never gets
negative is the one of Apache Lucene. The factor k1 + 1 is kept, as in rank-bm25.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75

Floats = NDArray[np.float64]


def idf(total: int, df: int) -> float:
    """Give the weight of a term that `df` of `total` chunks hold."""
    return log(1.0 + (total - df + 0.5) / (df + 0.5))


def norms(lengths: NDArray[np.uint16]) -> Floats:
    """Give k1 · (1 − b + b · length ÷ average length) of each chunk."""
    total = int(lengths.sum(dtype=np.int64))
    if total == 0:
        return np.full(len(lengths), K1)
    average = total / len(lengths)
    return K1 * (1.0 - B + B * (lengths.astype(np.float64) / average))


def gains(weight: float, tfs: NDArray[np.uint8], norm: Floats) -> Floats:
    """Give what one term adds to the score of each chunk that holds it.

    `weight` is idf times the weight in the question, `norm` the `norms` of those chunks.
    """
    frequency = tfs.astype(np.float64)
    below = frequency + norm
    frequency *= weight * (K1 + 1.0)
    frequency /= below
    return frequency
