"""One kernel from source to result: compiled, checked, called from NumPy and PyTorch, exported.

`./run demo` runs it. The CPU always takes part, and a GPU if there is one.
"""

import inspect
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

import fairlead
from fairlead import cute


@cute.kernel
def device_add_one(a: cute.Tensor, b: cute.Tensor):
    threads_per_block = 128
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * threads_per_block + thread
    if i < a.shape[0]:
        b[i] = a[i] + 1.0


@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    n = a.shape[0]
    threads_per_block = 128
    blocks = (n + threads_per_block - 1) // threads_per_block
    device_add_one(a, b).launch(grid=(blocks, 1, 1), block=(threads_per_block, 1, 1))


def title(text: str) -> None:
    print(f"\n\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else f"\n{text}")


def source_of(function) -> str:
    # A decorated function knows the one it was made of.
    return inspect.getsource(inspect.unwrap(function)).rstrip()


def compile_for(target: str):
    """Compiles add_one for tensors of any one length; returns it and the milliseconds it took."""
    n = cute.sym_int()
    a = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    b = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    start = time.perf_counter()
    compiled = cute.compile(add_one, a, b, options=f"--enable-tvm-ffi --target {target}")
    return compiled, (time.perf_counter() - start) * 1e3


def show_compile(target: str):
    first, first_ms = compile_for(target)
    compiled, again_ms = compile_for(target)
    stages = sorted(compiled.phases.items(), key=lambda stage: stage[0] != "trace")
    phases = ", ".join(f"{name} {ms:.1f}" for name, ms in stages)
    print(f"  first in this process  {first_ms:6.1f} ms")
    print(f"  again                  {again_ms:6.1f} ms ({phases})")
    return compiled


def nanoseconds(call, repeat: int = 2000, rounds: int = 15) -> float:
    """Median time of one call, the loop included."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(repeat):
            call()
        times.append((time.perf_counter_ns() - start) / repeat)
    return statistics.median(times)


def show_rejected(call) -> None:
    try:
        call()
    except (TypeError, ValueError) as error:
        print(f"  {type(error).__name__}: {error}")
    else:
        sys.exit("demo: a call that does not fit the signature was taken")


def check(result, expected, what: str) -> None:
    if not np.array_equal(np.asarray(result), expected):
        sys.exit(f"demo: {what} gave {result}, expected {expected}")


def show_export(compiled, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    object_file, library = folder / "add_one.o", folder / "add_one.so"
    compiled.export_to_c(str(object_file), function_name="add_one")
    libraries = cute.runtime.find_runtime_libraries()
    subprocess.run(["gcc", "-shared", "-o", library, object_file, *libraries], check=True)
    print(f"  {library} ({library.stat().st_size} bytes)")
    print(f"  load it with: fairlead.cute.runtime.load_module({str(library)!r}).add_one(a, b)")
    # In a process of its own, to show that the file is enough: the compiler is not loaded there.
    program = (
        "import sys; import numpy as np; from fairlead import cute\n"
        f"module = cute.runtime.load_module({str(library)!r})\n"
        "a = np.arange(5, dtype=np.float32); b = np.empty_like(a); module.add_one(a, b)\n"
        "loaded = 'libfairlead.so' in open('/proc/self/maps').read()\n"
        "print(f'  in a new process: {b}, compiler loaded: {loaded}')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def show_cpu(folder: Path) -> None:
    title("Compiled for the CPU")
    compiled = show_compile("cpu")
    print(f"  signature: {compiled.signature}")

    title("Called with NumPy arrays")
    a = np.arange(10, dtype=np.float32)
    b = np.empty_like(a)
    compiled(a, b)
    print(f"  {a}\n  {b}")
    check(b, a + 1, "the call with NumPy arrays")

    title("Called with PyTorch tensors")
    x, y = torch.linspace(0, 1, 5), torch.empty(5)
    compiled(x, y)
    print(f"  {x}\n  {y}")
    check(y, x.numpy() + np.float32(1), "the call with PyTorch tensors")

    title("A call that does not fit is rejected")
    show_rejected(lambda: compiled(x, y[:3]))

    title("Time of a call, checks and kernel included")
    print(f"  NumPy, 10 elements     {nanoseconds(lambda: compiled(a, b)):6.0f} ns")
    print(f"  PyTorch, 5 elements    {nanoseconds(lambda: compiled(x, y)):6.0f} ns")

    title("Exported")
    show_export(compiled, folder)


def show_gpu() -> None:
    title(f"Compiled for the GPU ({torch.cuda.get_device_name(0)})")
    compiled = show_compile("cuda")
    print(f"  target: {compiled.target}")
    x = torch.linspace(0, 1, 5, device="cuda")
    y = torch.empty_like(x)
    compiled(x, y)
    print(f"  {y}")
    check(y.cpu(), (x + 1).cpu().numpy(), "the call on the GPU")
    show_rejected(lambda: compiled(x, torch.empty(5)))
    print(f"  one call, launch included: {nanoseconds(lambda: compiled(x, y)):.0f} ns")


def main() -> None:
    print(f"Fairlead {fairlead.__version__}")
    title("The kernel")
    for function in (device_add_one, add_one):
        print("\n".join(f"  {line}" for line in source_of(function).splitlines()))
    default = Path(fairlead.__file__).parents[2] / "demo"
    show_cpu(Path(os.environ.get("FAIRLEAD_DEMO_DIR", default)))
    if torch.cuda.is_available():
        show_gpu()
    else:
        print("\nPyTorch shows no GPU here; the same kernel compiles for one with --target cuda.")


if __name__ == "__main__":
    main()
