"""Operations on the rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import cute
from fairlead.ops._arrays import Described, checked, expect, in_shape, number, reject_out, run
from fairlead.ops._autograd import Rule, differentiated, needs_gradient, reject_gradient
from fairlead.ops._norm_gradients import NORM
from fairlead.ops._row_kernels import Rows, blocks_of, matrix_of, norm_arguments, width_of
from fairlead.ops._staged_rows import StagedRows, staged_form
from fairlead.ops._streamed_rows import StreamedRows, streamed_form
from fairlead.plans import planned

__all__ = ["layer_norm", "log_softmax", "reduce_rows", "rms_norm", "softmax"]


def _run(
    what: str, x: Described, others: list[Described], result: Any, kinds: dict[str, Any], kept: int = 1,
    outs: Sequence[Described] = (),
) -> Any:  # fmt: skip
    """``result`` has the elements of all rows, or one element for each row, in any shape; ``kept``: how many of the
    matrices stay in registers; ``outs``: the result, if it is the caller's."""
    columns = x.shape[1]
    matrices = [x, *others]
    width = width_of(columns, [*matrices, *outs])
    streamed = streamed_form(what, matrices, outs)
    staged = None if streamed else staged_form(what, matrices, outs, width)
    if streamed is not None or (staged is not None and staged.shifted):
        width = 128 // x.numeric.width
    shape = x.shape[:1] if what == "reduce" else x.shape
    blocks = blocks_of(x, columns, kept)

    def fakes() -> list[Any]:
        rows = cute.sym_int()

        def fake(dtype: type[cute.Numeric], shape: tuple[Any, ...]) -> Any:
            align = max(width * dtype.width // 8, 1) if shape[-1] == columns else dtype.width // 8
            order = tuple(reversed(range(len(shape))))
            return cute.make_fake_compact_tensor(
                dtype, shape, stride_order=order, assumed_align=align
            )

        stand_ins = [
            fake(matrix.numeric, (rows, columns) if len(matrix.shape) == 2 else (columns,))
            for matrix in matrices
        ]
        return [*stand_ins, fake(x.numeric, (rows, columns) if len(shape) == 2 else (rows,))]

    types = tuple((matrix.dtype, len(matrix.shape)) for matrix in matrices)
    full_key = (
        what,
        columns,
        width,
        streamed or staged or blocks,
        types,
        tuple(sorted(kinds.items())),
    )

    def program() -> Any:
        if streamed is not None:
            return StreamedRows(columns, width, what, *streamed, **kinds)
        if staged is not None:
            return StagedRows(columns, width, what, *staged, **kinds)
        return Rows(columns, width, what, blocks, kept, **kinds)

    if x.framework == "jax":
        return run(full_key, program, fakes, matrices, x.empty(shape)).reshape(result.shape)
    return run(full_key, program, fakes, matrices, in_shape(result, shape), result=result)


def _like(
    x: Described,
    matrix: Described,
    out: object,
    what: str,
    others: list[Any],
    kinds: dict[str, Any],
) -> Any:
    """A result of the shape of ``x``."""
    reject_out(out, x)
    if out is None:
        return _run(what, matrix, others, x.empty(x.shape), kinds)
    result = checked(out, "out", x, (x.dtype,))
    expect(result.shape == x.shape, "out", f"the shape {list(x.shape)}", result)
    expect(result.is_row_major(), "out", "a row-major array", f"strides {list(result.strides)}")
    return _run(what, matrix, others, out, kinds, outs=[result])


def _softmax(x: object, scale: float, log: bool, out: object) -> Any:
    kinds = {"scale": number(scale, "scale"), "log": log}
    if needs_gradient(x):
        return differentiated(_SOFTMAX, (x,), out, **kinds)
    array = checked(x, "x")
    return _like(array, matrix_of(array, "x"), out, "softmax", [], kinds)


@planned(written="out", in_place=("x",))
def softmax(x: object, *, scale: float = 1.0, out: object = None) -> Any:
    """``exp(scale * x) / sum(exp(scale * x))`` over the last dimension, of 1 to 524288 elements (65536 on GPUs
    without clusters of blocks; half as many where a gradient is needed).

    Args:
        x: float16, bfloat16 or float32, of any shape.
        scale: part of the program: each value compiles once.
        out: a row-major array of the shape and type of ``x``; default a new one.

    Raises TypeError, ValueError for other arguments.
    """
    return _softmax(x, scale, False, out)


@planned(written="out", in_place=("x",))
def log_softmax(x: object, *, scale: float = 1.0, out: object = None) -> Any:
    """``log(softmax(scale * x))``, without the logarithm of a small number. The arguments are those of ``softmax``."""
    return _softmax(x, scale, True, out)


@planned
def _softmax_gradient(gradient: object, y: object, *, scale: float, log: bool) -> Any:
    of_y = checked(y, "y")
    of_result = checked(gradient, "gradient", of_y, (of_y.dtype,))
    kinds = {"scale": scale, "log": log}
    matrices = [matrix_of(matrix, "x", 2) for matrix in (of_result, of_y)]
    return _run("softmax_gradient", matrices[0], matrices[1:], of_y.empty(of_y.shape), kinds, 2)


def _softmax_forward(x: object, *, scale: float, log: bool) -> Any:
    matrix_of(checked(x, "x"), "x", 2)  # has fewer columns where a gradient is needed
    y = (log_softmax if log else softmax)(x, scale=scale)
    return y, (y,)


def _softmax_backward(
    wants_gradient: Sequence[bool], gradient: object, y: object, **options: Any
) -> Any:
    return (_softmax_gradient(gradient, y, **options),)


_SOFTMAX = Rule(_softmax_forward, _softmax_backward)


def _norm(
    what: str, x: object, weight: object, bias: object, residual: object, eps: float, out: object
) -> Any:
    eps = number(eps, "eps")
    if needs_gradient(x, weight, bias, residual):
        norm = rms_norm if what == "rms_norm" else layer_norm
        return differentiated(NORM, (x, weight, bias, residual), out, norm=norm, eps=eps)
    array, (matrix, *others) = norm_arguments(x, weight, bias, residual)
    kinds = {
        "eps": eps,
        "weight": weight is not None,
        "bias": bias is not None,
        "residual": residual is not None,
    }
    return _like(array, matrix, out, what, others, kinds)


@planned(written="out", in_place=("x", "residual"))
def rms_norm(
    x: object, weight: object = None, bias: object = None, *, residual: object = None, eps: float = 1e-6,
    out: object = None,
) -> Any:  # fmt: skip
    """``x / sqrt(mean(x**2) + eps) * weight + bias`` over the last dimension; sums are float32.

    Args:
        x: float16, bfloat16 or float32, of any shape; the last dimension as for ``softmax``.
        weight, bias: of so many elements, of any of the types.
        residual: of the shape of ``x``, added to it before.
        eps: part of the program: each value compiles once.
        out: a row-major array of the shape and type of ``x``; default a new one.

    Raises TypeError, ValueError for other arguments.
    """
    return _norm("rms_norm", x, weight, bias, residual, eps, out)


@planned(written="out", in_place=("x", "residual"))
def layer_norm(
    x: object, weight: object = None, bias: object = None, *, residual: object = None, eps: float = 1e-5,
    out: object = None,
) -> Any:  # fmt: skip
    """``(x - mean(x)) / sqrt(var(x) + eps) * weight + bias`` over the last dimension. ``residual``, ``out`` and the
    other arguments are those of ``rms_norm``.
    """
    return _norm("layer_norm", x, weight, bias, residual, eps, out)


@planned
def reduce_rows(x: object, kind: str = "sum") -> Any:
    """One number for each row of the last dimension. Sums are float32.

    Args:
        x: float16, bfloat16 or float32, of any shape; the last dimension as for ``softmax``.
        kind: ``"sum"``, ``"mean"``, ``"max"`` or ``"min"``.

    Returns an array of the type of ``x`` without the last dimension. Raises TypeError, ValueError.
    """
    kinds = ("sum", "mean", "max", "min")
    expect(isinstance(kind, str) and kind in kinds, "kind", "sum, mean, max or min", repr(kind))
    reject_gradient("reduce_rows", x=x)
    array = checked(x, "x")
    matrix = matrix_of(array, "x")
    return _run("reduce", matrix, [], array.empty(array.shape[:-1]), {"kind": kind})
