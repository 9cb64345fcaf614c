"""Exported files with a signature, and programs that load only what keys of a list have signed."""

import ctypes
import hashlib
import os
import random
import subprocess
import sys

import aot_kernels
import pytest

from fairlead import cute
from fairlead._compiler import read_elf, sealed
from fairlead.cli import main
from fairlead.config import lib_dir
from fairlead.errors import DSLError

NAMES = ["open.o", "plain.o", "library.so"]
#: Mutations of each file, and the variable that selects others.
COUNT = int(os.environ.get("FAIRLEAD_RANDOM_FILES", "200"))
SEED = os.environ.get("FAIRLEAD_RANDOM_SEED", "")


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signed")
    for name in ("build", "other"):
        assert main(["key", "new", str(folder / name)]) == 0
    compiled = aot_kernels.compiled_add_one()
    for signer in ("build", "other", None):
        place = folder / str(signer)
        place.mkdir()
        key = None if signer is None else folder / f"{signer}.key"
        compiled.export_to_c(place / "open.o", function_name="add_one", sign=key)
        compiled.export_to_c(
            file_path=place, file_name="plain", function_prefix="add_one", sign=key
        )
        compiled.export_library(place / "library.so", function_name="add_one", sign=key)
    return folder


def test_signed_bundles(exports, tmp_path, monkeypatch, capsys):
    objects = str(exports / "build" / "open.o")
    for name in ("build", "other"):
        command = ["bundle", objects, "-o", str(tmp_path / f"lib{name}.so")]
        assert main([*command, "--sign", str(exports / f"{name}.key")]) == 0
    assert main(["bundle", objects, "-o", str(tmp_path / "libnone.so")]) == 0
    monkeypatch.setenv("FAIRLEAD_TRUSTED_KEYS", str(exports / "build.pub"))
    assert "add_one" in dir(cute.runtime.load_module(str(tmp_path / "libbuild.so")))
    for name in ("other", "none"):
        with pytest.raises(RuntimeError, match="expected a file signed by a key"):
            cute.runtime.load_module(str(tmp_path / f"lib{name}.so"))
    capsys.readouterr()
    refused = tmp_path / "refused.so"
    assert main(["bundle", objects, "-o", str(refused), "--sign", str(exports / "no.key")]) != 0
    assert "no.key" in capsys.readouterr().err
    assert not refused.exists()


