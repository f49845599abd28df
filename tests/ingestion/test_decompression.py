import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.ingestion.decompression import SLICE, DamagedEncoding, UnknownEncoding, decode


def _bare(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data)),
    "deflate, gzip": lambda data: gzip.compress(zlib.compress(data)),
}


@settings(deadline=None)
@given(st.binary(max_size=3000), st.sampled_from(sorted(PACKERS)), st.integers(1, 500))
def test_what_was_packed_comes_out_however_it_is_cut(data: bytes, coding: str, cut: int) -> None:
    packed = PACKERS[coding](data)
    pieces = [packed[at : at + cut] for at in range(0, len(packed), cut)]
    assert b"".join(decode(pieces, coding)) == data


def test_a_bare_deflate_stream_is_understood() -> None:
    assert b"".join(decode([_bare(b"hello")], "deflate")) == b"hello"


def test_all_members_of_a_gzip_stream_are_read() -> None:
    data = gzip.compress(b"one ") + gzip.compress(b"two")
    assert b"".join(decode([data], "gzip")) == b"one two"


def test_a_bomb_comes_in_small_slices() -> None:
    packed = gzip.compress(bytes(30 << 20))
    assert max(len(piece) for piece in decode([packed], "gzip")) <= SLICE


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip, gzip", "nonsense"])
def test_unknown_codings_are_refused(coding: str) -> None:
    with pytest.raises(UnknownEncoding):
        list(decode([b"x"], coding))


@pytest.mark.parametrize(
    "data, coding",
    [
        (b"no gzip at all", "gzip"),
        (gzip.compress(b"x" * 99)[:-9], "gzip"),
        (b"\x78\x9cjunk", "deflate"),
    ],
)
def test_damage_and_early_ends_are_found(data: bytes, coding: str) -> None:
    with pytest.raises(DamagedEncoding):
        list(decode([data], coding))
