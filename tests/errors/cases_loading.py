"""Files that are no libraries of this machine."""

import shutil

import kernels
from error_cases import case

from fairlead import cute
from fairlead._compiler import listed_keys, new_key_pair, read_elf


def library(tmp_path):
    path = tmp_path / "double.so"
    kernels.compiled().export_library(path)
    return path


def patched(path, offset, value):
    data = bytearray(path.read_bytes())
    data[offset : offset + len(value)] = value
    path.write_bytes(data)
    return path


@case
def LibraryUnreadable(tmp_path):
    (tmp_path / "folder.so").mkdir()
    cute.runtime.load_module(tmp_path / "folder.so")


@case
def LibraryNotElf(tmp_path):
    path = tmp_path / "text.so"
    path.write_text("print('hello')\n" * 100)
    cute.runtime.load_module(path)


@case
def LibraryTruncated(tmp_path):
    path = library(tmp_path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    cute.runtime.load_module(path)


@case
def LibraryCorrupt(tmp_path):
    # e_phentsize: the size of an entry of the program header table.
    cute.runtime.load_module(patched(library(tmp_path), 54, b"\x01\x00"))


@case
def LibraryArchitecture(tmp_path):
    cute.runtime.load_module(patched(library(tmp_path), 18, b"\xf3\x00"))  # e_machine: RISC-V


@case
def LibraryUntrusted(tmp_path, monkeypatch):
    keys = tmp_path / "keys.pub"
    keys.write_text(f"{new_key_pair()[0]} nobody here\n")
    path = library(tmp_path)
    monkeypatch.setenv("FAIRLEAD_TRUSTED_KEYS", str(keys))
    cute.runtime.load_module(path)


@case
def SigningKey(tmp_path):
    public = tmp_path / "build.pub"
    public.write_text(f"{new_key_pair()[0]} build\n")
    kernels.compiled().export_to_c(tmp_path / "double.o", function_name="double", sign=public)


@case
def KeyList(tmp_path):
    (tmp_path / "keys.pub").write_text("who signs: everybody\n")
    listed_keys(str(tmp_path / "keys.pub"))


@case
def ElfBytes():
    read_elf(b"no file")


@case
def LibraryKind(tmp_path):
    kernels.compiled().export_to_c(tmp_path / "double.o", function_name="double")
    path = tmp_path / "object.so"
    shutil.copy(tmp_path / "double.o", path)
    cute.runtime.load_module(path)
