"""The cost of a call from Python: Fairlead and apache-tvm-ffi, in alternation, in one process.

The first rows are calls of a library in C++, compiled with each project's headers, above the time of calling an empty
Python function. In the other rows both call the same symbol, which does nothing; these times include the loop around
the call, whose own time is the last row.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _harness
import _native
import numpy as np
import torch
from _harness import Row, compare, empty_loop, interleave, loop

from fairlead import ffi

PEER = "apache-tvm-ffi"


def symbol(name: str) -> int:
    """A function that does nothing, from the library of the tests: what remains is the way there."""
    path = _harness.build_dir() / "tests" / "python" / "ffi" / "libfairlead_test_kernels.so"
    return ctypes.cast(getattr(ctypes.CDLL(str(path)), f"__tvm_ffi_{name}"), ctypes.c_void_p).value


def compiled_checks() -> int | None:
    """The entry of a compiled function of three tensors that launches nothing; None without a compiler."""
    try:
        from fairlead import cute

        cute.jit  # noqa: B018
    except ImportError:
        return None

    @cute.jit
    def nothing(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        pass

    try:
        n = cute.sym_int()
        fakes = [cute.runtime.make_fake_compact_tensor(cute.Float32, (n,)) for _ in range(3)]
        function = cute.compile(nothing, *fakes, options="--target cpu")
    except ImportError:
        return None
    _kept.append(function)
    return function.artifact.entry()


_kept: list[Any] = []


def peer(address: int) -> Callable[..., Any] | None:
    """The symbol as a function of the peer's package; None where it is not installed."""
    try:
        import tvm_ffi
    except ImportError:
        return None
    return tvm_ffi.Function.__from_extern_c__(address)


def libraries() -> dict[str, Any]:
    """A library of empty functions, compiled with each project's headers and loaded by that project's package."""
    loaded = {}
    with tempfile.TemporaryDirectory() as folder:
        for side in _native.sides():
            path = side.build_library(
                Path(__file__).parent / "cpp" / "empty_functions.cpp",
                Path(folder) / f"libempty_{side.name}.so".replace("-", "_"),
            )
            if side.name == _native.OWN:
                loaded[side.name] = ffi.load_module(path)
                continue
            try:
                import tvm_ffi
            except ImportError:
                continue
            loaded[side.name] = tvm_ffi.load_module(str(path))
    return loaded


def empty() -> None:
    """The empty call."""


def measure_libraries(rounds: int) -> list[Row]:
    """Calls of compiled functions, above an empty call."""
    torch_tensors = tuple(torch.zeros(1024) for _ in range(3))
    arrays = tuple(np.zeros(1024, "float32") for _ in range(3))
    wanted = {
        "C++ library of TensorViews: 3 torch CPU tensors": ("views", torch_tensors),
        "C++ library of TensorViews: 3 NumPy arrays": ("views", arrays),
        "C++ library of Tensors: 3 torch CPU tensors": ("tensors", torch_tensors),
        "C++ library of Tensors: 3 NumPy arrays": ("tensors", arrays),
        "C++ library: 2 ints": ("ints", (1, 2)),
    }
    timers: dict[Any, Any] = {"empty": loop(empty)}
    for side, library in libraries().items():
        for case, (name, args) in wanted.items():
            timers[case, side] = loop(getattr(library, name), *args)
    samples = interleave(timers, rounds)
    above = {
        key: [time - none for time, none in zip(times, samples["empty"], strict=True)]
        for key, times in samples.items()
    }
    return [
        compare(
            f"{case}, above an empty call", above, (case, _native.OWN), (case, PEER), peer_name=PEER
        )
        for case in wanted
    ]


def cases() -> dict[str, tuple[int, tuple[Any, ...]]]:
    """The symbol and the arguments of each case that has a peer."""
    nop = symbol("nop")
    tensors = tuple(torch.zeros(1024) for _ in range(3))
    found = {
        "3 torch CPU tensors": (nop, tensors),
        "3 torch CPU tensors, 2 ints": (nop, (*tensors, 1, 2)),
        "8 torch CPU tensors": (nop, tuple(torch.zeros(16) for _ in range(8))),
        "3 NumPy arrays": (nop, tuple(np.zeros(1024, "float32") for _ in range(3))),
        "2 ints": (nop, (1, 2)),
        "no argument": (nop, ()),
    }
    checks = compiled_checks()
    if checks is not None:
        found = {"3 torch CPU tensors, generated checks": (checks, tensors), **found}
    return found


def measure(rounds: int) -> list[Row]:
    timers, named = {}, {}
    for case, (address, args) in cases().items():
        named[case] = (case, (case, PEER))
        timers[case] = loop(ffi.make_function(address, views=True), *args)
        theirs = peer(address)
        if theirs is not None:
            timers[case, PEER] = loop(theirs, *args)
    nop = symbol("nop")
    by_name = dict(zip("abc", (torch.zeros(1024) for _ in range(3)), strict=True))
    timers["by name"] = loop(ffi.make_function(nop, views=True, arg_names=tuple("abc")), **by_name)
    held = ffi.make_function(nop, views=True, release_gil=False)
    timers["held"] = loop(held, *by_name.values())
    timers["held, no argument"] = loop(held)
    timers["loop"] = empty_loop()
    samples = interleave(timers, rounds)
    rows = [
        compare(case, samples, own, theirs, peer_name=PEER) for case, (own, theirs) in named.items()
    ]
    for row in rows:
        if row.case == "3 torch CPU tensors":
            row.detail = parts(samples)
    rows.append(compare("3 torch CPU tensors by name", samples, "by name"))
    rows.append(compare("the loop alone", samples, "loop"))
    return measure_libraries(rounds) + rows


def parts(samples: dict[Any, list[float]]) -> str:
    """Return the fixed part of a call, the cost of each tensor, and that of releasing the GIL."""
    median = {name: statistics.median(times) * 1e9 for name, times in samples.items()}
    none, three, around = median["held, no argument"], median["held"], median["loop"]
    return (
        f"fixed {none - around:.0f} ns, each tensor {(three - none) / 3:.0f} ns, releasing the GIL "
        f"{median['3 torch CPU tensors'] - three:.0f} ns, the loop {around:.0f} ns"
    )


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure))
