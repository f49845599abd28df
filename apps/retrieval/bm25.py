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


def norms(lengths: NDArray[np.uint16], asked: NDArray[np.bool_]) -> Floats:
    """Give k1 · (1 − b + b · length ÷ average length) of each chunk.

    The average is over the chunks that `asked` marks, over all when it is empty.
    """
    counted = lengths[asked] if asked.size else lengths
    total = int(counted.sum(dtype=np.int64))
    if total == 0:
        return np.full(len(lengths), K1)
    return K1 * (1.0 - B) + lengths.astype(np.float64) * (K1 * B * len(counted) / total)


def saturation(tf: NDArray[np.uint8] | int, norm: Floats) -> Floats:
    """Give tf · (k1 + 1) ÷ (tf + norm): what a frequency is worth in each chunk, idf left out."""
    frequency = np.asarray(tf, dtype=np.float64)
    return frequency * (K1 + 1.0) / (frequency + norm)
