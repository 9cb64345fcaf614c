# %% [markdown]
# # 12. Tune and profile
#
# How fast is each tile? Where does the time of the first call go? Into which code was the kernel compiled? You
# will
#
# - let `fairlead.tune` try parameters, and keep the fastest,
# - read the phases of a compile and the effect of the cache,
# - compare a kernel with the limits of the machine, and
# - look at the code: IR, PTX and assembly.

# %%
import os

import numpy as np
from tutorial import Tutorial

import fairlead
from fairlead import cute

tutorial = Tutorial("12_tune_and_profile")


# %% [markdown]
# ## A kernel with parameters
#
# `y = a x + y` with two choices: threads of a block, and elements that a thread handles. Both are `Constexpr`, so each
# choice is a program of its own.


# %%
@cute.kernel
def axpy_kernel(
    a: cute.Float32,
    x: cute.Tensor,
    y: cute.Tensor,
    threads: cute.Constexpr,
    elements: cute.Constexpr,
):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    for k in cute.range_constexpr(elements):
        i = (block * elements + k) * threads + thread
        if i < x.shape[0]:
            y[i] = a * x[i] + y[i]


@cute.jit
def axpy(
    a: cute.Float32,
    x: cute.Tensor,
    y: cute.Tensor,
    threads: cute.Constexpr,
    elements: cute.Constexpr,
):
    blocks = cute.ceil_div(x.shape[0], threads * elements)
    axpy_kernel(a, x, y, threads, elements).launch(grid=blocks, block=threads)


# %% [markdown]
# ## Tune
#
# `fairlead.tune` compiles each configuration, runs it, compares its results with a reference (a fast kernel that is
# wrong would win), and measures it. A failure loses, with its reason: 4096 threads are more than a block can have. The
# times are stored next to the compile cache: run this again, and nothing is measured.

# %%
n = 2**14 if tutorial.quick else 2**22
values = np.random.default_rng(0).random((2, n), np.float32)
x, y = map(tutorial.array, values)


def reference(a, x, y):
    y += a * x


tuned = fairlead.tune(
    axpy,
    {"threads": [64, 256, 1024, 4096], "elements": [1, 4]},
    args=(2.0, x, y),
    options=tutorial.target,
    check=reference,
    budget_s=20,
)
best = tuned.config
print(tuned.report())
if tutorial.plots:
    os.makedirs(tutorial.plots, exist_ok=True)
    tuned.report().save(os.path.join(tutorial.plots, "12_tune.svg"))
assert best["threads"] < 4096
vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))

# %% [markdown]
# On the CPU the choices differ little: the threads of a block are one loop either way. On a GPU they do. The page on
# [tuning](../../docs/tune.md) says how to ship the choice with a program.
#
# ## Where does the time of a compile go?
#
# `phases` has milliseconds: tracing the Python function, lowering, and generating code. With the cache on disk, which
# is on by default, the next process only loads; `cached` says so.

# %%
compiled = cute.compile(
    axpy, cute.Float32, vector, vector, options=f"{tutorial.target} --no-cache", **best
)
for phase, milliseconds in compiled.phases.items():
    print(f"  {phase:<12} {milliseconds:8.1f} ms")
assert not compiled.cached and compiled.phases["trace"] > 0

# %% [markdown]
# ## How far from the limit?
#
# axpy reads two elements and writes one, 12 bytes, for two operations: its limit is the memory. What the memory can do,
# a copy tells. A kernel at 90 % of a copy's bytes per second is done; tuning further does not pay.

# %%
sizes = tutorial.sizes([2**i for i in range(14, 25, 2)], quick=[2**12, 2**14])
ours, copies = [], []
for size in sizes:
    values = np.random.default_rng(0).random((2, size), np.float32)
    d, e = map(tutorial.array, values)
    ours.append(12 * size / 1e3 / tutorial.microseconds(lambda: compiled(2.0, d, e)))
    out = np.empty_like(values[0])
    copies.append(8 * size / 1e3 / tutorial.microseconds(lambda: np.copyto(out, values[0])))
tutorial.plot(sizes, {"axpy": ours, "copy of the host": copies}, "elements", "GB/s")

# %% [markdown]
# ## Look at the code
#
# `compiled.ir` is the program after lowering, `compiled.ptx` the PTX of CUDA targets, `compiled.__asm__` the CPU's
# assembly; `--keep-ptx` and the like write files. Is the loop vectorized? On x86-64 with AVX, packed instructions on
# `ymm` registers say so. PTX needs no GPU:

# %%
if tutorial.device == "cpu":
    packed = [line for line in compiled.__asm__.splitlines() if "ymm" in line or "zmm" in line]
    print("vector instructions:", len(packed))
ptx = cute.compile(axpy, cute.Float32, vector, vector, options="--target cuda:sm_80", **best).ptx
print("\n".join(line for line in ptx.splitlines() if "fma" in line or "ld.global" in line))
assert "fma.rn.f32" in ptx

# %% [markdown]
# ## Profilers
#
# With `--generate-line-info`, machine code knows the lines of your Python file: `perf`, gdb, Nsight Compute and
# compute-sanitizer show them. On a GPU, kernels have the function's name (`kernel.set_name_prefix` changes it), and
# `compiled.kernel_attributes()` tells their registers and shared memory.

# %%
lined = cute.compile(
    axpy,
    cute.Float32,
    vector,
    vector,
    options="--target cuda:sm_80 --generate-line-info",
    **best,
)
files = [line for line in lined.ptx.splitlines() if line.strip().startswith(".file")]
assert files
print("\n".join(files))

# %% [markdown]
# Next: [debug](13_debug.py), mistakes that no test happens to hit.
