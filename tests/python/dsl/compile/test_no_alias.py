"""Parameters that are declared ``no_alias``: calls check that no other tensor shares their memory."""

import pickle
from typing import Annotated

import numpy as np
import pytest

import fairlead
from fairlead import Float32, cute

Out = Annotated[cute.Tensor, "n", cute.no_alias]


@cute.kernel
def shift_kernel(a: cute.Tensor, out: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        out[i] = a[i] + 1


@cute.jit
def shift(a: Annotated[cute.Tensor, "n"], out: Out):
    shift_kernel(a, out).launch(grid=1, block=32)


def compiled(target="cpu"):
    n = cute.sym_int()
    fakes = [cute.runtime.make_fake_compact_tensor(Float32, (n,)) for _ in range(2)]
    return cute.compile(shift, *fakes, options=f"--target {target}")


OVERLAP = (
    r"Overlapping memory on argument #1 when calling: `shift\(.*\)`, expected out, declared no_alias, to share no "
    r"bytes with argument #0 \(a\), but got 28 bytes in common, from byte 0 of out on"
)


@pytest.mark.parametrize("kind", ["direct", "compiled", "restored"])
def test_memory_that_another_tensor_shares_is_refused(kind):
    function = shift if kind == "direct" else compiled()
    if kind == "restored":
        function = pickle.loads(pickle.dumps(function))
    memory = np.zeros(16, np.float32)
    function(memory[:8], memory[8:])
    assert memory.tolist() == [0] * 8 + [1] * 8
    with pytest.raises(ValueError, match=OVERLAP):
        function(memory[:8], memory[1:9])
    assert memory.tolist() == [0] * 8 + [1] * 8
    function(memory[:0], memory[:0])  # no bytes


def test_the_whole_range_of_bytes_counts():
    memory = np.zeros(16, np.float32)
    with pytest.raises(ValueError, match="56 bytes in common, from byte 0 of out on"):
        shift(memory[::2], memory[1::2])  # elements of other addresses, in between
    with pytest.raises(ValueError, match="4 bytes in common, from byte 28 of out on"):
        shift(memory[7:15], memory[7::-1])


def test_the_signature_says_it():
    function = compiled()
    assert str(function.signature) == (
        "shift(a: Tensor([n], float32), out out: Tensor([n], float32, no_alias))"
    )
    again = fairlead._compiler.Signature.parse(function.signature.text)
    assert again.text == function.signature.text


def test_an_exported_function_checks_it(tmp_path):
    compiled().export_to_c(tmp_path / "shift.o")
    loaded = cute.runtime.load_module(str(tmp_path / "shift.o"))["shift"]
    memory = np.zeros(16, np.float32)
    loaded(memory[:8], memory[8:])
    with pytest.raises(ValueError, match=OVERLAP):
        loaded(memory[:8], memory[1:9])


def test_tensors_that_are_only_read_may_share_memory():
    @cute.jit
    def add(
        a: Annotated[cute.Tensor, cute.no_alias],
        b: Annotated[cute.Tensor, cute.no_alias],
        out: cute.Tensor,
    ):
        for i in range(a.shape[0]):
            out[i] = a[i] + b[i]

    a, out = np.ones(4, np.float32), np.zeros(4, np.float32)
    add(a, a, out)
    assert out.tolist() == [2] * 4
    with pytest.raises(ValueError, match=r"expected b, .* argument #2 \(out\)"):
        add(a.copy(), a, a)


def test_tensors_of_a_tuple_are_declared_with_it():
    @cute.jit
    def both(tensors: Annotated[tuple, cute.no_alias]):
        tensors[0][0] = tensors[1][0]

    a = np.ones(4, np.float32)
    both((a, a.copy()))
    with pytest.raises(ValueError, match=r"expected tensors\[0\], .*\(tensors\[1\]\)"):
        both((a, a))


def test_only_tensors_can_be_declared():
    @cute.jit
    def function(n: Annotated[cute.Int32, cute.no_alias]):
        pass

    with pytest.raises(
        TypeError, match=r"argument #0 \(n\) to be a tensor, as it is declared no_alias, but got"
    ):
        function(1)


def test_a_kernel_from_source_declares_it_in_its_signature():
    signature = "copy(x: Tensor([n], float32), out y: Tensor([n], float32, align=16, no_alias))"
    source = 'extern "C" __global__ void copy(const float* x, float* y) {}'
    function = fairlead.kernel(source, "copy", signature, arch="compute_80", grid="1", block=32)
    assert str(function.artifact.signature) == signature
    mistake = signature.replace("no_alias", "noalias=1")
    with pytest.raises(
        ValueError, match="expected strides=, align=, no_alias or device=, each once"
    ):
        fairlead.kernel(source, "copy", mistake, arch="compute_80", grid="1", block=32)
