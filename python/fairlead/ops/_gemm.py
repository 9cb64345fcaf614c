"""Matrix products with an epilogue."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead.ops._arrays import (
    FLOATS,
    Described,
    checked,
    describe,
    expect,
    flag,
    nothing,
    number,
    numeric,
    offset_of,
    reject_out,
    run,
)
from fairlead.ops._autograd import needs_gradient
from fairlead.ops._blackwell_gemm import BlackwellGemm
from fairlead.ops._choices import chosen, measure
from fairlead.ops._cpu_gemm import TILES, CpuGemm, tile_of
from fairlead.ops._divided_gemm import DividedGemm
from fairlead.ops._epilogue import Epilogue, expect_activation
from fairlead.ops._few_rows import CpuFewRows, FewRows, FewRowsGemm, form_for_processors
from fairlead.ops._gemm_gradients import with_gradients
from fairlead.ops._hopper_gemm import HopperGemm
from fairlead.ops._tiles import FEW_ROWS, Tiles, candidates, choose
from fairlead.ops._warp_gemm import ScalarGemm, WarpGemm
from fairlead.plans import planned

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["Arranged", "matmul", "neighbours", "operand_of"]

#: Number of multiplications from which a copy of an operand for TMA pays off.
_WORTH_COPIES = 1 << 26
#: Number of elements along K from which a copy also pays off if the other operand has ``_FEW`` times the elements.
_DEEP, _FEW = 512, 8
#: By so many rows the kernel of products of any number of rows is chosen.
_ROWS_OF_ANY = 256
#: Elements of a result that has enough tiles of 128 x 256 for all multiprocessors of a B200.
_WIDE_TILES = 148 * 128 * 256
#: Rows of products by the kernel of few rows on CPUs, and the greatest depth of those of one row on GPUs.
_FEW_ROWS, _SHALLOW = 4, 4096
#: Bytes of B from which products of one row, too, are computed by warpgroups, which read it faster.
_LARGE = 44_000_000
#: Columns, of all matrices, from which a warp computes more than one.
_MANY_COLUMNS, _MOST_COLUMNS = 4096, 65536
NARROW = ("float8_e4m3fn", "float8_e5m2")
#: The stored tiles of products, by the values that they depend on; None if none are stored.
_choices: dict[tuple[Any, ...], Any] = {}


def operand_of(matrix: Described) -> tuple[Described, int]:
    """The matrix and its contiguous mode, 0 or 1; a copy of one that has none."""
    rows, columns = matrix.strides[-2:]
    if columns == 1:
        return matrix, 1
    return (matrix, 0) if rows == 1 else (matrix.row_major(), 1)


def neighbours(matrix: Described, contiguous: int) -> int:
    """Neighbours along the contiguous mode that move together: what extents and strides are multiples of."""
    width = 16 // (matrix.numeric.width // 8)
    others = [
        stride
        for mode, stride in enumerate(matrix.strides)
        if mode != len(matrix.strides) - 2 + contiguous and matrix.shape[mode] != 1
    ]
    offset = offset_of(matrix)
    while width > 1 and (
        matrix.shape[-2 + contiguous] % width
        or any(stride % width for stride in others)
        or offset % width
    ):
        width //= 2
    return width


def begins_whole(matrix: Described, contiguous: int) -> bool:
    """True if all rows, or columns, along the contiguous mode begin at multiples of 16 bytes."""
    width = 128 // matrix.numeric.width
    modes = [
        mode for mode in range(len(matrix.shape)) if mode != len(matrix.shape) - 2 + contiguous
    ]
    strides = [matrix.strides[mode] for mode in modes if matrix.shape[mode] != 1]
    return not any(distance % width for distance in (*strides, offset_of(matrix)))


@planned(written="out", in_place=("residual",))
def matmul(
    a: object, b: object, *, bias: object = None, activation: str | None = None, residual: object = None,
    alpha: float = 1.0, beta: float = 1.0, scale_a: object = None, scale_b: object = None,
    out_dtype: str | None = None, out: object = None, tune: bool = False, deterministic: str = "run",
) -> Any:  # fmt: skip
    """``activation(alpha * a @ b + bias) + beta * residual`` in one kernel; sums are float32.

    Args:
        a: (M, K) or (L, M, K), float16, bfloat16 or float32; rows or columns may be contiguous. Or float8_e4m3fn or
            float8_e5m2 with contiguous rows, K and N in multiples of 16, on CPUs and GPUs of compute capability 9.0,
            10.0 and 10.3.
        b: (K, N) or (L, K, N), like ``a``; ``weight.T`` of a row-major weight is read as it is, and the form of floats
            of 8 bits.
        bias: (N,).
        activation: None, "relu", "silu", "gelu" or "gelu_tanh".
        residual: of the result's shape.
        alpha, beta: part of the program: each value compiles once.
        scale_a, scale_b: of floats of 8 bits, float32 that the product is multiplied with before all else: both of one
            element, or (M,) and (N,).
        out_dtype: "float16", "bfloat16" or "float32": the result's type; default that of ``a``, or "bfloat16" for
            floats of 8 bits.
        out: row-major, of the result's shape and type; default a new one. Its memory is not that of ``a`` or ``b``,
            which is not checked.
        tune: whether tiles whose time is not stored are measured first, for these extents on this device. Later calls
            with the same extents, also in other processes, take the fastest stored tiles. Without stored times, tiles
            are chosen by a model. Not for arrays of JAX.
        deterministic: ``"run"``: the same arguments give the same bits. ``"batch"``: a row of the result also has the
            same bits whatever M and L are, as its kernel is chosen by N and K alone and no sum is split; products of
            few rows take longer. Not with ``tune``.

    Returns (M, N) or (L, M, N). Raises TypeError, ValueError for other arguments.
    """
    if needs_gradient(a, b, bias, residual):
        return with_gradients(
            matmul, a, b, bias, activation, residual, alpha, beta, (scale_a, scale_b), out_dtype, out, tune,
            deterministic,
        )  # fmt: skip
    left = checked(a, "a", dtypes=(*FLOATS, *NARROW))
    narrow = left.dtype in NARROW
    right = checked(b, "b", left, NARROW if narrow else (left.dtype,))
    expect_activation(activation)
    expect(len(left.shape) in (2, 3), "a", "two or three dimensions", left)
    expect(len(right.shape) == len(left.shape), "b", f"{len(left.shape)} dimensions", right)
    *batch, m, k = left.shape
    n = right.shape[-1]
    expected_shape = (*batch, k, n)
    expect(right.shape == expected_shape, "b", f"the shape {list(expected_shape)}", right)
    expect(k > 0, "a", "a depth of 1 or more", f"{left.text()} and {right.text()}")
    expect(
        out_dtype in (None, *FLOATS), "out_dtype", f"one of {', '.join(FLOATS)}", repr(out_dtype)
    )
    expect(deterministic in ("run", "batch"), "deterministic", "run or batch", repr(deterministic))
    by_batch = deterministic == "batch"
    tune = flag(tune, "tune")
    expect(not (tune and by_batch), "tune", 'False with deterministic="batch"', tune)
    reject_out(out, left)
    shape, dtype = (*batch, m, n), out_dtype or ("bfloat16" if narrow else left.dtype)
    scales = _scales(scale_a, scale_b, left, n)
    others = [factor.row_major() for factor in scales]
    if bias is not None:
        addend = checked(bias, "bias", left)
        expect(addend.shape == (n,), "bias", f"the shape [{n}]", addend)
        others.append(addend.row_major())
    if residual is not None:
        addend = checked(residual, "residual", left)
        expect(addend.shape == shape, "residual", f"the shape {list(shape)}", addend)
        others.append(addend.row_major())
    if out is None:
        result = left.empty(shape, dtype)
    else:
        addend = checked(out, "out", left, (dtype,))
        expect(addend.shape == shape, "out", f"the shape {list(shape)}", addend)
        expect(addend.is_row_major(), "out", "a row-major array", f"strides {list(addend.strides)}")
        result = out
    if 0 in shape:
        return nothing(left, result)
    is_one = all(scale.shape == (1,) for scale in scales)
    kind = None if not scales else "tensor" if is_one else "rows"
    of_residual = number(beta, "beta")  # checked without a residual, too
    epilogue = Epilogue(
        number(alpha, "alpha"),
        activation,
        bias is not None,
        of_residual if residual is not None else 0.0,
        kind,
    )
    product = _Product(left, right, others, result, out is not None, epilogue, by_batch)
    if tune:
        # Candidates run one after the other, and each would add to the result of the one before.
        is_in_place = (
            residual is not None
            and product.out is not None
            and offset_of(others[-1]) == offset_of(product.out)
        )
        expect(not is_in_place, "tune", "False where out is the residual", tune)
        expected = "False for arrays of JAX, whose programs run later"
        expect(left.framework != "jax", "tune", expected, tune)
        product.tune()
    return product.run()


def _scales(scale_a: object, scale_b: object, left: Described, n: int) -> list[Described]:
    """Return both scales or none. A scale has one element, or one for each row of A or column of B."""
    if scale_a is None and scale_b is None:
        return []
    m, factors = left.shape[-2], []
    expect(
        left.dtype in NARROW,
        "scale_a",
        "None for elements that are no floats of 8 bits",
        left,
    )
    for value, name in ((scale_a, "scale_a"), (scale_b, "scale_b")):
        expect(value is not None, name, "a scale, as the other matrix has one", "None")
        factors.append(checked(value, name, left, ("float32",)))
    if all(factor.shape in ((), (1,)) for factor in factors):
        return [factor.row_major().reshaped(1) for factor in factors]
    for factor, name, extent in zip(factors, ("scale_a", "scale_b"), (m, n), strict=True):
        expect(factor.shape == (extent,), name, f"one element, or the shape [{extent}]", factor)
    return factors


class _Product:
    """A product of checked operands: which kernel multiplies them, and how it is compiled."""

    def __init__(
        self, left: Described, right: Described, others: list[Described], result: Any, is_callers: bool,
        epilogue: Epilogue, any_batch: bool = False,
    ) -> None:  # fmt: skip
        """``is_callers``: the result is the caller's array; ``any_batch``: one kernel for all M and L."""
        self.any_batch = any_batch
        self.batched = len(left.shape) == 3
        (self.left, self.a_mode), (self.right, self.b_mode) = operand_of(left), operand_of(right)
        self.others, self.result, self.epilogue = others, result, epilogue
        self.out = describe(result, "out") if is_callers else None
        # New arrays begin at multiples of 16 bytes.
        self.n = right.shape[-1]
        self.together = 1 if self.n % 2 or (self.out is not None and offset_of(self.out) % 2) else 2
        self.direct = False
        self.few = self.for_few_rows()
        self.tiles = None if self.few else self.for_warpgroups()
        self.small = self.tile()
        self.widths = neighbours(self.left, self.a_mode), neighbours(self.right, self.b_mode)
        if self.tiles is not None or left.dtype in NARROW:
            self.widths = (128 // self.left.numeric.width,) * 2
        self.majors = (
            ("k" if self.a_mode else "m", self.widths[0]),
            ("n" if self.b_mode else "k", self.widths[1]),
        )
        self.in_tensor_memory = self.for_tensor_memory()
        self.choose()

    def for_few_rows(self) -> FewRows | None:
        """Return the form of the kernel of few rows, None if another one multiplies. It reads contiguous rows of A, and
        on GPUs contiguous columns of B."""
        left, m = self.left, self.left.shape[-2]
        if self.any_batch or left.dtype in NARROW or self.a_mode != 1:
            return None
        batch = left.shape[0] if self.batched else 1
        if left.device == "cpu":
            form = form_for_processors(1 - self.b_mode, m, batch * self.n)
            return form if m <= _FEW_ROWS else None
        if m > 1 or self.b_mode != 0 or left.shape[-1] > _SHALLOW:
            return None
        size = batch * self.n * left.shape[-1] * left.numeric.width // 8
        is_aligned = begins_whole(self.left, 1) and begins_whole(self.right, 0) and self.n % 8 == 0
        if size >= _LARGE and left.numeric.width == 16 and left.has("wgmma") and is_aligned:
            return None
        if batch * self.n <= _MANY_COLUMNS:
            return FewRows(m, 1, 2, 8)
        return FewRows(m, 4 if batch == 1 and self.n <= _MOST_COLUMNS else 2, 1)

    def for_tensor_memory(self) -> tuple[int, bool] | None:
        """Return the columns of a tile whose products are in tensor memory, and whether a pair of blocks computes it.
        None for GPUs without it, and for operands whose rows TMA cannot copy."""
        left = self.left
        full_width = 128 // left.numeric.width
        if (
            self.tiles is not None
            or left.dtype == "float32"
            or self.widths != (full_width, full_width)
        ):
            return None
        if self.few is not None:
            return None
        if not left.has("tcgen05"):
            return None
        if self.n <= 64:
            return 64, False
        is_wide = self.rows() * self.n >= _WIDE_TILES
        return (256 if is_wide else 128), is_wide and self.rows() > 128

    def for_warpgroups(self) -> Tiles | None:
        """The tiles by a model, where warpgroups multiply. What TMA copies begins at multiples of 16 bytes, as rows do:
        operands are copied there, if that is worth it, and results stored one by one."""
        left, dtype = self.left, str(self.result.dtype).rpartition(".")[2]
        narrow, bytes_ = left.dtype in NARROW, 2 if dtype != "float32" else 4
        outputs = [array for array in self.others if len(array.shape) == len(left.shape)]
        if self.out is not None:
            outputs.append(self.out)
        begin_whole = [begins_whole(self.left, self.a_mode), begins_whole(self.right, self.b_mode)]
        self.direct = self.n * bytes_ % 16 != 0 or any(
            offset_of(array) % (128 // array.numeric.width) for array in outputs
        )
        if narrow:
            expect(self.a_mode == 1, "a", "contiguous rows of floats of 8 bits", left)
            expect(self.b_mode == 0, "b", "contiguous columns of floats of 8 bits", self.right)
            fits = all(begin_whole) and not self.direct
            expect(fits, "a", "K and N in multiples of 16, from addresses that are", left)
            if left.has("tcgen05"):
                return None
            if left.device == "cpu":
                return Tiles(64, 64)
            expected = "a GPU of compute capability 9.0, 10.0 or 10.3"
            expect(left.has("wgmma"), "a", expected, left.device)
        elif left.dtype == "float32" or not left.has("wgmma"):
            return None
        m, n, k, count = self.extents()[:4]
        if not all(begin_whole):
            sizes = [math.prod(array.shape) for array in (self.left, self.right)]
            copied = sum(
                size for size, begins in zip(sizes, begin_whole, strict=True) if not begins
            )
            is_worth = m * n * k * count >= _WORTH_COPIES or (
                k >= _DEEP and copied * _FEW <= sum(sizes) - copied
            )
            if left.framework != "torch" or not is_worth:
                return None
            if not begin_whole[0]:
                self.a_mode = 1 if m * left.numeric.width <= 128 else self.a_mode
                self.left = self.left.with_whole_rows(self.a_mode)
            if not begin_whole[1]:
                self.right = self.right.with_whole_rows(self.b_mode)
        split = not (self.direct or narrow or self.any_batch)
        return self.with_rows(
            choose(*self.extents(), split=split, majors=self.contiguous(), swap=self.can_swap())
        )

    def with_rows(self, tiles: Tiles) -> Tiles:
        """Return tiles that load only the existing rows of A if A has few rows."""
        m = self.left.shape[-2]
        few = m <= FEW_ROWS and tiles.m == 64 and self.a_mode == 1 and not tiles.swapped
        return tiles._replace(rows=max(8, 1 << (m - 1).bit_length())) if few else tiles

    def arguments(self) -> str:
        """Return the text under which times are stored."""
        batch = self.left.shape[0] if self.batched else 1
        return (
            f"{self.left.dtype} {self.left.shape[-2]} x {self.n} x {self.left.shape[-1]}, batch {batch}, "
            f"majors {self.majors}, {self.result_type().__name__}"
        )  # fmt: skip

    def candidates(self) -> list[Any]:
        """Return the tiles that tuning tries, of warpgroups or of warps; empty for float32, which has only one."""
        if self.few is not None:
            return []
        if self.for_cpus():
            return list(TILES)
        if self.left.dtype == "float32" or self.in_tensor_memory is not None:
            return []
        if self.tiles is not None and self.left.device == "cpu":
            return []
        if self.tiles is None:
            return [(64, 64), (64, 128), (128, 64), (128, 128)]
        forms = [
            self.with_rows(form)
            for form in candidates(*self.extents(), majors=self.contiguous(), swap=self.can_swap())
        ]
        if self.direct or self.left.dtype in NARROW:
            forms = [form for form in forms if form.parts == 1]
        return forms

    def extents(self) -> tuple[int, int, int, int, int, int]:
        """Return the numbers that determine the tiles of warpgroups."""
        *batch, _, k = self.left.shape
        count = batch[0] if batch and not self.any_batch else 1
        return self.rows(), self.n, k, count, self.left.multiprocessors, self.left.numeric.width

    def can_swap(self) -> bool:
        """Return whether tiles may be those of the transposed product. Rows that are equal in bits whatever M is are
        of one kernel."""
        return not (self.direct or self.any_batch)

    def contiguous(self) -> str:
        """Return the contiguous modes of the operands."""
        return "mk"[self.a_mode] + "kn"[self.b_mode]

    def rows(self) -> int:
        """M, as far as the choice of a kernel depends on it."""
        m: int = _ROWS_OF_ANY if self.any_batch else self.left.shape[-2]
        return m

    def take(self, candidate: Tiles | tuple[int, int]) -> None:
        if isinstance(candidate, Tiles):
            self.tiles = candidate
        else:
            self.small = candidate

    def choose(self, anew: bool = False) -> None:
        """The fastest tiles that are known."""
        if self.any_batch:
            return
        left = self.left
        key = left.dtype, left.shape, self.n, self.majors, str(self.result.dtype), left.device
        if anew or key not in _choices:
            forms = self.candidates()
            _choices[key] = chosen(self.arguments(), left.device_name, forms) if forms else None
        if _choices[key] is not None:
            self.take(_choices[key])

    def tune(self) -> None:
        """Measures candidates whose time is not stored."""

        def call(candidate: Tiles | tuple[int, int]) -> Any:
            self.take(candidate)
            return self.run().run()

        left = self.left
        measure(self.arguments(), left.device_name, self.candidates(), call, left.stream)
        self.choose(anew=True)
        matmul.forget()

    def program(self) -> Any:
        if self.tiles is not None:
            blocks = 4 if self.left.device == "cpu" else self.left.multiprocessors
            inner: Any = HopperGemm(self.epilogue, self.tiles, blocks, direct=self.direct)
            if self.tiles.parts > 1:
                inner = DividedGemm(self.epilogue, self.tiles, blocks)
        elif self.few is not None:
            inner = FewRowsGemm(self.epilogue, self.few, min(self.widths))
            if self.for_cpus():
                inner = CpuFewRows(1 - self.b_mode, self.epilogue, self.few)
        elif self.in_tensor_memory is not None:
            columns, pair = self.in_tensor_memory
            inner = BlackwellGemm(self.epilogue, columns, pair=pair)
        elif self.for_cpus():
            inner = CpuGemm(self.a_mode, 1 - self.b_mode, self.epilogue, self.small)
        elif self.left.dtype == "float32":
            inner = ScalarGemm(self.epilogue)
        else:
            inner = WarpGemm(
                self.left.numeric, *self.majors, self.epilogue, self.small, self.together
            )
        return Arranged(inner, self.batched)

    def for_cpus(self) -> bool:
        """Return whether the kernel for processors multiplies."""
        return self.left.device == "cpu" and self.left.dtype in FLOATS

    def tile(self) -> tuple[int, int]:
        """Return the rows and columns of a tile of warps, or of a processor."""
        if self.for_cpus():
            return tile_of(self.rows(), self.n, self.left.shape[0] if self.batched else 1)
        small = self.rows() * self.n <= 512 * 512
        return (64, 64) if small else (128, 128)

    def fakes(self) -> list[Any]:
        rows, depth, count = (cute.sym_int() for _ in range(3))
        aligned = 16 if self.tiles is not None and not self.direct else 0
        together = 1 if self.tiles is not None else self.together
        columns = cute.sym_int(divisibility=8 if aligned else together)
        outer = (count,) if self.batched else ()

        def fake(array: Any, extents: tuple[Any, ...], contiguous: int, width: int) -> Any:
            strides: list[Any] = [cute.sym_int64(divisibility=width) for _ in extents]
            strides[len(extents) - 2 + contiguous] = 1
            bytes_ = width * array.numeric.width // 8
            return cute.make_fake_tensor(
                array.numeric, extents, stride=tuple(strides), assumed_align=bytes_
            )

        def compact(dtype: type[cute.Numeric], extents: tuple[Any, ...], align: int) -> Any:
            order = tuple(reversed(range(len(extents))))
            return cute.make_fake_compact_tensor(
                dtype, extents, stride_order=order, assumed_align=align or dtype.width // 8
            )

        arguments = [
            fake(self.left, (*outer, rows, depth), self.a_mode, self.widths[0]),
            fake(self.right, (*outer, depth, columns), self.b_mode, self.widths[1]),
        ]
        kinds: dict[Any, list[Any]] = {
            "tensor": [(1,), (1,)],
            "rows": [(rows,), (columns,)],
            None: [],
        }
        vectors = [*kinds[self.epilogue.scales], (columns,)]
        for index, array in enumerate(self.others):
            matrix = len(array.shape) > 1
            extents = (*outer, rows, columns) if matrix else vectors[index]
            arguments.append(compact(array.numeric, extents, aligned if matrix else 0))
        dtype = self.result_type()
        bytes_ = dtype.width // 8 * (1 if self.left.dtype == "float32" else together)
        arguments.append(compact(dtype, (*outer, rows, columns), aligned or bytes_))
        if self.tiles is not None and self.tiles.parts > 1:
            arguments.append(compact(cute.Float32, (cute.sym_int(), columns), 16))
        return arguments

    def result_type(self) -> type[cute.Numeric]:
        return numeric(str(self.result.dtype).rpartition(".")[2])

    def run(self) -> Any:
        inputs = [self.left, self.right, *self.others]
        key = (
            "matmul", tuple(array.dtype for array in inputs), self.result_type(), self.batched, self.majors,
            self.tiles or self.few or self.in_tensor_memory or self.small, self.for_cpus(), self.together, self.direct,
            self.epilogue.key(),
        )  # fmt: skip
        parts = self.tiles.parts if self.tiles is not None else 1
        if parts == 1:
            return run(key, self.program, self.fakes, inputs, self.result)
        sums = self.left.empty((parts * self.left.shape[-2], self.n), "float32")
        return run(key, self.program, self.fakes, inputs, self.result, sums)


class Arranged:
    """The arrays as their frameworks have them, as the kernels want them: (M, K, L), (N, K, L), (M, N, L)."""

    def __init__(self, inner: Any, batched: bool, rows_of_b: bool = False) -> None:
        """``rows_of_b``: whether B is (N, K), not (K, N)."""
        self.inner, self.batched, self.swaps_b = inner, batched, not rows_of_b

    def turned(self, tensor: Tensor, swapped: bool = False) -> Any:
        shape, stride = list(tensor.shape), list(tensor.stride)
        batch = (shape.pop(0), stride.pop(0)) if self.batched else (1, 0)
        if swapped:
            shape.reverse()
            stride.reverse()
        layout = cute.make_layout((*shape, batch[0]), stride=(*stride, batch[1]))
        return cute.make_tensor(tensor.iterator, layout)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        turned = [array if len(array.shape) == 1 else self.turned(array) for array in others]
        self.inner(self.turned(a), self.turned(b, self.swaps_b), *turned)
