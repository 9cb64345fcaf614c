"""``fairlead bundle``: many exported functions as one library."""

import os
import shutil
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest

from fairlead import Float32, bundles, cute
from fairlead.cli import main


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] + c


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    add_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


@cute.jit
def nothing(count: cute.Int32, factor: cute.Float32, flag: cute.Boolean):
    pass


def export(folder, name, c, options="--target cpu"):
    n = cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    function = cute.compile(add, make(Float32, (n,)), make(Float32, (n,)), c, options=options)
    folder.mkdir(exist_ok=True)
    function.export_to_c(folder / f"{name}.o", function_name=name)


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")
    for c in (1, 2, 3):
        export(folder, f"add_{c}", float(c))
    scalars = cute.compile(nothing, 1, 1.0, True, options="--target cpu")
    scalars.export_to_c(folder / "scalars.o", function_name="scalars")
    return folder


def check(function, c):
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    function(a, b)
    np.testing.assert_array_equal(b, a + c)


def test_functions_of_the_library(objects, tmp_path):
    made = bundles.bundle([objects], tmp_path / "libkernels.so")
    assert [f["name"] for f in made.functions] == ["add_1", "add_2", "add_3", "scalars"]
    module = cute.runtime.load_module(made.library)
    for c in (1, 2, 3):
        check(getattr(module, f"add_{c}"), c)
    module.scalars(1, 2.0, True)
    with pytest.raises(AttributeError):
        _ = module.add_4
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "kernels.h",
        "kernels.pyi",
        "libkernels.so",
    ]


def test_same_bytes_elsewhere_and_later(objects, tmp_path):
    contents = []
    for folder, order in (("here", (1, 2, 3)), ("elsewhere/below", (3, 1, 2))):
        place = tmp_path / folder
        place.mkdir(parents=True)
        inputs = []
        for c in order:
            inputs.append(place / f"{folder[0]}{c}.o")
            shutil.copy(objects / f"add_{c}.o", inputs[-1])
            os.utime(inputs[-1], (c * 1e8, c * 1e8))
        bundles.bundle(inputs, place / "libkernels.so")
        contents.append(
            [(place / name).read_bytes() for name in ("libkernels.so", "kernels.h", "kernels.pyi")]
        )
        time.sleep(1.1)
    assert contents[0] == contents[1]
    assert str(tmp_path).encode() not in contents[0][0]


def test_same_bytes_from_source(tmp_path):
    """Compiled again, in another process: the same objects and library."""
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from pathlib import Path\nfrom test_bundle import export\nfrom fairlead import bundles\n"
        "folder = Path(sys.argv[1])\n"
        "export(folder, 'f', 1.5, '--target cpu:any,ptx:compute_80')\n"
        "bundles.bundle([folder], folder / 'libf.so')\n"
    )
    for name in ("first", "second"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=True)
    for file in ("f.o", "libf.so", "f.h", "f.pyi"):
        assert (tmp_path / "first" / file).read_bytes() == (
            tmp_path / "second" / file
        ).read_bytes(), file


@pytest.mark.parametrize("compiler", ["gcc", "clang", "clang-22", "g++", "clang++-22"])
def test_header(objects, tmp_path, compiler):
    program = shutil.which(compiler)
    if program is None:
        pytest.skip(f"no {compiler}")
    made = bundles.bundle([objects], tmp_path / "libkernels.so")
    cpp = "++" in compiler
    source = tmp_path / f"use.{'cpp' if cpp else 'c'}"
    source.write_text(
        '#include "kernels.h"\n#include "kernels.h"\n'
        "int main(void) { return __tvm_ffi_add_1(0, 0, 0, 0) == -1 ? 0 : 1; }\n"
    )
    lib = os.path.dirname(cute.runtime.find_runtime_libraries()[0])
    from fairlead.config import include_dir

    subprocess.run(
        [program, "-std=c++17" if cpp else "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic",
         str(source), f"-I{include_dir()}", made.library, f"-L{lib}", f"-Wl,-rpath-link,{lib}",
         *cute.runtime.find_runtime_libraries(), "-o", str(tmp_path / "use")],
        check=True,
    )  # fmt: skip
    done = subprocess.run(
        [tmp_path / "use"],
        env={**os.environ, "LD_LIBRARY_PATH": f"{tmp_path}:{lib}"},
        check=False,
    )
    assert done.returncode == 0
    text = (tmp_path / "kernels.h").read_text()
    assert "add_2(a: Tensor([n0], float32), out b: Tensor([n0], float32)) for cpu" in text


