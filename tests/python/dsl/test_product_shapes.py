"""Shapes, types and majors of products in tensor memory: atoms of the hardware's table can be made, and no others."""

import itertools
from typing import NamedTuple

import pytest

from fairlead import (
    BFloat16,
    Float4E2M1FN,
    Float6E3M2FN,
    Float8E4M3FN,
    Float8E5M2,
    Float8E8M0FNU,
    Float16,
    Float32,
    Int8,
    Int32,
    TFloat32,
    Uint8,
    cute,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100

ONE, TWO = tcgen05.CtaGroup
SMEM, TMEM = tcgen05.OperandSource.SMEM, tcgen05.OperandSource.TMEM
K, MN = OperandMajorMode.K, OperandMajorMode.MN


class Product(NamedTuple):
    """The operand types of a kind of product, and its sums'; K of one product; steps of N in one block and in a pair,
    twice as large if B is MN-major and ``doubles``."""

    a: type
    b: type
    sums: type
    k: int
    steps: tuple[int, int] = (8, 16)
    doubles: bool = False
    exists: bool = True

    def make(self, shape, group, source, majors):
        if self.a in (Float16, BFloat16):
            return tcgen05.MmaF16BF16Op(self.a, self.sums, shape, group, source, *majors)
        if self.a is TFloat32:
            return tcgen05.MmaTF32Op(shape, group, source, *majors)
        if self.a in (Int8, Uint8):
            return tcgen05.MmaI8Op(self.a, shape, group, source, *majors)
        return tcgen05.MmaF8F6F4Op(self.a, self.b, self.sums, shape, group, source, *majors)

    def fits(self, shape, group, source, majors):
        m, n, k = shape
        pair = group is TWO
        step = self.steps[pair] * (2 if self.doubles and majors[1] is MN else 1)
        if self.sums is Int32 and not pair and n <= 32:
            step = 8
        return (
            self.exists
            and m in ((128, 256) if pair else (64, 128))
            and step <= n <= 256
            and n % step == 0
            and k == self.k
            and not (source is TMEM and (majors[0] is MN or self.a.width < 8))
        )


PRODUCTS = [
    Product(Float16, Float16, Float32, 16),
    Product(Float16, Float16, Float16, 16),
    Product(Float16, Float16, Int32, 16, exists=False),
    Product(BFloat16, BFloat16, Float32, 16),
    Product(BFloat16, BFloat16, Float16, 16, exists=False),
    Product(TFloat32, TFloat32, Float32, 8),
    Product(Int8, Int8, Int32, 32, (16, 32)),
    Product(Uint8, Uint8, Int32, 32, (16, 32)),
    Product(Float8E4M3FN, Float4E2M1FN, Float32, 32, doubles=True),
    Product(Float6E3M2FN, Float8E5M2, Float16, 32, doubles=True),
    Product(Float8E5M2, Float8E5M2, Int32, 32, exists=False),
]


def is_made(make):
    try:
        make()
    except TypeError as error:
        assert "expected" in str(error) and "but got" in str(error), error
        return False
    return True


@pytest.mark.parametrize(
    "product", PRODUCTS, ids=lambda each: f"{each.a.__name__}-{each.sums.__name__}"
)
def test_products_of_the_table(product):
    extents = itertools.product(
        (32, 64, 128, 192, 256),
        (0, 4, 8, 16, 24, 32, 40, 48, 248, 256, 264),
        (product.k, 2 * product.k),
    )
    for shape, group, source, *majors in itertools.product(
        extents, (ONE, TWO), (SMEM, TMEM), (K, MN), (K, MN)
    ):
        choice = shape, group, source, tuple(majors)
        assert is_made(lambda: product.make(*choice)) == product.fits(*choice), choice


def scaled(kind, shape, group, majors=(K, K)):
    if kind == "mxf8f6f4":
        return tcgen05.MmaMXF8F6F4Op(Float8E4M3FN, Float4E2M1FN, shape, group, SMEM, *majors)
    if kind == "mxf4":
        return tcgen05.MmaMXF4Op(shape, group, SMEM)
    return tcgen05.MmaMXF4NVF4Op(Float8E4M3FN, shape, group, SMEM)


@pytest.mark.parametrize("kind, k", [("mxf8f6f4", 32), ("mxf4", 64), ("mxf4nvf4", 64)])
def test_products_with_scale_factors(kind, k):
    majors = list(itertools.product((K, MN), (K, MN))) if kind == "mxf8f6f4" else [(K, K)]
    for m, n, depth, group, major in itertools.product(
        (64, 128, 192, 256), (0, 8, 16, 24, 248, 256, 264), (k, 2 * k), (ONE, TWO), majors
    ):
        step = 16 if group is TWO else 8
        fits = m in ((128, 256) if group is TWO else (128,)) and depth == k
        fits = fits and step <= n <= 256 and n % step == 0
        assert is_made(lambda: scaled(kind, (m, n, depth), group, major)) == fits, (
            m,
            n,
            depth,
            group,
        )


def test_types_of_scale_factors():
    for dtype in (Float8E4M3FN, Float8E8M0FNU):
        tcgen05.MmaMXF4NVF4Op(dtype, (128, 64, 64), ONE, SMEM)
    with pytest.raises(TypeError, match="Float8E4M3FN or Float8E8M0FNU for each 16"):
        tcgen05.MmaMXF4NVF4Op(Float8E5M2, (128, 64, 64), ONE, SMEM)


@pytest.mark.parametrize("rows, message", [
    ((128, 64, 64), None),
    ((64, 64, 64), "expected shared memory of 128 rows as A of the MMA atom .*m128n64k16"),
    ((128, 32, 64), "expected shared memory of 64 rows as B of the MMA atom .*m128n64k16"),
])  # fmt: skip
def test_shared_memory_with_too_few_rows(rows, message):
    """The line is that of make_fragment_A or _B."""

    @cute.kernel
    def kernel(mma: cute.TiledMma, a_staged: cute.ComposedLayout, b_staged: cute.ComposedLayout):
        smem = utils.SmemAllocator()
        mma.make_fragment_A(smem.allocate_tensor(Float16, a_staged.outer, 1024, a_staged.inner))
        mma.make_fragment_B(smem.allocate_tensor(Float16, b_staged.outer, 1024, b_staged.inner))

    @cute.jit
    def host():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 64))
        other = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, rows[:2])
        staged = [
            make(other, rows, Float16, 1)
            for make in (sm100.make_smem_layout_a, sm100.make_smem_layout_b)
        ]
        kernel(mma, *staged).launch(grid=1, block=32)

    if message is None:
        cute.compile(host, options="--target cuda:sm_100a")
    else:
        with pytest.raises(TypeError, match=message):
            cute.compile(host, options="--target cuda:sm_100a")


