"""Finds compilers and ninja, and tells them apart."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache

from fairlead.ffi.cpp._devices import all_archs
from fairlead.ffi.cpp._errors import BuildError

#: Settings of the environment that compilers read by themselves.
_READ_BY_COMPILERS = (
    "CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH GCC_EXEC_PREFIX COMPILER_PATH "
    "NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN SOURCE_DATE_EPOCH"
).split()


@dataclass(frozen=True)
class Tool:
    """A program with the arguments that belong to it, and what tells this version from others."""

    command: tuple[str, ...]
    identity: str

    def __str__(self) -> str:
        return shlex.join(self.command)


def cxx() -> Tool:
    """``$CXX``, else the first of g++, c++ and clang++. Links too."""
    return _compiler(
        "CXX", ("g++", "c++", "clang++"), "C++ sources and linking need a C++ compiler"
    )


def cc() -> Tool:
    """``$CC``, else the first of gcc, cc and clang."""
    return _compiler("CC", ("gcc", "cc", "clang"), "C sources need a C compiler")


def nvcc() -> Tool:
    """Return the CUDA compiler of ``$CUDA_HOME``, ``$CUDA_PATH``, PATH, /usr/local/cuda or the package
    nvidia-cuda-nvcc."""
    candidates = [os.path.join(root, "bin", "nvcc") for root in _given_roots()]
    if not candidates:
        candidates = [
            shutil.which("nvcc") or "",
            "/usr/local/cuda/bin/nvcc",
            *(os.path.join(folder, "nvidia", "cu13", "bin", "nvcc") for folder in sys.path),
        ]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return Tool((path,), _identity((path,), _stamp(path)))
    raise BuildError(
        "CUDA sources need nvcc, which was not found at $CUDA_HOME, $CUDA_PATH, on PATH or in /usr/local/cuda. "
        "Install the CUDA toolkit, or compile the kernel with fairlead.ffi.cpp.nvrtc and embed it (embed_cubin=)."
    )


def cuda_root(compiler: Tool) -> str:
    """Return the toolkit that an nvcc belongs to."""
    beside = os.path.dirname(os.path.dirname(os.path.realpath(compiler.command[0])))
    for root in (*_given_roots(), beside, "/usr/local/cuda"):
        if os.path.exists(os.path.join(root, "include", "cuda_runtime.h")):
            return root
    raise BuildError(
        f"CUDA sources need CUDA's headers, and {compiler} has no include/cuda_runtime.h beside it: "
        "set CUDA_HOME to the toolkit's folder"
    )


def ninja() -> str:
    """Return the path of ninja: on PATH, or of the Python package of that name."""
    path = shutil.which("ninja")
    if path is None:
        try:
            from ninja import BIN_DIR
        except ImportError:
            BIN_DIR = ""
        path = shutil.which("ninja", path=BIN_DIR) if BIN_DIR else None
    if path is None:
        raise BuildError(
            "building sources needs ninja, which is not on PATH: install it with `pip install ninja`, or with the "
            "system's package manager (ninja-build)"
        )
    return path


def objcopy() -> str:
    """Return the path of objcopy, which hides names of embedded images in a relocatable object."""
    path = shutil.which("objcopy") or shutil.which("llvm-objcopy")
    if path is None:
        raise BuildError(
            "an object file with embedded images needs objcopy, which is not on PATH: install binutils"
        )
    return path


def cuda_archs() -> list[str]:
    """Return the architecture to compile CUDA sources for, as ``90a`` or, with PTX, ``90+PTX``.

    ``$FAIRLEAD_CUDA_ARCH_LIST``, ``$TVM_FFI_CUDA_ARCH_LIST`` ("9.0a 10.0a"), else all devices of this machine.
    """
    for variable in ("FAIRLEAD_CUDA_ARCH_LIST", "TVM_FFI_CUDA_ARCH_LIST"):
        text = os.environ.get(variable, "")
        if text.strip():
            return [_parse_arch(word, variable) for word in re.split(r"[\s;,]+", text.strip())]
    # A GPU that is newer than this package gets the PTX of an older one.
    archs = [
        f"{arch.removeprefix('compute_')}+PTX"
        if arch.startswith("compute_")
        else arch.removeprefix("sm_")
        for arch in all_archs()
    ]
    if not archs:
        raise BuildError(
            "no CUDA device was found to compile CUDA sources for: set TVM_FFI_CUDA_ARCH_LIST to the architectures, "
            'such as "9.0a 10.0a"'
        )
    return archs


def gencode(archs: list[str]) -> list[str]:
    """nvcc's options for architectures as `cuda_archs` gives them."""
    flags = []
    for arch in archs:
        number, plus, _ = arch.partition("+")
        flags.append(f"-gencode=arch=compute_{number},code=sm_{number}")
        if plus:
            flags.append(f"-gencode=arch=compute_{number},code=compute_{number}")
    return flags


def surroundings(flags: list[str]) -> dict[str, str]:
    """Other properties of this machine that affect the compilers' output with these flags."""
    variables = {name: os.environ[name] for name in _READ_BY_COMPILERS if name in os.environ}
    if any("native" in flag for flag in flags):
        variables["cpu"] = _cpu()
    return variables


@lru_cache(maxsize=1)
def _cpu() -> str:
    """The meaning of `-march=native` here: a cache may be shared between machines."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n\n")[0].splitlines()
    except OSError:
        return ""
    names = ("model name", "flags", "Features", "CPU part")
    return "\n".join(line for line in lines if line.startswith(names))


def _parse_arch(word: str, variable: str) -> str:
    match = re.fullmatch(r"(?:sm_|compute_)?(\d+)\.?(\d)([af]?)(\+PTX)?", word)
    if match is None:
        raise ValueError(
            f'{variable}: expected architectures such as "9.0a 10.0a", but got {word!r}'
        )
    major, minor, suffix, ptx = match.groups()
    return f"{major}{minor}{suffix}{ptx or ''}"


def _given_roots() -> list[str]:
    return [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]


def _compiler(variable: str, names: tuple[str, ...], need: str) -> Tool:
    words = shlex.split(os.environ.get(variable, ""))
    for command in [words] if words else [[name] for name in names]:
        path = shutil.which(command[0])
        if path is not None:
            return Tool((path, *command[1:]), _identity((path, *command[1:]), _stamp(path)))
    looked = f"${variable} is {shlex.join(words)!r}" if words else f"looked for {', '.join(names)}"
    raise BuildError(
        f"{need}, which is not on PATH ({looked}): install one with the system's package manager, or set {variable}"
    )


def _stamp(path: str) -> tuple[str, int, int]:
    path = os.path.realpath(path)
    status = os.stat(path)
    return path, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=64)
def _identity(command: tuple[str, ...], stamp: tuple[str, int, int]) -> str:
    """The command, its file and its version's text: a launcher or script stays the same when the program that it
    starts changes."""
    try:
        done = subprocess.run(
            [*command, "--version"], capture_output=True, stdin=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{shlex.join(command)} --version failed: {error}") from error
    if done.returncode != 0:
        text = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise BuildError(
            f"{shlex.join(command)} --version failed with status {done.returncode}: {text}"
        )
    return f"{command}\n{stamp}\n{done.stdout.decode(errors='replace')}"
