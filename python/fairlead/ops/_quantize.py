"""Floats of 8 bits from wider ones, with a scale for each block of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import Float32, Int64, Uint16, Uint32
from fairlead.cute._assembly import inline_asm
from fairlead.ops._arrays import (
    Described,
    checked,
    expect,
    flag,
    nothing,
    numeric,
    offset_of,
    reject_out,
    run,
)
from fairlead.ops._autograd import reject_gradient
from fairlead.ops._gemm import NARROW
from fairlead.plans import New, planned

if TYPE_CHECKING:
    from fairlead._compiler import Pointer, Tensor
    from fairlead.cute._types import Number
    from fairlead.cute.typing import Int

__all__ = ["quantize"]

_BLOCK = 128
#: Threads of a block, and neighbouring elements of each.
_THREADS, _WIDTH = 256, 8
_LANES = _BLOCK // _WIDTH
#: Blocks of 1 x 128 of a group of threads.
_TOGETHER = 4
#: The largest number of each type.
_LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
#: The types' names in the instruction that converts two numbers.
_WORDS = {"float8_e4m3fn": "e4m3x2", "float8_e5m2": "e5m2x2"}
#: The least magnitude for a scale, so that blocks of zeros have one.
_LEAST = 1e-10


class _Quantize:
    """``q = x / scale`` with ``scale = max(abs(x)) / largest`` of each block.

    A group of threads has a block of ``rows`` x 128 in registers, or a few of 1 x 128 below each other, 8 neighbours of
    a row each; or all threads read one row twice.
    """

    def __init__(
        self, dtype: str, rows: int, whole_rows: bool, width: int, swiglu: bool, power_of_two: bool, since_90: bool
    ) -> None:  # fmt: skip
        """``width``: neighbours that move together, 8 or 1; ``since_90``: for compute capability 9.0 and later."""
        self.since_90, self.word = since_90, _WORDS[dtype]
        self.largest, self.rows, self.whole_rows = _LARGEST[dtype], rows, whole_rows
        self.width, self.swiglu, self.power_of_two = width, swiglu, power_of_two
        #: Threads of a block of elements, and how many rows each of them has.
        self.threads = _THREADS if rows > 1 or whole_rows else _LANES
        self.steps = max(_TOGETHER, rows * _LANES // _THREADS)
        #: Rows of a group of threads.
        self.rows_together = max(_TOGETHER, rows)

    @cute.jit
    def __call__(self, x: cute.Tensor, q: cute.Tensor, scale: cute.Tensor) -> None:
        x, q, scale = self.matrices(x), self.matrices(q), self.matrices(scale, self.whole_rows)
        count, m, n = q.shape
        if cute.const_expr(self.whole_rows):
            self.quantize_rows(x, q, scale).launch(
                grid=(m, count, 1), block=(_THREADS, 1, 1), use_pdl=self.since_90
            )
        else:
            tiles = cute.ceil_div(m, self.rows_together) * cute.ceil_div(n, _BLOCK)
            self.quantize_blocks(x, q, scale).launch(
                grid=(cute.ceil_div(tiles, _THREADS // self.threads), count, 1), block=(_THREADS, 1, 1),
                use_pdl=self.since_90,
            )  # fmt: skip

    def matrices(self, tensor: Tensor, is_vector: bool = False) -> Any:
        """(matrices, rows, columns) of one matrix or several, or of vectors with a number for each row."""
        shape, stride = list(tensor.shape), list(tensor.stride)
        if is_vector:
            shape, stride = [*shape, 1], [*stride, 0]
        if len(shape) == 2:
            shape, stride = [1, *shape], [0, *stride]
        layout = cute.make_layout(tuple(shape), stride=tuple(stride))
        return cute.make_tensor(tensor.iterator, layout)

    @cute.kernel
    def quantize_blocks(self, x: Tensor, q: Tensor, scale: Tensor) -> None:
        thread, _, _ = cute.arch.thread_idx()
        block, matrix, _ = cute.arch.block_idx()
        scratch = self.scratch()
        if cute.const_expr(self.since_90):
            # This may have run beside the kernels before it: it has read none of their results so far.
            cute.arch.griddepcontrol_wait()
        tile = block * (_THREADS // self.threads) + thread // self.threads
        along = cute.ceil_div(q.shape[2], _BLOCK)
        down, column = tile // along, tile % along * _BLOCK + thread % _LANES * _WIDTH
        first = down * self.rows_together + thread % self.threads // _LANES
        values = cute.make_rmem_tensor((_WIDTH, self.steps), Float32)
        greatest, factor = Float32(0.0), Float32(1.0)
        for step in cute.range_constexpr(self.steps):
            row = first + step * (self.threads // _LANES)
            self.load(x, q, (matrix, row, column), values[None, step])
            greatest = self.greatest_of(values[None, step], greatest)
        if cute.const_expr(self.rows > 1):
            factor = self.scale_of(self.combined(greatest, scratch, thread))
            if (down < scale.shape[1]) & (thread == 0):
                scale[matrix, down, tile % along] = factor
        for step in cute.range_constexpr(self.steps):
            row = first + step * (self.threads // _LANES)
            if cute.const_expr(self.rows == 1):
                greatest = self.greatest_of(values[None, step], Float32(0.0))
                factor = self.scale_of(self.combined(greatest, scratch, thread))
                if (row < q.shape[1]) & (thread % _LANES == 0):
                    scale[matrix, row, tile % along] = factor
            self.store(q, (matrix, row, column), values[None, step], 1.0 / factor)

    @cute.kernel
    def quantize_rows(self, x: Tensor, q: Tensor, scale: Tensor) -> None:
        thread, _, _ = cute.arch.thread_idx()
        row, matrix, _ = cute.arch.block_idx()
        scratch = self.scratch()
        if cute.const_expr(self.since_90):
            # This may have run beside the kernels before it: it has read none of their results so far.
            cute.arch.griddepcontrol_wait()
        values = cute.make_rmem_tensor(_WIDTH, Float32)
        greatest = Float32(0.0)
        steps = cute.ceil_div(q.shape[2], _THREADS * _WIDTH)
        for step in range(steps):
            self.load(x, q, (matrix, row, (step * _THREADS + thread) * _WIDTH), values)
            greatest = self.greatest_of(values, greatest)
        factor = self.scale_of(self.combined(greatest, scratch, thread))
        for step in range(steps):
            place = matrix, row, (step * _THREADS + thread) * _WIDTH
            self.load(x, q, place, values)
            self.store(q, place, values, 1.0 / factor)
        if thread == 0:
            scale[matrix, row, 0] = factor

    def scratch(self) -> Any:
        """A number for each warp of a block, if they need each other's."""
        if self.threads <= 32:
            return None
        return cute.SmemAllocator().allocate_tensor(Float32, cute.make_layout(_THREADS // 32), 16)

    @cute.jit
    def load(self, x: Tensor, q: Tensor, place: Sequence[Any], values: Tensor) -> None:
        """Load 8 neighbours of a row; elements outside of the matrix are 0."""
        self.load_part(x, q, place, 0, values)
        if cute.const_expr(self.swiglu):
            factors = cute.make_rmem_tensor(_WIDTH, Float32)
            self.load_part(x, q, place, q.shape[2], factors)
            for i in cute.range_constexpr(_WIDTH):
                gate = values[i]
                values[i] = gate / (1.0 + cute.math.exp(-gate)) * factors[i]

    @cute.jit
    def load_part(
        self, x: Tensor, q: Tensor, place: Sequence[Any], behind: Int, values: Tensor
    ) -> None:
        matrix, row, column = place
        parts = cute.make_rmem_tensor(_WIDTH, x.element_type)
        parts.fill(0)
        for i in cute.range_constexpr(0, _WIDTH, self.width):
            if (row < q.shape[1]) & (column + i < q.shape[2]):
                offset = (
                    Int64(matrix) * x.stride[0] + Int64(row) * x.stride[1] + column + i + behind
                )
                self.copy(
                    x.iterator + cute.assume(offset, divby=self.width), parts.iterator + i, True
                )
        for i in cute.range_constexpr(_WIDTH):
            values[i] = parts[i].to(Float32)

    def copy(self, memory: Pointer, registers: Pointer, is_load: bool) -> None:
        """``width`` neighbours."""
        pair = [
            cute.make_tensor(part, cute.make_layout(self.width)) for part in (memory, registers)
        ]
        cute.autovec_copy(*(pair if is_load else reversed(pair)))

    @cute.jit
    def store(self, q: Tensor, place: Sequence[Any], values: Tensor, factor: Number) -> None:
        matrix, row, column = place
        parts = cute.make_rmem_tensor(_WIDTH, q.element_type)
        if cute.const_expr(self.since_90):
            words = cute.recast_tensor(parts, Uint16)
            for i in cute.range_constexpr(_WIDTH // 2):
                words[i] = self.narrowed(values[2 * i] * factor, values[2 * i + 1] * factor)
        else:
            for i in cute.range_constexpr(_WIDTH):
                parts[i] = (values[i] * factor).to(q.element_type)
        for i in cute.range_constexpr(0, _WIDTH, self.width):
            if (row < q.shape[1]) & (column + i < q.shape[2]):
                offset = (Int64(matrix) * q.shape[1] + row) * q.shape[2] + column + i
                self.copy(
                    q.iterator + cute.assume(offset, divby=self.width), parts.iterator + i, False
                )

    def narrowed(self, low: Number, high: Number) -> Any:
        """Two neighbours, by one instruction."""
        return inline_asm(
            Uint16, [high, low], f"cvt.rn.satfinite.{self.word}.f32 $0, $1, $2;", "=h,f,f"
        )

    def greatest_of(self, values: Tensor, greatest: Number) -> Any:
        """Return the greatest magnitude; NaN if a value is NaN."""
        for i in range(_WIDTH):
            magnitude = cute.math.absf(values[i])
            greatest = cute.math.max(greatest, magnitude)
        return greatest

    @cute.jit
    def combined(self, value: Number, scratch: Any, thread: Int) -> Any:
        """The greatest number of the threads of a block of elements."""
        threads = min(self.threads, 32)
        value = cute.arch.warp_reduction(value, cute.math.max, threads)
        if cute.const_expr(self.threads > 32):
            if thread % 32 == 0:
                scratch[thread // 32] = value
            cute.arch.sync_threads()
            for warp in cute.range_constexpr(_THREADS // 32):
                value = cute.math.max(value, scratch[warp])
        return value

    def scale_of(self, greatest: Number) -> Any:
        scale = cute.math.max(greatest, Float32(_LEAST)) / self.largest
        if not self.power_of_two:
            return scale
        # The next power of two: a number with a fraction has the next exponent. A NaN stays.
        bits = (scale.bitcast(Uint32) + Uint32(0x7FFFFF)) & Uint32(0xFF800000)
        return cute.where(scale == scale, bits.bitcast(Float32), scale)


@planned(written="out")
def quantize(
    x: object, block: tuple[int, int | None] = (1, 128), *, dtype: str = "float8_e4m3fn", swiglu: bool = False,
    power_of_two: bool = False, columns_first: bool = False, out: object = None,
) -> Any:  # fmt: skip
    """Floats of 8 bits and their scales: ``q = x / scale`` with ``scale = max(abs(x)) / largest`` of each block, where
    ``largest`` is 448 for float8_e4m3fn and 57344 for float8_e5m2.

    Args:
        x: (M, K) or (L, M, K), float16, bfloat16 or float32.
        block: elements that share a scale: ``(1, 128)`` for 128 of a row, ``(1, None)`` for a row, ``(128, 128)`` for
            blocks of weights. Blocks at the ends may have fewer elements.
        dtype: "float8_e4m3fn" or "float8_e5m2".
        swiglu: quantize ``silu(x[..., : K / 2]) * x[..., K / 2 :]`` instead; not for ``(128, 128)``.
        power_of_two: round scales up to powers of two.
        columns_first: return new scales of ``(1, 128)`` with contiguous columns, as TMA and cuBLAS read them.
        out: ``(q, scale)``, which are filled: ``q`` row-major, ``scale`` of any strides; default new arrays.

    Scales are float32 and at least 1e-10 / largest. If a block has a NaN, its scale and all its elements are NaN; if it
    has an infinity, its scale is that and its elements are 0 or NaN.

    Returns ``(q, scale)``. ``scale`` has the shape (M, ceil(K / 128)), (M,) or
    (ceil(M / 128), ceil(K / 128)), behind L. Raises TypeError, ValueError for other arguments.
    """
    reject_gradient("quantize", x=x)
    source = checked(x, "x")
    is_block = isinstance(block, tuple) and block in _BLOCKS
    expect(is_block, "block", ", ".join(map(str, _BLOCKS)), block)
    is_narrow = isinstance(dtype, str) and dtype in NARROW
    expect(is_narrow, "dtype", f"one of {', '.join(NARROW)}", repr(dtype))
    swiglu, power_of_two = flag(swiglu, "swiglu"), flag(power_of_two, "power_of_two")
    columns_first = flag(columns_first, "columns_first")
    expect(len(source.shape) in (2, 3), "x", "two or three dimensions", source)
    expect(
        len(source.shape) == 2 or source.shape[0] < 65536, "x", "less than 65536 matrices", source
    )
    if swiglu:
        expect(block != (128, 128), "swiglu", "False for blocks of (128, 128)", swiglu)
        expect(source.shape[-1] % 2 == 0, "x", "an even last dimension with swiglu", source)
    if columns_first:
        fits = block == (1, 128) and out is None and source.framework != "jax"
        expected = "False but for blocks of (1, 128), without out, and not for arrays of JAX"
        expect(fits, "columns_first", expected, columns_first)
    return _Quantized(source, block, dtype, swiglu, power_of_two, columns_first, out).run()


_BLOCKS = ((1, 128), (1, None), (128, 128))


class _Quantized:
    """Checked arguments: the shapes of the results, and how the kernel is compiled."""

    def __init__(
        self, x: Described, block: tuple[int, int | None], dtype: str, swiglu: bool, power_of_two: bool,
        columns_first: bool, out: object,
    ) -> None:  # fmt: skip
        self.dtype, self.swiglu, self.power_of_two = dtype, swiglu, power_of_two
        self.rows, self.whole_rows = block[0], block[1] is None
        self.x = x if x.strides[-1] == 1 else x.row_major()
        *outer, m, columns = x.shape
        columns //= 2 if swiglu else 1
        expect(columns > 0, "x", "elements in each row", x)
        self.shape = (*outer, m, columns)
        self.scale_shape = (*outer, -(-m // self.rows))
        if not self.whole_rows:
            self.scale_shape = (*self.scale_shape, -(-columns // _BLOCK))
        self.q, self.scale, starts = self.results(columns_first, out)
        # 8 neighbours move together if they begin at multiples of 16 bytes, of q at multiples of 8.
        outer_strides = [
            stride
            for stride, extent in zip(self.x.strides[:-1], x.shape[:-1], strict=True)
            if extent != 1
        ]
        starts += [columns, *outer_strides, offset_of(self.x) * self.x.numeric.width // 16]
        self.width = 1 if any(start % _WIDTH for start in starts) else _WIDTH

    def results(self, columns_first: bool, out: object) -> tuple[Any, Any, list[int]]:
        """q, scales, and where the caller's q begins."""
        x = self.x
        reject_out(out, x)
        if out is None:
            scale = x.empty(self.scale_shape, "float32")
            if columns_first:
                outer = self.scale_shape[:-2]
                turned = x.empty((*outer, *reversed(self.scale_shape[-2:])), "float32")
                scale = New(_turned, turned.make, *turned.args, **turned.kwargs)
            return x.empty(self.shape, self.dtype), scale, []
        is_pair = isinstance(out, (tuple, list)) and len(out) == 2
        expect(is_pair, "out", "a pair (q, scale)", type(out).__name__)
        pair: Any = out
        q = checked(pair[0], "out[0]", x, (self.dtype,))
        expect(q.shape == self.shape, "out[0]", f"the shape {list(self.shape)}", q)
        expect(q.is_row_major(), "out[0]", "a row-major array", f"strides {list(q.strides)}")
        scale = checked(pair[1], "out[1]", x, ("float32",))
        expect(
            scale.shape == self.scale_shape, "out[1]", f"the shape {list(self.scale_shape)}", scale
        )
        return pair[0], pair[1], [offset_of(q)]

    def fakes(self) -> list[Any]:
        """Return example arguments with any extents and strides, to compile the kernel."""
        x, width = self.x.numeric, self.width
        count, m, n, of_x, of_m, of_n = (cute.sym_int() for _ in range(6))
        outer = (count,) if len(self.shape) == 3 else ()
        strides = [cute.sym_int64(divisibility=width) for _ in (*outer, m)]
        scale_shape = (*outer, of_m, of_n)[: len(self.scale_shape)]
        columns = cute.sym_int(divisibility=width)
        return [
            cute.make_fake_tensor(
                x, (*outer, m, of_x), stride=(*strides, 1), assumed_align=min(width * x.width // 8, 16)
            ),
            cute.make_fake_compact_tensor(
                numeric(self.dtype), (*outer, m, columns), stride_order=tuple(range(len(outer) + 1, -1, -1)),
                assumed_align=width,
            ),
            cute.make_fake_tensor(
                Float32, scale_shape, stride=tuple(cute.sym_int64() for _ in scale_shape), assumed_align=4
            ),
        ]  # fmt: skip

    def run(self) -> Any:
        if 0 in self.shape:
            return nothing(self.x, (self.q, self.scale))
        options = (
            self.dtype, self.rows, self.whole_rows, self.width, self.swiglu, self.power_of_two,
            self.x.has("griddepcontrol"),
        )  # fmt: skip
        key = ("quantize", self.x.dtype, len(self.shape), *options)
        return run(key, lambda: _Quantize(*options), self.fakes, [self.x], (self.q, self.scale))


def _turned(make: Callable[..., Any], shape: Sequence[int], **options: object) -> Any:
    """A new array whose last two dimensions are exchanged."""
    array = make(shape, **options)
    return array.mT if hasattr(array, "mT") else array.swapaxes(-1, -2)
