"""BM25 of a few texts with given statistics; the only door to rank_bm25.

Serves as test oracle of `bm25` and for scoring up to 200 candidates again. The statistics are
always injected: those of the candidates themselves would rank by the accident of the selection.
"""

from collections.abc import Mapping, Sequence

from rank_bm25 import BM25Okapi

MAX_CANDIDATES = 200


def rescore(
    candidates: Sequence[Mapping[str, int]],
    lengths: Sequence[int],
    weights: Mapping[str, float],
    average_length: float,
    *,
    k1: float,
    b: float,
) -> list[float]:
    """Give the BM25 score of each candidate, in their order.

    `candidates` are term frequencies, `weights` the idf times question weight of each term.
    Raises ValueError above 200 candidates.
    """
    if len(candidates) > MAX_CANDIDATES:
        raise ValueError(f"at most {MAX_CANDIDATES} candidates, not {len(candidates)}")
    if not candidates:
        return []
    # The constructor insists on computing statistics of its own; all of them are replaced.
    model = BM25Okapi([["-"]] * len(candidates), k1=k1, b=b)
    model.doc_freqs = [dict(candidate) for candidate in candidates]
    model.doc_len = list(lengths)
    model.avgdl = average_length
    model.idf = dict(weights)
    return [float(value) for value in model.get_scores(list(weights))]
