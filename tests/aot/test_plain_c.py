"""The plain C ABI, linked into C and C++ programs."""

import os
import re

import aot_kernels
import numpy as np
import pytest

import fairlead
from fairlead import cute

COMPILERS = [
    ("gcc", ".c", "-std=c99"),
    ("gcc", ".cpp", "-std=c++11"),
    ("clang-22", ".c", "-std=c99"),
    ("clang-22", ".cpp", "-std=c++20"),
]

ADD_ONE = """
#include <stdio.h>
#include "add.h"
int main(void) {
  float x[300], y[300];
  int i;
  add_one_Tensor_a_t a;
  add_one_Tensor_b_t b;
  add_one_Kernel_Module_t module;
  for (i = 0; i < 300; ++i) { x[i] = (float)i; y[i] = -1; }
  a.data = x; a.dynamic_shapes[0] = 300;
  b.data = y; b.dynamic_shapes[0] = 300;
  if (add_one_Kernel_Module_Load(&module) != 0) return 1;
  printf("%d\\n", cute_dsl_add_one_wrapper(&module, &a, &b));
  for (i = 0; i < 300; ++i) if (y[i] != x[i] + 1) return 2;
  b.dynamic_shapes[0] = 299;
  printf("%d\\n", cute_dsl_add_one_wrapper(&module, &a, &b));
  puts(FairleadCLastError());
  add_one_Kernel_Module_Unload(&module);
  printf("%d\\n", cute_dsl_add_one_wrapper(&module, &a, &b));
  puts(FairleadCLastError());
  return 0;
}
"""
CALLED = (
    "0\n1\nMismatched b.shape[0] on argument #1 when calling: `add_one(a: Tensor([n0], float32), b: Tensor([n0],"
    " float32))`, symbolic constraint violated: expected to match a.shape[0] = 300, but got 299\n"
    "1\nthe module is not loaded\n"
)


@pytest.fixture
def add(tools):
    aot_kernels.compiled_add_one().export_to_c(
        file_path=tools.folder, file_name="add", function_prefix="add_one"
    )
    return tools.folder / "add.o"


@pytest.mark.parametrize(("compiler", "suffix", "standard"), COMPILERS)
def test_linked_statically(tools, add, compiler, suffix, standard):
    main = tools.object(ADD_ONE, standard, compiler=compiler, suffix=suffix)
    program = tools.static(main, add)
    assert tools.run(program).stdout == CALLED
    needed = tools.run("readelf", "-d", program).stdout
    assert not re.search(r"fairlead|tvm_ffi|dialect|python|LLVM", needed)


def test_linked_with_the_shared_runtime(tools, add):
    assert tools.run(tools.shared(tools.object(ADD_ONE), add)).stdout == CALLED


def test_a_static_program_may_have_the_open_abi_too(tools, add):
    program = tools.folder / "both"
    archive = tools.lib / "libcuda_dialect_runtime_static.a"
    flags = [f"-L{tools.lib}", "-Wl,--no-as-needed", "-ltvm_ffi", f"-Wl,-rpath,{tools.lib}"]
    tools.run("g++", tools.object(ADD_ONE), add, archive, *flags, "-ldl", "-o", program)
    assert tools.run(program).stdout == CALLED


def test_a_header_of_another_object_does_not_link(tools, add):
    header = tools.folder / "add.h"
    header.write_text(
        re.sub(r"(add_one_header_)[0-9a-f]{16}", r"\g<1>0123456789abcdef", header.read_text())
    )
    done = tools.static(tools.object(ADD_ONE), add, check=False)
    assert done.returncode != 0
    assert "undefined reference to `add_one_header_0123456789abcdef'" in done.stderr


def test_another_version_of_the_runtime_does_not_link(tools, add):
    header = tools.folder / "add.h"
    header.write_text(header.read_text().replace("FairleadCRun_1", "FairleadCRun_2"))
    done = tools.static(tools.object(ADD_ONE), add, check=False)
    assert "undefined reference to `FairleadCRun_2'" in done.stderr


