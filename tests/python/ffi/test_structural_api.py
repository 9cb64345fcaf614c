"""Visiting and changing values by their structure: callbacks, entries, orders, and refused values.

tests/interop/package/structural.py compares the visits themselves with the other package.
"""

from typing import Any

import pytest

from fairlead import ffi
from fairlead.ffi.structural import (
    DefRegionKind,
    StructuralMutator,
    StructuralVisitor,
    VisitInterrupt,
    WalkOrder,
    WalkResult,
    structural_map,
    structural_mutate,
    structural_visit,
    structural_walk,
)

VALUE = [1, ["two", 3.0], {"k": 4}]


def walked(callbacks, **options):
    seen = []
    wrap = lambda f: lambda value: seen.append(value) or f(value)  # noqa: E731
    entries = [(kinds, wrap(f)) for kinds, f in callbacks]
    result = structural_walk(VALUE, entries, **options)
    return [v for v in seen if not isinstance(v, ffi.Object)], result


def test_walk():
    nothing = lambda value: None  # noqa: E731
    assert walked([(int, nothing)]) == ([1, 4], None)
    assert walked([((int, str), nothing), (float, nothing)])[0] == [1, "two", 3.0, 4]
    assert walked([(Any, nothing)])[0] == walked([(object, nothing)])[0] == [1, "two", 3.0, 4]
    # The first match takes the value.
    assert walked([(int, nothing), (Any, lambda value: 1 / 0 if value == 4 else None)])[1] is None
    assert walked([(ffi.Array, lambda value: WalkResult.SKIP)], order="pre") == ([], None)
    _, found = walked([(float, lambda value: VisitInterrupt([value]))], order=WalkOrder.PREORDER)
    assert list(found.value) == [3.0] and repr(found) == "ffi.VisitInterrupt(value=(3,))"
    kinds = []
    structural_walk(
        VALUE, with_def_region_kind=(str, lambda value, kind: kinds.append(kind) and None)
    )
    assert kinds == [DefRegionKind.NONE]
    with pytest.raises(ZeroDivisionError):
        structural_walk(VALUE, (int, lambda value: 1 / 0))


def test_visit():
    seen = []

    def visit(value, visitor):
        assert isinstance(visitor, StructuralVisitor)
        seen.append(type(value).__name__)
        if isinstance(value, ffi.Map):
            return None  # Not into it.
        inner = visitor.with_def_region_kind(DefRegionKind.DEF_SIMPLE, visitor.def_region_kind)
        assert inner == DefRegionKind.DEF_SIMPLE != visitor.def_region_kind()
        return visitor.default_visit(value)

    assert structural_visit(VALUE, visit) is None
    assert seen == ["Array", "int", "Array", "str", "float", "Map"]


def test_change():
    value = ffi.Array([1, [2, "x"]])
    changed = structural_map(value, (int, lambda number: number + 1))
    assert changed == (2, (3, "x")) and value == (1, (2, "x"))
    assert structural_map(value, (float, abs)).same_as(value)
    handle = value.id_
    moved = structural_map(value._move(), (int, lambda number: number * 10))
    assert moved.id_ == handle and moved == (10, (20, "x"))
    modes = []

    def mutate(value, mutator, mode):
        assert isinstance(mutator, StructuralMutator)
        modes.append(mode)
        return mutator.default_mutate(value)

    assert structural_mutate(moved, (ffi.Array, mutate)) == (10, (20, "x")) and modes == [0, 0]
    assert structural_mutate([1, "x"], [(int, lambda value, mutator: "one")]) == ("one", "x")


def test_after_the_visit():
    """An object of the visit that a callback kept says that the visit is over."""
    kept = []
    structural_visit([1], (int, lambda value, visitor: kept.append(visitor)))
    structural_mutate([1], (int, lambda value, mutator: kept.append(mutator) or value))
    for each, method in zip(kept, ("visit", "mutate"), strict=True):
        with pytest.raises(RuntimeError):
            getattr(each, method)(1)


WRONG = {
    "no callback": (TypeError, "callbacks must be", lambda: structural_walk(1, 3)),
    "a dict": (TypeError, "callbacks must be", lambda: structural_visit(1, {int: abs})),
    "no pair": (TypeError, "must be .type, callback. tuples", lambda: structural_map(1, [abs])),
    "not callable": (TypeError, "tuples", lambda: structural_walk(1, (int, 3))),
    "a set": (TypeError, "must be a supported builtin", lambda: structural_walk(1, (set, abs))),
    "a union": (
        TypeError,
        "negative type_index is -1",
        lambda: structural_walk(1, (int | str, abs)),
    ),
    "order": (ValueError, "walk order: 'in'", lambda: structural_walk(1, abs, order="in")),
    "map order": (ValueError, "map order: 1", lambda: structural_map(1, abs, order=1)),
    "one argument": (TypeError, "must accept", lambda: structural_mutate(1, lambda value: value)),
    "result": (TypeError, "WalkResult", lambda: structural_walk(1, lambda value: "text")),
    "made": (TypeError, "cannot be constructed", StructuralVisitor),
    "made too": (TypeError, "cannot be constructed", lambda: StructuralMutator(1)),
}


@pytest.mark.parametrize("label", WRONG)
def test_wrong(label):
    error, text, call = WRONG[label]
    with pytest.raises(error, match=text):
        call()