def test_functions_in_plain_c(objects, tmp_path):
    n = cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    for name, c in (("plain_one", 1.0), ("plain_two", 2.0)):
        function = cute.compile(
            add, make(Float32, (n,)), make(Float32, (n,)), c, options="--target cpu"
        )
        function.export_to_c(file_path=tmp_path, file_name=name, function_prefix=name)
    made = bundles.bundle([objects, tmp_path], tmp_path / "libkernels.so")
    names = [f["name"] for f in made.functions]
    assert names == ["add_1", "add_2", "add_3", "plain_one", "plain_two", "scalars"]
    text = (tmp_path / "kernels.h").read_text()
    assert "cute_dsl_plain_one_wrapper" in text and "cute_dsl_plain_two_wrapper" in text
    assert "__tvm_ffi_add_1(" in text and "__tvm_ffi_plain_one" not in text
    assert "def plain_one(a: Any, b: Any) -> None:" in (tmp_path / "kernels.pyi").read_text()
    module = cute.runtime.load_module(made.library)
    check(module.plain_two, 2.0)
    check(module.add_3, 3.0)
    source = tmp_path / "use.c"
    source.write_text(
        '#include "kernels.h"\n'
        "int main(void) { plain_one_Kernel_Module_t one; plain_two_Kernel_Module_t two;\n"
        "  return plain_one_Kernel_Module_Load(&one) || plain_two_Kernel_Module_Load(&two); }\n"
    )
    lib = os.path.dirname(cute.runtime.find_runtime_libraries()[0])
    from fairlead.config import include_dir

    subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", str(source), f"-I{include_dir()}",
         made.library, *cute.runtime.find_runtime_libraries(), "-o", str(tmp_path / "use")],
        check=True,
    )  # fmt: skip
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{tmp_path}:{lib}"}
    assert subprocess.run([tmp_path / "use"], env=environment, check=False).returncode == 0
    (tmp_path / "plain_two.h").unlink()
    with pytest.raises(ValueError, match=r"the header .*plain_two\.h .* is missing"):
        bundles.bundle([tmp_path], tmp_path / "libkernels.so")


def test_plain_c_alone_needs_no_other_header(tmp_path):
    n = cute.sym_int()
    vector = cute.runtime.make_fake_compact_tensor(Float32, (n,))
    function = cute.compile(add, vector, vector, 1.0, options="--target cpu")
    function.export_to_c(file_path=tmp_path, file_name="only")
    bundles.bundle([tmp_path / "only.o"], tmp_path / "libkernels.so")
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-xc"]
    subprocess.run([*command, tmp_path / "kernels.h"], check=True)


class Config(NamedTuple):
    factor: Float32
    steps: tuple


@cute.jit
def configured(a: cute.Tensor, config: Config, *, alpha: Float32 = 2.0, stream=None):
    pass


@pytest.mark.parametrize("abi", ["open", "plain"])
def test_stub_of_structures_and_defaults(tmp_path, abi):
    """The parameters of the loaded function."""
    function = cute.compile(
        configured,
        cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),)),
        Config(Float32, (cute.Int32, cute.Int64)),
        alpha=Float32,
        stream=cute.runtime.make_fake_stream(),
        options="--target cpu",
    )
    if abi == "open":
        function.export_to_c(tmp_path / "f.o", function_name="renamed")
    else:
        function.export_to_c(file_path=tmp_path, file_name="f", function_prefix="renamed")
    made = bundles.bundle([tmp_path / "f.o"], tmp_path / "libf.so")
    text = (tmp_path / "f.pyi").read_text()
    assert (
        "def renamed(a: Any, config: Any, *, alpha: float = ..., stream: Any = ...) -> None:"
        in text
    )
    load = cute.runtime.load_module(made.library)
    load.renamed(np.zeros(3, np.float32), Config(1.0, (2, 3)), alpha=1.0)
    load.renamed(a=np.zeros(3, np.float32), config=Config(1.0, (2, 3)))


def test_stub(objects, tmp_path):
    made = bundles.bundle([objects], tmp_path / "libkernels.so", stub=tmp_path / "k.pyi")
    text = (tmp_path / "k.pyi").read_text()
    compile(text, "k.pyi", "exec")
    assert "def add_1(a: Any, b: Any) -> None:" in text
    assert "def scalars(count: int, factor: float, flag: bool) -> None:" in text
    assert made.stub == str(tmp_path / "k.pyi") and not (tmp_path / "kernels.pyi").exists()


