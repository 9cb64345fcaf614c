"""Libraries that are not there: which one, and where it was looked for."""

import os
import shutil
import subprocess
import sys

import aot_kernels
import pytest

import fairlead.config
from fairlead import cute, ffi


@pytest.fixture
def exported(tools):
    aot_kernels.compiled_add_one().export_to_c(file_path=tools.folder, file_name="add_one")
    tools.run("gcc", "-shared", "add_one.o", "-o", "libadd_one.so")
    return tools.folder


LOAD = """
import sys
from fairlead import cute
try:
    cute.runtime.load_module(sys.argv[1]).add_one
    print("loaded")
except FileNotFoundError as error:
    print(error)
"""


@pytest.mark.parametrize("kind", ["add_one.o", "libadd_one.so"])
@pytest.mark.parametrize(
    ("library", "what"),
    [
        ("libcuda_dialect_runtime.so", "which exported functions call, is not in "),
        ("libcute_dsl_runtime.so", "which loads objects, is not in "),
    ],
)
def test_an_installation_without_one(exported, package_dir, tmp_path, kind, library, what):
    """A copy of the package, but for one of its libraries."""
    copy = tmp_path / "package" / "fairlead"
    lacking = shutil.ignore_patterns("include", "share", "*.a", "libfairlead.so", library)
    shutil.copytree(package_dir, copy, ignore=lacking)
    done = subprocess.run(
        [sys.executable, "-c", LOAD, exported / kind],
        env={**os.environ, "PYTHONPATH": str(copy.parent), "LD_LIBRARY_PATH": ""},
        capture_output=True,
        text=True,
    )
    if (kind, library) == ("libadd_one.so", "libcute_dsl_runtime.so"):
        wanted = "loaded\n"
    else:
        wanted = f"the runtime library {library}, {what}{copy}/lib\n"
    assert done.stdout == wanted, done.stderr


def test_what_to_link_with(tmp_path, monkeypatch):
    monkeypatch.setattr(fairlead.config, "lib_dir", lambda: str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"libcuda_dialect_runtime.so is not in {tmp_path}"):
        cute.runtime.find_runtime_libraries()


TOLD = """
#include <stdio.h>
#include "CuteDSLRuntime.h"
int main(void) {
  CuteDSLRT_Module_t *module = NULL;
  printf("%d ", CuteDSLRT_Module_Load(&module, "./libneeds.so") == CuteDSLRT_Error_LibraryNotLoaded);
  puts(CuteDSLRT_Get_Last_Error());
  return 0;
}
"""


def test_a_library_that_needs_another(tools, exported, monkeypatch):
    (exported / "absent.c").write_text("int absent(void) { return 1; }\n")
    tools.run("gcc", "-shared", "-fPIC", "absent.c", "-o", "libabsent.so")
    command = "gcc -shared add_one.o -Wl,--no-as-needed -L. -labsent -o libneeds.so"
    tools.run(*command.split())
    (exported / "libabsent.so").unlink()
    said = "libabsent.so: cannot open shared object file: No such file or directory (looked for in LD_LIBRARY_PATH="
    rest = ", the RUNPATH of what needs it, and the system's folders)"
    monkeypatch.setenv("LD_LIBRARY_PATH", "/some/where")
    for load in (cute.runtime.load_module, ffi.load_module):
        with pytest.raises(RuntimeError) as raised:
            load(exported / "libneeds.so")
        assert f"{said}'/some/where'{rest}" in str(raised.value)
    told = tools.run(tools.shared(tools.object(TOLD), library="cute_dsl_runtime")).stdout
    assert told.startswith("1 cannot load `./libneeds.so`: " + said) and told.endswith(f"`{rest}\n")
