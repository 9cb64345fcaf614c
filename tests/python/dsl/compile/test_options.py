"""Options of compile and environment variables: both forms, and errors that name the right value."""

import numpy as np
import pytest
from support.dsl_support import vector

from fairlead import Float32, cute


@cute.jit
def double(a: cute.Tensor, b: cute.Tensor):
    b[:] = a[:] * 2.0


def compiled(compile=cute.compile, options="--target cpu"):
    return compile(double, vector(Float32), vector(Float32), options=options)


def doubles(function):
    a, b = np.array([1, 2, 3], np.float32), np.zeros(3, np.float32)
    function(a, b)
    return b.tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("--opt-levl 2", "--opt-level"),
        ("--enable-tvmffi", "--enable-tvm-ffi"),
        ("--gpuarch=sm_90a", "--gpu-arch"),
        ("--generate-lineinfo", "--generate-line-info"),
        ("--targets cpu", "--target"),
        ("--ptxas-option -v", "--ptxas-options"),
    ],
)
def test_unknown_options_name_the_nearest(wrong, nearest):
    with pytest.raises(ValueError, match=f"the options are {nearest} .the nearest., --"):
        compiled(options=wrong)


def test_unknown_options_without_a_similar_one():
    with pytest.raises(ValueError, match="the options are --check, --coverage, --dump-dir, "):
        compiled(options="--zzz")
    with pytest.raises(ValueError, match="unknown compile option `3`"):
        compiled(cute.compile[3])


@pytest.mark.parametrize(
    "compile",
    [
        cute.compile[cute.OptLevel(1)],
        cute.compile[cute.OptLevel(1), cute.EnableTVMFFI],
        cute.compile[
            (cute.EnableTVMFFI(True), cute.GenerateLineInfo, cute.EnableAssertions(False))
        ],
        cute.compile[cute.PtxasOptions("-v")][cute.OptLevel(3)],
    ],
)
def test_typed_options(compile):
    assert doubles(compiled(compile))


def test_options_as_text():
    text = (
        "--enable-tvm-ffi --opt-level=2 --generate-line-info --ptxas-options '-v -O2' --target cpu"
    )
    assert doubles(compiled(options=text))


@pytest.mark.parametrize(
    "text",
    ["warnings", "remarks{ptx}", "--warnings{nvvm,ptx}", "warnings{nvvm},remarks{ptx},--remarks", "--iket"],
)  # fmt: skip
def test_reports_of_another_compiler_have_no_effect(text, monkeypatch):
    assert doubles(compiled(options=f"{text} --target cpu"))
    monkeypatch.setenv("CUTE_DSL_COMPILER_OPT", text)
    assert doubles(compiled())


@pytest.mark.parametrize(
    "text", ["warnings{loop}", "remarks{}", "warnings{nvvm", "warning", "remarks,"]
)
def test_misspelt_reports(text):
    with pytest.raises(ValueError, match="unknown compile option `" + text.partition("{")[0]):
        compiled(options=text)


def test_folder_of_kept_files(tmp_path):
    compiled(options=f"--target cpu --keep-ir --dump-dir={tmp_path}")
    assert {file.suffix for file in tmp_path.iterdir()} == {".mlir", ".ll"}
    with pytest.raises(ValueError, match="DumpDir` takes an existing folder, but got `/no/such`"):
        compiled(options="--dump-dir /no/such")


@pytest.mark.parametrize("option", [cute.PtxasOptions(3), cute.NvdisasmOptions(None)])
def test_options_that_take_text(option):
    with pytest.raises(ValueError, match="-options` takes a string, but got"):
        compiled(cute.compile[option])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (cute.GPUArch(90), "--gpu-arch` takes a string, but got `90`"),
        (cute.HostTarget(True), "--host-target` takes a string, but got `True`"),
        (cute.KeepPTX("no"), "KeepPTX` takes a bool, but got `no`"),
        (cute.EnableAssertions([]), r"EnableAssertions` takes a bool, but got `\[\]`"),
        (cute.GenerateLineInfo(2), "GenerateLineInfo` takes a bool, but got `2`"),
    ],
)
def test_typed_options_of_other_types(option, message):
    with pytest.raises(ValueError, match=message):
        compiled(cute.compile[option])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CUTE_DSL_KEEP", "ptx,cubins", "CUTE_DSL_KEEP` takes a list of all, asm, .*, sass, but got `cubins`"),
        ("CUTE_DSL_KEEP_PTX", "maybe", "CUTE_DSL_KEEP_PTX` takes 0 or 1, but got `maybe`"),
        ("CUTE_DSL_PRINT_IR", "2", "CUTE_DSL_PRINT_IR` takes 0 or 1"),
        ("CUTE_DSL_DISABLE_FILE_CACHING", "x", "CUTE_DSL_DISABLE_FILE_CACHING` takes 0 or 1"),
        ("CUTE_DSL_ENABLE_TVM_FFI", "x", "CUTE_DSL_ENABLE_TVM_FFI` takes 0 or 1"),
        ("CUTE_DSL_LINEINFO", "x", "CUTE_DSL_LINEINFO` takes 0 or 1"),
        ("CUTE_DSL_DUMP_DIR", "/no/such/folder", "CUTE_DSL_DUMP_DIR` takes an existing folder"),
        ("CUTE_DSL_COMPILER_OPT", "--fast", "unknown compile option `--fast`"),
    ],
)  # fmt: skip
def test_wrong_values_in_the_environment(name, value, message, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=message):
        compiled()


@pytest.mark.parametrize("value", ["", "0", "1", "true", "False", "ON", "no"])
def test_truth_in_the_environment(value, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_ENABLE_TVM_FFI", value)
    assert doubles(compiled())


def test_options_of_the_environment(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("CUTE_DSL_COMPILER_OPT", "--keep-ir")
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    monkeypatch.setenv("CUTE_DSL_PRINT_IR", "1")
    function = compiled()
    assert "gpu.func" in function.__mlir__ and function.__mlir__ in capsys.readouterr().out
    assert (tmp_path / "double.mlir").read_text() == function.__mlir__
    assert "define" in (tmp_path / "double.ll").read_text()
    monkeypatch.undo()
    assert compiled().__mlir__ is None
