"""What a call from Python costs: Fairlead and apache-tvm-ffi call the same symbol, by turns, in one process.

Every time includes the loop around the call, whose own time is the last row.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
from collections.abc import Callable
from typing import Any

import _harness
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


def timers(address: int, **options: Any) -> dict[str, Callable[..., Any]]:
    functions = {"fairlead": ffi.make_function(address, views=True, **options)}
    theirs = peer(address)
    if theirs is not None:
        functions[PEER] = theirs
    return functions


def measure(rounds: int) -> list[Row]:
    nop = symbol("nop")
    tensors = [torch.zeros(1024) for _ in range(3)]
    arrays = [np.zeros(1024, "float32") for _ in range(3)]
    rows = []

    def case(name: str, address: int, *args: Any) -> dict[str, list[float]]:
        samples = interleave({who: loop(f, *args) for who, f in timers(address).items()}, rounds)
        rows.append(compare(name, samples, "fairlead", PEER))
        return samples

    checks = compiled_checks()
    if checks is not None:
        case("3 torch CPU tensors, generated checks", checks, *tensors)
    case("3 torch CPU tensors", nop, *tensors)
    rows[-1].detail = parts(nop, tensors, rounds)
    case("3 torch CPU tensors, 2 ints", nop, *tensors, 1, 2)
    case("2 ints", nop, 1, 2)
    case("no argument", nop)
    case("3 NumPy arrays", nop, *arrays)
    case("8 torch CPU tensors", nop, *(torch.zeros(16) for _ in range(8)))
    names = ffi.make_function(nop, views=True, arg_names=("a", "b", "c"))
    by_name = dict(zip("abc", tensors, strict=True))
    keyword = interleave({"fairlead": loop(names, **by_name)}, rounds)
    rows.append(compare("3 torch CPU tensors by name", keyword, "fairlead"))
    rows.append(
        compare("the loop alone", interleave({"fairlead": empty_loop()}, rounds), "fairlead")
    )
    return rows


def parts(address: int, tensors: list[torch.Tensor], rounds: int) -> str:
    """What of a call is fixed, what each tensor adds, and what releasing the GIL adds."""
    held = ffi.make_function(address, views=True, release_gil=False)
    released = ffi.make_function(address, views=True)
    samples = interleave(
        {
            "none": loop(held),
            "three": loop(held, *tensors),
            "released": loop(released, *tensors),
            "loop": empty_loop(),
        },
        rounds,
    )
    median = {name: statistics.median(times) * 1e9 for name, times in samples.items()}
    return (
        f"fixed {median['none'] - median['loop']:.0f} ns, each tensor {(median['three'] - median['none']) / 3:.0f} ns, "
        f"releasing the GIL {median['released'] - median['three']:.0f} ns, the loop {median['loop']:.0f} ns"
    )


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure))
