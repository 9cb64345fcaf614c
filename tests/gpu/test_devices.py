"""Devices: wrong ones are named, several in one process work, the current one is restored."""

import kernels
import pytest

torch = pytest.importorskip("torch")


def test_cpu_tensor_names_what_the_function_has():
    function = kernels.compiled("add_one")
    with pytest.raises(ValueError, match=r"compiled for .*cuda.*tensor is on cpu") as caught:
        function(torch.zeros(4), torch.zeros(4))
    assert "add_one(" in str(caught.value)
    # The process goes on.
    b = torch.empty(4, device="cuda")
    function(torch.zeros(4, device="cuda"), b)
    assert b.tolist() == [1, 1, 1, 1]


def test_one_cpu_tensor_among_cuda_tensors():
    with pytest.raises(ValueError, match="argument #1"):
        kernels.compiled("add_one")(torch.zeros(4, device="cuda"), torch.zeros(4))


def test_cuda_tensor_to_a_cpu_function():
    function = kernels.compiled("add_one", target="cpu")
    with pytest.raises(ValueError, match=r"compiled for .*cpu.*tensor is on cuda:0"):
        function(torch.zeros(4, device="cuda"), torch.zeros(4, device="cuda"))


def test_extents_and_types_are_checked_on_the_gpu():
    function = kernels.compiled("add_one")
    a = torch.zeros(8, device="cuda")
    with pytest.raises(ValueError, match=r"b\.shape\[0\]"):
        function(a, torch.zeros(7, device="cuda"))
    with pytest.raises(TypeError, match="dtype"):
        function(a, torch.zeros(8, device="cuda", dtype=torch.float64))
    with pytest.raises(TypeError, match="expected Tensor"):
        function(a, 1)


@pytest.mark.gpu(count=2)
def test_each_device_in_turn():
    function = kernels.compiled("add_one")
    torch.cuda.set_device(0)
    for index in (1, 0, 1):
        a = torch.full((1000,), float(index), device=f"cuda:{index}")
        b = torch.empty_like(a)
        function(a, b)
        assert (b == index + 1).all()
        assert torch.cuda.current_device() == 0


@pytest.mark.gpu(count=2)
def test_tensors_on_two_devices_are_rejected():
    with pytest.raises(ValueError, match="device"):
        kernels.compiled("add_one")(
            torch.zeros(4, device="cuda:0"), torch.zeros(4, device="cuda:1")
        )
