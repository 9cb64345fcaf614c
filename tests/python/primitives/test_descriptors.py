"""Descriptors of products in tensor memory, by their bits, and addresses of tensor memory."""

import numpy as np
import pytest

from fairlead import (
    BFloat16,
    Float4E2M1FN,
    Float8E5M2,
    Float16,
    Float32,
    Float64,
    Int32,
    Int64,
    cute,
)
from fairlead.primitives import (
    Tcgen05InstrDesc,
    Tcgen05MxInstrDesc,
    Tcgen05MxOmmaInstrDesc,
    Tcgen05SmemDesc,
    Tcgen05SmemSwizzle,
    TmemAddr,
)

SWIZZLE = Tcgen05SmemSwizzle.SWIZZLE_128B


def bits(value, width=32):
    return int(value) & (1 << width) - 1


def test_shared_memory():
    descriptor = Tcgen05SmemDesc.build(0x400, 16, 1024, layout=SWIZZLE)
    assert bits(descriptor, 64) == 0x4000404000010040
    later = descriptor.advance_start_address(32)
    assert isinstance(later, Tcgen05SmemDesc) and bits(later, 64) == 0x4000404000010042


def test_shared_memory_at_an_address_of_the_run():
    @cute.kernel
    def device(y: cute.Tensor, address: Int32):
        descriptor = Tcgen05SmemDesc.build(address, 16, 1024, layout=SWIZZLE)
        y[0] = Int64(descriptor)
        y[1] = Int64(descriptor.advance_start_address(address))

    @cute.jit
    def host(y: cute.Tensor, address: Int32):
        device(y, address).launch(grid=1, block=1)

    y = np.zeros(2, np.int64)
    cute.compile(host, y, 0x400, options="--target cpu")(y, 0x400)
    assert y.tolist() == [0x4000404000010040, 0x4000404000010080]


@pytest.mark.parametrize(
    "how, expected",
    [
        ({"c_dtype": Float32, "n_dim": 128, "m_dim": 128}, 0x08200010),
        ({"n_dim": 256, "m_dim": 128}, 0x08400010),
        (
            {"a_dtype": BFloat16, "b_dtype": BFloat16, "a_major": 1, "b_major": True}
            | {"n_dim": 256, "m_dim": 256},
            0x10418490,
        ),
        ({"c_dtype": Float16, "a_negate": 1, "n_dim": 8, "m_dim": 64, "max_shift": 3}, 0xC4022000),
    ],
)
def test_products(how, expected):
    assert bits(Tcgen05InstrDesc.build(**how)) == expected


def test_products_with_scale_factors():
    shape = {"scale_format": 0, "n_dim": 256, "m_dim": 256}
    bytes_of_8 = Tcgen05MxInstrDesc.build(a_dtype=Float8E5M2, b_dtype=Float8E5M2, **shape)
    assert bits(bytes_of_8) == 0x10400480
    assert bits(bytes_of_8.set_sf_ids(2, 1)) == 0x50400490
    assert bits(bytes_of_8.set_sf_ids(2, 1).set_sf_ids(0, 3)) == 0x104004B0
    bits_of_4 = Tcgen05MxOmmaInstrDesc.build(a_dtype=Float4E2M1FN, **shape)
    assert bits(bits_of_4) == 0x10401480


@pytest.mark.parametrize(
    "build, how, text",
    [
        (Tcgen05SmemDesc, {"start_address": 8}, "0 to 262128 in steps of 16 as start_address"),
        (
            Tcgen05InstrDesc,
            {"n_dim": 4},
            "an integer of 0 to 256 in steps of 8 as n_dim, but got 4",
        ),
        (Tcgen05InstrDesc, {"m_dim": "64"}, "in steps of 16 as m_dim, but got '64'"),
        (Tcgen05InstrDesc, {"a_dtype": Float64}, "expected one of Float16, .* as a_dtype"),
        (Tcgen05MxInstrDesc, {"a_dtype": Float16}, "expected one of Float8E4M3FN, .* as a_dtype"),
        (Tcgen05MxOmmaInstrDesc, {"k_dim": 2}, "0 to 1 as k_dim, but got 2"),
    ],
)
def test_fields_that_do_not_fit(build, how, text):
    with pytest.raises(ValueError, match=text):
        build.build(**how)


def test_addresses():
    address = TmemAddr.from_row_col(5, 7)
    assert (int(address), int(address.row_id), int(address.col_id)) == (0x50007, 5, 7)
