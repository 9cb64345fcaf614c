"""The CUBIN launcher on a device: a library of embedded kernels, built here by nvcc and g++."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from fairlead import ffi  # noqa: E402

HERE = Path(__file__).resolve().parent


def run(*command) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def nvcc() -> str:
    found = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not Path(found).exists() or shutil.which("g++") is None:
        pytest.skip("needs nvcc and g++")
    return found


def arch(device: int = 0) -> str:
    major, minor = torch.cuda.get_device_capability(device)
    return f"sm_{major}{minor}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("launcher")


@pytest.fixture(scope="module")
def cubin(folder) -> Path:
    path = folder / "kernels.cubin"
    run(nvcc(), "-cubin", f"-arch={arch()}", HERE / "launcher_kernels.cu", "-o", path)
    return path


@pytest.fixture(scope="module", params=["toolkit", "no toolkit"])
def library_path(request, folder, cubin) -> Path:
    """With the toolkit's types, and without any header of the toolkit."""
    run(sys.executable, "-m", "fairlead", "embed", f"kernels={cubin}", "-o", folder / "image.o")
    flags = run(sys.executable, "-m", "fairlead.config", "--cxxflags", "--ldflags", "--libs")
    path = folder / f"launcher_{request.param.replace(' ', '_')}.so"
    headers = ["-DTVM_FFI_CUDA_NO_TOOLKIT"]
    if request.param == "toolkit":
        include = Path(nvcc()).resolve().parents[1] / "include"
        if not (include / "cuda.h").is_file():
            pytest.skip(f"there is no cuda.h in {include}")
        headers = ["-isystem", include]
    run(
        "g++", "-shared", "-fPIC", "-O2", "-fvisibility=hidden", *headers,
        HERE / "launcher_library.cpp", folder / "image.o", *flags.split(), "-o", path,
    )  # fmt: skip
    needed = run("readelf", "-d", path) if shutil.which("readelf") else ""
    assert "libcuda" not in needed
    return path


@pytest.fixture(scope="module")
def library(library_path) -> ffi.Module:
    return ffi.load_module(library_path)


def pair(n: int = 1000, device: str = "cuda"):
    x = torch.randn(n, device=device)
    return x, torch.full_like(x, float("nan"))


@pytest.mark.parametrize("n", [1, 255, 256, 257, 100_003])
def test_launches(library, n):
    x, y = pair(n)
    library.add_one(x, y)
    assert torch.equal(y, x + 1)


def test_runs_on_the_current_stream(library):
    x, y = pair()
    library.load()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        library.add_one(x, y)
        assert not stream.query()  # behind the sleep
    stream.synchronize()
    assert torch.equal(y, x + 1)


def test_first_launch_may_lie_in_a_capture(library_path):
    """`load` puts the kernels on the device, so that nothing is loaded while capturing."""
    # A process of its own: nothing else has loaded the library.
    program = f"""
import torch
from fairlead import ffi
library = ffi.load_module({str(library_path)!r})
x = torch.zeros(1000, device="cuda")
y = torch.zeros(1000, device="cuda")
torch.cuda.synchronize()
library.load()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    library.add_one(x, y)
for value in (1.0, 5.0):
    x.fill_(value)
    y.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert (y == value + 1).all()
"""
    run(sys.executable, "-c", program)


def test_works_before_any_framework_uses_the_device(library_path):
    """On a thread without a context: the launcher makes the first."""
    program = f"""
import threading
from fairlead import ffi
library = ffi.load_module({str(library_path)!r})
thread = threading.Thread(target=library.load)
thread.start()
thread.join()
assert library.static_shared("fixed_shared", 0) == 4000
"""
    run(sys.executable, "-c", program)


def test_large_dynamic_shared_memory(library):
    n = (200 << 10) // 4
    x, y = pair(n)
    library.reverse(x, y)
    assert torch.equal(y, x.flip(0))


def test_shared_memory_beyond_the_device(library):
    n = (256 << 10) // 4
    x, y = pair(n)
    with pytest.raises(RuntimeError, match=r"CUDA Error: CUDA_ERROR_INVALID_VALUE \(1\)"):
        library.reverse(x, y)


def test_static_shared_memory(library):
    """The image reader's value for the section's size: without the 1024 bytes of the system."""
    assert library.static_shared("fixed_shared", 0) == 4000
    assert library.static_shared("add_one", 0) == 0


needs_clusters = pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability() < (9, 0),
    reason="clusters need compute capability 9.0",
)


