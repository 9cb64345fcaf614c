"""Rules of the language on a GPU: what regions carry, literals, protocols of arguments, errors with a number."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import test_protocol_parts as parts  # noqa: E402
from support import carried_programs as programs  # noqa: E402

from fairlead import Int32, Uint64, cute  # noqa: E402
from fairlead.cute import cuda  # noqa: E402


def test_values_of_a_tensor_are_carried():
    compiled = programs.compile_tensor_values()
    a = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
    for n in range(5):
        out = torch.zeros_like(a)
        compiled(a, n, out)
        assert torch.equal(out, programs.expected_tensor_values(a, n))


def test_pointers_are_carried():
    a = torch.arange(80, dtype=torch.float32, device="cuda")
    out = torch.zeros(32, dtype=torch.float32, device="cuda")
    programs.pointers(a, 7, out)
    assert out.tolist() == programs.expected_pointers(7)


def test_values_in_objects_and_dicts_are_carried():
    a = torch.arange(32, dtype=torch.float32, device="cuda").reshape(8, 4)
    out = torch.zeros_like(a)
    programs.compile_held_values()(a, out)
    assert out.tolist() == programs.expected_held_values(a.tolist())


def test_structs_in_memory_are_carried():
    out = torch.zeros(32, dtype=torch.int32, device="cuda")
    programs.structs(out)
    assert out.tolist() == programs.expected_structs()


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=programs.name_of)
def test_layouts_and_what_is_made_of_them_are_carried(program):
    x = torch.arange(40, dtype=torch.int32, device="cuda")
    out = torch.full((40,), -1, dtype=torch.int32, device="cuda")
    programs.each(program, x, out)
    assert out.tolist() == programs.expected(program, x.tolist())


def test_large_literals():
    @cute.kernel
    def device(x: Uint64, out: cute.Tensor):
        out[0] = (x & (2**64 - 1)).to(cute.Int64)
        out[1] = (x + 2**63).to(cute.Int64)
        out[2] = cute.Int64(1) if x < 2**64 - 1 else cute.Int64(0)
        out[3] = Uint64(2**64 - 2).to(cute.Int64)

    @cute.jit
    def function(x: Uint64, out: cute.Tensor):
        device(x, out).launch(grid=1, block=1)

    out = torch.zeros(4, dtype=torch.int64, device="cuda")
    function(Uint64(5), out)
    assert out.tolist() == [5, 5 - 2**63, 1, -2]


def on_gpu(n):
    data = torch.arange(n, dtype=torch.float32, device="cuda")
    return cute.runtime.from_dlpack(data).mark_layout_dynamic()


def test_objects_that_hold_tensors():
    out = torch.zeros(1, dtype=torch.float32, device="cuda")
    example = cute.runtime.from_dlpack(out).mark_layout_dynamic()
    function = cute.compile(parts.read, parts.Pair(on_gpu(4), Int32(1)), example)
    for n in (3, 9):
        function(parts.Pair(on_gpu(n), Int32(n - 1)), out)
        assert out.item() == n - 1
    parts.read(parts.Pair(on_gpu(6), Int32(2)), out)
    assert out.item() == 2


def test_structs_of_c():
    class Matrix(parts.Matrix):
        """In the memory of the GPU."""

        def __init__(self, tensor):
            super().__init__(np.zeros(tuple(tensor.shape), np.float32))
            self.tensor = tensor
            self.struct.data = tensor.data_ptr()

    @cute.jit
    def corner(matrix, out: cute.Tensor):
        if matrix.rows > 1:
            parts.device_corner(matrix, out).launch(grid=1, block=1)

    tensor = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
    out = torch.zeros(1, dtype=torch.float32, device="cuda")
    corner(Matrix(tensor), out)
    assert out.item() == tensor[2, 1].item()


@cute.kernel
def device_mark(out: cute.Tensor):
    x, _, _ = cute.arch.block_idx()
    if x < out.shape[0]:
        out[x] = x + 1


def test_grids_of_branches_and_loops():
    @cute.jit
    def function(n: Int32, m: Int32, out: cute.Tensor):
        grid = n
        if n > 1:
            for _ in range(m):
                grid = grid * n
        device_mark(out).launch(grid=grid, block=1)

    out = torch.zeros(64, dtype=torch.int32, device="cuda")
    function(2, 4, out)
    assert out.max().item() == 32
    with pytest.raises(ValueError, match=r"Invalid grid\[0\] when launching `device_mark`"):
        function(2, 31, out)
    function(1, 5, out)
    torch.cuda.synchronize()


def test_grids_of_while_loops():
    @cute.jit
    def function(n: Int32, m: Int32, out: cute.Tensor):
        grid, left = 1, m
        while left > 0:
            grid = grid * n
            left -= 1
        device_mark(out).launch(grid=grid, block=1)

    out = torch.zeros(64, dtype=torch.int32, device="cuda")
    function(2, 5, out)
    assert out.max().item() == 32
    with pytest.raises(ValueError, match=r"Invalid grid\[0\] .* but got 2147483648"):
        function(2, 32, out)
    torch.cuda.synchronize()


def test_the_first_error_of_a_call():
    """And no later launch of the call runs."""

    @cute.jit
    def function(n: Int32, out: cute.Tensor):
        device_mark(out).launch(grid=n * 65536, block=1)
        device_mark(out).launch(grid=n * 65537, block=1)
        device_mark(out).launch(grid=4, block=1)

    out = torch.zeros(64, dtype=torch.int32, device="cuda")
    with pytest.raises(ValueError, match="but got 4294967296$"):
        function(65536, out)
    torch.cuda.synchronize()
    assert out.max().item() == 0
    function(0, out)
    assert out.max().item() == 4


def test_errors_have_a_number():
    @cute.jit
    def function(out: cute.Tensor):
        device_mark(out).launch(grid=1 << 20, block=1024, cooperative=True)

    out = torch.zeros(4, dtype=torch.int32, device="cuda")
    with pytest.raises(
        cuda.DSLCudaRuntimeError, match="cudaErrorCooperativeLaunchTooLarge"
    ) as caught:
        function(out)
    assert caught.value.error_code == cuda.cudaError_t.cudaErrorCooperativeLaunchTooLarge == 720
    device = cute.jit(lambda out: device_mark(out).launch(grid=4, block=1))
    device(out)
    assert out.tolist() == [1, 2, 3, 4]


def test_contexts_and_streams():
    cuda.initialize_cuda_context()
    stream = torch.cuda.Stream()
    cuda.stream_sync(stream.cuda_stream)
    cuda.stream_sync(cuda.default_stream())
    with pytest.raises(
        cuda.DSLCudaRuntimeError, match="cudaErrorInvalidDevice in cuDeviceGet"
    ) as caught:
        cuda.initialize_cuda_context(4096)
    assert caught.value.error_code == 101
    assert torch.ones(3, device="cuda").sum().item() == 3


def test_names_of_kernels():
    @cute.kernel
    def named(out: cute.Tensor):
        out[0] = 7

    @cute.jit
    def function(out: cute.Tensor):
        named(out).launch(grid=1, block=1)

    named.set_name_prefix("my_op")
    out = torch.zeros(4, dtype=torch.int32, device="cuda")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        function(out)
        torch.cuda.synchronize()
    assert out[0].item() == 7
    names = {event.key for event in profile.key_averages()}
    if not any("my_op" in name or "memset" in name.lower() for name in names):
        pytest.skip("the profiler saw no kernel")
    assert "my_op_kernel_cutlass_named_0" in names


@pytest.mark.parametrize("bytes_of_block", [0, 1024, 60000])
def test_room_for_several_blocks(bytes_of_block):
    """The share of shared memory follows from min_blocks_per_mp."""

    @cute.jit
    def function(out: cute.Tensor):
        device_mark(out).launch(grid=64, block=32, smem=bytes_of_block, min_blocks_per_mp=2)

    out = torch.zeros(64, dtype=torch.int32, device="cuda")
    function(out)
    assert out.tolist() == list(range(1, 65))
