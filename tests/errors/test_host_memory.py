"""Elements that a host function itself reads or writes: of tensors that a GPU alone reaches, the call says so."""

import pytest
from claims import Claim

from fairlead import Float32, Int32, cute


def vector():
    return cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))


@cute.kernel
def device_copy(a: cute.Tensor, b: cute.Tensor):
    b[0] = a[0]


def reads(a: cute.Tensor, b: cute.Tensor):
    b[0] = a[0] + 1.0


def writes_the_second(a: cute.Tensor, b: cute.Tensor):
    device_copy(a, b).launch(grid=1, block=1)
    b[1] = 1.0


def writes_in_a_branch(a: cute.Tensor, b: cute.Tensor):
    if a.shape[0] > 1:
        part = cute.local_tile(b, (2,), (1,))
        part[1] = Float32(3)


def prints(a: cute.Tensor, b: cute.Tensor):
    cute.print_tensor(b)


@pytest.mark.parametrize(
    ("body", "name", "argument"),
    [
        (reads, "a", 0),
        (writes_the_second, "b", 1),
        (writes_in_a_branch, "b", 1),
        (prints, "b", 1),
    ],
)
def test_the_argument_is_named(body, name, argument):
    compiled = cute.compile(cute.jit(body), vector(), vector(), options="--target cpu,cuda:sm_90a")
    with pytest.raises(ValueError, match=f"argument #{argument} .* elements of {name}, .* cuda:0"):
        compiled(Claim((8,), device=(2, 0)), Claim((8,), device=(2, 0)))


def test_what_a_pointer_reaches_is_the_programs_own_business():
    @cute.jit
    def host(p: cute.Pointer, n: Int32):
        p.store(p.load() + 1.0)

    pointer = cute.runtime.make_ptr(Float32, 16, assumed_align=4)
    text = str(cute.compile(host, pointer, 1, options="--target cuda:sm_90a").signature)
    assert "p: Pointer" in text