def test_equal_prefixes_do_not_link(tools, add):
    aot_kernels.compiled_scale().export_to_c(
        file_path=tools.folder, file_name="scale", function_prefix="add_one"
    )
    done = tools.run("gcc", "-shared", add, tools.folder / "scale.o", "-o", "lib.so", check=False)
    assert done.returncode != 0
    assert "multiple definition of `__fairlead_c_add_one'" in done.stderr


SCALE = """
#include <stdio.h>
#include "first.h"
#include "second.h"
int main(void) {
  float x[2][3] = {{1, 2, 3}, {4, 5, 6}};
  first_Tensor_x_t a;
  second_Tensor_x_t b;
  first_Kernel_Module_t m;
  second_Kernel_Module_t n;
  a.data = b.data = x;
  a.dynamic_shapes[0] = 2; a.dynamic_shapes[1] = 3; a.dynamic_strides[0] = 3;
  b.dynamic_shapes[0] = 2; b.dynamic_shapes[1] = 3; b.dynamic_strides[0] = 3;
  if (first_Kernel_Module_Load(&m) || second_Kernel_Module_Load(&n)) return 1;
  if (cute_dsl_first_wrapper(&m, &a, 2.0f, 1, NULL)) return 2;
  if (cute_dsl_second_wrapper(&n, &b, 0.5f, -1, NULL)) return 3;
  printf("%g %g %g, %d %d\\n", x[0][0], x[0][1], x[1][2], (int)sizeof(a.dynamic_shapes[0]),
         (int)sizeof(b.dynamic_shapes[0]));
  return 0;
}
"""


def test_scalars_streams_and_widths(tools):
    for prefix, width in (("first", 32), ("second", 64)):
        aot_kernels.compiled_scale(width=width).export_to_c(
            file_path=tools.folder, file_name=prefix
        )
    text = (tools.folder / "first.h").read_text()
    for part in (
        "int32_t dynamic_shapes[2];",
        "int64_t dynamic_strides[1];",
        "float alpha",
        "int64_t offset",
        "struct CUstream_st *stream",
    ):
        assert part in text
    program = tools.static(tools.object(SCALE), tools.folder / "first.o", tools.folder / "second.o")
    assert tools.run(program).stdout == "0.5 1.5 5.5, 4 8\n"


TYPES = {
    "Boolean": ("uint8_t", "1"),
    "Int8": ("int8_t", "-3"),
    "Int16": ("int16_t", "-300"),
    "Int32": ("int32_t", "-70000"),
    "Int64": ("int64_t", "-5000000000"),
    "Uint8": ("uint8_t", "200"),
    "Uint16": ("uint16_t", "60000"),
    "Uint32": ("uint32_t", "4000000000u"),
    "Uint64": ("uint64_t", "5000000000u"),
    "Float16": ("uint16_t", "0x3e00"),  # 1.5
    "BFloat16": ("uint16_t", "0x3fc0"),  # 1.5
    "Float32": ("float", "1.5f"),
    "Float64": ("double", "1.5"),
}
EXPECTED = "1 -3 -300 -70000 -5e+09 200 60000 4e+09 5e+09 1.5 1.5 1.5 1.5\n"


