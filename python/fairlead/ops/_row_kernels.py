"""Kernels that read each row of a matrix once and keep it in registers, and the checks of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead.ops._arrays import Described, checked, expect, offset_of

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute._types import Number
    from fairlead.cute.typing import Int

__all__ = ["RowParts", "Rows", "Softmax", "blocks_of", "matrix_of", "norm_arguments", "width_of"]

MOST = 65536  # columns: what the registers of a block hold
_BLOCKS = 8  # of a cluster, which share a longer row
_SPAN = 8192  # columns of a block of a cluster on a GPU
_VALUES = 80  # of a thread: with fewer, a multiprocessor has several blocks, which read and write by turns
_LOG2E = 1.4426950408889634
_EARLY = 4  # vectors of a thread: of so many the weight's are loaded before they are used


class Softmax:
    """The powers of two that a softmax of numbers times ``scale`` sums."""

    def __init__(self, scale: float) -> None:
        # Not 0, which would change infinities.
        self.scale = scale * _LOG2E or 1e-30
        # With a negative scale the least number has the greatest power.
        rises, op = self.scale > 0, cute.ReductionOp
        self.start = -float("inf") if rises else float("inf")
        self.kind, self.greatest = (op.MAX, cute.arch.fmax) if rises else (op.MIN, cute.arch.fmin)

    def power(self, exponents: Any) -> Any:
        return cute.math.exp2(exponents, fastmath=True)

    def base(self, best: Number) -> Any:
        """Return what is subtracted from exponents so that the greatest becomes 0; it is finite."""
        return cute.where(best == self.start, cute.Float32(0), best * self.scale)


class RowParts:
    """A row for each group of ``threads`` threads, ``rows`` groups a block, or for each cluster of ``blocks`` blocks; a
    thread keeps ``steps`` vectors of ``width`` neighbours, of each of ``resident`` matrices."""

    def __init__(
        self, columns: int, width: int, what: str, blocks: int, resident: int = 1, **options: Any
    ) -> None:
        self.columns, self.width, self.what, self.options = columns, width, what, options
        self.blocks = blocks
        vectors = -(-columns // (width * blocks))
        threads = 32
        while threads < 256 and vectors > threads * 4:
            threads *= 2
        while threads < 1024 and vectors * width * resident > threads * _VALUES:
            threads *= 2
        self.threads, self.rows = threads, max(1, 128 // threads)
        self.steps = -(-vectors // threads)

    def column(self, step: Int, lane: Number) -> Any:
        """The first column of the thread's vector number ``step``."""
        if self.blocks > 1:
            step = cute.arch.block_idx()[0] % self.blocks * self.steps + step
        return (step * self.threads + lane) * self.width

    def whole(self, step: int) -> bool:
        """True if vector ``step`` of every thread is within the row."""
        steps = (self.blocks - 1) * self.steps + step + 1
        return steps * self.threads * self.width <= self.columns

    def load(self, source: Tensor, row: Int, lane: Int, values: Tensor) -> None:
        """Columns behind the last one are 0."""
        values.store(self.pieces(source, row, lane).load().to(cute.Float32))

    @cute.jit
    def pieces(self, source: Tensor, row: object, lane: Number) -> Any:
        """Return the thread's vectors as they are in memory. All loads are issued before one is used."""
        pieces = cute.make_rmem_tensor((self.width, self.steps), source.element_type)
        for step in cute.range_constexpr(self.steps):
            column = self.column(step, lane)
            if cute.const_expr(self.whole(step)):
                cute.autovec_copy(self.part(source, row, column), pieces[None, step])
            else:
                pieces[None, step].fill(0)
                if column < self.columns:
                    cute.autovec_copy(self.part(source, row, column), pieces[None, step])
        return pieces

    def part(self, tensor: Tensor, row: Any, column: Int) -> Any:
        """``width`` neighbours of a row of a matrix, or of a vector where ``row`` is None; aligned to as many."""
        # A matrix may have more elements than 32 bits count.
        offset = column if row is None else cute.Int64(row) * tensor.stride[0] + column
        pointer = tensor.iterator + cute.assume(offset, divby=self.width)
        return cute.make_tensor(pointer, cute.make_layout(self.width))

    @cute.jit
    def store(self, out: Tensor, row: object, lane: Number, values: Tensor, inside: Any) -> None:
        piece = cute.make_rmem_tensor(self.width, out.element_type)
        for step in cute.range_constexpr(self.steps):
            column = self.column(step, lane)
            for i in cute.range_constexpr(self.width):
                piece[i] = values[i, step].to(out.element_type)
            if inside & (column < self.columns):
                cute.autovec_copy(piece, self.part(out, row, column))

    @cute.jit
    def combined(
        self,
        value: Number,
        combine: Callable[[Any, Any], Any],
        group: Int,
        lane: Int,
        scratch: Tensor,
        which: cute.Constexpr,
    ) -> Any:
        """One number for a row, which every thread of it gets. ``which``: 0 or 1, a kernel's first and second."""
        value = cute.arch.warp_reduction(value, combine)
        if cute.const_expr(self.threads > 32):
            if lane % 32 == 0:
                scratch[lane // 32, group, which] = value
            cute.arch.sync_threads()
            value = scratch[0, group, which]
            for warp in cute.range_constexpr(1, self.threads // 32):
                value = combine(value, scratch[warp, group, which])
        if cute.const_expr(self.blocks > 1):
            if lane == 0:
                scratch[32, group, which] = value
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
            mine = scratch[None, group, which].iterator + 32
            value = self.of_block(mine, 0)
            for other in cute.range_constexpr(1, self.blocks):
                value = combine(value, self.of_block(mine, other))
        return value

    def of_block(self, mine: Any, number: int) -> Any:
        """Return the number at the address ``mine`` in block ``number`` of the cluster."""
        pointer = cute.arch.map_dsmem_ptr(mine, number)
        return cute.make_tensor(pointer, cute.make_layout(1))[0]

    def known(self, values: Tensor, lane: Number, other: float) -> None:
        """Columns behind the last one count as ``other``."""
        for step in range(self.steps):
            if not self.whole(step):
                for i in range(self.width):
                    column = self.column(step, lane) + i
                    values[i, step] = cute.where(
                        column < self.columns, values[i, step], cute.Float32(other)
                    )


class Rows(RowParts):
    """The operations that read each row once."""

    @cute.jit
    def softmax(
        self,
        tensors: Sequence[Any],
        row: Number,
        lane: Int,
        group: Number,
        scratch: Tensor | None,
        values: Tensor,
        out: Tensor | None,
        inside: Any,
    ) -> None:
        self.known(values, lane, -float("inf"))
        # Not 0, which would change infinities.
        scale = self.options["scale"] * _LOG2E or 1e-30
        # With a negative scale the least number has the greatest power.
        kind = cute.ReductionOp.MAX if scale >= 0 else cute.ReductionOp.MIN
        combine = cute.arch.fmax if scale >= 0 else cute.arch.fmin
        if cute.const_expr(scale < 0):
            self.known(values, lane, float("inf"))
        start = -float("inf") if scale >= 0 else float("inf")
        best = values.load().reduce(kind, start, 0)
        best = self.combined(best, combine, group, lane, scratch, 0)
        # A row of infinities alone has no sum: its result is NaN, as elsewhere.
        powers = cute.math.exp2((values.load() - best) * scale, fastmath=True)
        total = powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
        total = self.combined(total, lambda a, b: a + b, group, lane, scratch, 1)
        if cute.const_expr(self.options["log"]):
            values.store((values.load() - best) * self.options["scale"] - cute.math.log(total))
        else:
            values.store(powers * (1.0 / total))
        self.store(out, row, lane, values, inside)

    @cute.jit
    def softmax_gradient(
        self,
        tensors: Sequence[Any],
        row: Number,
        lane: Int,
        group: Number,
        scratch: Tensor | None,
        values: Tensor,
        out: Tensor | None,
        inside: Any,
    ) -> None:
        """Store the gradient of the argument, from the gradient of the result and the result itself."""
        results = self.pieces(tensors[1], row, lane).load().to(cute.Float32)
        add = lambda a, b: a + b  # noqa: E731
        if cute.const_expr(self.options["log"]):
            total = values.load().reduce(cute.ReductionOp.ADD, 0.0, 0)
            total = self.combined(total, add, group, lane, scratch, 0)
            values.store(values.load() - cute.math.exp(results) * total)
        else:
            total = (values.load() * results).reduce(cute.ReductionOp.ADD, 0.0, 0)
            total = self.combined(total, add, group, lane, scratch, 0)
            values.store(results * (values.load() - total))
        values.store(values.load() * self.options["scale"])
        self.store(out, row, lane, values, inside)

    @cute.jit
    def rms_norm(
        self,
        tensors: Sequence[Tensor],
        row: object,
        lane: object,
        group: object,
        scratch: object,
        values: Tensor,
        out: object,
        inside: object,
    ) -> None:
        vectors = self.vectors(tensors, lane)
        squares = (values.load() * values.load()).reduce(cute.ReductionOp.ADD, 0.0, 0)
        squares = self.combined(squares, lambda a, b: a + b, group, lane, scratch, 0)
        factor = cute.math.rsqrt(squares / self.columns + self.options["eps"])
        values.store(values.load() * factor)
        self.scale(vectors, values)
        self.store(out, row, lane, values, inside)

    @cute.jit
    def layer_norm(
        self,
        tensors: Sequence[Tensor],
        row: object,
        lane: Number,
        group: object,
        scratch: object,
        values: Tensor,
        out: object,
        inside: object,
    ) -> None:
        vectors = self.vectors(tensors, lane)
        total = values.load().reduce(cute.ReductionOp.ADD, 0.0, 0)
        mean = self.combined(total, lambda a, b: a + b, group, lane, scratch, 0) / self.columns
        values.store(values.load() - mean)
        self.known(values, lane, 0.0)
        squares = (values.load() * values.load()).reduce(cute.ReductionOp.ADD, 0.0, 0)
        squares = self.combined(squares, lambda a, b: a + b, group, lane, scratch, 1)
        values.store(values.load() * cute.math.rsqrt(squares / self.columns + self.options["eps"]))
        self.scale(vectors, values)
        self.store(out, row, lane, values, inside)

    def vectors(self, tensors: Sequence[Any], lane: object) -> list[Any]:
        """Return functions that give the thread's parts of the weight and the bias, without missing ones. If registers
        have room, the parts are loaded while rows are summed."""
        sources = tensors[2:-1] if self.options.get("residual", False) else tensors[1:-1]
        if self.steps > _EARLY:
            return [lambda source=source: self.pieces(source, None, lane) for source in sources]
        parts = [self.pieces(source, None, lane) for source in sources]
        return [lambda part=part: part for part in parts]

    def scale(self, vectors: list[Any], values: Tensor) -> None:
        """Times the weight, plus the bias."""
        numbers = [vector().load().to(cute.Float32) for vector in vectors]
        if self.options["weight"]:
            values.store(values.load() * numbers[0])
        if self.options["bias"]:
            values.store(values.load() + numbers[-1])

    @cute.jit
    def reduce(
        self,
        tensors: Sequence[Any],
        row: Int,
        lane: Int,
        group: Number,
        scratch: Tensor | None,
        values: Tensor,
        out: Tensor,
        inside: Any,
    ) -> None:
        kind = self.options["kind"]
        op, start, combine = {
            "sum": (cute.ReductionOp.ADD, 0.0, lambda a, b: a + b),
            "mean": (cute.ReductionOp.ADD, 0.0, lambda a, b: a + b),
            "max": (cute.ReductionOp.MAX, -float("inf"), cute.arch.fmax),
            "min": (cute.ReductionOp.MIN, float("inf"), cute.arch.fmin),
        }[kind]
        self.known(values, lane, start)
        result = values.load().reduce(op, start, 0)
        result = self.combined(result, combine, group, lane, scratch, 0)
        if cute.const_expr(kind == "mean"):
            result = result / self.columns
        if inside & (self.column(0, lane) == 0):
            out[row] = result.to(out.element_type)

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        self.kernel(*tensors).launch(
            grid=(self.blocks * cute.ceil_div(tensors[0].shape[0], self.rows), 1, 1),
            block=(self.threads, self.rows, 1),
            cluster=(self.blocks, 1, 1) if self.blocks > 1 else None,
        )

    @cute.kernel
    def kernel(self, *tensors: cute.Tensor) -> None:
        lane, group, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        # Each reduction has numbers of its own for the results of warps, and for the block's: one barrier is enough.
        scratch = cute.SmemAllocator().allocate_tensor(
            cute.Float32, cute.make_layout((33, self.rows, 2), stride=(1, 33, 33 * self.rows)), 16
        )
        x, out = tensors[0], tensors[-1]
        row = block // self.blocks * self.rows + group
        # Groups behind the last row do as the last one does, for the barriers, and write nothing.
        inside = row < x.shape[0]
        if not inside:
            row = x.shape[0] - 1
        values = cute.make_rmem_tensor((self.width, self.steps), cute.Float32)
        self.load(x, row, lane, values)
        if cute.const_expr(self.options.get("residual", False)):
            added = cute.make_rmem_tensor((self.width, self.steps), cute.Float32)
            self.load(tensors[1], row, lane, added)
            values.store(values.load() + added.load())
        getattr(self, self.what)(tensors, row, lane, group, scratch, values, out, inside)
        if cute.const_expr(self.blocks > 1):
            # Other blocks read the scratch of this one until here.
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()


def matrix_of(x: Described, name: str, resident: int = 1, most: int = 0) -> Described:
    """Return the array as rows of its last dimension. The limit of the dimension is ``most``, or follows from
    ``resident``, the number of matrices that a kernel keeps in registers."""
    expect(len(x.shape) >= 1, name, "one dimension or more", x)
    columns = x.shape[-1]
    if not most:
        most = (MOST * _BLOCKS if x.device == "cpu" or x.has("clusters") else MOST) // resident
    expect(1 <= columns <= most, name, f"a last dimension of 1 to {most}", x)
    rows = 1
    for extent in x.shape[:-1]:
        rows *= extent
    return x.row_major().reshaped(rows, columns)


def width_of(columns: int, arrays: list[Described]) -> int:
    """Neighbours that move together: 16 bytes of the widest type, if rows and addresses are multiples of that."""
    width = 16 // max(array.numeric.width // 8 for array in arrays)
    while columns % width or any(offset_of(array) % width for array in arrays):
        width //= 2
    return width


def blocks_of(x: Described, columns: int, resident: int = 1) -> int:
    """Return the number of blocks in a cluster that share a row of ``resident`` matrices."""
    columns *= resident
    if columns <= MOST and (x.device == "cpu" or not x.has("clusters") or columns <= 4 * _SPAN):
        return 1
    span = MOST if x.device == "cpu" else _SPAN
    return min(1 << (-(-columns // span) - 1).bit_length(), _BLOCKS)


def _vector(value: object, name: str, x: Described) -> Described:
    vector = checked(value, name, x)
    shape = (x.shape[-1],)
    expect(vector.shape == shape, name, f"the shape {list(shape)}", vector)
    return vector.row_major()


def norm_arguments(
    x: object, weight: object, bias: object, residual: object, resident: int = 1
) -> tuple[Described, list[Described]]:
    """Return ``x`` and the arrays of a norm: matrices of ``x`` and the residual, then the weight and the bias. None is
    left out."""
    rows_of_x = checked(x, "x")
    matrices = [matrix_of(rows_of_x, "x", resident)]
    if residual is not None:
        added = checked(residual, "residual", rows_of_x)
        expect(
            added.shape == rows_of_x.shape, "residual", f"the shape {list(rows_of_x.shape)}", added
        )
        matrices.append(matrix_of(added, "residual", resident))
    matrices += [
        _vector(value, name, rows_of_x)
        for value, name in ((weight, "weight"), (bias, "bias"))
        if value is not None
    ]
    return rows_of_x, matrices
