"""Arguments of a function that is tuned: copies that candidates may write to, their text in keys, comparing
results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from fairlead._hints import names_keywords

# Relative and absolute: of a sum of a few thousand elements in another order.
_TOLERANCE = {"float16": 1e-2, "bfloat16": 3e-2, "float32": 1e-4, "float64": 1e-9}


def is_tensor(value: object) -> TypeGuard[Any]:
    return hasattr(value, "__dlpack__") and hasattr(value, "shape")


def copied(value: object) -> Any:
    """Return a tensor with the same elements and strides in memory of its own; what cannot be copied itself."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(copied, value)) if type(value) in (tuple, list) else value
    if not is_tensor(value):
        return value
    if hasattr(value, "clone"):  # torch
        return value.detach().clone()
    if hasattr(value, "copy"):  # NumPy and CuPy: "K" keeps the strides
        try:
            return value.copy(order="K")
        except TypeError:
            return value
    return value


def restore(targets: Sequence[Any], sources: Sequence[Any]) -> None:
    """Write the elements of ``sources`` to their copies."""
    for target, source in zip(targets, sources, strict=True):
        if isinstance(target, list | tuple):
            restore(target, source)
        elif target is source or not is_tensor(target):
            continue
        elif hasattr(target, "copy_"):
            target.copy_(source)
        else:
            target[...] = source


def dtype_of(value: object) -> str:
    return str(getattr(value, "dtype", None) or getattr(value, "element_type", "")).removeprefix(
        "torch."
    )


def text_of(value: object, bucket: Callable[[int], int] | None = None) -> str:
    """Return an argument as a part of the key: the dtype and extents of tensors, the types of numbers."""
    if isinstance(value, (tuple, list)):
        return f"({', '.join(text_of(part, bucket) for part in value)})"
    if is_tensor(value):
        extents = [int(extent) if bucket is None else bucket(int(extent)) for extent in value.shape]
        return f"{dtype_of(value)}[{','.join(map(str, extents))}]"
    return type(value).__name__


def host(value: object) -> Any:
    """Return a tensor as NumPy's."""
    import numpy

    if isinstance(value, numpy.ndarray):
        return value
    if is_tensor(value) and hasattr(value, "detach"):
        on_host = value.detach().cpu()
        return (on_host.float() if "bfloat16" in str(on_host.dtype) else on_host).numpy()
    if is_tensor(value) and hasattr(value, "get"):
        return value.get()
    return numpy.asarray(value)


def difference(
    name: str, got: object, expected: Any, rtol: float | None, atol: float | None
) -> str | None:
    """How two arguments differ, in words; None where they agree."""
    if isinstance(got, (tuple, list)):
        for index, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            if problem := difference(f"{name}[{index}]", mine, theirs, rtol, atol):
                return problem
        return None
    if not is_tensor(got):
        return None
    import numpy

    tolerance = _TOLERANCE.get(dtype_of(got), 0.0)
    rtol, atol = tolerance if rtol is None else rtol, tolerance if atol is None else atol
    mine, theirs = host(got), host(expected)
    if mine.dtype.kind not in "fc":
        wrong = mine != theirs
    else:
        mine, theirs = mine.astype("float64"), theirs.astype("float64")
        wrong = ~numpy.isclose(mine, theirs, rtol=rtol, atol=atol, equal_nan=True)
    count = int(numpy.count_nonzero(wrong))
    if not count:
        return None
    place = tuple(int(index) for index in numpy.argwhere(wrong)[0])
    where = f"{name}[{', '.join(map(str, place))}]" if place else name
    return (
        f"wrong result: {where} is {mine[place]:.6g}, expected {theirs[place]:.6g} "
        f"({count} of {wrong.size} elements differ)"
    )


@names_keywords
def next_pow2(extent: int) -> int:
    """Return the least power of two that is not below ``extent``: sizes that share one choice
    (``bucket=next_pow2``)."""
    return 1 << max(0, extent - 1).bit_length()
