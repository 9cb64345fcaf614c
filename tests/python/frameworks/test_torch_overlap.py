"""Tensors that an operator writes share no element with its other arguments, unless the operator says that they may."""

import itertools

import numpy as np
import pytest
import torch
from framework_programs import compiled_add_one, compiled_axpy, compiled_outer
from support.torch_support import MISMATCH, check, make

import fairlead
import fairlead.torch
from fairlead import cute
from fairlead.errors import DSLError


def overlap(written, other):
    return pytest.raises(
        MISMATCH,
        match=rf"Overlapping arguments when calling: `\w+\(.*expected argument #\d \({written}\), which is "
        rf"written, .*shares elements with argument #\d \({other}\)",
    )


def test_an_output_over_an_input():
    operator = make(compiled_add_one(), "b")
    memory = torch.arange(12.0)
    for out in (memory[2:10], memory[1:9]):
        with overlap("b", "a"):
            operator(memory[:8], out)
        with overlap("b", "a"):
            operator.out(memory[:8], out)
    with overlap("b", "a") as caught:
        operator(memory, memory)
    assert 'may_alias={"b": "a"}' in str(caught.value)
    assert torch.equal(memory, torch.arange(12.0))
    operator(memory[:6], memory[6:])
    assert torch.equal(memory[6:], torch.arange(6.0) + 1)
    operator(memory[:0], memory[3:3])


def test_the_same_tensor_where_the_operator_allows_it():
    operator = make(compiled_add_one(), "b", may_alias={"b": "a"})
    memory = torch.arange(12.0)
    operator(memory, memory)
    assert torch.equal(memory, torch.arange(12.0) + 1)
    with overlap("b", "a") as caught:
        operator(memory[:8], memory[1:9])
    assert "may_alias" not in str(caught.value)
    check(operator, torch.arange(8.0), out=(torch.zeros(8),))
    step = torch.compile(lambda x: operator(x, x), fullgraph=True)
    step(memory)
    assert torch.equal(memory, torch.arange(12.0) + 2)


def test_changes_in_place_and_several_inputs():
    change = make(compiled_axpy(), mutates="y")
    memory = torch.ones(9)
    with overlap("y", "x"):
        change(memory[:8], 2.0, memory[1:])
    with overlap("y", "x"):
        change(memory, 2.0, memory)
    double = make(compiled_axpy(), mutates="y", may_alias={"y": "x"})
    double(memory, 2.0, memory)
    assert torch.equal(memory, torch.full((9,), 3.0))
    product = make(compiled_outer(), "z")
    memory = torch.ones(20)
    with overlap("z", "y"):
        product(torch.ones(3), memory[:4], memory[2:14].view(3, 4))


@cute.jit
def negate(a: cute.Tensor, b: cute.Tensor):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = -a[i, j]


def test_what_overlaps_is_what_numpy_says():
    """Views with strides: columns next to columns, every second element, and views across others."""
    n, m = cute.sym_int(), cute.sym_int()
    tensors = [
        cute.runtime.make_fake_tensor(
            fairlead.Float32, (n, m), stride=(cute.sym_int(64), cute.sym_int(64))
        )
        for _ in range(2)
    ]
    operator = make(cute.compile(negate, *tensors, options="--target cpu"), "b")
    random = np.random.default_rng(21)
    found = {True: 0, False: 0}
    for _ in range(400):
        extents = random.integers(1, 5, 2)
        views = []
        for _ in range(2):
            strides = random.choice([1, 2, 3, 4, 6, 8, 13], 2)
            # A tensor that is written has each element once.
            while (
                len({i * strides[0] + j * strides[1] for i, j in np.ndindex(*extents)})
                != extents.prod()
            ):
                strides = random.choice([1, 2, 3, 4, 6, 8, 13], 2)
            views.append((strides, random.integers(0, 24)))
        memory = torch.arange(160.0)
        a, b = (memory.as_strided(tuple(extents), tuple(s), int(at)) for s, at in views)
        shares = np.shares_memory(a.numpy(), b.numpy())
        found[shares] += 1
        expected = -a.clone()
        if shares:
            with overlap("b", "a"):
                operator(a, b)
        else:
            operator(a, b)
            assert torch.equal(b, expected)
    assert min(found.values()) > 50, found


def test_many_modes_take_no_long_time():
    """One place in memory by strides without a common divisor: found, or given up, soon."""
    shape = (2,) * 12
    strides = [3**k for k in range(12)]
    tensor = cute.runtime.make_fake_tensor(
        fairlead.Float32, shape, stride=tuple(cute.sym_int(64) for _ in shape)
    )

    @cute.jit
    def nothing(a: cute.Tensor, b: cute.Tensor):
        pass

    operator = make(cute.compile(nothing, tensor, tensor, options="--target cpu"), "b")
    memory = torch.zeros(4 * sum(strides))
    a = memory.as_strided(shape, strides, 0)
    for at in itertools.chain(range(0, 900, 90), (sum(strides),)):
        b = memory.as_strided(shape, [5 * each // 4 + 1 for each in strides], at)
        try:
            operator(a, b)
        except MISMATCH as error:
            assert "Overlapping" in str(error)


@pytest.mark.parametrize("wrong", [{"a": "b"}, {"b": "c"}, {"b": "b"}])
def test_names_in_may_alias(wrong):
    with pytest.raises(
        DSLError, match=r"may_alias takes tensors that are written \(b\).*\(a, b\), but got"
    ):
        make(compiled_add_one(), "b", may_alias=wrong)


def test_files_tell_what_may_alias(tmp_path):
    n = cute.sym_int()
    vector = cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n,))
    from framework_programs import add_one

    function = cute.compile(add_one, vector, vector, options="--target cpu")
    make(function, "b", may_alias={"b": "a"})
    function.export_library(tmp_path / "over.so", function_name="add_over")
    operator = fairlead.torch.load(tmp_path / "over.so", namespace="over")["add_over"]
    memory = torch.arange(5.0)
    operator(memory, memory)
    assert torch.equal(memory, torch.arange(5.0) + 1)
    with overlap("b", "a"):
        torch.ops.over.add_over_out(memory[:4], memory[1:])
