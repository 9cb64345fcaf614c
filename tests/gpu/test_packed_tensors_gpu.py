"""Tensors of 4-bit elements that torch counts in pairs, and bytes as narrow floats, on the GPU."""

import pytest

torch = pytest.importorskip("torch")
from support import packed_tensors as packed  # noqa: E402

from fairlead import cute  # noqa: E402


@pytest.mark.skipif(
    not hasattr(torch, "float4_e2m1fn_x2"), reason="this torch has no float4_e2m1fn_x2"
)
def test_pairs():
    fakes = [
        cute.runtime.make_fake_compact_tensor(
            cute.Float4E2M1FN, (cute.sym_int(), 64), stride_order=(1, 0)
        )
        for _ in range(2)
    ]
    packed.check_swap(cute.compile(packed.swap_halves, *fakes), "cuda", 64)


def test_bytes_as_narrow_floats():
    packed.check_bytes_as_floats("cuda")
