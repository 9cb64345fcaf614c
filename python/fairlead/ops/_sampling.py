"""The greatest elements of rows, and samples of them."""

from __future__ import annotations

import math
from typing import Any

from fairlead import cute
from fairlead.ops._arrays import Described, checked, describe, expect, in_shape, numeric, run
from fairlead.ops._autograd import reject_gradient
from fairlead.ops._row_kernels import matrix_of, width_of
from fairlead.ops._row_search import GreatestOfRows, SamplesOfGreatest, SamplesOfRows
from fairlead.ops._tiles import placed
from fairlead.plans import planned

__all__ = ["sample", "top_k"]

_MOST_COLUMNS = 2**31 - 1
_MOST_GREATEST = 1024  # that a block sorts
#: Greatest elements that samples are chosen from: a program for each of these numbers or less.
_MOST_OF_SAMPLES = (64, 256, _MOST_GREATEST)
_WORTH_SORTING = 8  # times as many columns as elements that are sorted
_MOST_THREADS = 512  # of a block
_MOST_BLOCKS = 8  # of a cluster


def _index_type(x: Described) -> str:
    """Return the type of column numbers: that of indices of the framework."""
    return "int32" if x.framework == "jax" else "int64"


def _form(x: Described, rows: int, columns: int) -> tuple[Any, int, int, int, int]:
    """Return the type, columns, neighbours that are read together, threads of a block, and blocks of a row."""
    width = width_of(columns, [x])
    if x.device == "cpu":
        return x.numeric, columns, width, 1, 1
    threads = min(_MOST_THREADS, max(32, 1 << (-(-columns // (4 * width)) - 1).bit_length()))
    blocks = 1
    if threads == _MOST_THREADS and x.has("clusters"):
        # As many as find room at once with one block for each multiprocessor.
        while blocks < _MOST_BLOCKS and 2 * blocks * rows <= placed(x.multiprocessors, 2 * blocks):
            blocks *= 2
    return x.numeric, columns, width, threads, blocks


def _compact(dtype: type[cute.Numeric], shape: tuple[Any, ...], align: int = 0) -> Any:
    order = tuple(reversed(range(len(shape))))
    return cute.make_fake_compact_tensor(
        dtype, shape, stride_order=order, assumed_align=align or dtype.width // 8
    )


@planned
def top_k(x: object, k: int) -> Any:
    """The ``k`` greatest elements of each row of the last dimension, the greatest first, and their columns.

    Of equal elements, those of lower columns come first. NaN is greater than all numbers, and -0 is equal to 0.

    Args:
        x: float16, bfloat16 or float32, of any shape. Rows may have any length.
        k: 1 to 1024, and at most the length of a row; part of the program: each value compiles once.

    Returns (values, columns): values of the type of ``x``, columns of int64 (int32 for JAX). There is no derivative:
    ``torch.gather`` of ``x`` by the columns has one. Raises TypeError, ValueError for other arguments.
    """
    reject_gradient("top_k", x=x)
    is_number = isinstance(k, (int, float)) and not isinstance(k, bool)
    expect(is_number, "k", f"a number from 1 to {_MOST_GREATEST}", repr(k))
    array = checked(x, "x")
    matrix = matrix_of(array, "x", most=_MOST_COLUMNS)
    rows, columns = matrix.shape
    most = min(columns, _MOST_GREATEST)
    expect(isinstance(k, int) and 1 <= k <= most, "k", f"a number from 1 to {most}", repr(k))
    form = _form(array, rows, columns)
    index = _index_type(array)

    def fakes() -> list[Any]:
        extent = cute.sym_int()
        align = form[2] * form[0].width // 8
        results = [_compact(dtype, (extent, k)) for dtype in (form[0], numeric(index))]
        return [_compact(form[0], (extent, columns), align), *results]

    key = ("top_k", k, array.dtype, index, *form[1:])
    program = lambda: GreatestOfRows(k, *form)  # noqa: E731
    shape, types = (*array.shape[:-1], k), (array.dtype, index)
    if array.framework == "jax":
        both = run(key, program, fakes, [matrix], [array.empty((rows, k), name) for name in types])
        return tuple(result.reshape(shape) for result in both)
    results = tuple(array.empty(shape, name) for name in types)
    filled = [in_shape(result, (rows, k)) for result in results]
    return run(key, program, fakes, [matrix], filled, result=results)


def _for_rows(value: object, name: str, x: Described, dtype: str) -> Described:
    """Return a number for each row, an array, or one number for all rows; of JAX always an array."""
    shape = x.shape[:-1]
    rows = 1
    for extent in shape:
        rows *= extent
    if not isinstance(value, (int, float)):
        array = checked(value, name, x, (dtype,))
        expect(array.shape == shape, name, f"a number, or the shape {list(shape)}", array)
        return array.row_major().reshaped(rows)
    if x.framework == "jax":
        import jax.numpy

        return describe(jax.numpy.full((rows,), value, dtype), name)
    one = Described(None, x.framework, (), (), dtype, x.device)
    one.argument = float(value) if dtype == "float32" else int(value)
    return one


def _expect_numbers(temperature: object, top_k: object, top_p: object) -> None:
    """Check the limits that are numbers of Python."""
    for value, name in ((temperature, "temperature"), (top_k, "top_k"), (top_p, "top_p")):
        expect(not isinstance(value, bool), name, "a number or an array", repr(value))
    if isinstance(temperature, (int, float)):
        expected = "a finite number from 0 on, or an array"
        expect(0 <= temperature < math.inf, "temperature", expected, repr(temperature))
    if isinstance(top_k, (int, float)):
        is_whole = isinstance(top_k, int) and 1 <= top_k < 2**31
        expect(is_whole, "top_k", "None, a whole number from 1 on, or an array", repr(top_k))
    if isinstance(top_p, (int, float)):
        expect(0 < top_p <= 1, "top_p", "None, a number above 0 up to 1, or an array", repr(top_p))


def _most_of_samples(x: Described, top_k: object, columns: int) -> int:
    """Return how many greatest elements a GPU's block sorts to choose a sample from the first ``top_k``; 0 if it should
    not."""
    sorted_ = [most for most in _MOST_OF_SAMPLES if most * _WORTH_SORTING <= columns]
    if top_k is None or x.device == "cpu" or not sorted_:
        return 0
    if isinstance(top_k, int):
        return next((most for most in sorted_ if top_k <= most), 0)
    return sorted_[-1]


@planned
def sample(
    x: object, uniform: object, *, temperature: object = 1.0, top_k: object = None, top_p: object = None
) -> Any:  # fmt: skip
    """Choose a column of each row by the probabilities ``softmax(x / temperature)``: the first column at which their
    sum exceeds ``uniform`` times the sum of all.

    Elements that ``top_k`` and ``top_p`` leave out have the probability 0. ``top_p`` counts only elements that
    ``top_k`` leaves in. Of equal elements, those of lower columns are left in. The same arguments give the same columns
    in each run. Probabilities are multiples of 2^-31 of the greatest one, rounded down.

    Args:
        x: logits, float16, bfloat16 or float32, of any shape. Rows of the last dimension may have any length.
        uniform: float32 from 0 to 1, one number for each row, such as ``torch.rand(x.shape[:-1])``.
        temperature: one number, or a float32 array of one for each row. With 0, only the greatest elements have a
            probability.
        top_k: how many of the greatest elements are left in: None, one number, or an int32 array of one for each row,
            where 0 or less leaves in all. Numbers up to 1024 are several times as fast on GPUs.
        top_p: the least share of all probabilities that the elements left in have, as few of the greatest as
            possible: None, one number above 0 up to 1, or a float32 array of one for each row.

    Returns columns, int64 (int32 for JAX), of the shape of ``uniform``. -1 for rows whose softmax is NaN: with NaN or
    inf among the logits, or -inf alone. Raises TypeError, ValueError for other arguments.
    """
    reject_gradient("sample", x=x)
    array = checked(x, "x")
    matrix = matrix_of(array, "x", most=_MOST_COLUMNS)
    rows, columns = matrix.shape
    _expect_numbers(temperature, top_k, top_p)
    if isinstance(top_k, int) and top_k >= columns:
        top_k = None
    numbers = checked(uniform, "uniform", array, ("float32",))
    expected = f"the shape {list(array.shape[:-1])}, that of x without its last dimension"
    expect(numbers.shape == array.shape[:-1], "uniform", expected, numbers)
    inputs = [
        matrix,
        numbers.row_major().reshaped(rows),
        _for_rows(temperature, "temperature", array, "float32"),
    ]
    if top_k is not None:
        inputs.append(_for_rows(top_k, "top_k", array, "int32"))
    if top_p is not None:
        inputs.append(_for_rows(top_p, "top_p", array, "float32"))
    form, index = _form(array, rows, columns), _index_type(array)

    def fakes() -> list[Any]:
        extent = cute.sym_int()
        align = form[2] * form[0].width // 8
        vectors = [
            _compact(vector.numeric, (extent,)) if vector.shape else vector.numeric(1)
            for vector in inputs[1:]
        ]
        return [
            _compact(form[0], (extent, columns), align),
            *vectors,
            _compact(numeric(index), (extent,)),
        ]

    most = _most_of_samples(array, top_k, columns)
    options: tuple[Any, ...] = (top_k is not None, top_p is not None)
    samples: Any = SamplesOfRows
    if most:
        samples, options = SamplesOfGreatest, (most, top_p is not None, not isinstance(top_k, int))
    are_arrays = tuple(bool(vector.shape) for vector in inputs[1:])
    key = ("sample", samples, *options, array.dtype, index, are_arrays, *form[1:])
    program = lambda: samples(*options, *form)  # noqa: E731
    if array.framework == "jax":
        result = array.empty((rows,), index)
        return run(key, program, fakes, inputs, result).reshape(array.shape[:-1])
    result = array.empty(array.shape[:-1], index)
    return run(key, program, fakes, inputs, in_shape(result, (rows,)), result=result)