@pytest.fixture
def trusting(exports, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TRUSTED_KEYS", str(exports / "build.pub"))


def resealed(data: bytes) -> bytes:
    """Changed bytes with a checksum that is right: what somebody without the key can do."""
    body = data[:-40]
    return body + b"\nFLSEAL1" + hashlib.sha256(body).digest()


def c_load(path) -> str:
    """Return the C runtime's message about a file; "" if it was loaded."""
    loader = ctypes.CDLL(f"{lib_dir()}/libcute_dsl_runtime.so")
    loader.CuteDSLRT_Get_Last_Error.restype = ctypes.c_char_p
    module = ctypes.c_void_p()
    failed = loader.CuteDSLRT_Module_Load(ctypes.byref(module), str(path).encode())
    return loader.CuteDSLRT_Get_Last_Error().decode() if failed else ""


def refused(path, match):
    with pytest.raises(RuntimeError, match=match):
        cute.runtime.load_module(path)
    if "library" in path.name:
        with pytest.raises(RuntimeError, match=match):
            from fairlead import ffi

            ffi.load_module(path)
    with pytest.raises(AssertionError, match=match):
        assert c_load(path) == ""


@pytest.mark.parametrize("name", NAMES)
def test_signed_files_are_loaded_and_shown(exports, name, trusting, capsys):
    path = exports / "build" / name
    done = subprocess.run(
        [sys.executable, "-c", aot_kernels.RUN_ADD_ONE, path], capture_output=True, text=True
    )
    assert done.stdout == "ran\n", done.stderr
    assert c_load(path) == ""
    public = (exports / "build.pub").read_text().split()[1]
    assert read_elf(path.read_bytes()).signer == public
    assert main(["inspect", str(path), str(exports / "other" / name)]) == 0
    shown = capsys.readouterr().out
    assert f"signed by {public} (trusted)" in shown and shown.count("(trusted)") == 1


@pytest.mark.parametrize("name", NAMES)
def test_files_of_nobody_and_of_others_are_refused(exports, name, trusting):
    refused(exports / "None" / name, "build.pub, but got one that is not signed")
    other = (exports / "other.pub").read_text().split()[1]
    refused(exports / "other" / name, f"but got one signed by another key, {other}")


def test_several_keys(exports, tmp_path, monkeypatch):
    both = tmp_path / "both.pub"
    both.write_text("".join((exports / f"{name}.pub").read_text() for name in ("build", "other")))
    monkeypatch.setenv("FAIRLEAD_TRUSTED_KEYS", str(both))
    for signer in ("build", "other"):
        assert c_load(exports / signer / "plain.o") == ""
    refused(exports / "None" / "plain.o", "not signed")


@pytest.mark.parametrize("name", NAMES)
def test_no_mutation_passes(exports, name, tmp_path, trusting):
    """With a checksum made right: anywhere in the content, the key and the signature."""
    whole = (exports / "build" / name).read_bytes()
    pick = random.Random(f"{name}{SEED}")
    for number in range(COUNT):
        data = bytearray(whole)
        if number % 4 == 0:  # key and signature
            data[len(data) - 40 - 1 - pick.randrange(96)] ^= 1 << pick.randrange(8)
        elif number % 4 == 1:
            data[pick.randrange(len(data) - 144)] ^= 1 << pick.randrange(8)
        elif number % 4 == 2:  # the block of another file's signature
            data[-144:-40] = (exports / "other" / name).read_bytes()[-144:-40]
            data[pick.randrange(len(data) - 144)] ^= 4
        else:  # no signature at all
            data[-144:] = bytes(40)
        path = tmp_path / f"{number}{name}"
        path.write_bytes(resealed(bytes(data)))
        with pytest.raises((RuntimeError, ValueError)):
            cute.runtime.load_module(path)
        assert c_load(path)
        path.unlink()


def test_changed_code_under_a_signature_is_told(exports, tmp_path, trusting, monkeypatch, capsys):
    for name in NAMES:
        data = bytearray((exports / "build" / name).read_bytes())
        text = max(
            (s for s in read_elf(bytes(data)).sections if s.name == ".text"), key=lambda s: s.size
        )
        data[text.file_offset + text.size // 2] ^= 4
        path = tmp_path / name
        path.write_bytes(resealed(bytes(data)))
        refused(path, "the signature does not fit")
        assert main(["inspect", str(path)]) == 1
        assert "the signature does not fit" in capsys.readouterr().err


def test_bytes_in_memory(exports, trusting):
    """Files of others need a signature; those of the process itself do not."""
    loader = ctypes.CDLL(f"{lib_dir()}/libcute_dsl_runtime.so")
    loader.CuteDSLRT_Get_Last_Error.restype = ctypes.c_char_p
    module = ctypes.c_void_p()

    def create(data, own=False):
        given = (ctypes.byref(module), data, ctypes.c_size_t(len(data)))
        if own:
            return loader.CuteDSLRT_Module_Create_From_Own_Bytes(*given)
        return loader.CuteDSLRT_Module_Create_From_Bytes(*given, None, ctypes.c_size_t(0))

    assert create((exports / "build" / "plain.o").read_bytes()) == 0
    unsigned = (exports / "None" / "plain.o").read_bytes()
    assert create(unsigned) and b"not signed" in loader.CuteDSLRT_Get_Last_Error()
    assert create(unsigned, own=True) == 0
    changed = bytearray(unsigned)
    changed[len(changed) // 2] ^= 1
    assert create(bytes(changed), own=True)


def test_programs_in_c(tools, exports):
    """A program that links the loader also reads the list."""
    source = """
#include <stdio.h>
#include "CuteDSLRuntime.h"
int main(int argc, char **argv) {
  CuteDSLRT_Module_t *module = NULL;
  (void)argc;
  if (CuteDSLRT_Module_Load(&module, argv[1]) != CuteDSLRT_Error_Success) {
    puts(CuteDSLRT_Get_Last_Error());
    return 3;
  }
  puts("loaded");
  return CuteDSLRT_Module_Destroy(module) != CuteDSLRT_Error_Success;
}
"""
    program = tools.shared(tools.object(source), library=["cute_dsl_runtime"])
    trusting = {"FAIRLEAD_TRUSTED_KEYS": str(exports / "build.pub")}
    for name in NAMES:
        if name == "open.o":
            continue  # of the open ABI: needs libtvm_ffi
        assert tools.run(program, exports / "build" / name, env=trusting).stdout == "loaded\n"
        done = tools.run(program, exports / "None" / name, env=trusting, check=False)
        assert done.returncode == 3 and "not signed" in done.stdout
        assert tools.run(program, exports / "None" / name, env={}).stdout == "loaded\n"


def test_programs_in_cpp(tools, exports):
    source = """
#include <cstdio>
#include <tvm/ffi/tvm_ffi.h>
#include <tvm/ffi/extra/module.h>
int main(int, char **argv) {
  try {
    auto module = tvm::ffi::Module::LoadFromFile(argv[1]);
    std::puts(module->GetFunction("add_one").has_value() ? "loaded" : "nothing in it");
  } catch (const tvm::ffi::Error &error) {
    std::puts(error.what());
    return 3;
  }
}
"""
    program = tools.folder / "cpp"
    (tools.folder / "program.cpp").write_text(source)
    tools.run(
        "g++", "-std=c++17", f"-I{tools.include}", "program.cpp", f"-L{tools.lib}", "-ltvm_ffi",
        "-lcuda_dialect_runtime", f"-Wl,-rpath,{tools.lib}", "-o", program,
    )  # fmt: skip
    plain = {"LD_LIBRARY_PATH": str(tools.lib)}
    trusting = {"FAIRLEAD_TRUSTED_KEYS": str(exports / "build.pub"), **plain}
    assert tools.run(program, exports / "build/library.so", env=trusting).stdout == "loaded\n"
    for signer, match in (("None", "not signed"), ("other", "another key")):
        done = tools.run(program, exports / signer / "library.so", env=trusting, check=False)
        assert done.returncode == 3 and match in done.stdout
        assert tools.run(program, exports / signer / "library.so", env=plain).stdout == "loaded\n"


def test_a_list_that_cannot_be_used_refuses_everything(exports, tmp_path, monkeypatch):
    for text in ("", "nonsense\n", (exports / "build.key").read_text()):
        path = tmp_path / "list"
        path.write_text(text)
        monkeypatch.setenv("FAIRLEAD_TRUSTED_KEYS", str(path))
        refused(exports / "build" / "plain.o", "to be a list of public keys, but got a file that")
    monkeypatch.setenv("FAIRLEAD_TRUSTED_KEYS", str(tmp_path / "none"))
    refused(exports / "build" / "library.so", "No such file")


def test_commands(exports, tmp_path, trusting, capsys):
    """`fairlead seal --sign` signs what one links oneself, and a seal without it takes a signature away."""
    path = tmp_path / "own.so"
    subprocess.run(["gcc", "-shared", "-o", path, exports / "None" / "open.o"], check=True)
    refused_text = "not signed"
    assert refused_text in c_load(path)
    assert main(["seal", "--sign", str(exports / "build.key"), str(path)]) == 0
    assert c_load(path) == ""
    once = path.read_bytes()
    assert main(["seal", "--sign", str(exports / "build.key"), str(path)]) == 0
    assert path.read_bytes() == once
    assert main(["seal", str(path)]) == 0
    assert not read_elf(path.read_bytes()).signer
    capsys.readouterr()
    assert main(["seal", "--sign", str(exports / "build.pub"), str(path)]) == 1
    assert "to be a signing key" in capsys.readouterr().err
    assert main(["key", "new", str(exports / "build")]) == 1
    assert "File exists" in capsys.readouterr().err
    assert (exports / "build.key").stat().st_mode & 0o777 == 0o600


def test_an_export_that_cannot_be_signed_leaves_the_old_files(exports, tmp_path):
    compiled = aot_kernels.compiled_add_one()
    path = tmp_path / "f.o"
    path.write_bytes(b"old")
    with pytest.raises(DSLError, match="to be a signing key"):
        compiled.export_to_c(path, function_name="f", sign=exports / "build.pub")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["f.o"]


def test_the_signature_is_of_the_content_alone():
    """Signing twice gives the same bytes, and a signed file is its unsigned content and 104 bytes."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        assert main(["key", "new", f"{folder}/k"]) == 0
        data = b"\x7fELF" + bytes(100)
        signed = sealed(data, f"{folder}/k.key")
        assert signed == sealed(data, f"{folder}/k.key") == sealed(signed, f"{folder}/k.key")
        assert len(signed) == len(data) + 144 and sealed(signed) == sealed(data)
        assert Path(f"{folder}/k.pub").read_text().split()[0] == "fairlead-ed25519"
