"""Gradients of rms_norm and layer_norm: for the rows, the weight and the bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead.ops._arrays import checked, in_shape, run
from fairlead.ops._autograd import Rule
from fairlead.ops._row_kernels import RowParts, blocks_of, matrix_of, norm_arguments, width_of
from fairlead.plans import Planned, planned

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["NORM"]

_KEPT = 4  # rows in registers: the gradient, x, and the sums for the weight and the bias
_PARTS = {"cpu": 16, "cuda": 264}  # groups of rows that are summed by themselves, at most


class _NormGradients(RowParts):
    """Each group of threads handles rows in a stride of the number of groups. It stores the gradient of each row of x,
    keeps partial sums for the weight and the bias, and stores them at the end."""

    def __init__(self, columns: int, width: int, what: str, blocks: int, **options: Any) -> None:
        super().__init__(columns, width, what, blocks, _KEPT, **options)
        self.summed = [name for name in ("weight", "bias") if options[f"{name}_gradient"]]

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        """``tensors``: the result's gradient, x, the residual (if any), the weight (if any), the gradient of x, and the
        sums (parts, gradients of vectors, columns), if any."""
        parts = tensors[-1].shape[0] if self.summed else tensors[0].shape[0]
        self.kernel(*tensors).launch(
            grid=(self.blocks * cute.ceil_div(parts, self.rows), 1, 1),
            block=(self.threads, self.rows, 1),
            cluster=(self.blocks, 1, 1) if self.blocks > 1 else None,
        )

    @cute.kernel
    def kernel(self, *tensors: cute.Tensor) -> None:
        lane, group, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        # Two numbers for each reduction in turn: a barrier lies between the two uses of one.
        scratch = cute.SmemAllocator().allocate_tensor(
            cute.Float32, cute.make_layout((33, self.rows, 2), stride=(1, 33, 33 * self.rows)), 16
        )
        gradient, x = tensors[:2]
        out = tensors[-2] if self.summed else tensors[-1]
        rows = x.shape[0]
        parts = tensors[-1].shape[0] if self.summed else rows
        part = block // self.blocks * self.rows + group
        sums = cute.make_rmem_tensor(
            (self.width, self.steps, max(len(self.summed), 1)), cute.Float32
        )
        sums.fill(0.0)
        factors = None
        if cute.const_expr(self.options["weight"]):
            weight = tensors[3 if self.options["residual"] else 2]
            factors = self.pieces(weight, None, lane)
        for step in range(cute.ceil_div(rows, parts)):
            # Groups after the last row repeat it, for the barriers, but add and write nothing.
            row = part + step * parts
            inside = (part < parts) & (row < rows)
            if not inside:
                row = rows - 1
            self.one_row(tensors, row, inside, (lane, group, scratch), factors, sums, out)
        for index in cute.range_constexpr(len(self.summed)):
            self.store_sums(tensors[-1], index, part, lane, sums)
        if cute.const_expr(self.blocks > 1):
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()

    @cute.jit
    def one_row(
        self, tensors: Sequence[Tensor], row: Int, inside: object, thread: tuple[Any, ...], factors: Any,
        sums: Tensor, out: Tensor,
    ) -> None:  # fmt: skip
        lane, group, scratch = thread
        grads = cute.make_rmem_tensor((self.width, self.steps), cute.Float32)
        self.load(tensors[0], row, lane, grads)
        values = cute.make_rmem_tensor((self.width, self.steps), cute.Float32)
        self.load(tensors[1], row, lane, values)
        if cute.const_expr(self.options["residual"]):
            added = cute.make_rmem_tensor((self.width, self.steps), cute.Float32)
            self.load(tensors[2], row, lane, added)
            values.store(values.load() + added.load())

        def mean(products: Any, which: int) -> Any:
            total = products.reduce(cute.ReductionOp.ADD, 0.0, 0)
            add = lambda a, b: a + b  # noqa: E731
            return self.combined(total, add, group, lane, scratch, which) / self.columns

        centered = self.what == "layer_norm"
        if cute.const_expr(centered):
            values.store(values.load() - mean(values.load(), 0))
            self.known(values, lane, 0.0)
        squares = mean(values.load() * values.load(), 1)
        scale = cute.math.rsqrt(squares + self.options["eps"])
        values.store(values.load() * scale)
        present = cute.where(inside, cute.Float32(1), cute.Float32(0))
        for index in cute.range_constexpr(len(self.summed)):
            added_sums = sums[None, None, index]
            if cute.const_expr(self.summed[index] == "weight"):
                added_sums.store(added_sums.load() + grads.load() * values.load() * present)
            else:
                added_sums.store(added_sums.load() + grads.load() * present)
        if cute.const_expr(self.options["weight"]):
            grads.store(grads.load() * factors.load().to(cute.Float32))
        along = mean(grads.load() * values.load(), 0)
        result = grads.load() - values.load() * along
        if cute.const_expr(centered):
            result = result - mean(grads.load(), 1)
        values.store(result * scale)
        self.store(out, row, lane, values, inside)

    @cute.jit
    def store_sums(self, space: Tensor, index: int, part: Int, lane: Int, sums: Tensor) -> None:
        pointer = space[part, index, None].iterator
        row = cute.make_tensor(pointer, cute.make_layout(self.columns))
        for step in cute.range_constexpr(self.steps):
            column = self.column(step, lane)
            if (part < space.shape[0]) & (column < self.columns):
                cute.autovec_copy(sums[None, step, index], self.part(row, None, column))


@planned
def _norm_gradient(
    gradient: object, x: object, weight: object, residual: object, *, what: str, eps: float,
    of_weight: bool, of_bias: bool,
) -> Any:  # fmt: skip
    """Return the gradient of x, and partial sums (parts, vectors, columns) for the weight and the bias."""
    rows_of_x, (matrix, *others) = norm_arguments(x, weight, None, residual, _KEPT)
    of_result = matrix_of(checked(gradient, "gradient", rows_of_x), "gradient", _KEPT)
    matrices = [of_result, matrix, *others]
    rows, columns = matrix.shape
    blocks, width = blocks_of(rows_of_x, columns, _KEPT), width_of(columns, matrices)
    kinds = {
        "eps": eps, "weight": weight is not None, "residual": residual is not None,
        "weight_gradient": of_weight, "bias_gradient": of_bias,
    }  # fmt: skip
    vectors = of_weight + of_bias
    program = lambda: _NormGradients(columns, width, what, blocks, **kinds)  # noqa: E731
    parts = min(rows, _PARTS["cpu" if rows_of_x.device == "cpu" else "cuda"])

    def fakes() -> list[Any]:
        extent = cute.sym_int()

        def fake(numeric: type[cute.Numeric], shape: tuple[Any, ...]) -> Any:
            order = tuple(reversed(range(len(shape))))
            align = max(width * numeric.width // 8, 1)
            return cute.make_fake_compact_tensor(
                numeric, shape, stride_order=order, assumed_align=align
            )

        shaped = [
            fake(array.numeric, (extent, columns) if len(array.shape) == 2 else (columns,))
            for array in matrices
        ]
        shaped.append(fake(matrix.numeric, (extent, columns)))
        if vectors:
            shaped.append(fake(cute.Float32, (cute.sym_int(), vectors, columns)))
        return shaped

    key = (
        what,
        "gradient",
        columns,
        width,
        blocks,
        *(array.dtype for array in matrices),
        *kinds.items(),
    )
    of_x = rows_of_x.empty(rows_of_x.shape)
    filled = in_shape(of_x, matrix.shape)
    if not vectors:
        return run(key, program, fakes, matrices, filled, result=(of_x, None))
    sums = rows_of_x.empty((parts, vectors, columns), "float32")
    return run(key, program, fakes, matrices, [filled, sums], result=(of_x, sums))


def _forward(
    x: object, weight: object, bias: object, residual: object, *, norm: Planned[..., Any], eps: float
) -> Any:  # fmt: skip
    norm_arguments(
        x, weight, bias, residual, _KEPT
    )  # have fewer columns where a gradient is needed
    result = norm(x, weight, bias, residual=residual, eps=eps)
    return result, (x, weight, bias, residual)


def _backward(
    wants_gradient: Sequence[bool], gradient: object, x: object, weight: Any, bias: Any, residual: object, *,
    norm: Planned[..., Any], eps: float,
) -> tuple[Any, ...]:  # fmt: skip
    of_x, sums = _norm_gradient(
        gradient, x, weight, residual, what=norm.__wrapped__.__name__, eps=eps, of_weight=wants_gradient[1],
        of_bias=wants_gradient[2],
    )  # fmt: skip
    of_vectors = list(sums.sum(0)) if sums is not None else []
    of_weight = of_vectors.pop(0).to(weight.dtype) if wants_gradient[1] else None
    of_bias = of_vectors.pop(0).to(bias.dtype) if wants_gradient[2] else None
    return of_x, of_weight, of_bias, of_x if wants_gradient[3] else None


#: The rule for (x, weight, bias, residual). Options: ``norm`` (the operation) and ``eps``.
NORM = Rule(_forward, _backward)
