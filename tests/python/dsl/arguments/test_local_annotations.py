"""Annotations as text that name local variables of the function around, which the annotated function does not use."""

from __future__ import annotations

import numpy as np

import fairlead


def make():
    from fairlead import cute as language

    @fairlead.cute.jit
    def host(out: language.Tensor, count: language.Constexpr, unknown: nowhere.Type):  # noqa: F821
        assert type(count) is int
        out[0] = unknown * count

    return host


def test_local_annotations():
    out = np.zeros(1, np.int32)
    compiled = fairlead.cute.compile(make(), out, 3, 5, options="--target cpu")
    assert str(compiled.signature).count("count") == 0
    compiled(out, 7)
    assert out[0] == 21
