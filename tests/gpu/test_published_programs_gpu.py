"""Published programs on a GPU that go beyond the language: their own PTX, benchmarks."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import fairlead  # noqa: E402
from fairlead import Boolean, Int32, Int64, Uint32, cute, range_constexpr  # noqa: E402
from fairlead.cute import _ir_types as llvm  # noqa: E402
from fairlead.cute import cuda, testing  # noqa: E402
from fairlead.cute._assembly import inline_asm  # noqa: E402


def high_product(a, b):
    return inline_asm(Int32, [a, b], "mul.hi.s32 $0, $1, $2;", "=r,r,r")


def test_ptx_with_several_results_and_pointers():
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        shared = fairlead.utils.SmemAllocator().allocate_array(Int32, 32)
        inline_asm(
            None, [shared + t, a[t]], "st.shared.s32 [$0], $1;", "r,r", has_side_effects=True
        )
        cute.arch.sync_threads()
        turned = (shared + (31 - t)).load()
        both = inline_asm(
            llvm.StructType.get_literal([Int32, Boolean]),
            [turned, t < 10],
            "{ .reg .pred p, q; setp.ne.b32 p, $3, 0; vote.sync.any.pred q, p, -1; selp.b32 $1, 1, 0, q;"
            " add.s32 $0, $2, 7; }",
            "=r,=r,r,r",
            has_side_effects=True,
        )
        chosen = cute.where(
            llvm.extractvalue(Boolean, both, [1]), llvm.extractvalue(Int32, both, [0]), -1
        )
        out[t, 0] = chosen
        out[t, 1] = high_product(a[t], 1 << 20)
        out[t, 2] = inline_asm(
            Int32, [a.iterator + t], "ld.global.s32 $0, [$1];", "=r,l", has_side_effects=True
        )

    @cute.jit
    def run(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=32)

    a = torch.randint(-(2**31), 2**31 - 8, (32,), dtype=torch.int32, device="cuda")
    out = torch.zeros((32, 3), dtype=torch.int32, device="cuda")
    run(a, out)
    numbers = a.cpu().numpy().astype(np.int64)
    np.testing.assert_array_equal(out[:, 0].cpu(), numbers[::-1] + 7)
    np.testing.assert_array_equal(out[:, 1].cpu(), (numbers << 20) >> 32)
    np.testing.assert_array_equal(out[:, 2].cpu(), numbers)


def test_a_barrier_of_all_blocks():
    """An arrival counter whose top bit turns: each block sees the writes of the others in the last round."""
    blocks, rounds = 16, 8

    @cute.kernel
    def device(counter: cute.Tensor, values: cute.Tensor):
        t, b = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
        address = counter.iterator.toint()
        for turn in range_constexpr(rounds):
            seen = Int32(0)
            if turn > 0:
                seen = values[turn - 1, (b + 1) % blocks]
            if t == 0:
                values[turn, b] = seen + b
            cute.arch.sync_threads()
            if t == 0:
                arrived = inline_asm(
                    Uint32,
                    [address, Uint32(1)],
                    "atom.add.acq_rel.gpu.u32 $0, [$1], $2;",
                    "=r,l,r",
                    has_side_effects=True,
                )
                if (arrived & ~(1 << 31)) == blocks - 1:
                    inline_asm(
                        Uint32,
                        [address, Uint32((1 << 31) - blocks)],
                        "atom.add.acq_rel.gpu.u32 $0, [$1], $2;",
                        "=r,l,r",
                        has_side_effects=True,
                    )
                phase = Uint32(turn % 2)
                while phase == turn % 2:
                    phase = (
                        inline_asm(
                            Uint32,
                            [address],
                            "ld.global.acquire.gpu.b32 $0, [$1];",
                            "=r,l",
                            has_side_effects=True,
                        )
                        >> 31
                    )
            cute.arch.sync_threads()

    @cute.jit
    def run(counter: cute.Tensor, values: cute.Tensor):
        device(counter, values).launch(grid=blocks, block=64, cooperative=True)

    counter = torch.zeros(1, dtype=torch.int32, device="cuda").view(torch.uint32)
    values = torch.zeros((rounds, blocks), dtype=torch.int32, device="cuda")
    run(counter, values)
    expected = np.zeros((rounds, blocks), np.int32)
    for turn in range(rounds):
        for b in range(blocks):
            before = expected[turn - 1, (b + 1) % blocks] if turn else 0
            expected[turn, b] = before + b
    np.testing.assert_array_equal(values.cpu(), expected)


@cute.kernel
def spin_kernel(out: cute.Tensor, steps: Int64):
    total = Int64(0)
    for i in range(steps):
        total = total * 3 + i
    out[cute.arch.thread_idx()[0]] = total


@cute.jit
def spin(out: cute.Tensor, steps: Int64, stream: cuda.CUstream):
    spin_kernel(out, steps).launch(grid=1, block=32, stream=stream)


@pytest.mark.parametrize("graphs", [False, True])
def test_benchmark_measures_the_stream(graphs):
    out = torch.zeros(32, dtype=torch.int64, device="cuda")
    torch_stream = torch.cuda.Stream()
    stream = cuda.CUstream(torch_stream.cuda_stream)
    function = cute.compile(spin, out, Int64(1), stream)
    taken = [
        testing.benchmark(
            function,
            warmup_iterations=2,
            iterations=10,
            stream=stream,
            kernel_arguments=testing.JitArguments(out, steps, stream),
            use_cuda_graphs=graphs,
        )
        for steps in (100_000, 1_000_000)
    ]
    # Ten times the work, and the calls themselves return at once.
    assert 4 < taken[1] / taken[0] < 25
    assert taken[0] > 50  # microseconds


def test_graphs_need_a_stream_of_their_own():
    out = torch.zeros(32, dtype=torch.int64, device="cuda")
    with pytest.raises(ValueError, match="other than the default one"):
        testing.benchmark(lambda: spin(out, Int64(1), cuda.default_stream()), use_cuda_graphs=True)


def test_workspaces_exceed_the_cache():
    torch.zeros(1, device="cuda")
    size = torch.cuda.get_device_properties(0).L2_cache_size
    assert testing.get_workspace_count(size, 10, 100) == 4
