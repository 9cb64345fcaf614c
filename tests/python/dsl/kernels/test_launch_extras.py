"""Requests of launches beyond extents: on the CPU the possible ones, for CUDA as PTX."""

import numpy as np
import pytest

from fairlead import Int32, cute
from fairlead.utils import SmemAllocator


@cute.kernel
def device_fill(out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    out[x, t] = x * 100 + t


def filler(blocks, **options):
    @cute.jit
    def fill(out: cute.Tensor):
        device_fill(out).launch(grid=[blocks, 1, 1], block=[32, 1, 1], **options)

    return fill


def expected(blocks):
    return np.arange(blocks)[:, None] * 100 + np.arange(32)


@pytest.mark.parametrize(
    "options",
    [
        {"use_pdl": True},
        {"cluster": (1, 1, 1)},
        {"min_blocks_per_mp": 2},
        {"max_number_threads": [64, 1, 1]},
        {"cluster": [4, 1, 1], "fallback_cluster": [1, 1, 1]},
        {"preferred_smem_carveout": 50},
    ],
    ids=lambda options: "-".join(options),
)
def test_without_effect_on_results(options):
    out = np.zeros((4, 32), np.int32)
    filler(4, **options)(out)
    np.testing.assert_array_equal(out, expected(4))


def test_clusters_on_the_cpu():
    """A kernel that asks nothing of its cluster, and clusters that cannot be."""
    out = np.zeros((4, 32), np.int32)
    filler(4, cluster=[2, 1, 1])(out)
    np.testing.assert_array_equal(out, expected(4))
    with pytest.raises(
        ValueError, match=r"divide those of the grid, \(4, 1, 1\), but got \(3, 1, 1\)"
    ):
        filler(4, cluster=[3, 1, 1])(out)
    with pytest.raises(ValueError, match=r"expected at most 16 blocks, but got \(32, 1, 1\)"):
        filler(32, cluster=[32, 1, 1])(np.zeros((32, 32), np.int32))


def test_cooperative_on_the_cpu():
    for blocks in (1, 4, 128):
        out = np.zeros((blocks, 32), np.int32)
        filler(blocks, cooperative=True)(out)
        np.testing.assert_array_equal(out, expected(blocks))
    with pytest.raises(
        RuntimeError,
        match=r"^CUDA Error: cudaErrorCooperativeLaunchTooLarge when launching `device_fill` on the CPU"
        r" with grid=\(129, 1, 1\): at most 128 blocks run at once",
    ):
        filler(129, cooperative=True)(np.zeros((129, 32), np.int32))


@pytest.mark.parametrize("blocks", [2, 7])
def test_blocks_of_a_cooperative_launch_wait_for_each_other(blocks):
    """In each round a block reads the next block's output of the round before."""
    rounds = 5

    @cute.kernel
    def device(counter: cute.Tensor, values: cute.Tensor):
        t, b = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
        for turn in range(rounds):
            if t == 0:
                seen = Int32(0)
                if turn > 0:
                    seen = values[turn - 1, (b + 1) % blocks]
                values[turn, b] = seen + b
                cute.arch.atomic_add(counter.iterator, Int32(1), sem="release", scope="gpu")
                arrived = Int32(0)
                while arrived < (turn + 1) * blocks:
                    arrived = cute.arch.atomic_add(counter.iterator, Int32(0), sem="acquire")
            cute.arch.sync_threads()

    @cute.jit
    def run(counter: cute.Tensor, values: cute.Tensor):
        device(counter, values).launch(grid=blocks, block=64, cooperative=True)

    values = np.zeros((rounds, blocks), np.int32)
    run(np.zeros(1, np.int32), values)
    wanted = np.zeros((rounds, blocks), np.int32)
    for turn in range(rounds):
        before = np.roll(wanted[turn - 1], -1) if turn else 0
        wanted[turn] = before + np.arange(blocks)
    np.testing.assert_array_equal(values, wanted)


@cute.kernel
def device_cluster(out: cute.Tensor):
    """Facts of each block of a cluster about itself, and values read from the next block."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tile = SmemAllocator().allocate_tensor(cute.Int32, 1)
    rank, size = cute.arch.block_idx_in_cluster(), cute.arch.cluster_size()
    with cute.arch.elect_one():
        tile[0] = x + 10
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    beside = cute.arch.map_dsmem_ptr(tile.iterator, (rank + 1) % size)
    if t == 0:
        out[x, 0] = cute.arch.cluster_idx()[0]
        out[x, 1] = cute.arch.cluster_dim()[0]
        out[x, 2] = cute.arch.block_in_cluster_idx()[0]
        out[x, 3] = cute.arch.block_in_cluster_dim()[0]
        out[x, 4] = rank
        out[x, 5] = size
        out[x, 6] = beside.load()
    cute.arch.cluster_arrive_relaxed()
    cute.arch.cluster_wait()
    cute.arch.griddepcontrol_launch_dependents()
    cute.arch.griddepcontrol_wait()


def expected_clusters(blocks, size):
    x = np.arange(blocks)
    beside = x // size * size + (x % size + 1) % size
    columns = [x // size, np.full(blocks, blocks // size), x % size, np.full(blocks, size)]
    return np.stack([*columns, x % size, np.full(blocks, size), beside + 10], axis=1)


@pytest.mark.parametrize(
    "size, cooperative", [(1, False), (2, False), (3, False), (6, False), (2, True)]
)
@pytest.mark.parametrize("schedule", ["", " --schedule backward", " --schedule random:3"])
def test_cluster_operations_on_the_cpu(size, cooperative, schedule):
    @cute.jit
    def run(out: cute.Tensor):
        device_cluster(out).launch(
            grid=[12, 1, 1], block=[64, 1, 1], cluster=[size, 1, 1], cooperative=cooperative
        )

    out = np.full((12, 7), -1, np.int32)
    cute.compile(run, out, options="--target cpu" + schedule)(out)
    np.testing.assert_array_equal(out, expected_clusters(12, size))


def test_clusters_of_three_dimensions_on_the_cpu():
    @cute.kernel
    def device(out: cute.Tensor):
        index, place = cute.arch.block_idx(), cute.arch.block_in_cluster_idx()
        cluster, clusters = cute.arch.cluster_idx(), cute.arch.cluster_dim()
        size = cute.arch.block_in_cluster_dim()
        for d in cute.range_constexpr(3):
            out[index + (d,)] = cluster[d] * size[d] + place[d] - index[d]
            out[index + (3 + d,)] = clusters[d]
        out[index + (6,)] = cute.arch.block_idx_in_cluster()

    @cute.jit
    def run(out: cute.Tensor):
        device(out).launch(grid=[4, 6, 3], block=[1, 1, 1], cluster=[2, 3, 1])

    out = np.full((4, 6, 3, 7), -1, np.int32)
    run(out)
    assert not out[..., :3].any()
    assert (out[..., 3:6] == [2, 2, 3]).all()
    x, y, _ = np.indices((4, 6, 3))
    np.testing.assert_array_equal(out[..., 6], x % 2 + 2 * (y % 3))


def test_a_cluster_that_waits_in_vain():
    """One block does not arrive: the report lists the waits of the others by block, threads and line."""

    @cute.kernel
    def device(n: cute.Int32):
        rank = cute.arch.block_idx_in_cluster()
        barrier = SmemAllocator().allocate_array(cute.Int64, 1)
        if cute.arch.thread_idx()[0] == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.sync_threads()
        if rank < n:
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
        else:
            cute.arch.mbarrier_wait(barrier, 0)

    @cute.jit
    def run(n: cute.Int32):
        device(n).launch(grid=[4, 1, 1], block=[32, 1, 1], cluster=[2, 1, 1])

    f = cute.compile(run, cute.Int32(1), options="--target cpu --generate-line-info")
    f(2)
    with pytest.raises(RuntimeError, match="wait for each other and none can go on") as error:
        f(1)
    text = str(error.value)
    assert "32 of 32 threads (0-31) at cluster_wait (test_launch_extras.py:" in text
    assert "at an mbarrier, phase of parity 0, which lacks 1 arrival" in text
    assert "in block (" in text


def test_an_assertion_in_a_cluster():
    """Ends the launch, though the other block waits."""

    @cute.kernel
    def device(n: cute.Int32):
        rank = cute.arch.block_idx_in_cluster()
        if rank >= n:
            cute.testing.assert_(n > 1, "too few")
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()

    @cute.jit
    def run(n: cute.Int32):
        device(n).launch(grid=[4, 1, 1], block=[32, 1, 1], cluster=[2, 1, 1])

    with pytest.raises(AssertionError, match="too few"):
        cute.compile(run, cute.Int32(1), options="--target cpu --enable-assertions")(1)


def ptx_of(function, shape):
    tensor = cute.runtime.make_fake_compact_tensor(cute.Int32, shape)
    return cute.compile(function, tensor, options="--target cuda:sm_90a").__ptx__


def test_ptx_of_cluster_operations():
    @cute.jit
    def run(out: cute.Tensor):
        device_cluster(out).launch(grid=[6, 1, 1], block=[64, 1, 1], cluster=[2, 1, 1])

    text = ptx_of(run, (6, 7))
    for instruction in (
        "%cluster_ctarank",
        "%cluster_nctarank",
        "%clusterid.x",
        "%nclusterid.x",
        "%cluster_ctaid.x",
        "%cluster_nctaid.x",
        "barrier.cluster.arrive",
        "barrier.cluster.arrive.relaxed",
        "barrier.cluster.wait",
        "elect.sync",
        "mapa.shared::cluster",
        "ld.shared::cluster",
        "griddepcontrol.wait",
        "griddepcontrol.launch_dependents",
    ):
        assert instruction in text, instruction


def test_ptx_of_register_bounds():
    text = ptx_of(filler(4, min_blocks_per_mp=3, max_number_threads=[256, 1, 1]), (4, 32))
    assert ".minnctapersm 3" in text
    assert ".maxntid 256" in text
    assert ".minnctapersm" not in ptx_of(filler(4), (4, 32))


def test_unknown_option():
    with pytest.raises(TypeError, match="does not take `priority`"):
        filler(1, priority=3)(np.zeros((1, 32), np.int32))


def test_events_and_carveout_have_no_effect_on_the_cpu():
    @cute.jit
    def run(out: cute.Tensor, event: cute.Int64):
        device_fill(out).launch(
            grid=[4, 1, 1],
            block=[32, 1, 1],
            launch_completion_event=event,
            programmatic_event=event,
            programmatic_event_trigger_at_block_start=True,
            preferred_smem_carveout=50,
        )

    out = np.zeros((4, 32), np.int32)
    run(out, 12345)
    np.testing.assert_array_equal(out, expected(4))


@pytest.mark.parametrize("wrong", [-1, 101])
def test_wrong_carveout(wrong):
    with pytest.raises(
        ValueError, match=f"0 to 100 percent as preferred_smem_carveout, but got {wrong}"
    ):
        filler(1, preferred_smem_carveout=wrong)(np.zeros((1, 32), np.int32))


@pytest.mark.parametrize(
    ("options", "flags"),
    [({}, 0), ({"preferred_smem_carveout": 30}, 8), ({"launch_completion_event": True}, 8),
     ({"min_blocks_per_mp": 1}, 0), ({"min_blocks_per_mp": 2}, 8),
     ({"cluster": (4, 1, 1), "fallback_cluster": (2, 1, 1)}, 8), ({"use_pdl": True}, 2)],
)  # fmt: skip
def test_what_the_runtime_is_told(options, flags):
    """FairleadLaunch::flags of the host program, and the extras behind the launch."""

    @cute.jit
    def run(out: cute.Tensor, event: cute.Int64):
        given = {k: event if v is True and k != "use_pdl" else v for k, v in options.items()}
        device_fill(out).launch(grid=[4, 1, 1], block=[32, 1, 1], **given)

    tensor = cute.runtime.make_fake_compact_tensor(cute.Int32, (4, 32))
    text = cute.compile(run, tensor, cute.Int64, options="--target cuda:sm_90a --no-cache").ir
    assert ("%0 = alloca" in text or "alloca" in text) and "fairlead_launch_extras" not in text
    assert ("{ [12 x i32], ptr, [4 x i32], ptr, ptr, [4 x i32] }" in text) == (flags == 8)
    assert (f"store i32 {flags}, ptr" in text) or f"i32 {flags}" in text
