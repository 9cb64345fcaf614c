"""Runs kernels over arrays for the CPU, and compiles them for a GPU."""

import numpy as np

from fairlead import Float32, cute

CPU = "--target cpu"
GPU = "cuda:sm_90a"


def launched(body, threads=1):
    """Return a host function that launches one block of a kernel with this body."""
    device = cute.kernel(body)

    @cute.jit
    def host(tensors: list):
        device(*tensors).launch(grid=1, block=threads)

    return host


def run(body, *arrays, threads=1):
    """Run a kernel of one block on the CPU."""
    cute.compile(launched(body, threads), list(arrays), options=CPU)(list(arrays))


def device_floats(count, dtype=Float32):
    """Return an example of a tensor in a GPU's memory."""
    return cute.runtime.make_fake_compact_tensor(dtype, (count,), assumed_align=16)


def ptx(body, *arrays, tmp_path, monkeypatch, threads=1):
    """Return the PTX of a kernel for compute capability 9.0."""
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    cute.compile(launched(body, threads), list(arrays), options=f"--target {GPU} --keep-ptx")
    (file,) = tmp_path.glob("*.ptx")
    return file.read_text()


def floats(*shape):
    return np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
