"""fairlead.timeline: what kernels record, on the CPU; the code for GPUs; wrong use."""

import json
import re
import threading
import warnings

import numpy as np
import pytest

import fairlead
from fairlead import cute, timeline
from fairlead.cute.experimental import iket
from fairlead.timeline import _trace


def launcher(kernel, grid=1, block=64):
    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=grid, block=block)

    return host


def recorded(function, a, **options):
    with timeline.record(**options) as recording:
        function(a)
    return recording


def events_of(recording):
    return [event for event in recording.events if event.get("cat") == "timeline"]


def warps_of(recording):
    """The names in the order of time, by thread of the trace."""
    warps = {}
    for event in sorted(events_of(recording), key=lambda event: event["ts"]):
        warps.setdefault(event["tid"], []).append(event["name"])
    return warps


@cute.kernel
def nested(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    with timeline.range("all", b):
        for i in range(2):
            with timeline.range("part", i):
                a[t] = a[t] + 1
            cute.arch.sync_threads()
    timeline.mark("end", 1.5)


def test_each_warp_of_each_block_records_once():
    a = np.zeros(64, np.int32)
    recording = recorded(launcher(nested, grid=3), a)
    assert recording.problems == []
    warps = warps_of(recording)
    assert sorted(warps) == [0, 1, 64, 65, 128, 129]
    assert all(names == ["all", "part", "part", "end"] for names in warps.values())
    values = [(e["name"], e["args"]["value"]) for e in events_of(recording) if e["tid"] == 129]
    assert sorted(values) == [("all", 2), ("end", 1.5), ("part", 0), ("part", 1)]


def test_ranges_are_inside_the_range_around_them_and_inside_the_launch():
    recording = recorded(launcher(nested), np.zeros(64, np.int32))
    ranges = {}
    for event in events_of(recording):
        if event["ph"] == "X" and event["tid"] == 0:
            ranges.setdefault(event["name"], []).append((event["ts"], event["ts"] + event["dur"]))
    ((begin, end),) = ranges["all"]
    first, second = sorted(ranges["part"])
    assert begin <= first[0] <= first[1] <= second[0] <= second[1] <= end
    (launch,) = [event for event in recording.events if event.get("cat") == "launch"]
    assert launch["ts"] <= begin and end <= launch["ts"] + launch["dur"]


def test_two_launches_are_two_processes_of_the_trace():
    run = launcher(nested)
    with timeline.record() as recording:
        for _ in range(2):
            run(np.zeros(64, np.int32))
    assert len({event["pid"] for event in events_of(recording)}) == 2
    assert len(events_of(recording)) == 2 * 2 * 4


def test_the_file_holds_host_launches_and_warps(tmp_path):
    with timeline.record(tmp_path / "trace.json"):
        launcher(nested)(np.zeros(64, np.int32))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"compile", "launch", "timeline"} <= {event.get("cat") for event in events}


def test_a_direct_call_outside_of_a_recording_has_no_timeline():
    run, a = launcher(nested), np.zeros(64, np.int32)
    run(a)
    assert len(events_of(recorded(run, a))) == 8
    run(a)
    assert a.tolist() == [6] * 64


def test_a_compiled_function_records_with_the_option_alone():
    a = np.zeros(64, np.int32)
    for options, number in (("", 0), ("--timeline", 8), ("iket", 8)):
        run = cute.compile(launcher(nested), a, options=f"--target cpu --no-cache {options}")
        run(a)
        if number:
            assert len(events_of(recorded(run, a))) == number
        else:
            with pytest.warns(UserWarning, match="no kernel recorded an event: .*`--timeline`"):
                assert events_of(recorded(run, a)) == []


