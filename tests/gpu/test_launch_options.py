"""Launch options on a GPU: clusters, cooperative launches, programmatic dependent launches."""

import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import test_launch_extras as on_cpu  # noqa: E402

from fairlead import cute, range_constexpr  # noqa: E402

clusters = pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability()[0] < 9,
    reason="clusters are from compute capability 9.0 on",
)


@clusters
@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("named", ["cluster", "fallback_cluster"])
def test_clusters(size, named):
    options = {"cluster": [size, 1, 1]}
    if named == "fallback_cluster":
        options = {"cluster": [8, 1, 1], "fallback_cluster": [size, 1, 1]}

    @cute.jit
    def run(out: cute.Tensor):
        on_cpu.device_cluster(out).launch(grid=[16, 1, 1], block=[64, 1, 1], **options)

    out = torch.full((16, 7), -1, dtype=torch.int32, device="cuda")
    run(out)
    np.testing.assert_array_equal(out.cpu().numpy(), on_cpu.expected_clusters(16, size))


@clusters
def test_grid_that_is_no_multiple_of_the_cluster():
    out = torch.zeros((3, 32), dtype=torch.int32, device="cuda")
    with pytest.raises(ValueError, match="expected extents that divide those of the grid"):
        on_cpu.filler(3, cluster=[2, 1, 1])(out)


@pytest.mark.parametrize(
    "options",
    [
        {"cooperative": True},
        {"min_blocks_per_mp": 4},
        {"max_number_threads": [128, 1, 1]},
        {"smem": 4096},
        {"preferred_smem_carveout": 0},
        {"preferred_smem_carveout": 100},
    ],
    ids=lambda options: "-".join(options),
)
def test_results(options):
    out = torch.zeros((4, 32), dtype=torch.int32, device="cuda")
    on_cpu.filler(4, **options)(out)
    np.testing.assert_array_equal(out.cpu().numpy(), on_cpu.expected(4))


def test_cooperative_launch_that_is_too_large():
    out = torch.zeros((1 << 20, 32), dtype=torch.int32, device="cuda")
    with pytest.raises(RuntimeError, match="COOPERATIVE_LAUNCH_TOO_LARGE"):
        on_cpu.filler(1 << 20, cooperative=True)(out)


@clusters
def test_dependent_launches():
    """Each kernel waits for the one before it, and adds to its output."""

    @cute.kernel
    def device(out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x, _, _ = cute.arch.block_idx()
        cute.arch.griddepcontrol_launch_dependents()
        cute.arch.griddepcontrol_wait()
        out[x * 256 + t] = out[x * 256 + t] * 3 + 1

    @cute.jit
    def run(out: cute.Tensor):
        for _ in range_constexpr(10):
            device(out).launch(grid=[64, 1, 1], block=[256, 1, 1], use_pdl=True)

    out = torch.zeros(64 * 256, dtype=torch.int32, device="cuda")
    run(out)
    value = 0
    for _ in range(10):
        value = value * 3 + 1
    assert out.eq(value).all()


@clusters
@pytest.mark.parametrize(
    ("named", "more"),
    [
        ("launch_completion_event", {}),
        ("programmatic_event", {"programmatic_event_trigger_at_block_start": True}),
        ("programmatic_event", {}),
    ],
)
def test_events(named, more):
    """Work on another stream starts after the event, at the earliest with the kernel's blocks."""

    @cute.kernel
    def device(out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x, _, _ = cute.arch.block_idx()
        cute.arch.griddepcontrol_launch_dependents()
        out[x, t] = x * 100 + t

    @cute.jit
    def run(out: cute.Tensor, event: cute.Int64):
        device(out).launch(grid=[4, 1, 1], block=[32, 1, 1], **{named: event}, **more)

    event = torch.cuda.Event()
    event.record()
    torch.cuda.synchronize()
    out = torch.zeros((4, 32), dtype=torch.int32, device="cuda")
    run(out, int(event.cuda_event))
    other = torch.cuda.Stream()
    other.wait_event(event)
    other.synchronize()
    assert event.query()
    torch.cuda.synchronize()
    np.testing.assert_array_equal(out.cpu().numpy(), on_cpu.expected(4))


def test_an_assertion_ends_the_kernel(tmp_path):
    """In a process of its own: the device context is lost."""
    import subprocess

    program = tmp_path / "program.py"
    program.write_text("""
import torch
from fairlead import cute

@cute.kernel
def device(out):
    t, _, _ = cute.arch.thread_idx()
    cute.testing.assert_(out[t] < 5, "too large")

@cute.jit
def run(out):
    device(out).launch(grid=1, block=[32, 1, 1])

out = torch.arange(32, dtype=torch.int32, device="cuda")
cute.compile(run, out)(out)
torch.cuda.synchronize()
print("not checked")
checked = cute.compile(run, out, options="--enable-assertions")
checked(out * 0)
torch.cuda.synchronize()
print("held")
checked(out)
try:
    torch.cuda.synchronize()
except RuntimeError as error:
    print("assert" in str(error))
""")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["not checked", "held"], done.stderr
    assert "Assertion `too large` failed" in done.stdout + done.stderr
    assert "True" in done.stdout
