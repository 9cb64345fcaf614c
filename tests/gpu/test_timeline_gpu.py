"""fairlead.timeline on a GPU: the order of events, launches, graphs, clusters, what is lost.

benchmarks/timeline.py measures the cost of an event.
"""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.gpu

from fairlead import cute, timeline  # noqa: E402


@cute.kernel
def nested(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    with timeline.range("all", b):
        for i in range(2):
            with timeline.range("part", i):
                a[b * 64 + t] = a[b * 64 + t] + 1
            cute.arch.sync_threads()


@cute.jit
def run(a: cute.Tensor):
    nested(a).launch(grid=a.shape[0] // 64, block=64)


@cute.kernel
def empty_ranges(a: cute.Tensor):
    with timeline.range("outer"):
        for _ in range(100):
            with timeline.range("empty"):
                pass


@cute.jit
def run_empty(a: cute.Tensor, blocks: cute.Int32):
    empty_ranges(a).launch(grid=blocks, block=a.shape[0])


def zeros(number: int):
    return torch.zeros(number, dtype=torch.int32, device="cuda")


def ranges_of(recording):
    return [event for event in recording.events if event.get("cat") == "timeline"]


def warps_of(recording):
    """The events of each warp of each launch, in the order of their beginnings; outer ones first."""
    warps = {}
    for event in sorted(ranges_of(recording), key=lambda e: (e["ts"], -e.get("dur", 0))):
        warps.setdefault((event["pid"], event["tid"]), []).append(event)
    return list(warps.values())


def end(event):
    return event["ts"] + event["dur"]


def test_each_warp_records_in_the_streams_of_torch():
    a = zeros(640)
    streams = torch.cuda.Stream(), torch.cuda.Stream()
    with timeline.record() as recording:
        for stream in streams:
            with torch.cuda.stream(stream):
                run(a)
            stream.synchronize()
    assert a.tolist() == [4] * 640
    assert recording.problems == []
    assert len({event["pid"] for event in ranges_of(recording)}) == 2
    warps = warps_of(recording)
    assert len(warps) == 2 * 10 * 2
    for outer, first, second in warps:
        assert [e["name"] for e in (outer, first, second)] == ["all", "part", "part"]
        assert (first["args"]["value"], second["args"]["value"]) == (0, 1)
        assert outer["args"]["value"] == outer["tid"] // 64
        slack = 1e-3  # of floats of microseconds
        assert outer["ts"] <= first["ts"] and end(first) <= second["ts"] + slack
        assert end(second) <= end(outer) + slack


def test_a_barrier_orders_the_events_of_two_warps():
    @cute.kernel
    def hand_over(a: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        if t < 32:
            a[t] = a[t] + 1
            timeline.mark("stored")
        cute.arch.sync_threads()
        if t >= 32:
            timeline.mark("loaded")
            a[t] = a[t - 32]

    @cute.jit
    def host(a: cute.Tensor):
        hand_over(a).launch(grid=1, block=64)

    with timeline.record() as recording:
        host(zeros(64))
    assert recording.problems == []
    times = {event["name"]: (event["tid"], event["ts"]) for event in ranges_of(recording)}
    assert times["stored"][0] == 0 and times["loaded"][0] == 1
    assert times["stored"][1] <= times["loaded"][1]


def test_lanes_that_meet_again_record_together():
    @cute.kernel
    def one_lane(a: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        with timeline.range("all"):
            if t % 32 == 5:
                with timeline.range("one lane"):
                    a[t] = 1

    @cute.jit
    def host(a: cute.Tensor):
        one_lane(a).launch(grid=1, block=64)

    with timeline.record() as recording:
        host(zeros(64))
    assert recording.problems == []
    assert [[e["name"] for e in warp] for warp in warps_of(recording)] == [["all", "one lane"]] * 2


def test_blocks_of_clusters_have_their_numbers_in_the_grid():
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("clusters need compute capability 9.0")

    @cute.kernel
    def clustered(a: cute.Tensor):
        x, y, _ = cute.arch.block_idx()
        timeline.mark("here", y * 4 + x)

    @cute.jit
    def host(a: cute.Tensor):
        clustered(a).launch(grid=(4, 2, 1), block=32, cluster=(2, 1, 1))

    with timeline.record() as recording:
        host(zeros(32))
    places = {event["tid"] // 64: event["args"]["value"] for event in ranges_of(recording)}
    assert places == {block: block for block in range(8)}


def test_each_replay_of_a_graph_records():
    a = zeros(64)
    with timeline.record():
        run(a)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run(a)
    with timeline.record() as recording:
        for _ in range(3):
            graph.replay()
    assert recording.problems == []
    assert len(ranges_of(recording)) == 3 * 2 * 3
    assert a.tolist() == [8] * 64


def test_a_kernel_with_a_timeline_runs_outside_of_a_recording():
    a = zeros(64)
    compiled = cute.compile(run, a, options="--timeline")
    compiled(a)
    with timeline.record() as recording:
        compiled(a)
    compiled(a)
    assert a.tolist() == [6] * 64
    assert len(ranges_of(recording)) == 2 * 3


def test_events_without_room_are_counted():
    with pytest.warns(UserWarning, match="cuda:0: lost 8 events beyond the room of a warp"):
        with timeline.record(events_per_warp=2):
            run(zeros(64))


def test_warps_without_memory_are_counted():
    blocks, events = 300, 10_000  # 0.24 MB for a warp: 67 MB hold 279
    with pytest.warns(UserWarning) as warned:
        with timeline.record(events_per_warp=events, megabytes=1) as recording:
            run(zeros(64 * blocks))
    parts = len({(event["pid"], event["tid"]) for event in ranges_of(recording)})
    # 4 parts, unless a test before has made a larger buffer.
    assert 4 <= parts < 2 * blocks
    lost = f"cuda:0: lost all events of {2 * blocks - parts} warps beyond the memory"
    assert any(lost in str(warning.message) for warning in warned), recording.problems


TRAPPING = """
import torch
from fairlead import cute, timeline

@cute.kernel
def outside(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    timeline.mark("here")
    a[t + 100] = 1

@cute.jit
def host(a: cute.Tensor):
    outside(a).launch(grid=1, block=32)

a = torch.zeros(32, dtype=torch.int32, device="cuda")
try:
    with timeline.record() as recording:
        cute.compile(host, a, options="--check bounds")(a)
        torch.cuda.synchronize()
except Exception as error:
    print(type(error).__name__)
print(recording.problems)
"""


def test_events_of_a_kernel_that_stops_are_reported_as_lost(tmp_path):
    program = tmp_path / "trapping.py"
    program.write_text(TRAPPING)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert "CheckError" in done.stdout, done.stderr
    assert "cuda:0: lost all events: " in done.stdout, done.stdout


def test_all_warps_of_a_full_gpu_record_all_pairs_in_order():
    blocks, threads = torch.cuda.get_device_properties(0).multi_processor_count, 256
    with timeline.record() as recording:
        run_empty(zeros(threads), blocks)
    assert recording.problems == []
    warps = warps_of(recording)
    assert len(warps) == blocks * threads // 32
    for outer, *empty in warps:
        assert [e["name"] for e in (outer, *empty)] == ["outer"] + ["empty"] * 100
        slack = 1e-3  # of floats of microseconds
        assert outer["ts"] <= empty[0]["ts"] + slack and end(empty[-1]) <= end(outer) + slack
        for one, other in zip(empty, empty[1:], strict=False):
            assert end(one) <= other["ts"] + slack
