"""Exported files in a root that has only the runtime libraries and libc."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import aot_kernels
import pytest
from test_plain_c import ADD_ONE, CALLED

LOADER = """
#include <stdio.h>
#include "CuteDSLRuntime.h"
int main(int argc, char **argv) {
  CuteDSLRT_Module_t *module = NULL;
  CuteDSLRT_Function_t *function = NULL;
  struct { void *data; int32_t dynamic_shapes[1]; } a, b;
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  int32_t result = -1;
  void *args[3];
  if (argc != 2) return 2;
  a.data = x; a.dynamic_shapes[0] = 3;
  b.data = y; b.dynamic_shapes[0] = 3;
  args[0] = &a; args[1] = &b; args[2] = &result;
  if (CuteDSLRT_Module_Load(&module, argv[1]) ||
      CuteDSLRT_Module_Get_Function(&function, module, "add_one") ||
      CuteDSLRT_Function_Run(function, args, 3)) {
    puts(CuteDSLRT_Get_Last_Error());
    return 1;
  }
  printf("%g %g %g, %d\\n", y[0], y[1], y[2], result);
  return CuteDSLRT_Module_Destroy(module);
}
"""


@pytest.fixture
def exported(tools):
    aot_kernels.compiled_add_one().export_to_c(
        file_path=tools.folder, file_name="add", function_prefix="add_one"
    )
    tools.run("gcc", "-shared", "add.o", "-o", "libadd.so")
    return tools


def needed(program: Path) -> list[str]:
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(/\S+)", listed)


def root(tools, *programs, files=()):
    """A folder that is a root for the programs."""
    folder = tools.folder / "root"
    folder.mkdir()
    for program in programs:
        for library in {*needed(program), str(program), *map(str, files)}:
            target = folder / library.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)
    return folder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its root")
def test_in_a_bare_root(exported):
    tools = exported
    static = tools.static(tools.object(ADD_ONE), tools.folder / "add.o", name="static")
    dynamic = tools.shared(
        tools.object(LOADER, name="loader"), library="cute_dsl_runtime", name="dynamic"
    )
    files = [tools.folder / "add.o", tools.folder / "libadd.so"]
    folder = root(tools, static, dynamic, files=files)
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert not [name for name in names if re.search(r"python|LLVM|libfairlead|_core", name)]
    assert tools.run("chroot", folder, static).stdout == CALLED
    for file in files:
        assert tools.run("chroot", folder, dynamic, file).stdout == "2 3 4, 0\n"


def test_time_to_the_first_result(exported, record_property):
    """From the start of a process to the result; the time goes to the report."""
    tools = exported
    program = tools.shared(tools.object(LOADER), library="cute_dsl_runtime")
    times = []
    for _ in range(20):
        start = time.perf_counter()
        assert tools.run(program, tools.folder / "add.o").stdout == "2 3 4, 0\n"
        times.append(time.perf_counter() - start)
    record_property("milliseconds", 1e3 * min(times))
