# %% [markdown]
# # 13. Debug with `--check`
#
# A kernel that lacks a barrier gives right results today and wrong ones on another day. Here a block reduction gets two
# mistakes, the CPU target finds them without running into either, and a schedule shows their possible effects.
#
# Checks run on the CPU, also for kernels that are meant for a GPU: this tutorial needs none.

# %%
import numpy as np
from tutorial import Tutorial

import fairlead
from fairlead import Float32, cute, range_constexpr

tutorial = Tutorial("13_debug")
THREADS = 256

# %% [markdown]
# ## A sum that forgets to wait
#
# Each step adds the upper half of `s` to the lower half. A thread reads what another one wrote in the step before, so
# that the block has to wait between steps. It does not.


# %%
@cute.kernel
def hasty_kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, THREADS)
    s[t] = a[x * THREADS + t]
    cute.arch.sync_threads()
    for step in range_constexpr(8):
        if t < (128 >> step):
            s[t] = s[t] + s[t + (128 >> step)]
    if t == 0:
        out[x] = s[0]


@cute.jit
def hasty(a: cute.Tensor, out: cute.Tensor):
    hasty_kernel(a, out).launch(grid=cute.ceil_div(a.shape[0], THREADS), block=THREADS)


def findings_of(function, *arguments):
    """Print the findings of a checked call."""
    try:
        with fairlead.checks.on("bounds,race"):
            function(*arguments)
    except fairlead.CheckError as error:
        print(error)
        return error.findings
    return ()


numbers = np.random.default_rng(0).random(4 * THREADS, np.float32)
findings = findings_of(hasty, numbers, np.zeros(4, np.float32))
assert {finding.kind for finding in findings} == {"race"}

# %% [markdown]
# The lines of each race, one of the pairs of threads, and a remedy that orders them. The check does not wait for a bad
# moment: it asks whether anything *makes* one access come before the other, whatever order the threads happened to run
# in.
#
# ## What the mistake does
#
# `--schedule` runs the threads between two points where they wait in an order of its own: `forward`, `backward` or
# `random:SEED`. A right kernel does not care. This one does: which sums a thread finds depends on who ran before it.

# %%
sums = {}
for schedule in ("forward", "backward", "random:1"):
    options = f"--target cpu --schedule {schedule}"
    out = np.zeros(4, np.float32)
    cute.compile(hasty, numbers, out, options=options)(numbers, out)
    sums[schedule] = out
    print(f"{schedule:>10}: {out}")
assert not np.array_equal(sums["forward"], sums["backward"])

# %% [markdown]
# ## The end of the array
#
# With a barrier after each step there is no race. But the last block still reads past the end when the array is no
# multiple of 256 elements, and nothing crashes.


# %%
@cute.kernel
def sums_kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, THREADS)
    s[t] = a[x * THREADS + t]
    cute.arch.sync_threads()
    for step in range_constexpr(8):
        if t < (128 >> step):
            s[t] = s[t] + s[t + (128 >> step)]
        cute.arch.sync_threads()
    if t == 0:
        out[x] = s[0]


@cute.jit
def block_sums(a: cute.Tensor, out: cute.Tensor):
    sums_kernel(a, out).launch(grid=cute.ceil_div(a.shape[0], THREADS), block=THREADS)


assert not findings_of(block_sums, numbers, np.zeros(4, np.float32))
findings = findings_of(block_sums, numbers[:1000].copy(), np.zeros(4, np.float32))
assert [finding.kind for finding in findings] == ["bounds"]

# %% [markdown]
# ## Both mended


# %%
@cute.kernel
def right_kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, THREADS)
    s[t] = 0.0
    if x * THREADS + t < a.shape[0]:
        s[t] = a[x * THREADS + t]
    cute.arch.sync_threads()
    for step in range_constexpr(8):
        if t < (128 >> step):
            s[t] = s[t] + s[t + (128 >> step)]
        cute.arch.sync_threads()
    if t == 0:
        out[x] = s[0]


@cute.jit
def right(a: cute.Tensor, out: cute.Tensor):
    right_kernel(a, out).launch(grid=cute.ceil_div(a.shape[0], THREADS), block=THREADS)


out = np.zeros(4, np.float32)
assert not findings_of(right, numbers[:1000].copy(), out)
expected = [part.sum() for part in np.split(np.pad(numbers[:1000], (0, 24)), 4)]
np.testing.assert_allclose(out, expected, rtol=1e-5)
print("nothing found, and the sums are right")

# %% [markdown]
# ## What does it cost?
#
# Accesses whose addresses are an affine map of thread and loop indices are checked once for all threads of a block;
# only others are examined one by one. Tests can run with checks on: `pytest -p fairlead._pytest --fairlead-check`, or
# `FAIRLEAD_CHECK=all` around any program.

# %%
sizes = tutorial.sizes([1 << n for n in (14, 16, 18, 20, 22)], quick=[1 << 12])
figures = {"without": [], "bounds": [], "bounds,race": []}
for size in sizes:
    a, out = np.ones(size, np.float32), np.zeros(size // THREADS, np.float32)
    for name, times in figures.items():
        checks = "" if name == "without" else f" --check {name}"
        call = cute.compile(right, a, out, options="--target cpu" + checks)
        times.append(tutorial.microseconds(lambda: call(a, out)))
tutorial.plot(sizes, figures, "elements", "microseconds")

# %% [markdown]
# [Debug a kernel](../../docs/debug.md) has all checks, and their limits. Next:
# [check a pipeline](14_check_a_pipeline.py) while it is compiled.
