"""Products by integer and Float64 atoms of a warp on the CPU, and which there are."""

import pytest

pytest.importorskip("torch")

from support import warp_products

from fairlead import Int8, Int32  # noqa: E402
from fairlead.cute.nvgpu import warp  # noqa: E402


@pytest.mark.parametrize("name", warp_products.PRODUCTS)
def test_products(name):
    warp_products.check(name, "cpu", "--target cpu")


@pytest.mark.parametrize("name", ["u8 s8 k32", "f64 k4"])
def test_products_of_suspended_lanes(name, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
    warp_products.check(name, "cpu", "--target cpu")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: warp.MmaI8Op(Int8, Int32, (16, 8, 32)),
            ["m16n8k32.i32.i8.u8", "but got m16n8k32.i32.i8.i32"],
        ),
        (lambda: warp.MmaI4Op((16, 8, 16)), ["m16n8k64.i32.i4.i4", "but got m16n8k16.i32.i4.i4"]),
        (lambda: warp.MmaF64Op((8, 8, 8)), ["m8n8k4.f64.f64.f64", "but got m8n8k8.f64.f64.f64"]),
    ],
)
def test_products_that_do_not_exist(make, words):
    with pytest.raises(TypeError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)
