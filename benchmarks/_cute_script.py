"""The program that `cute_dsl.py` measures: written with the published names, run unchanged by both implementations.

It answers requests on its standard input, one JSON list each: `["call", CASE, COUNT]` with the seconds that COUNT calls
take, `["compile", CASE]` with the seconds of one compile. Its first line lists the cases of calls.
"""

import json
import os
import sys
from time import perf_counter
from typing import NamedTuple

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")

# Run by its path alone, a script's folder is not searched.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import _cute_gemm
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32

#: Launches between two waits for the GPU: below the depth of the driver's queue.
BURST = 256


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
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream):
    grid = [cute.ceil_div(c.shape[0], 128), 1, 1]
    device_add(a, b, c).launch(grid=grid, block=[128, 1, 1], stream=stream)


@cute.jit
def add_default(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    grid = [cute.ceil_div(c.shape[0], 128), 1, 1]
    device_add(a, b, c).launch(grid=grid, block=[128, 1, 1])


@cute.jit
def add_mixed(pair: Pair, b: cute.Tensor, c: cute.Tensor, mask, count: Int32, stream):
    grid = [cute.ceil_div(c.shape[0], 128), 1, 1]
    device_add(pair.a, b, c).launch(grid=grid, block=[128, 1, 1], stream=stream)


@cute.jit
def nothing(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    pass


@cute.kernel
def device_chain(x: cute.Tensor, y: cute.Tensor, count: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    value = x[thread]
    for _ in cutlass.range_constexpr(count):
        value = value * 1.5 + 2.0
    y[thread] = value


@cute.jit
def chain(x: cute.Tensor, y: cute.Tensor, count: cutlass.Constexpr):
    device_chain(x, y, count).launch(grid=[1, 1, 1], block=[128, 1, 1])


def fakes(count):
    n = cute.sym_int()
    return [cute.runtime.make_fake_compact_tensor(Float32, (n,)) for _ in range(count)]


def env_stream():
    return cute.runtime.make_fake_stream(use_tvm_ffi_env_stream=True)


def compiled(case):
    options = "--enable-tvm-ffi"
    if case == "nothing":
        return cute.compile(nothing, *fakes(3), options=options)
    if case == "add":
        return cute.compile(add, *fakes(3), env_stream(), options=options)
    if case == "add_mixed":
        x, y, z = fakes(3)
        pair = Pair(x, Float32(1.0))
        return cute.compile(add_mixed, pair, y, z, None, Int32(1), env_stream(), options=options)
    if case in ("gemm", "takes", "plain"):
        program = _cute_gemm.Gemm() if case == "gemm" else getattr(_cute_gemm, case)
        return cute.compile(program, *_cute_gemm.matrices(), env_stream(), options=options)
    return cute.compile(chain, *fakes(2), int(case), options=options)


def cases():
    """The calls that are measured, each by its name; without a GPU none, as the peer has no other target."""
    if not torch.cuda.is_available():
        return {}
    a, b, c = (torch.ones(128, device="cuda") for _ in range(3))
    empty, launch, mixed = compiled("nothing"), compiled("add"), compiled("add_mixed")
    matrices = [torch.ones(1, 256, 256, device="cuda").half().permute(1, 2, 0) for _ in range(3)]
    takes, plain, gemm = compiled("takes"), compiled("plain"), compiled("gemm")
    gemm(*matrices)
    assert (matrices[2] == 256).all(), "the product is wrong"
    static = [cutlass.cute.runtime.from_dlpack(x) for x in (a, b, c)]

    def direct():
        add_default(*static)

    times = {
        "no launch": lambda: empty(a, b, c),
        "launch": lambda: launch(a, b, c),
        "launch, by name": lambda: launch(c=c, a=a, b=b),
        "launch, NamedTuple and None": lambda: mixed(Pair(a, 1.0), b, c, None, 1),
        "three matrices": lambda: plain(*matrices),
        "three descriptors": lambda: takes(*matrices),
        "direct call": direct,
    }
    for name, call in times.items():
        c.zero_()
        call()
        torch.cuda.synchronize()
        assert name == "no launch" or name.startswith("three") or (c == 2).all(), name
    return times


def seconds(call, count):
    total = 0.0
    while count > 0:
        part = range(min(count, BURST))
        start = perf_counter()
        for _ in part:
            call()
        total += perf_counter() - start
        torch.cuda.synchronize()
        count -= len(part)
    return total


def main():
    calls = cases()
    print(json.dumps(list(calls)), flush=True)
    for line in sys.stdin:
        kind, case, *count = json.loads(line)
        if kind == "call":
            answer = seconds(calls[case], *count)
        else:
            start = perf_counter()
            compiled(case)
            answer = perf_counter() - start
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
