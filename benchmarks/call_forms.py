"""Calls of compiled functions in every form, compared with the positional call of the same function: keywords, structs,
None and defaults, and a ``@jit`` function called directly, which watches the names outside of itself. First of
functions that do nothing, so that all of the time is the call's; then, where there is a GPU, with a launch. What each
further tensor adds is the last row.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any, NamedTuple

import _harness
import numpy as np
import torch
from _harness import Row, compare, empty_loop, interleave, loop

from fairlead import Float32, Int32, cute


class Pair(NamedTuple):
    a: cute.Tensor
    scale: Float32


@cute.kernel
def device_add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * 128 + thread
    if i < c.shape[0]:
        c[i] = a[i] + b[i]


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream=None):
    device_add(a, b, c).launch(grid=cute.ceil_div(c.shape[0], 128), block=128)


@cute.jit
def mixed(pair: Pair, b: cute.Tensor, c: cute.Tensor, mask=None, count: Int32 = 1):
    device_add(pair.a, b, c).launch(grid=cute.ceil_div(c.shape[0], 128), block=128)


@cute.jit
def flat(a: cute.Tensor, scale: Float32, b: cute.Tensor, c: cute.Tensor, count: Int32):
    device_add(a, b, c).launch(grid=cute.ceil_div(c.shape[0], 128), block=128)


@cute.jit
def nothing(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    pass


@cute.jit
def nothing_mixed(pair: Pair, b: cute.Tensor, c: cute.Tensor, mask=None, count: Int32 = 1):
    pass


@cute.jit
def nothing_flat(a: cute.Tensor, scale: Float32, b: cute.Tensor, c: cute.Tensor, count: Int32):
    pass


@cute.jit
def nothing_eleven(a, b, c, d, e, f, g, h, i, j, k):
    pass


ONE = 1.0
FOUR = (lambda x: x, 2, "text", (1, 2))
N0, N1, N2, N3 = FOUR
N4, N5, N6, N7, N8, N9, N10, N11, N12, N13, N14, N15 = range(4, 16)


@cute.jit
def nothing_1(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    _ = ONE


@cute.jit
def nothing_4(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    _ = [N0, N1, N2, N3]


@cute.jit
def nothing_16(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    _ = [N0, N1, N2, N3, N4, N5, N6, N7, N8, N9, N10, N11, N12, N13, N14, N15]


def capturing() -> Any:
    first, second, third, fourth = FOUR

    @cute.jit
    def nothing_captured(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        _ = [first, second, third, fourth]

    return nothing_captured


class Config:
    block = 128

    def __init__(self) -> None:
        self.stages, self.dtype = 2, Float32


class Base:
    order = 1


class Operation(Base):
    scale = 2

    def __init__(self) -> None:
        self.config, self.offset = Config(), 3

    def size(self) -> int:
        return self.config.block * self.config.stages + self.scale + self.order + self.offset


OPERATION = Operation()
TABLE = [1, 2, 3, 4]


@cute.jit
def nothing_of_objects(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    _ = OPERATION.size()


@cute.jit
def nothing_of_a_list(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    _ = TABLE[0]


WATCHING = {
    "1 global": nothing_1,
    "4 globals": nothing_4,
    "16 globals": nothing_16,
    "4 captured variables": capturing(),
    "two objects and their three classes": nothing_of_objects,
    "a list of 4": nothing_of_a_list,
}


def fakes(count: int) -> list[Any]:
    n = cute.sym_int()
    return [cute.runtime.make_fake_compact_tensor(Float32, (n,)) for _ in range(count)]


def timers(three: Any, mix: Any, plain: Any, device: str) -> dict[str, Any]:
    """Return the timers of one set of functions: by position, by name, structs, direct."""
    target = "cpu" if device == "cpu" else None
    options = None if target is None else f"--target {target}"
    a, b, c = (torch.zeros(128, device=device) for _ in range(3))
    positional = cute.compile(three, *fakes(3), options=options)
    x, y, z = fakes(3)
    structs = cute.compile(mix, Pair(x, Float32(1.0)), y, z, None, 1, options=options)
    x, y, z = fakes(3)
    fields = cute.compile(plain, x, 1.0, y, z, 1, options=options)
    three(a, b, c)
    return {
        "position": loop(positional, a, b, c),
        "names": loop(positional, a=a, b=b, c=c),
        "names in another order": loop(positional, c=c, a=a, b=b),
        "fields": loop(fields, a, 2.0, b, c, 3),
        "structs": loop(structs, Pair(a, 2.0), b, c),
        "structs by name": loop(structs, pair=Pair(a, 2.0), c=c, b=b, mask=None),
        "direct": loop(three, a, b, c),
    }


def rows(samples: dict[Any, list[float]], what: str) -> list[Row]:
    names = [
        ("3 tensors by name", "names", "position"),
        ("3 tensors by name, in another order", "names in another order", "position"),
        ("NamedTuple, None and a default", "structs", "fields"),
        ("the same by name", "structs by name", "fields"),
        ("a @jit function called directly", "direct", "position"),
    ]
    return [
        compare(f"{what}: {name}", samples, own, other, peer_name="by position")
        for name, own, other in names
    ]


def measure(rounds: int) -> list[Row]:
    own = timers(nothing, nothing_mixed, nothing_flat, "cpu")
    many = cute.compile(nothing_eleven, *fakes(11), options="--target cpu")
    three = [torch.zeros(128) for _ in range(3)]
    for name, function in WATCHING.items():
        function(*three)
        own[name] = loop(function, *three)
    own["eleven"] = loop(many, *(torch.zeros(128) for _ in range(11)))
    arrays = [np.zeros(128, np.float32) for _ in range(3)]
    nothing(*arrays)
    own["direct, arrays"] = loop(nothing, *arrays)
    own["position, arrays"] = loop(
        cute.compile(nothing, *fakes(3), options="--target cpu"), *arrays
    )
    own["loop"] = empty_loop()
    samples = interleave(own, rounds)
    report = rows(samples, "empty function")
    report += [
        compare(f"the same with {name}", samples, name, "position", peer_name="by position")
        for name in WATCHING
    ]
    report.append(
        compare(
            "the same with NumPy's arrays",
            samples,
            "direct, arrays",
            "position, arrays",
            peer_name="by position",
        )
    )
    if torch.cuda.is_available():
        report += rows(interleave(timers(add, mixed, flat, "cuda"), rounds), "with a launch")
    each = [
        (eleven - three) / 8
        for eleven, three in zip(samples["eleven"], samples["position"], strict=True)
    ]
    report.append(Row("each further torch tensor", statistics.median(each) * 1e9, "ns"))
    return report


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure))
