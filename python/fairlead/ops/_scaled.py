"""Products of floats of 8 bits with a scale for each 128 elements of a row and each 128 x 128 block of weights, and
the choice of those with other blocks."""

from __future__ import annotations

import math
from typing import Any

from fairlead import cute
from fairlead._compiler import Int32
from fairlead.ops._arrays import (
    FLOATS,
    Described,
    Empty,
    checked,
    describe,
    expect,
    flag,
    numeric,
    offset_of,
    reject_out,
    run,
)
from fairlead.ops._autograd import reject_gradient
from fairlead.ops._block_scaled import FACTORS, PACKED, block_scaled_product
from fairlead.ops._choices import chosen, measure
from fairlead.ops._gemm import NARROW, begins_whole
from fairlead.ops._scaled_gemm import ScaledGemm
from fairlead.ops._scaled_tiles import BLOCK, ScaledTiles, candidates, choose
from fairlead.plans import planned

__all__ = ["grouped_scaled_matmul", "scaled_matmul"]

#: Blocks and tiles on a CPU.
_ON_CPU = 4, ScaledTiles(64, 64, warpgroups=1)


@planned(written="out")
def scaled_matmul(
    a: object, b: object, scale_a: object, scale_b: object, *, activation: str | None = None,
    out_dtype: str | None = None, out: object = None, tune: bool = False,
) -> Any:  # fmt: skip
    """``(a * scale_a) @ (b * scale_b).T`` of floats of 8 or 4 bits, with each scale repeated for its elements.

    The types of scales choose the recipe, in torch's names:

    - float32: BlockWise1x128 of ``a`` and BlockWise128x128 of ``b``. On CPUs and GPUs of compute capability 9.0. Sums
      over 128 of K are those of tensor cores; they are scaled and added as float32.
    - float8_e8m0fnu: BlockWise1x32, mxfp8 and mxfp4. On CPUs and GPUs of compute capability 10.0 and 10.3.
    - float8_e4m3fn with floats of 4 bits: BlockWise1x16, nvfp4. On the same devices.

    Args:
        a: (M, K), float8_e4m3fn or float8_e5m2, or of BlockWise1x32 and BlockWise1x16 also torch's float4_e2m1fn_x2,
            whose tensors have half the columns. Rows are contiguous and begin at multiples of 16 bytes, so that a
            row-major matrix has a K in multiples of 16, or 32 of floats of 4 bits. K of BlockWise1x32 and
            BlockWise1x16 is a multiple of 32.
        b: (N, K), like ``a``: row-major weights.
        scale_a: (M, ceil(K / 128)), float32, of any strides. Of BlockWise1x32 and BlockWise1x16 a contiguous vector in
            torch's order SWIZZLE_32_4_4: tiles of 128 rows and 4 blocks of K, tiles along K first; the factor of row
            ``r`` and block ``j`` of a tile is its byte ``r % 32 * 16 + r // 32 * 4 + j``. The vector begins at a
            multiple of 16 bytes. Factors of rows and blocks that the matrix lacks must be numbers, such as 0, not NaN.
            Or ``[such a vector, scale of the whole matrix]``, of which the second is float32 of one element.
        scale_b: (ceil(N / 128), ceil(K / 128)), float32, of any strides, or like the others of ``scale_a`` for N rows.
        activation: None, or of float32 scales "swiglu": ``silu(gate) * up`` of the first and the second half of the
            product's columns, so that the result has N / 2 of them; N is a multiple of 256 then.
        out_dtype: "bfloat16" (the default), "float16" or "float32".
        out: (M, N) with contiguous rows; default a new array.
        tune: whether tiles whose time is not stored are measured first, as by ``matmul``.

    Returns (M, N). Results are fastest if their rows begin at multiples of 16 bytes. A NaN in an operand makes its row
    or column NaN, and a scale that is NaN all that it scales. Raises TypeError, ValueError for other arguments.
    """
    reject_gradient("scaled_matmul", a=a, b=b, scale_a=scale_a, scale_b=scale_b)
    left = checked(a, "a", dtypes=(*NARROW, PACKED))
    right = checked(b, "b", left, (*NARROW, PACKED))
    expect(len(left.shape) == 2, "a", "two dimensions", left)
    fits = len(right.shape) == 2 and right.shape[1] == left.shape[1]
    expect(fits, "b", f"the shape [N, {left.shape[1]}]", right)
    if _has_factors(left, scale_a):
        expected = "None with scale factors of 8 bits"
        expect(activation is None, "activation", expected, repr(activation))
        return block_scaled_product(left, right, scale_a, scale_b, out_dtype, out)
    product = _Product(
        left, right, scale_a, scale_b, None, out, out_dtype, activation, left.shape[0]
    )
    if flag(tune, "tune"):
        expected = "False for arrays of JAX, whose programs run later"
        expect(left.framework != "jax", "tune", expected, tune)
        product.tune()
    return product.run()


