"""examples/kernel_library on a device: built by the line of its README."""

import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from fairlead import ffi  # noqa: E402

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "kernel_library"


def run(*command, **options) -> str:
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def library_path(tmp_path_factory) -> Path:
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not Path(nvcc).exists():
        pytest.skip("needs nvcc")
    lines = (EXAMPLE / "README.md").read_text().split("\n\n")
    (line,) = [each for each in lines if each.lstrip().startswith("nvcc")]
    words = shlex.split(line.replace("\\\n", " ").partition("$(")[0])
    path = tmp_path_factory.mktemp("library") / "scale_cuda.so"
    words[0] = nvcc
    words[words.index("-o") + 1] = str(path)
    major, minor = torch.cuda.get_device_capability()
    flags = run(sys.executable, "-m", "fairlead.config", "--cxxflags", "--ldflags", "--libs")
    run(*words, f"-arch=sm_{major}{minor}", *flags.split(), cwd=EXAMPLE)
    return path


@pytest.fixture(scope="module")
def library(library_path) -> ffi.Module:
    return ffi.load_module(library_path)


def test_example_program(library_path):
    output = run(sys.executable, EXAMPLE / "call_torch.py", library_path, "cuda")
    assert output.startswith("ValueError: ") and "must be contiguous" in output


def test_published_example(tmp_path, library_path):
    """The published library and its program, unchanged."""
    seed = EXAMPLE.parent / "seeds" / "kernel_library"
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    flags = run(sys.executable, "-m", "fairlead.config", "--cxxflags", "--ldflags", "--libs")
    (tmp_path / "build").mkdir()
    run(
        nvcc, "-shared", "-O3", seed / "scale_kernel.cu", "-o", tmp_path / "build/scale_kernel.so",
        "-Xcompiler", "-fPIC,-fvisibility=hidden", *flags.split(),
    )  # fmt: skip
    run(sys.executable, "-m", "fairlead.compat", seed / "load_scale.py", cwd=tmp_path)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("n", [0, 1, 257, 100_003])
def test_every_dtype(library, dtype, n):
    x = torch.randn(n, device="cuda").to(dtype)
    bias = torch.randn(n, device="cuda").to(dtype)
    y = torch.full_like(x, float("nan"))
    library.scale(y, x, 1.5)
    torch.testing.assert_close(y, (x.double() * 1.5).to(dtype))
    library.scale_add(y, x, bias, None)
    torch.testing.assert_close(y, (x.double() + bias.double()).to(dtype))
    z = library.scaled(x, -2.0)
    assert z.device == x.device and z.dtype == dtype
    torch.testing.assert_close(z, x * -2)


def test_runs_on_the_current_stream(library):
    x = torch.randn(1000, device="cuda")
    y = torch.zeros_like(x)
    library.scale(y, x, 1.0)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        library.scale(y, x, 3.0)
        assert not stream.query()  # behind the sleep
    stream.synchronize()
    torch.testing.assert_close(y, x * 3)


def test_graph(library):
    x = torch.zeros(1000, device="cuda")
    y = torch.zeros_like(x)
    library.scale(y, x, 1.0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        library.scale(y, x, 2.0)
    for value in (1.0, 5.0):
        x.fill_(value)
        y.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert (y == 2 * value).all()


def test_calls_from_several_threads(library):
    errors = []

    def work(seed: int) -> None:
        try:
            device = f"cuda:{seed % torch.cuda.device_count()}"
            for n in range(1, 100):
                x = torch.randn(n, device=device)
                y = torch.empty_like(x)
                library.scale(y, x, float(seed))
                torch.testing.assert_close(y, x * seed)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.gpu(count=2)
def test_second_device(library):
    x = torch.randn(1000, device="cuda:1")
    y = torch.empty_like(x)
    library.scale(y, x, 4.0)
    assert torch.cuda.current_device() == 0
    torch.testing.assert_close(y, x * 4)
    with pytest.raises(ValueError, match="must be on the same device"):
        library.scale(y.to("cuda:0"), x, 1.0)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda x: x.cpu(), ValueError, "must be on kDLCUDA"),
        (lambda x: x.double(), TypeError, "float64"),
        (lambda x: x[::2], ValueError, "must be contiguous"),
        (lambda x: None, TypeError, "argument #1"),
    ],
    ids=["device", "dtype", "strides", "none"],
)
def test_bad_arguments(library, make, error, text):
    x = make(torch.zeros(8, device="cuda"))
    y = torch.zeros(8, device="cuda") if x is None else torch.zeros_like(x)
    with pytest.raises(error, match=text):
        library.scale(y, x, 1.0)