def test_all_scalar_types(tools):
    @cute.kernel
    def device(out: cute.Tensor, values):
        for i, value in enumerate(values):
            out[i] = fairlead.Float64(value)

    parameters = ", ".join(f"v{i}: fairlead.{name}" for i, name in enumerate(TYPES))
    names = ", ".join(f"v{i}" for i in range(len(TYPES)))
    path = tools.folder / "all_types.py"
    path.write_text(
        "import fairlead\nfrom fairlead import cute\n\n@cute.jit\n"
        f"def host(device: fairlead.Constexpr, out, {parameters}):\n"
        f"    device(out, ({names})).launch(grid=1, block=1)\n"
    )
    import importlib.util

    spec = importlib.util.spec_from_file_location("all_types", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = aot_kernels.vector(len(TYPES), fairlead.Float64)
    kinds = [getattr(fairlead, name) for name in TYPES]
    compiled = cute.compile(module.host, device, out, *kinds, options="--target cpu")
    compiled.export_to_c(file_path=tools.folder, file_name="types")
    for i, (kind, _) in enumerate(TYPES.values()):
        assert f"{kind} v{i}" in (tools.folder / "types.h").read_text()
    values = ", ".join(value for _, value in TYPES.values())
    main = tools.object(
        f"""
#include <stdio.h>
#include "types.h"
int main(void) {{
  double out[{len(TYPES)}];
  types_Tensor_out_t t;
  types_Kernel_Module_t m;
  int i;
  t.data = out;
  if (types_Kernel_Module_Load(&m)) return 1;
  if (cute_dsl_types_wrapper(&m, &t, {values})) {{ puts(FairleadCLastError()); return 2; }}
  for (i = 0; i < {len(TYPES)}; ++i) printf("%s%g", i ? " " : "", out[i]);
  puts("");
  return 0;
}}
"""
    )
    assert tools.run(tools.static(main, tools.folder / "types.o")).stdout == EXPECTED


def test_tfloat32(tools):
    """C passes a float, rounded to 10 bits of fraction, as Python does."""

    @cute.kernel
    def device_widen(out: cute.Tensor, x):
        out[0] = fairlead.Float64(x.to(fairlead.Float32))

    @cute.jit
    def widen(out: cute.Tensor, x: fairlead.TFloat32):
        device_widen(out, x).launch(grid=1, block=1)

    out = aot_kernels.vector(1, fairlead.Float64)
    compiled = cute.compile(widen, out, fairlead.TFloat32, options="--target cpu")
    compiled.export_to_c(file_path=tools.folder, file_name="widen")
    assert "float x" in (tools.folder / "widen.h").read_text()
    cases = {
        1.5: 1.5,
        1 + 2**-11: 1.0,  # ties to even
        1 + 3 * 2**-11: 1 + 2**-9,
        -(1 + 2**-10 + 2**-20): -(1 + 2**-10),
        3.4028234663852886e38: float("inf"),
        float("-inf"): float("-inf"),
    }
    for value, rounded in cases.items():
        result = np.zeros(1)
        compiled(result, value)
        assert result[0] == rounded, value
    values = ", ".join(
        repr(value) + "f" for value in cases if value not in (float("-inf"), 3.4028234663852886e38)
    )
    main = tools.object(
        """
#include <stdio.h>
#include "widen.h"
int main(void) {
  static const float values[] = {VALUES};
  double out[1];
  widen_Tensor_out_t t;
  widen_Kernel_Module_t m;
  unsigned i;
  t.data = out;
  if (widen_Kernel_Module_Load(&m)) return 1;
  for (i = 0; i < sizeof values / sizeof values[0]; ++i) {
    if (cute_dsl_widen_wrapper(&m, &t, values[i])) { puts(FairleadCLastError()); return 2; }
    printf("%.17g ", out[0]);
  }
  return 0;
}
""".replace("VALUES", values)
    )
    printed = tools.run(tools.static(main, tools.folder / "widen.o")).stdout.split()
    assert [float(text) for text in printed] == [1.5, 1.0, 1.001953125, -1.0009765625]


def test_sizes(tools, add):
    most = 1024 * (12.25 if os.uname().machine == "x86_64" else 14)
    guards = 1024 * 3  # and a dry run, for each level of the processor
    assert add.stat().st_size <= most + guards
    gpu = aot_kernels.compiled_add_one("cuda:sm_90a")
    gpu.export_to_c(file_path=tools.folder, file_name="gpu", function_prefix="add_one")
    gpu.export_to_c(tools.folder / "gpu_open.o", function_name="add_one")
    if (
        b"\x7fELF" in (tools.folder / "gpu.o").read_bytes()[4:]
    ):  # machine code: there was an assembler
        assert (tools.folder / "gpu.o").stat().st_size <= most
        assert (tools.folder / "gpu_open.o").stat().st_size <= 16 * 1024
    aot_kernels.compiled_add_one().export_to_c(tools.folder / "open.o", function_name="add_one")
    assert (tools.folder / "open.o").stat().st_size <= 16 * 1024 + guards
    total = 0
    for name in ("libtvm_ffi.so", "libcuda_dialect_runtime.so", "libcute_dsl_runtime.so"):
        tools.run("strip", "-o", tools.folder / name, tools.lib / name)
        total += (tools.folder / name).stat().st_size
    assert total <= 2 * 1024 * 1024
