"""Exported functions and the cache: loading, first calls, calls, sizes.

A library is loaded by processes that have the runtime already, as a server that loads its kernels would. From execve
to a result: a C program and the runtime libraries, nothing else. Also on the GPU, if there is one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median

_PROCESSES = 9

_LOAD = """
import json, os, sys, time
path, other, device = sys.argv[1:]
from fairlead import cute
if device == "cuda":
    import torch
    make = lambda: (torch.ones(8, device="cuda"), torch.zeros(8, device="cuda"))
else:
    import numpy as np
    make = lambda: (np.ones(8, np.float32), np.zeros(8, np.float32))
a, b = make()
# Python, the loader and the driver read these for any first library.
cute.runtime.load_module(other).other(a, b)
start = time.perf_counter()
module = cute.runtime.load_module(path)
loaded = time.perf_counter()
module.add_one(a, b)
called = time.perf_counter()
module.add_one(a, b)
again = time.perf_counter()
assert float(b[0]) == 2
print(json.dumps({"load": (loaded - start) * 1e3, "first": (called - loaded) * 1e3, "second": (again - called) * 1e3}))
"""

_PROGRAM = """
#include <stdio.h>
#include "CuteDSLRuntime.h"
int main(int argc, char **argv) {
  CuteDSLRT_Module_t *module = NULL;
  CuteDSLRT_Function_t *function = NULL;
  float x[8] = {1, 1, 1, 1, 1, 1, 1, 1}, y[8] = {0};
  struct { void *data; int32_t dynamic_shapes[1]; } a = {x, {8}}, b = {y, {8}};
  int32_t result = -1;
  void *args[3] = {&a, &b, &result};
  if (argc != 2 || CuteDSLRT_Module_Load(&module, argv[1]) ||
      CuteDSLRT_Module_Get_Function(&function, module, "add_one") || CuteDSLRT_Function_Run(function, args, 3)) {
    puts(CuteDSLRT_Get_Last_Error());
    return 1;
  }
  return y[7] == 2 ? 0 : 2;
}
"""

_HIT = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from compile_time import cute_function
from fairlead import cute
compile = cute_function(cute)
compile("--target " + sys.argv[2])
times = []
for _ in range(30):
    start = time.perf_counter()
    function = compile("--target " + sys.argv[2])
    times.append((time.perf_counter() - start) * 1e3)
    assert function.cached
times.sort()
print(json.dumps({"hit": times[len(times) // 2], "best": times[0], "phases": function.phases}))
"""


def _function(options: str):
    from compile_time import cute_function

    from fairlead import cute

    return cute_function(cute)("--no-cache " + options)


def _gpu() -> bool:
    from fairlead import _compiler

    return _compiler.device_count() > 0


def _load(folder: str, device: str) -> list:
    from _processes import child, row

    from fairlead._exported.seal import seal

    paths = []
    for name in ("add_one", "other"):
        paths.append(os.path.join(folder, f"{name}_{device}.so"))
        _function(f"--target {device}").export_library(paths[-1], function_name=name)
    key = os.path.join(folder, f"bench_{device}")
    subprocess.run(
        [sys.executable, "-m", "fairlead", "key", "new", key], check=True, stdout=subprocess.DEVNULL
    )
    signed = [path.replace(".so", "_signed.so") for path in paths]
    for path, copy in zip(paths, signed):
        shutil.copy(path, copy)
        seal(copy, key + ".key")
    rows = []
    for case, files, trusted in (("", paths, ""), (", only signed files", signed, key + ".pub")):
        runs = [
            child(sys.executable, _LOAD, *files, device, FAIRLEAD_TRUSTED_KEYS=trusted)
            for _ in range(_PROCESSES)
        ]
        load, first, second = (
            median(run[key] for run in runs) for key in ("load", "first", "second")
        )
        detail = f"load {load:.3f} + first call {first:.3f}; the second call {second:.3f}"
        rows.append(
            row(f"load_module to first call done, {device}{case}", load + first, "ms", detail)
        )
    return rows


