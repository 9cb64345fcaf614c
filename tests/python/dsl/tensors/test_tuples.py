"""Nested tuples by the published functions."""

import pytest

from fairlead import Int32, cute

T = (2, (3, 4))


def test_leaves_and_profiles():
    assert cute.flatten_to_tuple(T) == (2, 3, 4) and cute.flatten_to_tuple(5) == (5,)
    assert cute.unflatten([1, 2, 3], T) == (1, (2, 3))
    assert cute.wrap(3) == (3,) and cute.wrap(T) is T
    assert cute.unwrap(((3,),)) == 3 and cute.unwrap(T) is T and cute.unwrap(()) == ()
    assert cute.tuple_cat((1, 2), 3, ((4,), 5)) == (1, 2, 3, (4,), 5)
    assert cute.front(((7, 8), 9)) == 7 and cute.front(5) == 5
    assert cute.product_like(T, (1, 1)) == (2, 12) and cute.product_like(T, 1) == 24


def test_functions_of_leaves():
    assert cute.transform_leaf(lambda a, b: a + b, T, T) == (4, (6, 8))
    assert cute.transform_apply((1, 2), (3, 4), f=lambda a, b: a * b, g=lambda *x: sum(x)) == 11
    assert cute.transform_apply(3, 4, f=lambda a, b: a * b, g=lambda *x: x) == (12,)
    assert cute.filter_tuple(T, f=lambda x: (x,) if x != 2 else ()) == ((3, 4),)


def test_searches():
    assert cute.find(T, 3) == (1, 0) and cute.find(T, 9) is None
    assert cute.find(T, 4, hierarchical=False) == 1
    assert cute.find_if(T, lambda leaf, place: leaf == 4) == (1, 1)
    assert cute.leading_dim((4, 8), (8, 1)) == 1 and cute.leading_dim((1, 8), (1, 1)) == 1
    assert cute.leading_dim((4, (2, 2)), (8, (1, 2))) == (1, 0)
    assert cute.leading_dim((4, 8), (3, 5)) is None
    assert cute.is_major(1, (8, (1, 2))) and not cute.is_major(0, (8, 1))


def test_kinds():
    assert cute.has_underscore((0, (None, 1))) and not cute.has_underscore((0, 1))
    assert cute.is_integer(3) and not cute.is_integer(3.0) and not cute.is_integer(True)
    assert cute.is_int_tuple(T) and not cute.is_int_tuple((None, 1))
    assert cute.is_congruent(T, (1, (1, 1))) and not cute.is_congruent(T, (1, 2))
    assert cute.is_congruent(cute.make_layout(T), T)
    assert cute.is_weakly_congruent((1, 1), T) and not cute.is_weakly_congruent(T, (1, 1))
    assert cute.get_divisibility(12) == 12


def test_run_time_numbers():
    seen = []

    @cute.jit
    def run(t: cute.Tensor, n: Int32):
        seen.append((cute.is_integer(n), cute.is_int_tuple((n, 2)), cute.find((n, 2), 2)))
        seen.append(cute.leading_dim(t.shape, t.stride))

    cute.compile(run, cute.runtime.make_fake_compact_tensor(Int32, (cute.sym_int(), 4)), 0)
    assert seen == [(True, True, 1), 0]


def test_what_is_refused():
    with pytest.raises(ValueError, match="3 elements for the profile"):
        cute.unflatten([1], T)
    with pytest.raises(ValueError, match="tuples of one profile"):
        cute.transform_leaf(max, (1, 2), (1, 2, 3))
