"""fairlead.kernel on a GPU: sources and images, streams, graphs, every device, large shared memory, clusters."""

import threading
from pathlib import Path

import pytest

import fairlead
from fairlead import _compiler, ffi

torch = pytest.importorskip("torch")

SOURCE = """
extern "C" __global__ void add_one(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
"""
SIGNATURE = "add_one(x: Tensor([n], float32), y: Tensor([n], float32))"
LAUNCH = "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))"
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %i, %block, %threads, %thread, %n;
  .reg .b64 %in, %out, %offset;
  .reg .f32 %x;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.s32 %i, %block, %threads, %thread;
  setp.ge.s32 %p, %i, %n;
  @%p ret;
  mul.wide.s32 %offset, %i, 4;
  add.s64 %in, %in, %offset;
  add.s64 %out, %out, %offset;
  ld.global.f32 %x, [%in];
  add.f32 %x, %x, 0f3F800000;
  st.global.f32 [%out], %x;
  ret;
}
"""

needs_nvrtc = pytest.mark.skipif(
    "not __import__('fairlead')._compiler.nvrtc_version()", reason="no NVRTC"
)


@pytest.fixture(scope="module")
def from_ptx():
    return fairlead.kernel(PTX, "add_one", SIGNATURE, LAUNCH)


def check(function, n=1000, device="cuda:0"):
    x = torch.arange(n, dtype=torch.float32, device=device)
    y = torch.full((n,), -1.0, device=device)
    function(x, y)
    torch.cuda.synchronize(device)
    assert (y == x + 1).all()


def test_ptx(from_ptx):
    for n in (1, 255, 256, 257, 100_003):
        check(from_ptx, n)
    empty = torch.empty(0, device="cuda")
    from_ptx(empty, empty)


@needs_nvrtc
def test_cuda_text(cache_dir):
    for _ in range(2):
        check(fairlead.kernel(SOURCE, "add_one", SIGNATURE, LAUNCH))


@needs_nvrtc
def test_template_for_each_dtype():
    source = """
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    template <typename T> __global__ void scale(const T* x, T* y, float alpha, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = T(float(x[i]) * alpha);
    }"""
    try:
        scale = fairlead.kernel(
            source,
            "scale<{T}>",
            "scale(x: Tensor([n], T), y: Tensor([n], T), alpha: float32) where T in {float16, bfloat16, float32}",
            grid="ceil_div(n, 128)",
            block=128,
            args=("x", "y", "alpha", "int32(n)"),
        )
    except RuntimeError as error:
        if "cuda_fp16.h" in str(error):
            pytest.skip("no CUDA headers on this machine")
        raise
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.arange(300, device="cuda").to(dtype)
        y = torch.zeros_like(x)
        scale(x, y, 0.5)
        torch.cuda.synchronize()
        assert torch.equal(y, (x.float() * 0.5).to(dtype))
    with pytest.raises(TypeError, match="expected float16, bfloat16 or float32, but got float64"):
        scale(torch.zeros(3, device="cuda").double(), torch.zeros(3, device="cuda").double(), 1.0)


def test_current_stream_and_graph(from_ptx):
    stream = torch.cuda.Stream()
    x, y = torch.zeros(1000, device="cuda"), torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        from_ptx(x, y)
    assert not stream.query()
    stream.synchronize()
    assert (y == 1).all()
    # The first call of a new function is inside the capture.
    fresh = fairlead.kernel(PTX, "add_one", SIGNATURE, LAUNCH).load()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fresh(x, y)
    for value in (1.0, 5.0):
        x.fill_(value)
        y.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert (y == value + 1).all()


def test_stream_argument():
    function = fairlead.kernel(PTX, "add_one", SIGNATURE[:-1] + ", s: Stream)", LAUNCH)
    stream = torch.cuda.Stream()
    x, y = torch.zeros(1000, device="cuda"), torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
    function(x, y, stream)
    assert not stream.query()
    stream.synchronize()
    assert (y == 1).all()


def test_saved_and_loaded(from_ptx, tmp_path):
    path = tmp_path / "add_one.so"
    from_ptx.export_library(path)
    check(ffi.load_module(path).add_one)


def test_several_images():
    """The best fitting image is chosen; the others are not loaded."""
    folder = Path(__file__).resolve().parents[1] / "unit" / "runtime" / "cuda" / "images"
    others = [path.read_bytes() for path in folder.glob("cuda13_sm_100f.cubin")]
    if not others:
        pytest.skip("the images of the unit tests are not here")
    # The foreign image has no kernel of this name.
    with pytest.raises(ValueError, match="has no kernel `add_one`"):
        fairlead.kernel([PTX, *others], "add_one", SIGNATURE, LAUNCH)
    with pytest.raises(RuntimeError, match="the artifact holds: sm_100f"):
        fairlead.kernel(others, "plain", SIGNATURE, LAUNCH)


@pytest.mark.gpu(count=2)
def test_every_device_from_threads(from_ptx):
    from_ptx.load()
    failures = []

    def work(device):
        try:
            for _ in range(50):
                check(from_ptx, 5000, f"cuda:{device}")
        except BaseException as error:
            failures.append(error)

    threads = [
        threading.Thread(target=work, args=(i % torch.cuda.device_count(),)) for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    x = torch.zeros(8, device="cuda:0")
    with pytest.raises(ValueError, match="expected the device of x, cuda:0, but got cuda:1"):
        from_ptx(x, x.to("cuda:1"))


@needs_nvrtc
def test_200_kib_of_shared_memory():
    if torch.cuda.get_device_properties(0).shared_memory_per_block_optin < 200 * 1024:
        pytest.skip("this GPU has less than 200 KiB of shared memory a block")
    source = """
    extern "C" __global__ void reverse(const int* x, int* y, int n) {
        extern __shared__ int tile[];
        for (int i = threadIdx.x; i < n; i += blockDim.x) tile[n - 1 - i] = x[i];
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[i];
    }"""
    signature = "reverse(x: Tensor([n], int32), y: Tensor([n], int32))"
    parts = {"block": 1024, "args": ("x", "y", "int32(n)")}
    n = 200 * 1024 // 4
    x = torch.arange(n, dtype=torch.int32, device="cuda")
    for shared in (200 * 1024, "4 * n"):
        y = torch.zeros_like(x)
        fairlead.kernel(source, "reverse", signature, shared=shared, **parts)(x, y)
        assert torch.equal(y.cpu(), x.cpu().flip(0))
    with pytest.raises(RuntimeError, match="CUDA Error.*2097152 bytes of dynamic shared memory"):
        fairlead.kernel(source, "reverse", signature, shared=2 << 20, **parts)


@needs_nvrtc
@pytest.mark.parametrize("size", [2, 16])
def test_cluster(size):
    if torch.cuda.get_device_capability(0)[0] < 9:
        pytest.skip("clusters came with compute capability 9.0")
    source = """
    extern "C" __global__ void ranks(int* y) {
        unsigned rank, size;
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
        y[blockIdx.x] = 100 * size + rank;
    }"""
    f = fairlead.kernel(source, "ranks", "ranks(y: Tensor([n], int32))", grid="n", cluster=size)
    y = torch.zeros(2 * size, dtype=torch.int32, device="cuda")
    f(y)
    assert y.tolist() == [100 * size + i % size for i in range(2 * size)]
    with pytest.raises(RuntimeError, match="the grid must be a multiple of the cluster"):
        f(torch.zeros(2 * size + 1, dtype=torch.int32, device="cuda"))


@needs_nvrtc
def test_cooperative_and_programmatic():
    f = fairlead.kernel(
        'extern "C" __global__ void k(int* y) { atomicAdd(y, 1); }',
        "k",
        "k(y: Tensor([1], int32))",
        grid=4,
        block=32,
        cooperative=True,
    )
    y = torch.zeros(1, dtype=torch.int32, device="cuda")
    f(y)
    assert y.item() == 128
    if torch.cuda.get_device_capability(0)[0] >= 9:
        g = fairlead.kernel(
            'extern "C" __global__ void k(int* y) { asm volatile("griddepcontrol.wait;"); atomicAdd(y, 1); }',
            "k",
            "k(y: Tensor([1], int32))",
            grid=4,
            block=32,
            programmatic=True,
        )
        for _ in range(10):
            g(y)
        assert y.item() == 128 * 11


def test_errors_name_cuda(from_ptx):
    many = fairlead.kernel(
        PTX, "add_one", SIGNATURE, "grid=1, block=n + 1024, args=(x, y, int32(n))"
    )
    x = torch.zeros(8, device="cuda")
    with pytest.raises(
        RuntimeError, match="cudaErrorInvalidValue.*at most 1024 threads, but this one has 1032"
    ):
        many(x, x)
    check(from_ptx)


def test_triton_kernel():
    """The CUBIN that Triton makes, with the two hidden pointers that its kernels take last."""
    triton = pytest.importorskip("triton")
    import triton.language as tl

    @triton.jit
    def add(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = i < n
        tl.store(y + i, tl.load(x + i, mask=mask) + 1, mask=mask)

    x = torch.arange(1000, dtype=torch.float32, device="cuda")
    y = torch.zeros_like(x)
    compiled = add[(4,)](x, y, 1000, BLOCK=256)
    cubin = compiled.asm["cubin"]
    part = _compiler.read_image(cubin)["parts"][0] if hasattr(_compiler, "read_image") else None
    count = 3
    if part is not None:
        (kernel,) = [
            kernel for kernel in part["kernels"] if kernel["name"] == compiled.metadata.name
        ]
        count = len(kernel["params"]) if kernel["params"] is not None else 3
    function = fairlead.kernel(
        cubin,
        compiled.metadata.name,
        SIGNATURE,
        grid="ceil_div(n, 256)",
        block=32 * compiled.metadata.num_warps,
        shared=compiled.metadata.shared,
        args=("x", "y", "int32(n)", *("0" for _ in range(count - 3))),
    )
    y.zero_()
    function(x, y)
    torch.cuda.synchronize()
    assert (y == x + 1).all()
