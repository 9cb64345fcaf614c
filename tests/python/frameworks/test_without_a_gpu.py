"""Programs that name a GPU, under ``python -m fairlead.compat --device cpu``: memory, events, graphs, products."""

import textwrap

import pytest
from support import forked

pytest.importorskip("torch")


def run(tmp_path, program):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    done = forked.run("-m", "fairlead.compat", "--device", "cpu", path, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_memory_and_events_of_the_runtime(tmp_path):
    out = run(
        tmp_path,
        """
        import ctypes
        import cuda.bindings.runtime as runtime
        import cutlass, cutlass.cute as cute
        from cutlass.base_dsl.runtime.cuda import checkCudaErrors

        @cute.kernel
        def device(p: cute.Pointer):
            t = cute.arch.thread_idx()[0]
            (p + t).store((p + t).load() + t)

        @cute.jit
        def host(p: cute.Pointer, stream: runtime.cudaStream_t):
            device(p).launch(grid=1, block=8, stream=stream)

        memory = checkCudaErrors(runtime.cudaMalloc(32))
        assert memory % 256 == 0
        checkCudaErrors(runtime.cudaMemset(memory, 0, 32))
        start, end = (checkCudaErrors(runtime.cudaEventCreate()) for _ in range(2))
        checkCudaErrors(runtime.cudaEventRecord(start, 0))
        pointer = cute.runtime.make_ptr(cutlass.Int32, memory, cute.AddressSpace.gmem)
        for _ in range(2):
            host(pointer, runtime.cudaStream_t(0))
        checkCudaErrors(runtime.cudaEventRecord(end, 0))
        assert checkCudaErrors(runtime.cudaEventElapsedTime(start, end)) > 0
        numbers = (ctypes.c_int * 8)()
        kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
        checkCudaErrors(runtime.cudaMemcpy(numbers, memory, 32, kind))
        print(list(numbers))
        checkCudaErrors(runtime.cudaFree(memory))
        print(runtime.cudaFree(memory)[0].name)
        limit = runtime.cudaLimit.cudaLimitStackSize
        print(checkCudaErrors(runtime.cudaDeviceGetLimit(limit)))
        print(runtime.cudaDeviceGetLimit(9)[0].name)
        """,
    )
    errors = "cudaErrorInvalidValue\n1024\ncudaErrorInvalidValue\n"
    assert out == f"[0, 2, 4, 6, 8, 10, 12, 14]\n{errors}"


def test_torch_makes_its_handle_of_cublas(tmp_path):
    out = run(tmp_path, "import torch\nprint(torch.cuda.current_blas_handle())")
    assert out == "0\n"


def test_too_many_blocks_together(tmp_path):
    """The error has the class and the number that it has on a GPU."""
    out = run(
        tmp_path,
        """
        import cuda.bindings.runtime as runtime
        import cutlass.cute as cute
        from cutlass.cutlass_dsl import DSLCudaRuntimeError

        @cute.kernel
        def device():
            pass

        @cute.jit
        def host():
            device().launch(grid=100000, block=32, cooperative=True)

        try:
            host()
        except DSLCudaRuntimeError as error:
            print(error.error_code is runtime.cudaError_t.cudaErrorCooperativeLaunchTooLarge)
        """,
    )
    assert out == "True\n"


_DOUBLING = """
import torch, cutlass, cutlass.cute as cute
import cuda.bindings.driver as driver, cuda.bindings.runtime as runtime
from cutlass.cute.runtime import from_dlpack

@cute.kernel
def device(a: cute.Tensor, b: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    b[t] = b[t] + 2 * a[t]

@cute.jit
def host(a: cute.Tensor, b: cute.Tensor, stream: driver.CUstream):
    device(a, b).launch(grid=1, block=4, stream=stream)

stream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
x, y, zero = torch.ones(4, device="cuda"), torch.zeros(4, device="cuda"), torch.zeros(4)
"""


def test_replays_work_on_what_memory_holds_then(tmp_path):
    """A capture computes nothing. Each replay launches the kernels and does torch's operations again."""
    out = run(
        tmp_path,
        _DOUBLING
        + """
compiled = cute.compile(host, from_dlpack(x), from_dlpack(y), stream)
event, graph = torch.cuda.Event(), torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, pool=torch.cuda.graph_pool_handle()):
    assert torch.cuda.is_current_stream_capturing()
    host(x, y, stream)
    compiled(from_dlpack(x), from_dlpack(y), stream)
    part = y[1:3].mul_(10)
    total = y.view(2, 2).sum(1)
    found = torch.empty(4, device="cuda")
    found.copy_(y.flip(0))
    half = x[None].half() @ y[:, None].half()
assert not torch.cuda.is_current_stream_capturing()
assert torch.equal(y, zero), y
for turn in range(1, 4):
    x.fill_(turn)
    y.zero_()
    graph.replay()
    expected = torch.tensor([4.0, 40.0, 40.0, 4.0]) * turn
    assert torch.equal(y, expected) and torch.equal(found, expected), (y, found)
    assert torch.equal(total, torch.tensor([44.0, 44.0]) * turn)
    assert half.item() == 88 * turn * turn
# Without zero_() the replays add up.
graph.replay()
graph.replay()
print(y.tolist())
""",
    )
    assert out == "[36.0, 13320.0, 13320.0, 36.0]\n"


def test_graphs_of_the_bindings(tmp_path):
    out = run(
        tmp_path,
        _DOUBLING
        + """
host(x, y, stream)
for api, prefix, mode in (
    (driver, "cu", driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED),
    (runtime, "cuda", runtime.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal),
):
    def call(name, *arguments):
        error, *values = getattr(api, prefix + name)(*arguments)
        assert error == 0, (name, error)
        return values

    y.fill_(7)
    call("StreamBeginCapture", stream, mode)
    assert call("StreamIsCapturing", stream) == [1]
    if api is runtime:
        call("Memset", y.data_ptr(), 0, 16)
    host(x, y, stream)
    graph, = call("StreamEndCapture", stream)
    assert call("StreamIsCapturing", stream) == [0]
    runnable, = call("GraphInstantiate", graph, 0)
    assert torch.equal(y, zero + 7)
    for turn in range(1, 3):
        x.fill_(turn)
        call("GraphLaunch", runnable, stream)
        print(y[0].item())
    call("GraphExecDestroy", runnable)
    call("GraphDestroy", graph)
""",
    )
    assert out.split() == ["9.0", "13.0", "2.0", "4.0"]


def test_functions_of_loaded_libraries_are_recorded(tmp_path):
    out = run(
        tmp_path,
        _DOUBLING
        + """
compiled = cute.compile(host, from_dlpack(x), from_dlpack(y), stream)
compiled.export_to_c("doubling.o", function_name="doubling")
loaded = cute.runtime.load_module("doubling.o").doubling
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loaded(x, y, stream)
assert torch.equal(y, zero)
graph.replay()
graph.replay()
print(y.tolist())
""",
    )
    assert out == "[4.0, 4.0, 4.0, 4.0]\n"


def test_operators_are_recorded(tmp_path):
    """Whether the capture has their first call or one that has a plan."""
    out = run(
        tmp_path,
        """
        import torch
        from fairlead import ops

        a, b = torch.randn(8, 16, device="cuda"), torch.randn(16, 4, device="cuda")
        x, out = torch.randn(2, 5, 64, device="cuda"), torch.zeros(8, 4, device="cuda")

        def work():
            ops.matmul(a, b, out=out)
            return ops.softmax(x)

        for planned in (False, True):
            graph = torch.cuda.CUDAGraph()
            if planned:
                hits = ops.matmul.info().hits
                for _ in range(2):
                    work()
                assert ops.matmul.info().hits > hits
                out.zero_()
            with torch.cuda.graph(graph):
                found = work()
            assert out.abs().max() == 0
            for _ in range(2):
                a.normal_()
                x.normal_()
                graph.replay()
                torch.testing.assert_close(out, a @ b)
                torch.testing.assert_close(found, torch.softmax(x, -1))
            out.zero_()
        """,
    )
    assert out == ""


def test_other_threads_compute_during_a_capture(tmp_path):
    """A capture records the work of its thread, as each of torch's threads has a current stream."""
    out = run(
        tmp_path,
        _DOUBLING
        + """
import threading

compiled = cute.compile(host, from_dlpack(x), from_dlpack(y), stream)
z = torch.zeros(4, device="cuda")

def work():
    assert not torch.cuda.is_current_stream_capturing()
    for call in (host, compiled):
        call(x, z, stream)
    z.add_(1)
    try:
        graph.capture_end()
    except RuntimeError as error:
        print(error)

def in_thread():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

host(x, y, stream)
y.zero_()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host(x, y, stream)
    in_thread()
    compiled(x, y, stream)
print(z.tolist(), y.tolist())
for _ in range(2):
    graph.replay()
print(z.tolist(), y.tolist())
""",
    )
    assert out.splitlines() == [
        "the capture of a graph ends that this thread has not begun",
        "[5.0, 5.0, 5.0, 5.0] [0.0, 0.0, 0.0, 0.0]",
        "[5.0, 5.0, 5.0, 5.0] [8.0, 8.0, 8.0, 8.0]",
    ]


def test_calls_outside_of_captures_run_no_code_of_captures(tmp_path):
    """No Python code runs in a call, whether its function is older than a capture or was compiled during one."""
    out = run(
        tmp_path,
        _DOUBLING
        + """
import sys

def python_frames(call):
    frames = []
    sys.setprofile(lambda frame, event, _: event == "call" and frames.append(frame.f_code.co_name))
    call()
    sys.setprofile(None)
    return len(frames)

compiled = cute.compile(host, from_dlpack(x), from_dlpack(y), stream)
host(x, y, stream)
y.zero_()
handle = driver.CUstream(0)
made = []

def show():
    calls = [lambda f=f: f(x, y, stream) for f in (host, compiled, *made)]
    # Without the lambda, and what gives the stream's address.
    print([python_frames(call) - python_frames(lambda: int(handle)) for call in calls])

show()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host(x, y, stream)
    made.append(cute.compile(host, from_dlpack(x), from_dlpack(y), stream))
    made[0](x, y, stream)
    compiled(x, y, stream)
show()
y.zero_()
graph.replay()
print(y.tolist())
""",
    )
    assert out.splitlines() == ["[0, 0]", "[0, 0, 0]", "[6.0, 6.0, 6.0, 6.0]"]


def test_what_a_capture_cannot_record(tmp_path):
    """Values that the program reads during a capture, and graphs within graphs."""
    out = run(
        tmp_path,
        _DOUBLING
        + """
def attempt(work):
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            work()
    except RuntimeError as error:
        print(error)

attempt(lambda: x.sum().item())
attempt(lambda: x.nonzero())
attempt(lambda: torch.cuda.CUDAGraph().capture_begin())
try:
    torch.cuda.CUDAGraph().replay()
except RuntimeError as error:
    print(error)
# A kernel that has not run leaves indices without values; shapes are known nevertheless.
indices = torch.full((3,), 100, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    picked = x[indices]
indices.fill_(2)
graph.replay()
print(picked.tolist())
""",
    )
    values = "operation not permitted when a graph is captured: its result depends on values"
    lines = out.splitlines()
    assert values in lines[0] and "aten._local_scalar_dense" in lines[0]
    assert values in lines[1] and "aten.nonzero" in lines[1]
    assert lines[2:] == [
        "a graph is captured while another one is",
        "replay() of a graph that has not been captured",
        "[1.0, 1.0, 1.0]",
    ]


def test_a_module_that_torch_captures(tmp_path):
    """torch.cuda.make_graphed_callables, forward and backward."""
    out = run(
        tmp_path,
        """
        import copy, torch
        torch.manual_seed(0)
        layers = torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)
        module = torch.nn.Sequential(*layers).cuda()
        other = copy.deepcopy(module)
        graphed = torch.cuda.make_graphed_callables(module, (torch.randn(3, 8, device="cuda"),))
        for _ in range(3):
            x = torch.randn(3, 8, device="cuda")
            for each in (graphed, other):
                each.zero_grad()
                each(x).square().sum().backward()
            torch.testing.assert_close(graphed(x), other(x))
            for found, expected in zip(graphed.parameters(), other.parameters()):
                torch.testing.assert_close(found.grad, expected.grad)
        print("equal")
        """,
    )
    assert out == "equal\n"


def test_events_of_torch(tmp_path):
    out = run(
        tmp_path,
        """
        import torch, cutlass, cutlass.cute as cute
        import cuda.bindings.driver as driver
        from cutlass.cute.runtime import from_dlpack

        @cute.kernel
        def device(a: cute.Tensor):
            a[0] = a[0] + 1

        @cute.jit
        def host(a: cute.Tensor, stream: driver.CUstream, event: driver.CUevent):
            device(a).launch(grid=1, block=1, stream=stream, launch_completion_event=event)

        a = torch.zeros(1, dtype=torch.int32, device="cuda")
        event = torch.cuda.Event()
        assert event.cuda_event
        stream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
        host(from_dlpack(a), stream, driver.CUevent(event.cuda_event))
        torch.cuda.synchronize()
        print(a.item())
        """,
    )
    assert out == "1\n"


def test_products_of_16_bits_add_as_kernels_do(tmp_path):
    """Sums are Float32, grow with k and are rounded once; the CPU's own torch adds in another order."""
    out = run(
        tmp_path,
        """
        import torch
        torch.manual_seed(0)
        for dtype in (torch.float16, torch.bfloat16):
            a, b = (torch.randn(2, 64, 200, device="cuda").to(dtype) for _ in range(2))
            total = torch.zeros(2, 64, 64)
            for k in range(200):
                total += a[:, :, k, None].float() * b[:, None, :, k].float()
            expected = total.to(dtype)
            for found in (
                torch.einsum("lmk,lnk->lmn", a, b),
                torch.bmm(a, b.transpose(1, 2)),
                a @ b.transpose(1, 2),
                torch.matmul(a, b.transpose(1, 2)),
            ):
                assert found.dtype == dtype and torch.equal(found, expected)
            wide = torch.einsum("lmk,lnk->lmn", a.float(), b.float())
            assert wide.dtype == torch.float32
            out = torch.empty(64, 64, dtype=dtype)
            assert torch.mm(a[0], b[0].T, out_dtype=dtype, out=out) is out
            assert torch.equal(out, expected[0])
            sums = torch.addmm(wide[0], a[1], b[1].T, out_dtype=torch.float32, alpha=2.0)
            torch.testing.assert_close(sums, wide[0] + 2 * wide[1])
        print("equal")
        """,
    )
    assert out == "equal\n"


def test_what_programs_ask_about_tensors_and_the_device(tmp_path):
    out = run(
        tmp_path,
        """
        import numpy, torch
        x = torch.arange(4.0, device="cuda")
        assert x.device.type == "cuda" and x.device == torch.device("cuda", 0) and x.is_cuda
        assert x.get_device() == 0 and torch.nn.Linear(2, 3).cuda().weight.device.type == "cuda"
        y = torch.ones_like(x, device=x.device).to(x.device)
        assert torch.empty(3, device="meta").device.type == "meta"
        torch.testing.assert_close(x + y, torch.arange(1.0, 5.0, device=x.device))
        assert (numpy.from_dlpack(x) == x.cpu().numpy()).all() and repr(x).startswith("tensor(")
        numbers = [
            torch.rand(3, device="cuda", generator=torch.Generator(device="cuda").manual_seed(7))
            for _ in range(2)
        ]
        assert (numbers[0] == numbers[1]).all()
        state = torch.cuda.get_rng_state()
        first = torch.rand(2)
        torch.cuda.set_rng_state(state)
        assert (first == torch.rand(2)).all()
        with torch.cuda.device(x.device), torch.cuda.nvtx.range("part"):
            assert not torch.cuda.is_current_stream_capturing()
        assert torch.cuda.memory_allocated() == 0 and torch.cuda.mem_get_info()[0] > 0
        parts = [torch.empty(3, size, dtype=torch.bfloat16, device="cuda") for size in (1, 7, 100)]
        assert all(part.data_ptr() % 512 == 0 and part.storage_offset() == 0 for part in parts)
        assert parts[1].shape == (3, 7) and parts[1].is_contiguous()
        with torch.device("cuda"):
            assert torch.zeros(2).device.type == "cuda"
        torch.set_default_device("cuda")
        assert torch.arange(3).sum() == 3
        print(torch.cuda.get_arch_list(), torch.version.cuda.split(".")[0].isdigit())
        """,
    )
    assert out.split() == ["['sm_90']", "True"]


def test_operators_of_gpus_are_those_of_the_cpu(tmp_path):
    out = run(
        tmp_path,
        """
        import torch
        library = torch.library.Library("gpus", "DEF")
        library.define("twice(Tensor x) -> Tensor")
        library.define("thrice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: 2 * x, "CUDA")
        library.impl("twice", lambda x: 0 * x, "CPU")  # a program's slow form, say
        torch.library.impl("gpus::thrice", "cuda", lambda x: 3 * x)

        @torch.library.custom_op("gpus::fourfold", mutates_args=(), device_types="cuda")
        def fourfold(x: torch.Tensor) -> torch.Tensor:
            return 4 * x

        @torch.library.custom_op("gpus::fivefold", mutates_args=(), device_types=["cpu", "cuda"])
        def fivefold(x: torch.Tensor) -> torch.Tensor:
            return 5 * x

        x = torch.ones((), device="cuda")
        print(*(int(op(x)) for op in (torch.ops.gpus.twice, torch.ops.gpus.thrice, fourfold, fivefold)))
        """,
    )
    assert out.split() == ["2", "3", "4", "5"]


def test_a_gpu_named_in_operators_and_derivatives(tmp_path):
    out = run(
        tmp_path,
        """
        import torch

        @torch.library.custom_op("gpus::ones", mutates_args=(), device_types="cuda")
        def ones(x: torch.Tensor) -> torch.Tensor:
            return x + torch.ones(x.shape, device="cuda")

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return 2 * x

            @staticmethod
            def backward(ctx, gradient):
                return gradient * torch.full((), 2.0, device=gradient.device)

        x = torch.zeros(3, device="cuda", requires_grad=True)
        Double.apply(x).sum().backward()
        (second,) = torch.autograd.grad(Double.apply(x).sum(), x)
        print(int(ones(x.detach()).sum()), int(x.grad.sum()), int(second.sum()))
        """,
    )
    assert out.split() == ["3", "6", "6"]


def test_devices_by_keyword_and_inside_of_operators(tmp_path):
    out = run(
        tmp_path,
        """
        import torch
        from cuda.bindings import driver, runtime

        device = torch.device("cuda", 0)
        torch.cuda.set_device(device=device)
        assert torch.cuda.current_stream(device=device).cuda_stream == 0
        assert torch.cuda.default_stream(device=device).query()
        assert torch.cuda.get_device_name(device=device) == "CPU"
        assert torch.cuda.get_device_properties(device=device).major == 9
        print(torch.cuda.get_device_capability(device=device))

        @torch.library.custom_op("names_of_fairlead::double", mutates_args=())
        def double(x: torch.Tensor) -> torch.Tensor:
            result = torch.empty(x.shape, device="cuda")
            result.copy_(2 * x)
            return result

        @double.register_fake
        def _(x):
            return torch.empty_like(x)

        print(double(torch.ones(3, device="cuda")).tolist())
        stream = runtime.cudaStream_t(0)
        status, capture, *rest = runtime.cudaStreamGetCaptureInfo(stream)
        assert len(rest) == 5
        print(status.name, capture.name, runtime.cudaStreamIsCapturing(stream=stream)[1].name)
        assert driver.cuStreamIsCapturing(0)[1] == runtime.cudaStreamCaptureStatus(0)
        """,
    )
    assert out.splitlines() == [
        "(9, 0)",
        "[2.0, 2.0, 2.0]",
        "cudaSuccess cudaStreamCaptureStatusNone cudaStreamCaptureStatusNone",
    ]


def test_the_architecture_that_programs_see(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_ARCH", "sm_120a")
    out = run(
        tmp_path,
        """
        import torch
        import cuda.bindings.driver as driver
        from cutlass.base_dsl import BaseDSL
        name = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
        assert driver.cuDeviceGetAttribute(name, driver.cuDeviceGet(0)[1])[1] == 12
        print(torch.cuda.get_device_capability(), torch.cuda.get_device_properties(0).minor)
        print(BaseDSL._get_dsl().get_arch_enum().name)
        """,
    )
    assert out.splitlines() == ["(12, 0) 0", "sm_120a"]


@pytest.mark.parametrize("names, expected", [("", "sm_90a (9, 0)"), ("tcgen05", "sm_100a (10, 0)")])
def test_programs_with_tensor_memory_are_for_its_architecture(
    tmp_path, monkeypatch, names, expected
):
    monkeypatch.delenv("CUTE_DSL_ARCH", raising=False)
    out = run(
        tmp_path,
        f"""
        import torch
        from cutlass.cutlass_dsl import BaseDSL

        # {names}
        print(BaseDSL._get_dsl().get_arch_enum(), torch.cuda.get_device_capability())
        """,
    )
    assert out == expected + "\n"


def test_an_architecture_that_programs_name(tmp_path):
    out = run(
        tmp_path,
        """
        import cutlass.cute as cute
        import torch

        @cute.kernel
        def device(x: cute.Tensor):
            x[cute.arch.thread_idx()[0]] += 1.0

        @cute.jit
        def host(x: cute.Tensor):
            device(x).launch(grid=1, block=4)

        x = torch.zeros(4, device="cuda")
        tensor = cute.runtime.from_dlpack(x)
        cute.compile[cute.GPUArch("sm_90a")](host, tensor)(tensor)
        cute.compile(host, tensor, options="--gpu-arch sm_90a")(tensor)
        print(x.tolist())
        """,
    )
    assert out.strip() == "[2.0, 2.0, 2.0, 2.0]"


def test_products_with_scales_of_blocks(tmp_path):
    """torch._scaled_mm of narrow floats with scales in tiles of 128 rows and 4 blocks."""
    run(
        tmp_path,
        """
        import torch

        torch.manual_seed(0)

        def tiled(scales):
            rows, blocks = scales.shape
            whole = torch.zeros(-(-rows // 128) * 128, -(-blocks // 4) * 4, dtype=scales.dtype)
            whole[:rows, :blocks] = scales
            tiles = whole.view(torch.uint8).view(-1, 128, whole.shape[1] // 4, 4).transpose(1, 2)
            tiles = tiles.reshape(-1, 4, 32, 4).transpose(1, 2)
            return tiles.reshape(-1).view(scales.dtype)

        def check(m, n, k, block, narrow, scale_type, out):
            values, scales = [], []
            for rows in (m, n):
                values.append(torch.randint(-4, 5, (rows, k)) / 2)
                scales.append(2.0 ** torch.randint(-2, 3, (rows, k // block)))
            operands = [narrow(each) for each in values]
            result = torch._scaled_mm(
                operands[0].cuda(), operands[1].t(), *[tiled(each.to(scale_type)) for each in scales], out_dtype=out
            )
            a, b = (v.double() * s.double().repeat_interleave(block, 1) for v, s in zip(values, scales))
            assert result.dtype == out and torch.equal(result.double(), (a @ b.T).to(out).double())

        def nibbles(values):
            table = {0: 0, 0.5: 1, 1: 2, 1.5: 3, 2: 4}
            code = lambda x: table[abs(x)] | (8 if x < 0 else 0)
            codes = torch.tensor([[code(x) for x in row] for row in values.tolist()], dtype=torch.uint8)
            return (codes[:, ::2] | codes[:, 1::2] << 4).view(torch.float4_e2m1fn_x2)

        check(128, 64, 128, 32, lambda x: x.to(torch.float8_e4m3fn), torch.float8_e8m0fnu, torch.float32)
        check(160, 128, 64, 32, lambda x: x.to(torch.float8_e5m2), torch.float8_e8m0fnu, torch.bfloat16)
        check(128, 256, 192, 16, nibbles, torch.float8_e4m3fn, torch.float16)
        """,
    )


def test_products_of_groups_with_scales_of_blocks(tmp_path):
    """torch.nn.functional.scaled_grouped_mm of groups of rows, each of which has tiles of scales of its own."""
    run(
        tmp_path,
        """
        import torch
        from torch.nn.functional import ScalingType, SwizzleType, scaled_grouped_mm

        torch.manual_seed(0)
        ends, n, k = [5, 5, 160], 48, 64

        def tiled(scales):
            rows, blocks = scales.shape
            whole = torch.zeros(-(-rows // 128) * 128, -(-blocks // 4) * 4, dtype=scales.dtype)
            whole[:rows, :blocks] = scales
            tiles = whole.view(torch.uint8).view(-1, 128, whole.shape[1] // 4, 4).transpose(1, 2)
            tiles = tiles.reshape(-1, 4, 32, 4).transpose(1, 2)
            return tiles.reshape(-1).view(scales.dtype)

        def operand(rows):
            values = (torch.randint(-4, 5, (rows, k)) / 2).to(torch.float8_e4m3fn)
            return values, 2.0 ** torch.randint(-2, 3, (rows, k // 32))

        a, scales = operand(ends[-1])
        pairs = [operand(n) for _ in ends]
        parts = [scales[first:last] for first, last in zip([0, *ends], ends)]
        e8m0 = torch.float8_e8m0fnu
        result = scaled_grouped_mm(
            a.cuda(), torch.stack([b.view(torch.uint8) for b, _ in pairs]).view(a.dtype).transpose(1, 2),
            torch.cat([tiled(part.to(e8m0)).view(torch.uint8) for part in parts]).view(e8m0), ScalingType.BlockWise1x32,
            torch.stack([tiled(s.to(e8m0)).view(torch.uint8) for _, s in pairs]).view(e8m0), ScalingType.BlockWise1x32,
            SwizzleType.SWIZZLE_32_4_4, SwizzleType.SWIZZLE_32_4_4,
            offs=torch.tensor(ends, dtype=torch.int32), output_dtype=torch.float32,
        )
        widen = lambda values, factors: values.double() * factors.double().repeat_interleave(32, 1)
        rows = widen(a, scales)
        expected = [
            rows[first:last] @ widen(*pair).T for first, last, pair in zip([0, *ends], ends, pairs)
        ]
        assert torch.equal(result.double(), torch.cat(expected))
        """,
    )


def test_bytes_as_packed_elements_of_4_bits(tmp_path):
    """A tensor of bytes whose element type is set to one of 4 bits has as many of them, in the half of its memory."""
    run(
        tmp_path,
        """
        import torch
        import cutlass, cutlass.cute as cute
        from cutlass.cute.runtime import from_dlpack

        @cute.kernel
        def device(a: cute.Tensor, b: cute.Tensor):
            t = cute.arch.thread_idx()[0]
            row = cute.make_rmem_tensor(8, cutlass.Float4E2M1FN)
            cute.autovec_copy(a[t, None], row)
            b[t, None].store(row.load().to(cutlass.Float32))

        @cute.jit
        def host(a: cute.Tensor, b: cute.Tensor):
            device(a, b).launch(grid=1, block=4)

        a = torch.zeros(4, 8, dtype=torch.int8, device="cuda")
        a.view(-1)[:16] = torch.arange(16, dtype=torch.int8) * 17 % 128
        b = torch.zeros(4, 8, device="cuda")
        packed = from_dlpack(a, assumed_align=16)
        packed.element_type = cutlass.Float4E2M1FN
        assert packed.shape == (4, 8)
        host(packed, from_dlpack(b))
        values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
        values += [-x for x in values]
        codes = [n for byte in a.view(-1)[:16].tolist() for n in (byte & 15, byte >> 4)]
        assert b.view(-1).tolist() == [values[n] for n in codes]
        """,
    )