def _program(folder: str) -> list:
    from _processes import row

    from fairlead.config import include_dir, lib_dir

    if shutil.which("gcc") is None:
        return []
    source, program = os.path.join(folder, "main.c"), os.path.join(folder, "main")
    with open(source, "w") as file:
        file.write(_PROGRAM)
    flags = [f"-L{lib_dir()}", "-lcute_dsl_runtime", f"-Wl,-rpath,{lib_dir()}"]
    flags.append(f"-Wl,-rpath-link,{lib_dir()}")
    subprocess.run(["gcc", "-O2", f"-I{include_dir()}", source, *flags, "-o", program], check=True)
    _function("--target cpu").export_to_c(file_path=folder, file_name="add_one")
    times = []
    for _ in range(51):
        start = time.perf_counter()
        subprocess.run([program, os.path.join(folder, "add_one.o")], check=True)
        times.append((time.perf_counter() - start) * 1e3)
    return [
        row("a C program, execve to result, cpu", median(times), "ms", f"best {min(times):.2f}")
    ]


def _calls(folder: str, rounds: int, device: str) -> list:
    from _harness import compare, interleave, loop

    from fairlead import cute

    if device == "cuda":
        import torch

        a, b = torch.ones(8, device="cuda"), torch.zeros(8, device="cuda")
    else:
        import numpy as np

        a, b = np.ones(8, np.float32), np.zeros(8, np.float32)
    compiled = _function(f"--target {device}")
    path = os.path.join(folder, f"called_{device}.so")
    compiled.export_library(path, function_name="add_one")
    compiled.export_to_c(file_path=folder, file_name=f"plain_{device}", function_prefix="add_one")
    timers = {
        "jit": loop(compiled, a, b),
        "loaded": loop(cute.runtime.load_module(path).add_one, a, b),
        "plain": loop(
            cute.runtime.load_module(os.path.join(folder, f"plain_{device}.o")).add_one, a, b
        ),
    }
    samples = interleave(timers, rounds=rounds)
    return [
        compare(f"call of a loaded function, {device}", samples, "loaded", "jit", peer_name="compiled here"),
        compare(f"call of a loaded plain C one, {device}", samples, "plain", "jit", peer_name="compiled here"),
    ]  # fmt: skip


def _hits(folder: str) -> list:
    from _processes import child, row

    here = os.path.dirname(os.path.abspath(__file__))
    environment = {
        "FAIRLEAD_CACHE_DIR": os.path.join(folder, "cache"),
        "FAIRLEAD_NO_CACHE": "0",
        "CUTE_DSL_DISABLE_FILE_CACHING": "0",
    }
    rows = []
    for target in ("cpu", "cuda:sm_90a"):
        child(sys.executable, _HIT, here, target, **environment)  # fills it
        runs = [child(sys.executable, _HIT, here, target, **environment) for _ in range(3)]
        case = f"hit of compile(add_one), tracing and loading included, {target}"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in runs[0]["phases"].items())
        detail = f"best {min(run['best'] for run in runs):.2f}; the last one: {parts}"
        rows.append(row(case, median(run["hit"] for run in runs), "ms", detail))
    return rows


def _sizes(folder: str) -> list:
    from _processes import row

    from fairlead.config import lib_dir

    rows = []
    for target in ("cuda:sm_90a", "cuda:sm_90", "cpu"):
        function = _function(f"--target {target}")
        function.export_to_c(os.path.join(folder, "open.o"), function_name="add_one")
        function.export_to_c(file_path=folder, file_name="plain", function_prefix="add_one")
        for abi in ("open", "plain"):
            size = os.path.getsize(os.path.join(folder, f"{abi}.o")) / 1024
            name = {"open": "TVM FFI", "plain": "plain C"}[abi]
            rows.append(row(f"object of add_one, {target}, {name}", size, "KB"))
    total, detail = 0, []
    for name in ("libtvm_ffi.so", "libcuda_dialect_runtime.so", "libcute_dsl_runtime.so"):
        path = os.path.join(folder, name)
        shutil.copy(os.path.join(lib_dir(), name), path)
        if shutil.which("strip"):
            subprocess.run(["strip", path], check=True)
        total += os.path.getsize(path)
        detail.append(f"{name} {os.path.getsize(path) / 1e6:.2f}")
    rows.append(row("runtime libraries, stripped", total / 1e6, "MB", "; ".join(detail)))
    return rows


def measure(rounds: int) -> list:
    devices = ["cpu"] + (["cuda"] if _gpu() else [])
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for device in devices:
            if shutil.which("gcc"):
                rows += _load(folder, device)
                rows += _calls(folder, rounds, device)
        return rows + _program(folder) + _hits(folder) + _sizes(folder)


if __name__ == "__main__":
    import _harness

    sys.exit(_harness.main(__doc__, measure, with_peers=False))