@needs_clusters
@pytest.mark.parametrize("size", [(2, 1, 1), (1, 2, 1), (2, 2, 2), (4, 1, 2), (1, 1, 1)])
def test_clusters_of_three_dimensions(library, size):
    grid = [4 * each for each in size]
    y = torch.full((grid[0] * grid[1] * grid[2], 4), -1.0, device="cuda")
    library.cluster(y, *grid, *size)
    blocks = y.cpu()
    assert (blocks[:, 1:] == torch.tensor(size, dtype=torch.float32)).all()
    count = size[0] * size[1] * size[2]
    assert (torch.bincount(blocks[:, 0].long()) == len(blocks) // count).all()


@needs_clusters
@pytest.mark.parametrize("size", [1, 2, 8])
def test_cluster_of_a_launch_configuration(library, size):
    y = torch.full((16, 4), -1.0, device="cuda")
    library.cluster_ex(y, 16, size)
    assert (y[:, 1] == size).all()
    assert sorted(y[:, 0].tolist()) == sorted(list(map(float, range(size))) * (16 // size))


@needs_clusters
def test_cluster_that_does_not_divide_the_grid(library):
    y = torch.zeros((3, 4), device="cuda")
    with pytest.raises(RuntimeError, match="CUDA Error: CUDA_ERROR_"):
        library.cluster(y, 3, 1, 1, 2, 1, 1)


def test_cooperative_launch(library):
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    y = torch.zeros(1, device="cuda")
    library.barrier(y, blocks)
    assert y.item() == 2 * blocks


def test_cooperative_launch_that_does_not_fit(library):
    y = torch.zeros(1, device="cuda")
    with pytest.raises(RuntimeError, match="CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"):
        library.barrier(y, 1_000_000)


@needs_clusters
def test_programmatic_dependent_launch(library):
    x, y = pair(1 << 20)
    for _ in range(10):
        y.fill_(float("nan"))
        library.dependent(x, y)
        assert torch.equal(y, (x + 1) + x)


@pytest.mark.gpu(count=2)
def test_every_gpu_from_several_threads(library):
    errors = []

    def work(index: int) -> None:
        try:
            device = index % torch.cuda.device_count()
            for n in range(1, 200):
                x, y = pair(n, f"cuda:{device}")
                library.add_one(x, y)  # the guard sets the device; this thread's stays cuda:0
                assert torch.equal(y, x + 1)
                assert torch.cuda.current_device() == 0
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.gpu(count=2)
def test_the_stream_tells_the_device(library):
    x, y = pair(1000, "cuda:1")
    torch.cuda.synchronize(1)
    # The current device is cuda:0, the current stream of cuda:1 a side stream.
    with torch.cuda.stream(torch.cuda.Stream(1)), torch.cuda.device(0):
        library.add_one_on_stream(x, y)
    torch.cuda.synchronize(1)
    assert torch.equal(y, x + 1)


@pytest.mark.gpu(count=2)
def test_shared_memory_on_the_second_gpu(library):
    x, y = pair((200 << 10) // 4, "cuda:1")
    library.reverse(x, y)
    assert torch.equal(y, x.flip(0))


def test_example_of_embedding_with_cmake(folder):
    """examples/cubin_launcher: kernels compiled and embedded when the library is built."""
    nvcc()
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    example = HERE.parents[1] / "examples" / "cubin_launcher"
    build = folder / "example"
    cmake = run(sys.executable, "-m", "fairlead.config", "--cmakedir").strip()
    number = arch().removeprefix("sm_")
    run(
        "cmake", "-S", example, "-B", build, f"-Dtvm_ffi_ROOT={cmake}",
        f"-DCMAKE_CUDA_ARCHITECTURES=80;{number}",
    )  # fmt: skip
    run("cmake", "--build", build)
    printed = run(sys.executable, example / "run.py", build / "vector.so")
    assert printed.startswith("ValueError: ") and printed.endswith("x must be a CUDA tensor\n")


def test_triton_kernel(library):
    triton = pytest.importorskip("triton")
    import triton.language as tl

    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

    x, y = pair(10_000)
    grid = triton.cdiv(x.numel(), 1024)
    compiled = kernel[(grid,)](x, y, x.numel(), BLOCK=1024)
    y.fill_(float("nan"))
    meta = compiled.metadata
    library.launch_bytes(
        compiled.asm["cubin"], meta.name, x, y, grid, 32 * meta.num_warps, meta.shared
    )
    assert torch.equal(y, x * 2)


# Errors: each with the CUDA error's name.


def test_too_many_threads(library):
    x, y = pair()
    with pytest.raises(RuntimeError, match=r"CUDA Error: CUDA_ERROR_INVALID_VALUE \(1\)"):
        library.launch("add_one", x, y, 1, 2048, 0)
    library.add_one(x, y)  # nothing is left behind
    assert torch.equal(y, x + 1)


def test_missing_kernel(library):
    x, y = pair()
    with pytest.raises(RuntimeError, match=r"CUDA_ERROR_NOT_FOUND \(500\)") as caught:
        library.launch("add_two", x, y, 1, 1, 0)
    text = str(caught.value)
    assert 'no kernel "add_two" in the image' in text
    # Drivers from CUDA 12.4 on list the kernels.
    assert "it has" not in text or "add_one" in text


def test_other_architecture(library, folder):
    other = "sm_80" if arch() != "sm_80" else "sm_90"
    path = folder / "other.cubin"
    run(nvcc(), "-cubin", f"-arch={other}", HERE / "launcher_kernels.cu", "-o", path)
    with pytest.raises(RuntimeError, match=r"CUDA Error: CUDA_ERROR_NO_BINARY_FOR_GPU \(209\)"):
        library.load_bytes(path.read_bytes(), "add_one")


@pytest.mark.parametrize("length", [0, 63, 64, 1000, -1, -64])
def test_image_that_is_cut_off(library, cubin, length):
    with pytest.raises(RuntimeError, match=r"CUDA Error: CUDA_ERROR_INVALID_IMAGE \(200\)"):
        library.load_bytes(cubin.read_bytes()[:length], "add_one")


def test_ptx_with_an_error(library):
    ptx = (
        b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate; ret; }\n"
    )
    # The driver gives no log of its compiles for libraries.
    with pytest.raises(RuntimeError, match=r"CUDA_ERROR_INVALID_PTX \(218\)"):
        library.load_bytes(ptx, "k")


def test_ptx(library):
    ptx = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
    library.load_bytes(ptx, "k")
    with pytest.raises(RuntimeError, match=r"CUDA_ERROR_NOT_FOUND \(500\)"):
        library.load_bytes(ptx, "j")
