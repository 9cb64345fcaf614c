"""Running and compiling single kernels of published programs."""

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass.cute as cute
from cutlass import Int32


def run(kernel, *arrays, threads=32):
    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(threads, 1, 1))

    host(*arrays)


def ptx_of(kernel, tmp_path, monkeypatch, *dtypes):
    """Return the instructions of a kernel of tensors of some types, or of one of Int32, compiled for a GPU."""

    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(32, 1, 1))

    monkeypatch.setenv("CUTE_DSL_KEEP_PTX", "1")
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    numbers = [
        cute.runtime.make_fake_compact_tensor(dtype, (32,), stride_order=(0,))
        for dtype in dtypes or [Int32]
    ]
    cute.compile(host, *numbers, options="--target cuda:sm_90a")
    return next(tmp_path.glob("*.ptx")).read_text()
