"""Exports for plain `cpu`: code of this very machine where it is run, of every machine where it is saved."""

import os
import re
import subprocess
import sys

import pytest
from target_kernels import check, compile_scale, compile_some
from test_several_targets import instructions, run_on

from fairlead import cute

EXPORT = """
import sys
sys.path[:0] = sys.argv[2:]
from target_kernels import compile_scale
function = compile_scale("--target cpu --no-cache")
function.export_to_c(sys.argv[1] + "/scale.o")
function.export_to_c(file_path=sys.argv[1], file_name="plain")
"""


@pytest.mark.parametrize("abi", ["plain", "open"])
def test_runs_on_lower_processors(tmp_path, abi):
    function = compile_scale("--target cpu")
    path = tmp_path / "scale.o"
    if abi == "plain":
        function.export_to_c(file_path=tmp_path, file_name="scale")
    else:
        function.export_to_c(path)
    for level in ("1", "v2", "x86-64-v3", "x86-64-v4"):
        done = run_on(level, path)
        assert done.stdout == "done\n", f"{level}: {done.stderr}"
    own = cute.runtime.load_module(path).get_function_metadata("scale")["fairlead"]
    assert own["targets"] == ["cpu"]


def test_holds_code_of_each_level(tmp_path):
    compile_some("cpu").export_to_c(tmp_path / "some.o")
    text = instructions((tmp_path / "some.o").read_bytes(), tmp_path)
    assert re.search(r"%ymm\d", text) and re.search(r"%k[1-7]\b", text)
    # The entry and the way to the levels have none of it.
    entry = text[text.index("<__tvm_ffi_some>:") :].split("\n\n")[0]
    assert not re.search(r"%[yz]mm\d|\bv\w+ +%xmm", entry)


def test_in_a_list_of_targets(tmp_path):
    for targets in (["ptx:compute_80", "cpu"], ["cpu", "cpu:x86-64-v3"]):
        function = compile_scale(targets=targets)
        check(function)
        function.export_library(tmp_path / "scale.so")
        for level in ("1", "v3"):
            done = run_on(level, tmp_path / "scale.so")
            assert done.stdout == "done\n", f"{targets} {level}: {done.stderr}"


def test_same_bytes_on_other_processors(tmp_path):
    made = []
    for level in ("1", "3", ""):
        folder = tmp_path / f"level{level}"
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-c", EXPORT, str(folder), *sys.path],
            env={**os.environ, "FAIRLEAD_CPU_LEVEL": level},
            check=True,
        )
        names = ("scale.o", "plain.o", "plain.h")
        made.append([(folder / name).read_bytes() for name in names])
    assert made[0] == made[1] == made[2]


@pytest.mark.usefixtures("cache_dir")
def test_from_the_cache(tmp_path):
    compile_scale("--target cpu").export_to_c(tmp_path / "first.o")
    function = compile_scale("--target cpu")
    assert function.cached
    function.export_to_c(tmp_path / "second.o")
    assert (tmp_path / "first.o").read_bytes() == (tmp_path / "second.o").read_bytes()
