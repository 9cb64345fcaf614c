"""quack-kernels, a published library of kernels, through fairlead.compat: results against PyTorch, and times.

    pip download --no-deps quack-kernels==0.3.7 -d DOWNLOADS
    python -m zipfile -e DOWNLOADS/quack_kernels-0.3.7-*.whl FOLDER
    python tests/gpu/quack_programs.py FOLDER [--times | --compile | --device cpu] [--only NAME]

--times      also measures each program (microseconds, best of 3 rounds) beside torch's and torch.compile's own
--compile    compiles everything for cuda:sm_90a and runs nothing: needs no GPU
--device cpu the programs on the CPU, small ones
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", help="where the wheel is unpacked")
parser.add_argument("--times", action="store_true")
parser.add_argument("--compile", action="store_true")
parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
parser.add_argument("--only", choices=["softmax", "cross_entropy", "rmsnorm", "layernorm", "gemm"])
options = parser.parse_args()

sys.path.insert(0, options.folder)
os.environ["QUACK_CACHE_ENABLED"] = "0"  # what it keeps on disk is not what is looked at here

import fairlead.compat  # noqa: E402, F401  the names it imports

if options.compile or options.device == "cpu":
    from fairlead.compat import _cpu_device

    _cpu_device.install()
if options.compile:
    os.environ["FAIRLEAD_TARGET"] = "cuda:sm_90a"

import torch  # noqa: E402
from fairlead import cute  # noqa: E402

compiled_functions: list[str] = []
if options.compile:
    _compile = cute.compile

    def compile_only(function, *arguments, **keywords):
        compiled = _compile[cute.KeepCUBIN(True)](function, *arguments, **keywords)
        assert compiled.__cubin__, "ptxas made nothing"
        compiled_functions.append(type(function).__name__)
        return lambda *_, **__: None

    cute.compile = compile_only

import quack  # noqa: E402
from quack.cross_entropy import cross_entropy as quack_cross_entropy  # noqa: E402
from quack.rmsnorm import layernorm_fwd  # noqa: E402

functional = torch.nn.functional
TOLERANCE = {torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 4e-2}


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, dtype=dtype, device="cuda").requires_grad_()


def worst(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest difference, relative to the largest number there is, at least 1."""
    found, wanted = found.detach().float(), wanted.detach().float()
    return ((found - wanted).abs().max() / wanted.abs().max().clamp(min=1)).item()


def compared(program, reference, inputs) -> float:
    """The largest difference of results and of gradients."""
    out, wanted = program(), reference()
    errors = [worst(out, wanted)]
    gradient = torch.randn_like(out)
    got = torch.autograd.grad(out, inputs, gradient)
    expected = torch.autograd.grad(wanted, inputs, gradient.to(wanted.dtype))
    errors += [worst(a, b) for a, b in zip(got, expected, strict=True)]
    return max(errors) if all(e == e for e in errors) else float("nan")


def softmax(m, n, dtype):
    x = random(m, n, dtype=dtype)
    return lambda: quack.softmax(x), lambda: torch.softmax(x.float(), -1), [x]


def cross_entropy(m, n, dtype):
    x = random(m, n, dtype=dtype)
    target = torch.randint(0, n, (m,), device="cuda")
    return (
        lambda: quack_cross_entropy(x, target, reduction="none"),
        lambda: functional.cross_entropy(x.float(), target, reduction="none"),
        [x],
    )


def rmsnorm(m, n, dtype):
    x, weight, bias = random(m, n, dtype=dtype), random(n), random(n)
    return (
        lambda: quack.rmsnorm(x, weight, bias, eps=1e-5),
        lambda: functional.rms_norm(x.float(), (n,), weight, 1e-5) + bias,
        [x, weight, bias],
    )


def layernorm(m, n, dtype):
    x, weight, bias = random(m, n, dtype=dtype), random(n), random(n)
    return (
        lambda: layernorm_fwd(x.detach(), weight.detach(), bias.detach(), eps=1e-5),
        lambda: functional.layer_norm(x.float(), (n,), weight, bias, 1e-5),
        [],
    )


def gemm(m, n, dtype):
    from quack.gemm_interface import gemm as multiply

    k = 256
    a = torch.randn(m, k, dtype=dtype, device="cuda")
    b = torch.randn(k, n, dtype=dtype, device="cuda")
    return (
        lambda: multiply(a, b, tuned=False),
        lambda: (a.float() @ b.float()).to(dtype),
        [],
    )


def checked(program, reference, inputs) -> float:
    if inputs:
        return compared(program, reference, inputs)
    return worst(program(), reference())


def microseconds(run) -> float:
    for _ in range(10):
        run()
    best = float("inf")
    for _ in range(3):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(50):
            run()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) * 1e3 / 50)
    return best


ROWS = 7 if options.device == "cpu" or options.compile else 4096
WIDTHS = [192, 256, 1000, 4096, 8192]
if options.device == "cuda":  # rows over clusters of 2, 4, 8 and 16 blocks
    WIDTHS += [16384, 32768, 65536, 131072, 262144]
CASES = {
    "softmax": (softmax, WIDTHS),
    "cross_entropy": (cross_entropy, WIDTHS),
    "rmsnorm": (rmsnorm, WIDTHS),
    # Of widths that are no multiple of its tile the library counts zeros as elements of the row.
    "layernorm": (layernorm, [width for width in WIDTHS if width % 256 == 0]),
    "gemm": (gemm, [] if options.device == "cpu" else [256, 4096]),
}


def run_case(name, make, width, dtype) -> bool:
    rows = max(4, min(ROWS, 2**26 // width)) if ROWS > 7 else ROWS
    if name == "gemm":
        rows = 512
    label = f"{name} {rows} x {width} {str(dtype).removeprefix('torch.')}"
    torch.manual_seed(1)
    began = time.perf_counter()
    try:
        program, reference, inputs = make(rows, width, dtype)
        if options.compile:
            compiled_functions.clear()
            out = program()
            if inputs:
                torch.autograd.grad(out.sum(), inputs)
            print(f"{label}: compiled {', '.join(compiled_functions) or 'nothing new'}")
            return True
        error = checked(program, reference, inputs)
    except Exception:
        traceback.print_exc(limit=-4)
        print(f"{label}: FAILED")
        return False
    good = error <= TOLERANCE[dtype]
    text = f"{label}: {'ok' if good else 'WRONG'}, difference {error:.2e}, {time.perf_counter() - began:.1f} s"
    if options.times and good and width >= 4096:
        first = microseconds(lambda: program())
        other = microseconds(lambda: reference())
        text += f"; forward {first:.1f} us, torch {other:.1f} us"
        if inputs:
            gradient = torch.randn_like(program())
            both = microseconds(lambda: torch.autograd.grad(program(), inputs, gradient))
            wide = gradient.float()
            theirs = microseconds(lambda: torch.autograd.grad(reference(), inputs, wide))
            text += f"; with backward {both:.1f} us, torch {theirs:.1f} us"
        text += f"; {2 * rows * width * dtype.itemsize / first / 1e6:.2f} TB/s forward"
    print(text, flush=True)
    return good


def main() -> int:
    failed = total = 0
    print(f"quack-kernels {quack.__version__}")
    for name, (make, widths) in CASES.items():
        if options.only and name != options.only:
            continue
        for width in widths:
            for dtype in (torch.bfloat16, torch.float16, torch.float32):
                if dtype == torch.float32 and (width > 131072 or name == "gemm"):
                    continue  # more than its shared memory takes, by its own words
                total += 1
                failed += not run_case(name, make, width, dtype)
    print(f"{total - failed} of {total} passed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
