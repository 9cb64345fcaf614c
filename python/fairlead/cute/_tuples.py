"""Nested tuples, as shapes, strides and coordinates are: searched, taken apart, built, compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.errors import make_error

__all__ = [
    "filter_tuple",
    "find",
    "find_if",
    "flatten_to_tuple",
    "front",
    "get_divisibility",
    "has_underscore",
    "is_congruent",
    "is_int_tuple",
    "is_integer",
    "is_major",
    "is_weakly_congruent",
    "leading_dim",
    "product_like",
    "transform_apply",
    "transform_leaf",
    "tuple_cat",
    "unflatten",
    "unwrap",
    "wrap",
]


def _tuple(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


def wrap(x: object) -> tuple[Any, ...]:
    """``x`` if it is a tuple, otherwise ``(x,)``."""
    return x if isinstance(x, tuple) else (x,)


def unwrap(x: object) -> Any:
    """Return the only element of ``x`` if it is a tuple of one element, however nested; otherwise ``x``."""
    while isinstance(x, tuple) and len(x) == 1:
        (x,) = x
    return x


def flatten_to_tuple(a: object) -> tuple[Any, ...]:
    """Return a flat tuple of the leaves of ``a`` from left to right; ``(a,)`` for a single leaf."""
    a = _tuple(a)
    if not isinstance(a, tuple):
        return (a,)
    return tuple(leaf for part in a for leaf in flatten_to_tuple(part))


def unflatten(sequence: Iterable[Any], profile: object) -> Any:
    """Return the elements of ``sequence`` in tuples nested as ``profile`` is; ValueError (ArgumentValue) unless there
    are as many as leaves."""
    leaves = list(sequence)
    count = len(flatten_to_tuple(profile))
    if len(leaves) != count:
        raise make_error(
            "ArgumentValue",
            function="unflatten",
            expected=f"{count} elements for the profile {profile}",
            got=str(len(leaves)),
        )
    rest = iter(leaves)

    def nested(profile: object) -> Any:
        return tuple(map(nested, profile)) if isinstance(profile, tuple) else next(rest)

    return nested(profile)


def tuple_cat(*tuples: object) -> tuple[Any, ...]:
    """All ``tuples`` concatenated; an argument that is not a tuple counts as one element."""
    return tuple(element for part in tuples for element in wrap(part))


def front(input: object) -> Any:
    """Return the first leaf of ``input``, a tuple or a leaf."""
    while isinstance(input, (tuple, list)):
        input = input[0]
    return input


def _rows(args: tuple[Any, ...], function: str) -> list[tuple[Any, ...]]:
    lengths = {len(argument) for argument in args}
    if len(lengths) != 1:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="tuples of one profile",
            got=", ".join(map(str, args)),
        )
    return list(zip(*args, strict=True))


def transform_leaf(f: Callable[..., Any], *args: object) -> Any:
    """Apply ``f`` to the leaves at the same position of all ``args``; the result is nested like them."""
    if any(isinstance(argument, tuple) for argument in args):
        return tuple(
            transform_leaf(f, *row) for row in _rows(tuple(map(wrap, args)), "transform_leaf")
        )
    return f(*args)


def transform_apply(*args: object, f: Callable[..., Any], g: Callable[..., Any]) -> Any:
    """``g`` of the results of ``f`` for the elements at each position of all ``args``; ``g(f(...))`` if they are
    no tuples."""
    if any(isinstance(argument, tuple) for argument in args):
        return g(*(f(*row) for row in _rows(tuple(map(wrap, args)), "transform_apply")))
    return g(f(*args))


def filter_tuple(*args: object, f: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the tuples that ``f`` gives for the elements at the same place of all ``args``, in one."""
    joined: tuple[Any, ...] = transform_apply(*args, f=f, g=tuple_cat)
    return joined


def find_if(t: object, pred_fn: Callable[[Any, Any], Any], hierarchical: bool = True) -> Any:
    """Return the position of the first leaf that satisfies ``pred_fn(leaf, place)``.

    Args:
        t: nested tuples.
        hierarchical: True for places in all tuples, as ``(1, 0)``; False for the first of them, ``1``.

    The result is an int at the top, else a tuple; None without such a leaf.
    """

    def search(part: object, above: tuple[int, ...]) -> tuple[int, ...] | None:
        if isinstance(part, tuple):
            for place, child in enumerate(part):
                path = search(child, (*above, place))
                if path is not None:
                    return path
            return None
        return above if pred_fn(part, unwrap(above) if above else 0) else None

    path = search(_tuple(t), ())
    if path is None or path == ():
        return None if path is None else 0
    return unwrap(path) if hierarchical else path[0]


def _same(leaf: object, x: int) -> bool:
    is_static = isinstance(leaf, int) and not isinstance(leaf, bool)
    return is_static and leaf == x


def find(t: object, x: int, hierarchical: bool = True) -> Any:
    """Return the position of the first leaf of ``t`` that is ``x``, as known while tracing; see find_if."""
    return find_if(t, lambda leaf, _: _same(leaf, x), hierarchical)


def has_underscore(a: object) -> bool:
    """True if any leaf of ``a`` is None, as in coordinates that select whole modes."""
    return any(leaf is None for leaf in flatten_to_tuple(a))


def is_integer(a: object) -> bool:
    """True if ``a`` is an integer, known while tracing or a run-time value."""
    if isinstance(a, bool):
        return False
    return isinstance(a, int) or (isinstance(a, _compiler.Numeric) and type(a).is_integer)


def is_int_tuple(a: object) -> bool:
    """True if ``a`` is an integer, or nested tuples of integers."""
    return all(map(is_int_tuple, a)) if isinstance(a, tuple) else is_integer(a)


def _profile(a: object) -> Any:
    shape = getattr(a, "shape", None)
    return _tuple(a if shape is None else shape)


def is_congruent(a: object, b: object) -> bool:
    """True if ``a`` and ``b``, tuples or the shapes of layouts and tensors, have the same nesting."""
    a, b = _profile(a), _profile(b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(is_congruent, a, b))
    return not isinstance(a, tuple) and not isinstance(b, tuple)


def is_weakly_congruent(a: object, b: object) -> bool:
    """True if ``b`` is nested as ``a`` is, or deeper."""
    a, b = _profile(a), _profile(b)
    if not isinstance(a, tuple):
        return True
    return isinstance(b, tuple) and len(a) == len(b) and all(map(is_weakly_congruent, a, b))


def leading_dim(shape: object, stride: object) -> Any:
    """Return the position of the first mode whose ``stride`` is 1, and whose extent in ``shape`` is not 1; see
    find_if."""
    extents = iter(flatten_to_tuple(shape))

    def leads(leaf: object, _: object) -> bool:
        extent = next(extents)
        return _same(leaf, 1) and not _same(extent, 1)

    return find_if(stride, leads)


def is_major(mode: int, stride: Sequence[Any]) -> bool:
    """True if the stride of ``mode``, a position in ``stride``, is 1, or its first one is."""
    return _same(front(wrap(stride)[mode]), 1)


def product_like(a: object, target_profile: object) -> Any:
    """Return the products of the parts of ``a`` at the positions where ``target_profile`` has a leaf."""
    if isinstance(target_profile, tuple):
        return tuple(map(product_like, wrap(a), target_profile))
    result: Any = 1
    for leaf in flatten_to_tuple(a):
        result = result * leaf
    return result


def get_divisibility(x: object) -> int:
    """Return the number that ``x`` is known to be divisible by; for a Python int, the int itself."""
    return x if isinstance(x, int) else int(getattr(x, "divisibility", 1))
