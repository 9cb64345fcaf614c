# %% [markdown]
# # 14. Check a pipeline
#
# A warp copies tiles to shared memory, and two other warps read them. Barriers in shared memory (mbarriers) tell the
# readers that a stage is full, and the loader that it is empty again. A wrong number there is a deadlock, or a tile
# that is overwritten while it is read, perhaps on one GPU of ten.
#
# `--check schedule` follows such a pipeline while the program is compiled. It runs nothing, and needs no GPU. Here it
# gets a correct pipeline, and then the same one with three mistakes.

# %%
import time

import numpy as np
from tutorial import Tutorial

import fairlead
from fairlead import Float32, Int64, cute, range

tutorial = Tutorial("14_check_a_pipeline")
ROWS, COLUMNS, LOADER = 64, 32, 2
TILE_BYTES = ROWS * COLUMNS * 4

# %% [markdown]
# ## A pipeline
#
# Each stage has two barriers. `full` ends a phase when 1 thread has arrived and the bytes that it announced have come.
# `empty` ends a phase when the 64 readers have arrived. The first wait of the loader has parity 1: nobody has to read a
# stage that has never been filled.


# %%
class RowSums:
    """The sums of 64 rows, by tiles of 32 columns."""

    stages = 3
    expected_bytes = TILE_BYTES
    reader_arrivals = 64
    releases_early = False

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, a: cute.Tensor, staged: cute.Layout, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        memory = cute.SmemAllocator()
        s = memory.allocate_tensor(Float32, staged, 128)
        full = memory.allocate_array(Int64, self.stages)
        empty = memory.allocate_array(Int64, self.stages)
        if t == 0:
            for stage in range(self.stages):
                cute.arch.mbarrier_init(full + stage, 1)
                cute.arch.mbarrier_init(empty + stage, self.reader_arrivals)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        tiles = cute.local_tile(a, (ROWS, COLUMNS), (0, None))
        to, source = cute.nvgpu.cpasync.tma_partition(
            atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(tiles, 0, 2)
        )
        if warp == LOADER:
            for k in range(cute.size(tiles, mode=[2])):
                stage, parity = k % self.stages, k // self.stages % 2
                cute.arch.mbarrier_wait(empty + stage, parity ^ 1)
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive_and_expect_tx(full + stage, self.expected_bytes)
                cute.copy(atom, source[None, k], to[None, stage], tma_bar_ptr=full + stage)
        else:
            total = Float32(0.0)
            for k in range(cute.size(tiles, mode=[2])):
                stage, parity = k % self.stages, k // self.stages % 2
                cute.arch.mbarrier_wait(full + stage, parity)
                if cute.const_expr(self.releases_early):
                    cute.arch.mbarrier_arrive(empty + stage)
                for column in range(COLUMNS):
                    total += s[t, column, stage]
                if cute.const_expr(not self.releases_early):
                    cute.arch.mbarrier_arrive(empty + stage)
            out[t] = total

    @cute.jit
    def __call__(self, a: cute.Tensor, out: cute.Tensor):
        staged = cute.make_layout((ROWS, COLUMNS, self.stages), stride=(COLUMNS, 1, ROWS * COLUMNS))
        atom, coordinates = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(),
            a,
            cute.slice_(staged, (None, None, 0)),
            (ROWS, COLUMNS),
        )
        self.kernel(atom, coordinates, staged, out).launch(grid=1, block=32 * (LOADER + 1))


numbers = np.random.default_rng(0).random((ROWS, 8 * COLUMNS), np.float32)
a, out = tutorial.array(numbers), tutorial.array(np.zeros(ROWS, np.float32))


def findings_of(sums):
    """Compile with the check, and print its findings."""
    try:
        cute.compile(sums, a, out, options=f"{tutorial.target} --check schedule")
    except fairlead.CheckError as error:
        print(error)
        return error.findings
    return []


assert not findings_of(RowSums())
sums = cute.compile(RowSums(), a, out, options=tutorial.target)
sums(a, out)
np.testing.assert_allclose(tutorial.numpy(out), numbers.sum(axis=1), rtol=1e-4)
print("no findings, and the sums are right")