def test_events_of_one_lane_are_kept():
    @cute.kernel
    def kernel(a: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        with timeline.range("all"):
            if t % 32 == 5:
                with timeline.range("one lane"):
                    a[t] = 1

    recording = recorded(launcher(kernel), np.zeros(64, np.int32))
    assert recording.problems == []
    assert {tid: sorted(names) for tid, names in warps_of(recording).items()} == {
        0: ["all", "one lane"],
        1: ["all", "one lane"],
    }


def test_more_events_than_there_is_room_for_are_counted():
    with (
        pytest.warns(UserWarning, match="cpu: lost 5 events beyond the room of a warp"),
        pytest.warns(UserWarning, match="ranges without an end: 'all', 'part'"),
    ):
        recording = recorded(launcher(nested, block=32), np.zeros(32, np.int32), events_per_warp=2)
    assert len(events_of(recording)) == 2  # both were begun, and are shown without an end


def test_published_names_record():
    @cute.kernel
    def kernel(a: cute.Tensor):
        iket.range_push("outer", 7)
        token = iket.range_start("free")
        iket.mark("here")
        iket.range_pop()
        iket.range_end(token, 3)
        iket.range_end(iket.sentinel_token("nothing"))

    recording = recorded(launcher(kernel, block=32), np.zeros(32, np.int32))
    assert recording.problems == []
    assert sorted((e["name"], e["ph"]) for e in events_of(recording)) == [
        ("free", "b"),
        ("free", "e"),
        ("here", "i"),
        ("outer", "X"),
    ]


def test_ranges_without_an_end_are_shown_and_reported():
    @cute.kernel
    def kernel(a: cute.Tensor):
        iket.range_push("open")
        iket.mark("here")

    @cute.kernel
    def closing(a: cute.Tensor):
        iket.range_pop()

    with pytest.warns(UserWarning, match="ranges without an end: 'open'"):
        recording = recorded(launcher(kernel, block=32), np.zeros(32, np.int32))
    (shown,) = [e for e in events_of(recording) if e["name"] == "open"]
    assert shown["args"]["unclosed"] is True
    with pytest.warns(UserWarning, match="1 ends without a range"):
        recorded(launcher(closing, block=32), np.zeros(32, np.int32))


def test_threads_and_blocks_of_many_launches_are_kept_apart():
    run = launcher(nested, grid=5)
    with timeline.record() as recording:
        threads = [threading.Thread(target=run, args=(np.zeros(64, np.int32),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert recording.problems == []
    warps = {}
    for event in sorted(events_of(recording), key=lambda event: event["ts"]):
        warps.setdefault((event["pid"], event["tid"]), []).append(event["name"])
    assert len(warps) == 4 * 5 * 2
    assert all(names == ["all", "part", "part", "end"] for names in warps.values())


def test_blocks_of_clusters_have_their_numbers_in_the_grid():
    @cute.kernel
    def kernel(a: cute.Tensor):
        x, y, _ = cute.arch.block_idx()
        timeline.mark("here", y * 4 + x)
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()

    @cute.jit
    def run(a: cute.Tensor):
        kernel(a).launch(grid=(4, 2, 1), block=32, cluster=(2, 1, 1))

    recording = recorded(run, np.zeros(32, np.int32))
    places = {event["tid"] // 64: event["args"]["value"] for event in events_of(recording)}
    assert places == {block: block for block in range(8)}


def test_values_are_shown_as_they_are():
    @cute.kernel
    def kernel(a: cute.Tensor, x: cute.Float16):
        t, _, _ = cute.arch.thread_idx()
        timeline.mark("less", t < 3)
        timeline.mark("more", t > 3)
        timeline.mark("negative", t - 5)
        timeline.mark("half", x)
        timeline.mark("infinite", x * 60000.0 * 60000.0)
        timeline.mark("true", True)

    @cute.jit
    def run(a: cute.Tensor, x: cute.Float16):
        kernel(a, x).launch(grid=1, block=32)

    with timeline.record() as recording:
        run(np.zeros(32, np.int32), cute.Float16(1.5))
    values = {event["name"]: event["args"]["value"] for event in events_of(recording)}
    assert values == {
        "less": 1,
        "more": 0,
        "negative": -5,
        "half": 1.5,
        "infinite": "inf",
        "true": 1,
    }
    json.loads(json.dumps(recording.events, allow_nan=False))


def test_a_failing_body_still_gives_what_was_recorded(tmp_path):
    recording = None
    with pytest.raises(KeyError, match="ours"):
        with timeline.record(tmp_path / "trace.json") as recording:
            launcher(nested)(np.zeros(64, np.int32))
            raise KeyError("ours")
    assert len(events_of(recording)) == 8
    assert (tmp_path / "trace.json").exists()
    assert len(events_of(recorded(launcher(nested), np.zeros(64, np.int32)))) == 8


def test_warps_with_the_same_mistake_are_one_problem():
    @cute.kernel
    def kernel(a: cute.Tensor):
        iket.range_push("open")

    with pytest.warns(UserWarning):
        recording = recorded(launcher(kernel, grid=3), np.zeros(64, np.int32))
    (problem,) = recording.problems
    assert re.fullmatch(
        r"\w+: ranges without an end: 'open' \(block \d, warp \d and 5 more warps\)", problem
    )


def test_times_of_a_gpu_keep_their_nanoseconds():
    recording = _trace.Recording()
    begin = 1_790_000_000_000_000_000  # nanoseconds since 1970, as %globaltimer tells
    events = [
        _trace._Event("cuda:0", 1, "k", 0, 0, 0, kind, None, begin + 32 * kind, "load")
        for kind in (0, 1)
    ]
    _trace._Trace(recording, []).add(events)
    (shown,) = events_of(recording)
    assert shown["dur"] == 0.032


def ptx_of(kernel, options):
    compiled = cute.compile(
        launcher(kernel),
        cute.runtime.from_dlpack(np.zeros(64, np.int32)),
        options=f"--target sm_90a --no-cache --keep-ptx {options}",
    )
    return compiled.__ptx__


def cpu_code_of(kernel, options, tmp_path):
    compiled = cute.compile(
        launcher(kernel), np.zeros(64, np.int32), options=f"--target cpu --no-cache {options}"
    )
    compiled.export_to_c(tmp_path / "code.o")
    return (tmp_path / "code.o").read_bytes()


def with_and_without_marks():
    kernels = []
    for marks in (False, True):

        @cute.kernel
        def kernel(a: cute.Tensor):
            t, _, _ = cute.arch.thread_idx()
            if fairlead.const_expr(marks):
                iket.range_push("all", t)
                timeline.mark("here")
            a[t] = t
            cute.arch.sync_threads()
            if fairlead.const_expr(marks):
                iket.range_pop()

        kernels.append(kernel)
    return kernels


def test_code_for_the_cpu_has_a_timeline_with_the_option_alone(tmp_path):
    plain, marked = with_and_without_marks()
    assert cpu_code_of(marked, "", tmp_path) == cpu_code_of(plain, "", tmp_path)
    assert b"FairleadTimeline" not in cpu_code_of(marked, "", tmp_path)
    assert b"FairleadTimelineNote" in cpu_code_of(marked, "--timeline", tmp_path)


def test_gpu_code_has_a_timeline_with_the_option_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    plain, marked = with_and_without_marks()
    assert ptx_of(marked, "") == ptx_of(plain, "")
    assert "timeline" not in ptx_of(marked, "")
    recording = ptx_of(marked, "--timeline")
    assert len(re.findall("%globaltimer", recording)) == 3
    assert len(re.findall("%gridid", recording)) == 1
    assert ".visible .global .align 16 .u64 fairlead_timeline" in recording


@pytest.mark.parametrize(
    "event, message",
    [
        (lambda: timeline.mark(3), r"`timeline.mark` expects argument #0 \(name\) to be str"),
        (lambda: timeline.mark("a\nb"), r"#0 \(name\) to be printable, but got 'a\\nb'"),
        (lambda: timeline.mark("a", "b"), r"#1 \(payload\) to be a number, but got str"),
    ],
)
def test_arguments_are_checked(event, message):
    @cute.kernel
    def kernel(a: cute.Tensor):
        event()

    with pytest.raises(TypeError, match=message):
        launcher(kernel)(np.zeros(64, np.int32))


def test_wrong_recordings_are_refused():
    with (
        pytest.raises(
            ValueError,
            match=r"timeline.record: expected events_per_warp to be an int from 1 to \d+, but got 0",
        ),
        timeline.record(events_per_warp=0),
    ):
        pass
    with timeline.record(), pytest.raises(ValueError, match="no other recording"):
        with timeline.record():
            pass
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorded(launcher(nested), np.zeros(64, np.int32))


def test_events_are_for_kernels():
    @cute.jit
    def host(a: cute.Tensor):
        timeline.mark("host")

    with timeline.record(), pytest.raises(RuntimeError, match="only known inside a kernel"):
        host(np.zeros(4, np.int32))
