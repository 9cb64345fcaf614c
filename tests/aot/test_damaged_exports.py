"""The checksum finds damaged exported files before anything in them runs."""

import ctypes
import os
import random
import subprocess
import sys

import aot_kernels
import numpy as np
import pytest

from fairlead import cute
from fairlead._compiler import read_elf
from fairlead.cli import main
from fairlead.config import lib_dir

#: Mutations of each file, and the variable that selects others.
COUNT = int(os.environ.get("FAIRLEAD_RANDOM_FILES", "300"))
SEED = os.environ.get("FAIRLEAD_RANDOM_SEED", "")


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    compiled = aot_kernels.compiled_add_one()
    compiled.export_to_c(folder / "open.o", function_name="add_one")
    compiled.export_to_c(file_path=folder, file_name="plain", function_prefix="add_one")
    compiled.export_library(folder / "library.so", function_name="add_one")
    return folder


@pytest.mark.parametrize("name", ["open.o", "plain.o", "library.so"])
def test_whole_files_are_sealed_and_run(exports, name, capsys):
    assert read_elf((exports / name).read_bytes()).is_sealed
    assert main(["inspect", str(exports / name)]) == 0
    assert "its checksum is right" in capsys.readouterr().out
    done = subprocess.run(
        [sys.executable, "-c", aot_kernels.RUN_ADD_ONE, exports / name],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "ran\n", done.stderr


@pytest.mark.parametrize("name", ["open.o", "plain.o", "library.so"])
def test_every_mutation_is_refused(exports, name, tmp_path):
    """One flipped bit, a byte, a zeroed or a moved stretch. None is loaded, none shown as whole."""
    whole = (exports / name).read_bytes()
    content = len(whole) - 40  # what stands before the seal
    pick = random.Random(f"{name}{SEED}")
    for number in range(COUNT):
        data = bytearray(whole)
        at, size = pick.randrange(content), pick.choice([8, 64, 512])
        if number % 4 == 0:
            data[at] ^= 1 << pick.randrange(8)
        elif number % 4 == 1:
            data[at] = (data[at] + pick.randrange(1, 256)) % 256
        elif number % 4 == 2:
            data[at : min(at + size, content)] = bytes(min(size, content - at))
        else:
            other = pick.randrange(content - size)
            data[at : min(at + size, content)] = data[other : other + min(size, content - at)]
        if data == whole:
            continue
        path = tmp_path / f"{number}{name}"
        path.write_bytes(data)
        with pytest.raises((RuntimeError, ValueError)):
            cute.runtime.load_module(path)
        with pytest.raises(ValueError):
            read_elf(bytes(data))
        path.unlink()


@pytest.mark.parametrize("name", ["open.o", "plain.o", "library.so"])
@pytest.mark.parametrize("count", [1, 8, 39, 40, 41, 4096, 1 << 20])
def test_appended_bytes_are_refused(exports, name, count, tmp_path):
    whole, path = (exports / name).read_bytes(), tmp_path / name
    for behind in (bytes(count), os.urandom(count), whole[-40:] * 2 if count == 40 else b"x"):
        path.write_bytes(whole + behind)
        with pytest.raises(RuntimeError, match="checksum"):
            cute.runtime.load_module(path)


def code_changed(path):
    """A bit of the code, which every structure survives."""
    data = bytearray(path.read_bytes())
    text = max(
        (s for s in read_elf(bytes(data)).sections if s.name == ".text"), key=lambda s: s.size
    )
    data[text.file_offset + text.size // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["open.o", "plain.o", "library.so"])
def test_changed_code_is_told(exports, name, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes((exports / name).read_bytes())
    code_changed(path)
    with pytest.raises(
        RuntimeError, match=r"the content that it was exported with \(by its checksum\)"
    ):
        cute.runtime.load_module(path)
    assert main(["inspect", str(path)]) == 1
    assert "by its checksum" in capsys.readouterr().err


def test_the_c_runtime_tells_it(exports, tmp_path):
    loader = ctypes.CDLL(f"{lib_dir()}/libcute_dsl_runtime.so")
    loader.CuteDSLRT_Get_Last_Error.restype = ctypes.c_char_p
    module = ctypes.c_void_p()
    for name in ("plain.o", "library.so"):
        path = tmp_path / name
        path.write_bytes((exports / name).read_bytes())
        assert loader.CuteDSLRT_Module_Load(ctypes.byref(module), str(path).encode()) == 0
        path = tmp_path / ("changed_" + name)
        path.write_bytes((exports / name).read_bytes())
        code_changed(path)
        assert loader.CuteDSLRT_Module_Load(ctypes.byref(module), str(path).encode()) != 0
        assert b"by its checksum" in loader.CuteDSLRT_Get_Last_Error()
    data = (tmp_path / "changed_plain.o").read_bytes()
    failed = loader.CuteDSLRT_Module_Create_From_Bytes(
        ctypes.byref(module), data, ctypes.c_size_t(len(data)), None, ctypes.c_size_t(0)
    )
    assert failed and b"by its checksum" in loader.CuteDSLRT_Get_Last_Error()


def test_libraries_that_one_links_oneself(exports, tmp_path, capsys):
    """They have no checksum until `fairlead seal` writes one; a program that rewrites the file removes it."""
    path = tmp_path / "own.so"
    subprocess.run(["gcc", "-shared", "-o", path, exports / "open.o"], check=True)
    assert not read_elf(path.read_bytes()).is_sealed
    mode = path.stat().st_mode
    assert main(["seal", str(path)]) == 0
    assert read_elf(path.read_bytes()).is_sealed and path.stat().st_mode == mode
    once = path.read_bytes()
    assert main(["seal", str(path)]) == 0 and path.read_bytes() == once
    done = subprocess.run(
        [sys.executable, "-c", aot_kernels.RUN_ADD_ONE, path], capture_output=True, text=True
    )
    assert done.stdout == "ran\n", done.stderr
    subprocess.run(["strip", path], check=True)
    assert not read_elf(path.read_bytes()).is_sealed
    done = subprocess.run(
        [sys.executable, "-c", aot_kernels.RUN_ADD_ONE, path], capture_output=True, text=True
    )
    assert done.stdout == "ran\n", done.stderr
    path.write_bytes(once)
    code_changed(path)
    assert main(["seal", str(path)]) == 1
    assert "by its checksum" in capsys.readouterr().err


def test_sealed_objects_link_as_others_do(exports, tmp_path):
    """By every linker there is here, in an archive, and joined."""
    subprocess.run(["ar", "rcs", tmp_path / "lib.a", exports / "open.o"], check=True)
    subprocess.run(["ld", "-r", exports / "open.o", "-o", tmp_path / "joined.o"], check=True)
    for index, given in enumerate(
        (["-Wl,--whole-archive", tmp_path / "lib.a"], [tmp_path / "joined.o"])
    ):
        path = tmp_path / f"{index}.so"
        subprocess.run(["gcc", "-shared", "-o", path, *given, "-Wl,--no-whole-archive"], check=True)
        done = subprocess.run(
            [sys.executable, "-c", aot_kernels.RUN_ADD_ONE, path], capture_output=True, text=True
        )
        assert done.stdout == "ran\n", done.stderr
    np.testing.assert_equal(read_elf((tmp_path / "joined.o").read_bytes()).is_sealed, False)