# %% [markdown]
# ## Half of the bytes
#
# A tile has 8192 bytes. If `full` expects 4096, its count of bytes passes zero and the phase never ends.


# %%
class HalfOfTheBytes(RowSums):
    expected_bytes = TILE_BYTES // 2


(finding,) = findings_of(HalfOfTheBytes())
assert finding.kind == "schedule"
assert "`full + stage` (number 0 of 3)" in finding.message
assert "expects 4096 bytes, but copies bring 8192" in finding.message
assert finding.hint == "Expect 8192 bytes."

# %% [markdown]
# The message names the barrier as the program does, the line that begins it, the lines that wait for it, the number
# that is wrong and the number that is expected.
#
# ## Too few arrivals
#
# Two warps of 32 threads arrive at `empty`. If it is begun for 32, its phase ends when one of the warps has read the
# stage, and the other warp ends the next phase. Such a kernel overwrites stages that are still to be read, and at some
# time it waits for a phase that has gone by. Then a GPU hangs. The check names the two numbers.


# %%
class OneWarpCounts(RowSums):
    reader_arrivals = 32


findings = findings_of(OneWarpCounts())
assert any("ends after 32 arrivals, but 64 come for it" in finding.message for finding in findings)

# %% [markdown]
# ## A release before the read
#
# All numbers are right, but the readers say that they have read the stage before they read it. The next copy to the
# stage waits for `empty`, and nothing makes it come after the reads. Mostly it does, and the sums are right: no test of
# the results finds this reliably.


# %%
class ReleasesEarly(RowSums):
    releases_early = True


findings = findings_of(ReleasesEarly())
assert any("is copied to while it may still be read" in finding.message for finding in findings)

# %% [markdown]
# ## How far the check goes
#
# The check computes what decides about barriers: indices of threads, loops, stages, parities, numbers of arrivals and
# bytes. It follows the warps of the first cluster of the launch and of the last one, in one order, and keeps for each
# barrier which operations must come before which others. With these it asks, at each arrival, copy and wait, whether
# any other order could count it in another phase.
#
# - **Established, if nothing is reported:** for the sizes that were tried, every order of these warps has the same
#   phases, none waits forever, and no copy overwrites a stage before it is read.
#   [The argument](../../docs/dev/check-of-kernels.md) has conditions.
# - **Not decided, and said so:** kernels whose barriers depend on numbers in memory, on atomic operations or
#   on work that a scheduler hands out at run time, and kernels that do more with the result of a `try_wait` than skip
#   the wait for the same phase. `fairlead: --check schedule: not decided: ...` names the line on stderr.
# - **Not established:** other sizes than those tried (the report names them), clusters between the first and the last,
#   values, ordinary races (`--check race` on the CPU finds these), fences between threads and asynchronous copies.
#
# This is a check and no proof. It finds mistakes that the results of a run do not show.
#
# ## What does it cost?
#
# Following the warps takes time while compiling, each time that a function is traced, and nothing when the kernel runs.
# The compiled program itself comes from the cache here.


# %%
def milliseconds(sums, options):
    start = time.perf_counter()
    cute.compile(sums, a, out, options=f"{tutorial.target}{options}")
    return (time.perf_counter() - start) * 1e3


class WithStages(RowSums):
    def __init__(self, stages):
        self.stages = stages


sizes = tutorial.sizes([1, 2, 3, 4, 6], quick=[2, 3])
figures = {"compile": [], "compile and check": []}
for stages in sizes:
    for name, options in zip(figures, ("", " --check schedule"), strict=True):
        milliseconds(WithStages(stages), options)  # fills the cache
        figures[name].append(milliseconds(WithStages(stages), options))
tutorial.plot(sizes, figures, "stages", "milliseconds")

# %% [markdown]
# [Debug a kernel](../../docs/debug.md) has all checks. `fairlead check --checks schedule script.py` checks all kernels
# of a program. Next: [a matrix product for Blackwell](15_blackwell_gemm.py).
