"""Small programs of warps and mbarriers, and all orders in which their steps can happen.

A program is the arrivals that each barrier expects, and for each warp a list of steps (name, barrier, number):
"arrive"; "wait" for a parity; "expect" a number of stores and arrive; "send" a store to a word, which comes and arrives
some time later; "read" that word. Stores are bulk copies of 16 bytes.
"""

from __future__ import annotations

import linecache
import random
from typing import NamedTuple

import numpy as np

from fairlead import Float32, Int64, cute

WORDS = 6


class Program(NamedTuple):
    counts: tuple[int, ...]
    warps: tuple[tuple[tuple[str, int, int], ...], ...]


class Barrier(NamedTuple):
    phase: int
    pending: int
    stores: int  #: expected, and not there yet


def agree(program: Program) -> bool:
    """True if in every order all warps end, each step meets one phase of its barrier, and each read one store.

    No two stores to a word are under way at the same time.
    """
    begin = tuple(Barrier(0, count, 0) for count in program.counts)
    start = ((0,) * len(program.warps), begin, frozenset(), (None,) * WORDS)
    met: dict[tuple[int, int, str], object] = {}
    seen, open_states = {start}, [start]

    def after(state, step, key):
        """The state after a step; None if it must wait; False if the program is wrong."""
        places, barriers, flying, words = state
        name, at, number = step
        warp = key[0]
        following = (*places[:warp], places[warp] + 1, *places[warp + 1 :])
        if name == "read":
            same = met.setdefault((*key, name), words[number]) == words[number]
            return same and (following, barriers, flying, words)
        barrier = barriers[at]
        if name == "wait" and barrier.phase % 2 == number:
            return None
        if met.setdefault((*key, name), barrier.phase) != barrier.phase:
            return False
        if name == "send" and any(program.warps[w][p][2] == number for w, p in flying):
            return False
        phase, pending, stores = barrier
        pending -= name in ("arrive", "expect")
        stores += number if name == "expect" else -1 if name == "store" else 0
        if pending < 0:
            return False
        if name != "wait" and name != "send" and pending == 0 and stores == 0:
            phase, pending = phase + 1, program.counts[at]
        barriers = (*barriers[:at], Barrier(phase, pending, stores), *barriers[at + 1 :])
        if name == "store":
            words = (*words[:number], key, *words[number + 1 :])
            return places, barriers, flying - {key}, words
        return following, barriers, flying | {key} if name == "send" else flying, words

    while open_states:
        state = open_states.pop()
        steps = [
            (program.warps[warp][place], (warp, place))
            for warp, place in enumerate(state[0])
            if place < len(program.warps[warp])
        ]
        steps += [(("store", *program.warps[w][p][1:]), (w, p)) for w, p in state[2]]
        results = [after(state, step, key) for step, key in steps]
        if False in results or (steps and all(result is None for result in results)):
            return False
        for result in results:
            if result is not None and result not in seen:
                seen.add(result)
                open_states.append(result)
    return True


def pipeline(order: random.Random) -> Program:
    """A producer and consumers through one to three stages, by arrivals or by stores."""
    stages, consumers = order.randint(1, 3), order.randint(1, 2)
    rounds, stores = order.randint(1, 2 * stages + 1), order.randint(0, 2)
    producer, reader = [], []
    for i in range(rounds):
        stage, parity = i % stages, i // stages % 2
        producer.append(("wait", stages + stage, parity ^ 1))
        producer += (
            [("expect", stage, stores), *(("send", stage, 2 * stage + j) for j in range(stores))]
            if stores
            else [("arrive", stage, 0)]
        )
        reads = [("read", stage, 2 * stage + j) for j in range(stores)]
        reader += [("wait", stage, parity), *reads, ("arrive", stages + stage, 0)]
    counts = (1,) * stages + (consumers,) * stages
    return Program(counts, (tuple(producer), *[tuple(reader)] * consumers))


def mutated(program: Program, order: random.Random) -> Program:
    """The program with one change: a step less, twice, elsewhere or with another number, or another count."""
    counts, warps = list(program.counts), [list(warp) for warp in program.warps]
    warp = order.choice(warps)
    at = order.randrange(len(warp))
    name, barrier, number = warp[at]
    what = order.choice(("drop", "twice", "swap", "number", "barrier", "count"))
    if what == "drop" and len(warp) > 1:
        del warp[at]
    elif what == "twice":
        warp.insert(at, warp[at])
    elif what == "swap":
        other = order.randrange(len(warp))
        warp[at], warp[other] = warp[other], warp[at]
    elif what == "number":
        warp[at] = (name, barrier, number ^ 1 if name in ("wait", "send", "read") else number + 1)
    elif what == "barrier":
        warp[at] = (name, order.randrange(len(counts)), number)
    else:
        counts[barrier] += order.choice((1, -1)) if counts[barrier] > 1 else 1
    return Program(tuple(counts), tuple(tuple(warp) for warp in warps))


def random_program(seed: int) -> Program:
    order = random.Random(seed)
    program = pipeline(order)
    for _ in range(order.randint(0, 2)):
        program = mutated(program, order)
    return program


_STEPS = {
    "arrive": "cute.arch.mbarrier_arrive(bars + {0})",
    "wait": "cute.arch.mbarrier_wait(bars + {0}, {1})",
    "expect": "cute.arch.mbarrier_arrive_and_expect_tx(bars + {0}, 16 * {1})",
    "send": "cute.copy(load, source[None, {1}], words[None, {1}], mbar_ptr=bars + {0})",
    "read": "out[warp] = words[0, {1}]",
}


def host_of(program: Program, name: str, whole_warps: bool):
    """The program as a function that launches a kernel: a thread of each warp, or warps that elect one."""
    lines = [
        "@cute.kernel",
        "def kernel(source: cute.Tensor, out: cute.Tensor):",
        "    t, _, _ = cute.arch.thread_idx()",
        "    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())",
        "    memory = cute.SmemAllocator()",
        f"    words = memory.allocate_tensor(Float32, cute.make_layout((4, {WORDS})), 128)",
        "    load = cute.make_copy_atom(",
        "        cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=128",
        "    )",
        f"    bars = memory.allocate_array(Int64, {len(program.counts)})",
        "    if t == 0:",
        *(
            f"        cute.arch.mbarrier_init(bars + {at}, {count})"
            for at, count in enumerate(program.counts)
        ),
        "    cute.arch.mbarrier_init_fence()",
        "    cute.arch.cluster_arrive()",
        "    cute.arch.cluster_wait()",
    ]
    for warp, steps in enumerate(program.warps):
        lines.append(f"    if warp == {warp}:" if whole_warps else f"    if t == {32 * warp}:")
        for step, barrier, number in steps:
            text = _STEPS[step].format(barrier, number)
            if whole_warps and step != "wait":
                lines.append("        with cute.arch.elect_one():")
                text = "    " + text
            lines.append("        " + text)
    lines += [
        "@cute.jit",
        "def host(source: cute.Tensor, out: cute.Tensor):",
        f"    kernel(source, out).launch(grid=1, block={32 * len(program.warps)}, cluster=(1, 1, 1))",
    ]
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"cute": cute, "Float32": Float32, "Int64": Int64, "np": np}
    exec(compile(text, name, "exec"), names)
    return names["host"]
