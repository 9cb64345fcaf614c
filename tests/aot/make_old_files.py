"""Writes the files that later versions must load, for tests/aot/data.

Run it at every release and at every new format of the metadata, before anything else changes, and commit its files.

    PYTHONPATH=build/python .venv/bin/python tests/aot/make_old_files.py tests/aot/data
"""

import sys
from pathlib import Path
from typing import NamedTuple

from fairlead import Float32, __version__, cute
from fairlead._exported.format import VERSION


class Range(NamedTuple):
    low: Float32
    high: Float32


@cute.kernel
def clip_kernel(a: cute.Tensor, b: cute.Tensor, limits: Range, scale: Float32):
    i = cute.arch.block_idx()[0]
    x = a[i] * scale
    if x < limits.low:
        x = limits.low
    if x > limits.high:
        x = limits.high
    b[i] = x


@cute.jit
def clip(a: cute.Tensor, b: cute.Tensor, limits: Range, scale: Float32 = 2.0):
    """b = a * scale, between the limits."""
    clip_kernel(a, b, limits, scale).launch(grid=(a.shape[0], 1, 1), block=(1, 1, 1))


def compiled(targets):
    vector = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
    limits = Range(Float32(0.0), Float32(1.0))
    return cute.compile(clip, vector, vector, limits, 2.0, options=f"--target {targets}")


def main() -> None:
    folder = Path(sys.argv[1])
    suffix = f"{__version__.replace('.', '_')}_format_{VERSION}"
    path = folder / f"open_{suffix}.o"
    compiled("cpu:x86-64,ptx:compute_80").export_to_c(str(path), function_name="clip")
    compiled("cpu:x86-64").export_to_c(
        file_path=str(folder), file_name=f"plain_{suffix}", function_prefix="clip"
    )
    (folder / f"plain_{suffix}.h").unlink()


if __name__ == "__main__":
    main()