@pytest.mark.parametrize("target, dtype, message", [
    ("cuda:sm_103a", Int8, "is supported only for sm_100a"),
    ("cuda:sm_120a", Float16, "is supported only for sm_100a"),
    ("cuda:sm_90a", Float16, "is supported only for sm_100a"),
])  # fmt: skip
def test_architectures_without_the_product(target, dtype, message):
    @cute.kernel
    def kernel(mma: cute.TiledMma, staged: cute.ComposedLayout):
        smem = utils.SmemAllocator()
        a = smem.allocate_tensor(dtype, staged.outer, 1024, staged.inner)
        memory = cute.arch.retrieve_tmem_ptr(Float32, 16, smem.allocate(Int32))
        layout = mma.make_fragment_C(mma.partition_shape_C((128, 128))).layout
        sums = cute.make_tensor(memory, layout)
        fragment = mma.make_fragment_A(a)[None, None, 0, 0]
        cute.gemm(mma, sums, fragment, mma.make_fragment_B(a)[None, None, 0, 0], sums)

    @cute.jit
    def host():
        sums = Int32 if dtype.is_integer else Float32
        mma = sm100.make_trivial_tiled_mma(dtype, K, K, sums, ONE, (128, 128))
        staged = sm100.make_smem_layout_a(mma, (128, 128, 1024 // dtype.width), dtype, 1)
        kernel(mma, staged).launch(grid=1, block=32)

    with pytest.raises(Exception, match=message):
        cute.compile(host, options=f"--target {target}")
