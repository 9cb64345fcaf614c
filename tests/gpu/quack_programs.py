"""quack-kernels, a published library of kernels, through fairlead.compat: results against PyTorch, and times.

    pip download --no-deps quack-kernels==0.3.7 -d DOWNLOADS
    python -m zipfile -e DOWNLOADS/quack_kernels-0.3.7-*.whl FOLDER
    python tests/gpu/quack_programs.py FOLDER [--times | --compile | --device cpu] [--only NAME]

--times      also measures each program (microseconds, best of 3 rounds), and torch's and torch.compile's
--compile    compiles everything for cuda:sm_90a and runs nothing: needs no GPU
--device cpu the programs on the CPU, small ones
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import tempfile
import time
import traceback

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", help="where the wheel is unpacked")
parser.add_argument("--times", action="store_true")
parser.add_argument("--compile", action="store_true")
parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
parser.add_argument("--only", choices=["softmax", "cross_entropy", "rmsnorm", "layernorm", "gemm"])
options = parser.parse_args()

sys.path.insert(0, os.path.abspath(options.folder))
os.environ["QUACK_CACHE_ENABLED"] = "0"  # what it keeps on disk is not what is looked at here

import fairlead.compat  # noqa: E402, F401  the names it imports

if options.compile or options.device == "cpu":
    from fairlead.compat import _cpu_device

    _cpu_device.install()
if options.compile:
    os.environ["FAIRLEAD_TARGET"] = "cuda:sm_90a"
    os.chdir(tempfile.mkdtemp())  # code that is kept is also written to files

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


GEMMS = {
    "plain": {},
    "pingpong": {"pingpong": True},
    "not persistent": {"persistent": False},
    "bias": {"bias": True},
    "C": {"c": True},
    "alpha": {"alpha": 0.5},
}


def gemm(m, n, dtype, kind="plain", cluster=1):
    """D (1, m, n) = A (1, m, k) B (1, n, k), as the library's functions for torch call it."""
    from quack.gemm import gemm as multiply

    choice = GEMMS[kind]
    k = 256 if m <= 512 else 4096
    a = torch.randn(1, m, k, dtype=dtype, device="cuda") / k**0.5
    b = torch.randn(1, n, k, dtype=dtype, device="cuda")
    bias = torch.randn(1, n, device="cuda") if "bias" in choice else None
    c = torch.randn(1, m, n, dtype=dtype, device="cuda") if "c" in choice else None
    out = torch.empty(1, m, n, dtype=dtype, device="cuda")
    alpha = choice.get("alpha", 1.0)
    keywords = {key: value for key, value in choice.items() if key in ("pingpong", "persistent")}

    def program():
        tile = (128, 128) if m <= 512 or kind == "pingpong" else (128, 256)
        multiply(a, b, out, c, None, *tile, cluster, 1, rowvec_bias=bias, alpha=alpha, **keywords)
        return out

    def reference():
        wanted = alpha * (a @ b.mT).float() if m > 512 else alpha * a.float() @ b.float().mT
        wanted = wanted if bias is None else wanted + bias[:, None, :]
        return wanted if c is None else wanted + c.float()

    def torchs():
        return torch.matmul(a, b.mT)

    return program, reference if m <= 512 else torchs, []


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
    # If a width is not a multiple of its tile, the library counts zeros as elements of the row.
    "layernorm": (layernorm, [width for width in WIDTHS if width % 256 == 0]),
}


def run_gemms() -> list[bool]:
    """Small products of every kind, and a large one."""
    results = []
    for dtype in (torch.bfloat16, torch.float16):
        for kind in GEMMS:
            make = functools.partial(gemm, kind=kind)
            results.append(run_case(f"gemm {kind}", make, 384, dtype, 256))
        if options.device == "cuda":
            make = functools.partial(gemm, cluster=2)
            results.append(run_case("gemm cluster 2", make, 512, dtype, 512))
            results.append(run_case("gemm large", make, 8192, dtype, 8192))
    return results


def run_case(name, make, width, dtype, rows=0) -> bool:
    rows = rows or (max(4, min(ROWS, 2**26 // width)) if ROWS > 7 else ROWS)
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
        if name.startswith("gemm"):
            text += f"; {2 * rows * width * 4096 / first / 1e6:.0f} TFLOP/s"
        else:
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
                if dtype == torch.float32 and width > 131072:
                    continue  # more than its shared memory takes, by its own words
                total += 1
                failed += not run_case(name, make, width, dtype)
    if options.only in (None, "gemm"):
        results = run_gemms()
        total += len(results)
        failed += results.count(False)
    print(f"{total - failed} of {total} passed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
