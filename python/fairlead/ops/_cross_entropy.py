"""Cross entropy of rows of logits and class numbers. Rows are read in pieces, so they may have any length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import Int32, Uint32
from fairlead._hints import names_keywords
from fairlead.cute._types import Number
from fairlead.ops._arrays import Described, checked, expect, in_shape, offset_of, run
from fairlead.ops._autograd import Rule, differentiated, needs_gradient
from fairlead.ops._row_kernels import RowParts, matrix_of, width_of
from fairlead.plans import planned

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["cross_entropy"]

_LOG2E = 1.4426950408889634
_LN2 = 0.6931471805599453
_MOST = 2**31 - 1  # columns
_LEAST_SHIFTED = 1024  # columns of shifted rows


class _Pieces(RowParts):
    """Kernels whose threads read a row in batches of ``in_batch`` vectors. All loads of a batch are issued before the
    first one is used."""

    kernel: Any

    #: Most threads of a row, and vectors of a batch of a thread.
    most, in_batch = 256, 2

    def __init__(
        self,
        columns: int,
        width: int,
        ignore_index: int,
        label_smoothing: float,
        shifted: bool = False,
    ) -> None:
        """``shifted``: a row's first vector begins at a multiple of 16 bytes, perhaps before the row."""
        super().__init__(columns, width, "", 1)
        self.ignore_index, self.smoothing, self.shifted = ignore_index, label_smoothing, shifted
        self.threads, self.rows = 32, 4
        while self.threads < self.most and columns > self.threads * width * self.in_batch:
            self.threads, self.rows = 2 * self.threads, max(self.rows // 2, 1)
        most = columns + (width - 1 if shifted else 0)
        self.steps = -(-most // (width * self.threads))
        #: Batches whose vectors are all within the row, apart from the first vector of a shifted row.
        self.batches = columns // (width * self.threads * self.in_batch)

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        self.kernel(*tensors).launch(
            grid=(cute.ceil_div(tensors[0].shape[0], self.rows), 1, 1),
            block=(self.threads, self.rows, 1),
        )

    @property
    def remaining(self) -> int:
        """The number of vectors after the last whole batch, of the threads with most."""
        return self.steps - self.batches * self.in_batch

    @cute.jit
    def visit(
        self, x: Tensor, row: Int, lane: Int, other: cute.Constexpr, use: Callable[[Any, Any], None]
    ) -> None:
        """Call ``use(vectors, place)`` for each batch of the thread. ``place``: the number of its first vector, the
        thread, and the elements from the first vector's begin to the row's. Elements outside of the row are
        ``other``."""
        shift: Any = 0
        if cute.const_expr(self.shifted):
            shift = Int32(Uint32(row) * Uint32(self.columns) % Uint32(self.width))
        begin = 1 if self.shifted and self.batches else 0
        if cute.const_expr(begin):
            place: Any = (0, lane, shift)
            use(self.batch(x, row, place, self.in_batch, other), place)
        for number in cute.range(begin, self.batches):
            place = (number * self.in_batch, lane, shift)
            use(self.batch(x, row, place, self.in_batch, other), place)
        if cute.const_expr(self.remaining):
            place = (self.batches * self.in_batch, lane, shift)
            use(self.batch(x, row, place, self.remaining, other), place)

    def column_of(self, place: tuple[Any, Any, Any], step: int) -> Any:
        """Return the first column of a vector of a batch; it may be negative."""
        first, lane, shift = place
        return self.column(first + step, lane) - shift

    def is_whole(self, place: tuple[Any, Any, Any], step: int) -> bool:
        """True if a vector of a batch is within the row in all threads."""
        if not isinstance(place[0], int):
            return True
        return self.whole(place[0] + step) and not (self.shifted and place[0] + step == 0)

    def is_inside(self, column: Number) -> Any:
        """Return whether a column exists."""
        inside = column < self.columns
        return (column >= 0) & inside if self.shifted else inside

    @cute.jit
    def batch(
        self, x: Tensor, row: Int, place: tuple[Any, Any, Any], count: cute.Constexpr, other: cute.Constexpr
    ) -> Any:  # fmt: skip
        """Return the ``count`` vectors of a batch."""
        pieces = cute.make_rmem_tensor((self.width, count), x.element_type)
        for step in cute.range_constexpr(count):
            column = self.column_of(place, step)
            if cute.const_expr(self.is_whole(place, step)):
                cute.autovec_copy(self.part(x, row, column), pieces[None, step])
            else:
                pieces[None, step].fill(other)
                if (column >= 0) & (column + self.width <= self.columns):
                    cute.autovec_copy(self.part(x, row, column), pieces[None, step])
                elif cute.const_expr(self.shifted):
                    for i in cute.range_constexpr(self.width):
                        if self.is_inside(column + i):
                            pieces[i, step] = x[row, column + i]
        return pieces

    @cute.jit
    def row_of_group(self, x: Tensor) -> Any:
        """Return the row, and True if it exists. Groups after the last row take the last row."""
        _, group, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        row = block * self.rows + group
        inside = row < x.shape[0]
        if not inside:
            row = x.shape[0] - 1
        return row, inside


class _Losses(_Pieces):
    """Losses and log-sum-exp of logits (rows, columns) and classes (rows)."""

    @cute.kernel
    def kernel(
        self, x: cute.Tensor, target: cute.Tensor, losses: cute.Tensor, logs: cute.Tensor
    ) -> None:
        lane, group, _ = cute.arch.thread_idx()
        scratch = cute.SmemAllocator().allocate_tensor(
            cute.Float32, cute.make_layout((33, self.rows, 2), stride=(1, 33, 33 * self.rows)), 16
        )
        row, inside = self.row_of_group(x)
        sums = cute.make_rmem_tensor(3, cute.Float32)
        sums.fill(0.0)
        sums[0] = -cute.Float32.inf
        use = lambda pieces, place: self.add(sums, pieces, place)  # noqa: E731
        self.visit(x, row, lane, -float("inf"), use)
        best, powers, total = sums[0], sums[1], sums[2]
        add = lambda a, b: a + b  # noqa: E731
        greatest = self.combined(best, cute.arch.fmax, group, lane, scratch, 0)
        base = self.finite(greatest)
        powers = self.combined(powers * self.power(best - base), add, group, lane, scratch, 1)
        if cute.const_expr(self.smoothing):
            total = self.combined(total, add, group, lane, scratch, 0)
        if inside & (lane == 0):
            log = base + cute.math.log2(powers) * _LN2
            number = cute.Int64(target[row])
            is_class = (number >= 0) & (number < self.columns)
            logit = x[row, cute.where(is_class, number, cute.Int64(0))].to(cute.Float32)
            loss = log - (1 - self.smoothing) * logit
            if cute.const_expr(self.smoothing):
                loss = loss - self.smoothing / self.columns * total
            loss = cute.where(is_class, loss, cute.Float32(float("nan")))
            losses[row] = cute.where(number == self.ignore_index, cute.Float32(0), loss)
            logs[row] = log

    @cute.jit
    def add(self, sums: Tensor, pieces: Tensor, place: tuple[Any, Any, Any]) -> None:
        """Add a batch to ``sums``: the greatest element, the sum of powers of the distance to it, and the sum."""
        values = pieces.load().to(cute.Float32)
        best = sums[0]
        grown = cute.arch.fmax(best, values.reduce(cute.ReductionOp.MAX, -float("inf"), 0))
        base = self.finite(grown)
        powers = self.power(values - base).reduce(cute.ReductionOp.ADD, 0.0, 0)
        sums[0], sums[1] = grown, sums[1] * self.power(best - base) + powers
        if cute.const_expr(self.smoothing):
            for step in cute.range_constexpr(cute.size(pieces, mode=[1])):
                for i in cute.range_constexpr(self.width):
                    value = pieces[i, step].to(cute.Float32)
                    if cute.const_expr(not self.is_whole(place, step)):
                        is_inside = self.is_inside(self.column_of(place, step) + i)
                        value = cute.where(is_inside, value, cute.Float32(0))
                    sums[2] = sums[2] + value

    def power(self, exponent: Number) -> Any:
        """Return e to the power ``exponent``."""
        return cute.math.exp2(exponent * _LOG2E, fastmath=True)

    def finite(self, base: Number) -> Any:
        """Return 0 for a row of -inf, because the difference of infinities is NaN."""
        return cute.where(base == -cute.Float32.inf, cute.Float32(0), base)


class _Gradients(_Pieces):
    """Gradients of logits, from classes, log-sum-exp and the gradients of the losses."""

    most, in_batch = 512, 4

    @cute.kernel
    def kernel(
        self, x: cute.Tensor, target: cute.Tensor, logs: cute.Tensor, gradients: cute.Tensor, out: cute.Tensor
    ) -> None:  # fmt: skip
        lane, _, _ = cute.arch.thread_idx()
        row, inside = self.row_of_group(x)
        number = cute.Int64(target[row])
        is_class = (number >= 0) & (number < self.columns)
        factor = cute.where(is_class, gradients[row], cute.Float32(float("nan")))
        ignored = number == self.ignore_index
        factor = cute.where(ignored, cute.Float32(0), factor)
        log = logs[row]

        def share(value: Number, column: Number) -> Any:
            part = (
                cute.math.exp2((value - log) * _LOG2E, fastmath=True)
                - self.smoothing / self.columns
            )
            chosen = cute.Float32(1 - self.smoothing)
            part = part - cute.where(cute.Int64(column) == number, chosen, cute.Float32(0))
            return cute.where(ignored, cute.Float32(0), part * factor)

        def use(pieces: Tensor, place: Any) -> None:
            self.store_batch(out, row, place, pieces, share, inside)

        self.visit(x, row, lane, 0, use)

    @cute.jit
    def store_batch(
        self, out: Tensor, row: Int, place: tuple[Any, Any, Any], pieces: Tensor, share: Callable[[Any, Any], Any],
        inside: Number,
    ) -> None:  # fmt: skip
        """Store ``share(element, column)`` for the elements of a batch."""
        piece = cute.make_rmem_tensor(self.width, out.element_type)
        for step in cute.range_constexpr(cute.size(pieces, mode=[1])):
            column = self.column_of(place, step)
            for i in cute.range_constexpr(self.width):
                value = pieces[i, step].to(cute.Float32)
                piece[i] = share(value, column + i).to(out.element_type)
            if cute.const_expr(self.is_whole(place, step)):
                if inside:
                    cute.autovec_copy(piece, self.part(out, row, column))
            elif inside & (column >= 0) & (column + self.width <= self.columns):
                cute.autovec_copy(piece, self.part(out, row, column))
            elif cute.const_expr(self.shifted):
                for i in cute.range_constexpr(self.width):
                    if inside & self.is_inside(column + i):
                        out[row, column + i] = piece[i]


def _form(matrix: Described) -> tuple[int, bool]:
    """Return the neighbours that move together, and whether rows are shifted. Rows of different places within 16 bytes
    are, if the matrix begins at a multiple of 16 bytes, on GPUs."""
    width, wide = width_of(matrix.shape[1], [matrix]), 128 // matrix.numeric.width
    shifted = matrix.device != "cpu" and width < wide and offset_of(matrix) % wide == 0
    return (wide, True) if shifted and matrix.shape[1] >= _LEAST_SHIFTED else (width, False)


def _arguments(x: object, target: object) -> tuple[Described, Described, Described]:
    """Return the logits, their matrix, and the classes of its rows."""
    logits = checked(x, "x")
    matrix = matrix_of(logits, "x", most=_MOST)
    numbers = checked(target, "target", logits, ("int32", "int64"))
    expected = f"the shape {list(logits.shape[:-1])}, that of x without its last dimension"
    expect(numbers.shape == logits.shape[:-1], "target", expected, numbers)
    return logits, matrix, numbers.row_major().reshaped(matrix.shape[0])


def _fakes(matrix: Described, target: Described, width: int, before: int, after: int) -> list[Any]:
    """Return examples: the matrix, the classes, ``before`` vectors of float32, then ``after`` vectors or, for 0, a
    matrix as results."""
    rows, columns = cute.sym_int(), matrix.shape[1]
    align = width * matrix.numeric.width // 8

    def of_matrix() -> Any:
        shape = (rows, columns)
        return cute.make_fake_compact_tensor(
            matrix.numeric, shape, stride_order=(1, 0), assumed_align=align
        )

    def vector(numeric: type[cute.Numeric]) -> Any:
        return cute.make_fake_compact_tensor(numeric, (rows,))

    vectors = [vector(cute.Float32) for _ in range(before + after)]
    return [of_matrix(), vector(target.numeric), *vectors, *([] if after else [of_matrix()])]


@planned
def _losses(x: object, target: object, *, ignore_index: int, label_smoothing: float) -> Any:
    """Return the losses and the log-sum-exp of rows, in the shape of ``target``."""
    logits, matrix, numbers = _arguments(x, target)
    form = width, shifted = _form(matrix)
    program = lambda: _Losses(matrix.shape[1], width, ignore_index, label_smoothing, shifted)  # noqa: E731
    key = (
        "cross entropy",
        matrix.shape[1],
        form,
        matrix.dtype,
        numbers.dtype,
        ignore_index,
        label_smoothing,
    )
    results = [logits.empty(logits.shape[:-1], "float32") for _ in range(2)]
    flat = [logits.empty(matrix.shape[:1], "float32") for _ in range(2)]
    fakes = lambda: _fakes(matrix, numbers, width, 0, 2)  # noqa: E731
    if logits.framework == "jax":
        both = run(key, program, fakes, [matrix, numbers], flat)
        return tuple(vector.reshape(logits.shape[:-1]) for vector in both)
    filled = [in_shape(result, matrix.shape[:1]) for result in results]
    return run(key, program, fakes, [matrix, numbers], filled, result=tuple(results))


@planned
def _logit_gradients(
    x: object,
    target: object,
    logs: object,
    gradient: object,
    *,
    ignore_index: int,
    label_smoothing: float,
) -> Any:
    logits, matrix, numbers = _arguments(x, target)
    rows, columns = matrix.shape
    vectors = [
        checked(array, name, logits, ("float32",)).row_major().reshaped(rows)
        for array, name in ((logs, "logs"), (gradient, "gradient"))
    ]
    form = width, shifted = _form(matrix)
    program = lambda: _Gradients(columns, width, ignore_index, label_smoothing, shifted)  # noqa: E731
    key = (
        "cross entropy gradient",
        columns,
        form,
        matrix.dtype,
        numbers.dtype,
        ignore_index,
        label_smoothing,
    )
    result = logits.empty(logits.shape)
    fakes = lambda: _fakes(matrix, numbers, width, 2, 0)  # noqa: E731
    inputs = [matrix, numbers, *vectors]
    return run(key, program, fakes, inputs, in_shape(result, matrix.shape), result=result)


def _forward(x: object, target: object, **options: Any) -> Any:
    losses, logs = _losses(x, target, **options)
    return losses, (x, target, logs)


def _backward(
    wants_gradient: Sequence[bool],
    gradient: object,
    x: object,
    target: object,
    logs: object,
    **options: Any,
) -> tuple[Any, ...]:
    return _logit_gradients(x, target, logs, gradient, **options), None


_RULE = Rule(_forward, _backward)


@names_keywords
def cross_entropy(
    x: Any, target: Any, *, ignore_index: int = -100, label_smoothing: float = 0.0, reduction: str = "mean"
) -> Any:  # fmt: skip
    """Return ``log(sum(exp(x))) - x[target]`` of each row in float32, or the mean or sum over rows.

    With PyTorch, autograd can differentiate it: the gradient has the type of ``x``.

    Args:
        x: logits, (..., classes), float16, bfloat16 or float32. There may be any number of classes.
        target: the class of each row, int32 or int64, of the shape of ``x`` without the last dimension. The loss of a
            row is NaN if its target is not a class.
        ignore_index: the target of rows whose loss is 0, and that do not count for the mean. Each value compiles once.
        label_smoothing: 0 to 1, the part of the target distribution that is uniform over all classes. Each value
            compiles once.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``. The mean over no rows is NaN.

    Returns one float32 number as an array, or with ``"none"`` an array of the shape of ``target``. Raises TypeError,
    ValueError for other arguments.
    """
    reductions = ("mean", "sum", "none")
    expect(reduction in reductions, "reduction", "mean, sum or none", repr(reduction))
    is_share = isinstance(label_smoothing, (int, float)) and 0 <= label_smoothing <= 1
    expect(is_share, "label_smoothing", "a number from 0 to 1", repr(label_smoothing))
    is_whole = isinstance(ignore_index, Integral) and not isinstance(ignore_index, bool)
    expect(is_whole, "ignore_index", "a whole number", repr(ignore_index))
    options: dict[str, Any] = {
        "ignore_index": int(ignore_index),
        "label_smoothing": float(label_smoothing),
    }
    if needs_gradient(x):
        losses = differentiated(_RULE, (x, target), **options)
    else:
        losses, _ = _losses(x, target, **options)
    if reduction == "none":
        return losses
    total = losses.sum()
    return total if reduction == "sum" else total / (target != ignore_index).sum()
