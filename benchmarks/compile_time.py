"""Time to compile: add_one, first in a process and warm, by phase; and long kernels, a row of multiply-adds.

Run with an argument, this file is the process that is measured: `fairlead TARGET`, `hit TARGET` (every compile
found in the disk cache), `slope TARGET`, `cutlass` or `triton`. It prints
{"first": ms, "warm": [ms...], "phases": {name: ms}}.
"""

import json
import os
import sys
import tempfile
import time
from statistics import median

_WARM = 15
_PROCESSES = 3
_CUDA = "cuda:sm_90a"


def timed(compile_once) -> dict:
    def once() -> float:
        start = time.perf_counter()
        compile_once()
        return (time.perf_counter() - start) * 1e3

    return {"first": once(), "warm": [once() for _ in range(_WARM)]}


def cute_function(cute):
    """add_one, in the language that Fairlead and CuTe DSL share; returns a function that compiles it."""

    @cute.kernel
    def device_add_one(a: cute.Tensor, b: cute.Tensor):
        block, _, _ = cute.arch.block_idx()
        thread, _, _ = cute.arch.thread_idx()
        i = block * 128 + thread
        if i < a.shape[0]:
            b[i] = a[i] + 1.0

    @cute.jit
    def add_one(a: cute.Tensor, b: cute.Tensor):
        device_add_one(a, b).launch(grid=((a.shape[0] + 127) // 128, 1, 1), block=(128, 1, 1))

    def compile_once(options: str):
        n = cute.sym_int()
        fake = cute.runtime.make_fake_compact_tensor
        return cute.compile(
            add_one, fake(cute.Float32, (n,)), fake(cute.Float32, (n,)), options=options
        )

    return compile_once


def measure_fairlead(target: str, options: str = "--no-cache") -> dict:
    from fairlead import cute

    compile_once = cute_function(cute)
    phases: dict[str, list[float]] = {}

    def once() -> None:
        compiled = compile_once(f"--enable-tvm-ffi {options} --target {target}")
        if not options and not compiled.cached:
            raise SystemExit("the cache had no entry")
        for name, milliseconds in compiled.phases.items():
            phases.setdefault(name, []).append(milliseconds)

    result = timed(once)
    # The first compile's phases are its own; the others' median is the warm one.
    ordered = sorted(phases, key=lambda name: name != "trace")  # tracing comes before all others
    result["phases"] = {name: median(phases[name][1:]) for name in ordered}
    result["first_phases"] = {name: phases[name][0] for name in ordered}
    return result


#: Multiply-adds on one value, of the kernels that show what each costs.
_LENGTHS = (10, 100, 1000, 4000, 10000)


def long_function(cute, count: int):
    from fairlead import range_constexpr

    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        block, _, _ = cute.arch.block_idx()
        thread, _, _ = cute.arch.thread_idx()
        i = block * 128 + thread
        if i < a.shape[0]:
            x = a[i]
            for _ in range_constexpr(count):
                x = x * 1.5 + 2.0
            b[i] = x

    @cute.jit
    def long_one(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=((a.shape[0] + 127) // 128, 1, 1), block=(128, 1, 1))

    return long_one


def measure_slope(target: str) -> dict:
    """Milliseconds for each length, without the cache: medians by the process's clock and by the wall's, and the stages
    of the compile in the middle by the wall's. The lengths take turns."""
    from fairlead import cute

    fake = cute.runtime.make_fake_compact_tensor
    cute_function(cute)(f"--no-cache --target {target}")

    def once(count: int) -> tuple:
        n = cute.sym_int()
        function = long_function(cute, count)
        wall, own = time.perf_counter(), time.process_time()
        compiled = cute.compile(
            function,
            fake(cute.Float32, (n,)),
            fake(cute.Float32, (n,)),
            options=f"--no-cache --target {target}",
        )
        wall, own = time.perf_counter() - wall, time.process_time() - own
        return wall * 1e3, own * 1e3, compiled.phases

    samples: dict[int, list] = {count: [] for count in _LENGTHS}
    for turn in range(15):
        for count in _LENGTHS:
            if count <= 1000 or turn % 5 == 0:
                samples[count].append(once(count))
    result = {}
    for count, taken in samples.items():
        ordered = sorted(taken, key=lambda sample: sample[0])
        wall, _, phases = ordered[len(ordered) // 2]
        result[count] = median(sample[1] for sample in taken), wall, phases
    return result


def slope_rows(target: str) -> list:
    from _processes import child, row

    rows = []
    # The driver's cache must not answer for its assembler.
    slopes = child(sys.executable, __file__, "slope", target, CUDA_CACHE_DISABLE="1")
    for count, (own, wall, phases) in slopes.items():
        stages = ", ".join(f"{name} {ms:.1f}" for name, ms in phases.items())
        detail = f"{own:.1f} ms of processor time, {1e3 * own / int(count):.0f} us each; {stages}"
        rows.append(row(f"{target}, {count} multiply-adds", wall, "ms", detail))
    return rows


def measure_hit(target: str) -> dict:
    """With $FAIRLEAD_CACHE_DIR filled by a process before this one."""
    return measure_fairlead(target, options="")


def fill(target: str) -> dict:
    from fairlead import cute

    cute_function(cute)(f"--target {target}")
    return {"first": 0.0, "warm": [0.0]}


def measure_cutlass() -> dict:
    import cutlass.cute as cute

    compile_once = cute_function(cute)
    return timed(lambda: compile_once("--enable-tvm-ffi"))


def measure_triton() -> dict:
    import torch
    import triton
    import triton.language as tl

    # The cache would answer a second compile of one text: a constant that differs makes each new.
    @triton.jit
    def add_one(a, b, n, BLOCK: tl.constexpr, SALT: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(b + i, tl.load(a + i, mask=i < n) + 1.0, mask=i < n)

    a = torch.zeros(1000, device="cuda")
    b = torch.zeros(1000, device="cuda")
    salt = iter(range(1000))
    return timed(lambda: add_one[(8,)](a, b, 1000, BLOCK=128, SALT=next(salt)))


def gpu_triton() -> bool:
    try:
        import torch
        import triton  # noqa: F401
    except ImportError:
        return False
    return torch.cuda.is_available()


def in_processes(python, *what: str, **environment: str) -> dict:
    """Medians over processes; the first compile needs a new one each time."""
    from _processes import child

    with tempfile.TemporaryDirectory() as cache:
        runs = [
            child(
                python,
                __file__,
                *what,
                # Neither Triton's cache nor the driver's may answer for a compiler.
                TRITON_CACHE_DIR=f"{cache}/{i}",
                CUDA_CACHE_DISABLE="1",
                **environment,
            )
            for i in range(_PROCESSES)
        ]
    return {
        "first": median(run["first"] for run in runs),
        "warm": median(taken for run in runs for taken in run["warm"]),
        "phases": runs[-1].get("phases", {}),
        "first_phases": runs[-1].get("first_phases", {}),
    }


def measure(rounds: int) -> list:
    from _harness import peers_python
    from _processes import row

    peers, peerName = None, ""
    if gpu_triton():
        peers, peerName = in_processes(sys.executable, "triton"), "Triton"
    elif peers_python():
        peers = in_processes(peers_python(), "cutlass", CUTE_DSL_ARCH="sm_90a")
        peerName = "CuTe DSL"
    rows = []
    for target in ("cpu", "cuda" if gpu_triton() else _CUDA):
        ours = in_processes(sys.executable, "fairlead", target)
        against = peers if target != "cpu" else None
        for case, phases in (("warm", "phases"), ("first", "first_phases")):
            detail = ", ".join(f"{name} {ms:.1f}" for name, ms in ours[phases].items())
            peer = against[case] if against else None
            rows.append(row(f"{target} {case}", ours[case], "ms", detail, peer, peerName))
        with tempfile.TemporaryDirectory() as folder:
            in_processes(sys.executable, "fill", target, FAIRLEAD_CACHE_DIR=folder)
            hits = in_processes(sys.executable, "hit", target, FAIRLEAD_CACHE_DIR=folder)
        for case, phases in (("warm", "phases"), ("first", "first_phases")):
            detail = ", ".join(f"{name} {ms:.2f}" for name, ms in hits[phases].items())
            rows.append(row(f"{target} {case}, from the disk cache", hits[case], "ms", detail))
        rows.extend(slope_rows(target))
    return rows


def measure_in_this_process(who: str, *arguments: str) -> None:
    measurements = {
        "fairlead": measure_fairlead,
        "hit": measure_hit,
        "fill": fill,
        "slope": measure_slope,
        "cutlass": measure_cutlass,
        "triton": measure_triton,
    }
    print(json.dumps(measurements[who](*arguments)), flush=True)
    # The compiler's work at exit is not measured, and must not spoil the line above.
    os._exit(0)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        measure_in_this_process(*sys.argv[1:])
    import _harness

    sys.exit(_harness.main(__doc__, measure, with_peers=False))