@planned(written="out")
def grouped_scaled_matmul(
    a: object, b: object, scale_a: object, scale_b: object, offsets: object = None, *, indices: object = None,
    counts: object = None, expected_rows: int | None = None, activation: str | None = None,
    out_dtype: str | None = None, out: object = None,
) -> Any:  # fmt: skip
    """``scaled_matmul`` of groups of rows, as tokens belong to experts, each with a matrix of ``b``, in one kernel.

    One of ``offsets``, ``indices`` and ``counts``, int32 on the device of ``a``, defines the groups. They are read on
    the device. Rows outside of all groups are unchanged in ``out``, and undefined in a new array.

    Args:
        a: (rows, K); with ``counts`` (groups, rows, K).
        b: (groups, N, K).
        scale_a: (rows, ceil(K / 128)); with ``counts`` (groups, rows, ceil(K / 128)).
        scale_b: (groups, ceil(N / 128), ceil(K / 128)).
        offsets: (groups,): the row after the last one of each group. Groups follow each other; an offset that is less
            than the one before, or more than there are rows, counts as that number.
        indices: (rows,): the group of each row. Each run of 128 rows from a multiple of 128 on belongs to one group,
            that of its first row; a number that is no group's, such as -1, means that it has none.
        counts: (groups,): how many rows of each matrix of ``a`` are in the group, from the first one on.
        expected_rows: rows of a group that tiles are chosen for; default the mean, or all with ``counts``.
        activation, out_dtype, out: as of ``scaled_matmul``; (rows, N), with ``counts`` (groups, rows, N).

    Returns (rows, N) or (groups, rows, N). Raises TypeError, ValueError for other arguments.
    """
    reject_gradient("grouped_scaled_matmul", a=a, b=b, scale_a=scale_a, scale_b=scale_b)
    left = checked(a, "a", dtypes=NARROW)
    right = checked(b, "b", left, NARROW)
    kinds = {"offsets": offsets, "indices": indices, "counts": counts}
    names = [name for name, value in kinds.items() if value is not None]
    one = "one of offsets, indices and counts"
    expect(len(names) == 1, "offsets", one, ", ".join(names) or "none of them")
    rank = 3 if names == ["counts"] else 2
    expect(len(left.shape) == rank, "a", f"{rank} dimensions with {names[0]}", left)
    fits = len(right.shape) == 3 and right.shape[2] == left.shape[-1]
    expect(fits, "b", f"the shape [groups, N, {left.shape[-1]}]", right)
    groups, rows = right.shape[0], left.shape[-2]
    expect(groups > 0, "b", "at least one group", right)
    if rank == 3:
        expect(left.shape[0] == groups, "a", f"{groups} matrices, as b has", left)
    index = checked(kinds[names[0]], names[0], left, ("int32",))
    count = rows if names == ["indices"] else groups
    expect(index.shape == (count,), names[0], f"the shape [{count}]", index)
    positive = expected_rows is None or (type(expected_rows) is int and expected_rows > 0)
    expect(positive, "expected_rows", "a number from 1 on, or None", repr(expected_rows))
    mean = rows if rank == 3 else -(-rows // groups)
    product = _Product(
        left, right, scale_a, scale_b, (names[0], index.row_major()), out, out_dtype, activation,
        expected_rows or mean,
    )  # fmt: skip
    return product.run()


class _Product:
    """A product of checked operands: its tiles, and how its kernel is compiled."""

    def __init__(
        self, left: Described, right: Described, scale_a: object, scale_b: object,
        index: tuple[str, Described] | None, out: object, out_dtype: object,
        activation: object, rows: int,
    ) -> None:  # fmt: skip
        """``index``: which kind of groups, and what tells them; ``rows``: how many of a group tiles are chosen for."""
        *_, n, k = right.shape
        expect(n > 0 and k > 0, "b", "elements", right)
        for matrix, name in ((left, "a"), (right, "b")):
            is_contiguous = matrix.strides[-1] == 1 or k == 1
            expected = "contiguous rows that begin at multiples of 16 bytes"
            expect(is_contiguous and begins_whole(matrix, 1), name, expected, _with_strides(matrix))
        expect(
            left.device == "cpu" or left.has("wgmma"),
            "a",
            "a CPU or a GPU of compute capability 9.0",
            left.device,
        )
        expect(
            out_dtype in (None, *FLOATS),
            "out_dtype",
            f"one of {', '.join(FLOATS)}",
            repr(out_dtype),
        )
        self.left, self.right = left, right
        self.kind = "matrix" if index is None else index[0]
        self.index = None if index is None else index[1]
        blocks = -(-k // BLOCK)
        self.scales = (
            _scale(scale_a, "scale_a", left, (*left.shape[:-1], blocks)),
            _scale(scale_b, "scale_b", left, (*right.shape[:-2], -(-n // BLOCK), blocks)),
        )
        expect(activation in (None, "swiglu"), "activation", "swiglu or None", repr(activation))
        self.swiglu = activation is not None
        if self.swiglu:
            expect(n % 256 == 0, "b", "a multiple of 256 as N for swiglu", right)
        self.shape = (*left.shape[:-1], n // 2 if self.swiglu else n)
        self.result, self.out = self.result_of(out, str(out_dtype or "bfloat16"))
        self.out_dtype = numeric(str(self.result.dtype).rpartition(".")[2])
        width = 128 // self.out_dtype.width
        self.direct = self.shape[-1] % width != 0
        if self.out is not None:
            self.direct = self.direct or not begins_whole(self.out, 1)
        self.blocks, self.tiles = _ON_CPU
        self.extents = max(rows, 1), n, k, 1 if index is None else right.shape[0]
        if left.device != "cpu":
            self.blocks = left.multiprocessors
            self.tiles = choose(*self.extents, self.blocks)
        self.take_stored()

    def take_stored(self) -> None:
        """Take the fastest tiles whose time is stored."""
        tiles = candidates(*self.extents, self.blocks)
        self.tiles = chosen(self.arguments(), self.left.device_name, tiles) or self.tiles

    def arguments(self) -> str:
        """Return the text under which times are stored."""
        m, n, k, groups = self.extents
        types = f"{self.left.dtype}, {self.right.dtype}, {self.out_dtype.__name__}"
        return f"scaled {self.kind} {m} x {n} x {k}, groups {groups}, {types}, {self.direct}, {self.swiglu}"

    def tune(self) -> None:
        """Measure candidates whose time is not stored."""
        if math.prod(self.shape) == 0:
            return

        def call(tiles: ScaledTiles) -> Any:
            self.tiles = tiles
            return self.run().run()

        tiles = candidates(*self.extents, self.blocks)
        measure(self.arguments(), self.left.device_name, tiles, call, self.left.stream)
        self.take_stored()
        scaled_matmul.forget()

    def result_of(self, out: object, dtype: str) -> tuple[Any, Described | None]:
        """The result, and the caller's array if it is one."""
        reject_out(out, self.left)
        if out is None:
            return self.left.empty(self.shape, dtype), None
        result = checked(out, "out", self.left, (dtype,))
        expect(result.shape == self.shape, "out", f"the shape {list(self.shape)}", result)
        is_contiguous = result.strides[-1] == 1 or self.shape[-1] == 1
        expect(is_contiguous, "out", "contiguous rows", _with_strides(result))
        return out, result

    def fakes(self) -> list[Any]:
        """Return example arguments with any extents and strides, to compile the kernel."""
        rows, depth, columns, groups, length = (cute.sym_int() for _ in range(5))
        of_k, of_n = cute.sym_int(), cute.sym_int()
        columns_of_c = cute.sym_int() if self.swiglu else columns

        def fake(dtype: type[cute.Numeric], shape: tuple[Any, ...], width: int, align: int) -> Any:
            strides: list[Any] = [cute.sym_int64(divisibility=width) for _ in shape]
            if align:
                strides[-1] = 1
            return cute.make_fake_tensor(
                dtype, shape, stride=tuple(strides), assumed_align=align or dtype.width // 8
            )

        outer_a = (groups,) if self.kind == "counts" else ()
        outer_b = (groups,) if self.kind != "matrix" else ()
        arguments = [
            fake(self.left.numeric, (*outer_a, rows, depth), 16, 16),
            fake(self.right.numeric, (*outer_b, columns, depth), 16, 16),
            fake(cute.Float32, (*outer_a, rows, of_k), 1, 0),
            fake(cute.Float32, (*outer_b, of_n, of_k), 1, 0),
        ]
        if self.index is not None:
            arguments.append(cute.make_fake_compact_tensor(Int32, (length,), assumed_align=4))
        bytes_ = self.out_dtype.width // 8
        width, align = (1, bytes_) if self.direct else (16 // bytes_, 16)
        arguments.append(fake(self.out_dtype, (*outer_a, rows, columns_of_c), width, align))
        return arguments

    def run(self) -> Any:
        if math.prod(self.shape) == 0:
            return self.nothing()
        inputs = [self.left, self.right, *self.scales, *([self.index] if self.index else [])]
        key = (
            "scaled_matmul", self.kind, self.left.dtype, self.right.dtype, self.out_dtype, self.tiles, self.blocks,
            self.direct, self.swiglu,
        )  # fmt: skip
        options = self.tiles, self.blocks, self.kind, self.direct, self.swiglu
        return run(key, lambda: ScaledGemm(*options), self.fakes, inputs, self.result)

    def nothing(self) -> Any:
        """The result without elements."""
        if isinstance(self.result, Empty):
            return self.result.make(*self.result.args, **self.result.kwargs)
        if self.left.framework == "jax":
            import jax.numpy

            return jax.numpy.empty(self.shape, self.result.dtype)
        return self.result


def _has_factors(left: Described, scale_a: object) -> bool:
    """True if the scales are not float32 of 128 elements."""
    if left.dtype == PACKED or isinstance(scale_a, (tuple, list)):
        return True
    return describe(scale_a, "scale_a").dtype in FACTORS


def _scale(value: object, name: str, like: Described, shape: tuple[int, ...]) -> Described:
    scale = checked(value, name, like, ("float32",))
    expect(scale.shape == shape, name, f"the shape {list(shape)}", scale)
    return scale


def _with_strides(matrix: Described) -> str:
    address = offset_of(matrix) * (matrix.numeric.width // 8) % 16
    return f"{matrix.text()} with strides {list(matrix.strides)}, {address} bytes behind a multiple of 16"