def test_command(objects, tmp_path, capsys):
    assert main(["bundle", str(objects), "-o", str(tmp_path / "libkernels.so"), "--json"]) == 0
    assert '"functions": ["add_1", "add_2", "add_3", "scalars"]' in capsys.readouterr().out
    for given, count in ((objects, "4 functions;"), (objects / "add_1.o", "1 function;")):
        assert main(["bundle", str(given), "-o", str(tmp_path / "libk.so")]) == 0
        assert f"libk.so: {count}" in capsys.readouterr().out
    assert main(["bundle", str(objects), "-o", str(tmp_path / "kernels.dll")]) == 1
    assert "ends in .so" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["bundle", "--help"])
    assert ended.value.code == 0


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "No such file"),
        (b"", "expected an ELF file, but got an empty file"),
        (b"hello", "starts with the bytes 68 65 6c 6c"),
        (b"\x7fELF\x02\x01\x01" + bytes(20), "cut off"),
    ],
)
def test_wrong_inputs(data, reason, tmp_path, capsys):
    path = tmp_path / "input.o"
    if data is not None:
        path.write_bytes(data)
    assert main(["bundle", str(path), "-o", str(tmp_path / "lib.so")]) == 1
    said = capsys.readouterr().err
    assert str(path) in said and reason in said
    assert not (tmp_path / "lib.so").exists()


def test_objects_that_are_none_of_ours(objects, tmp_path, capsys):
    (tmp_path / "none").mkdir()
    assert main(["bundle", str(tmp_path / "none"), "-o", str(tmp_path / "lib.so")]) == 1
    assert "has no .o files" in capsys.readouterr().err
    data = (objects / "add_1.o").read_bytes()
    broken = tmp_path / "broken.o"
    for size in range(64, len(data), max(1, len(data) // 50)):
        broken.write_bytes(data[:size])
        assert main(["bundle", str(broken), "-o", str(tmp_path / "lib.so")]) == 1, size
    plain = tmp_path / "plain.c"
    plain.write_text("int f(void) { return 0; }")
    subprocess.run(["gcc", "-c", str(plain), "-o", str(tmp_path / "plain.o")], check=True)
    assert main(["bundle", str(tmp_path / "plain.o"), "-o", str(tmp_path / "lib.so")]) == 1
    assert "exports no function" in capsys.readouterr().err
    assert not (tmp_path / "lib.so").exists()


def test_objects_of_two_machines(objects, tmp_path):
    export(tmp_path / "arm", "f", 1.0, "--target cpu --host-target linux-aarch64")
    with pytest.raises(ValueError, match="it is for AArch64, and .* for x86-64"):
        bundles.bundle([objects, tmp_path / "arm"], tmp_path / "lib.so")


def test_clash_names_both(objects, tmp_path):
    shutil.copy(objects / "add_1.o", tmp_path / "again.o")
    with pytest.raises(ValueError, match=r"named `add_1`: in .*add_1\.o and in .*again\.o|again"):
        bundles.bundle([objects, tmp_path / "again.o"], tmp_path / "lib.so")


@pytest.mark.parametrize("what", ["library", "header", "stub"])
def test_paths_that_cannot_be_written(objects, tmp_path, what):
    (tmp_path / "file").write_text("")
    good = {"library": "lib.so", "header": "k.h", "stub": "k.pyi"}
    paths = {key: tmp_path / value for key, value in good.items()}
    paths[what] = tmp_path / "file" / good[what]
    with pytest.raises(RuntimeError, match="cannot write"):
        bundles.bundle([objects], paths["library"], header=paths["header"], stub=paths["stub"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "no half of it is left"


def test_linker_that_fails(objects, tmp_path):
    with pytest.raises(RuntimeError, match="no-such-compiler"):
        bundles.bundle([objects], tmp_path / "lib.so", compiler="no-such-compiler")
    (tmp_path / "cc").write_text("#!/bin/sh\necho sorry >&2\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    with pytest.raises(RuntimeError, match="sorry"):
        bundles.bundle([objects], tmp_path / "lib.so", compiler=str(tmp_path / "cc"))
    assert not (tmp_path / "lib.so").exists()
