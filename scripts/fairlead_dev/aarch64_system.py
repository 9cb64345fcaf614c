"""A sysroot for AArch64 and an emulated Python, for building on another machine.

apt resolves Debian's packages for arm64 with a database of its own and dpkg-deb unpacks them, so that nothing is
installed. A script starts the Python under qemu: CMake, pip and tests use it like an interpreter of this machine.
"""

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from . import debian_python, steps

SYSTEM = steps.ROOT / "build-aarch64-system"
SYSROOT = SYSTEM / "sysroot"
# Packages to unpack, with their dependencies.
_PACKAGES = (
    *("llvm-22-dev", "libmlir-22-dev", "mlir-22-tools", "libstdc++-12-dev", "libgtest-dev", "libbenchmark-dev"),
    *("libzstd-dev", "zlib1g-dev", "libsodium-dev", "libxml2-dev", "libffi-dev", "libedit-dev"),
    *("python3.11", "libpython3.11-dev"),
)  # fmt: skip
_PYTHON_VERSION = "3.11"
# The build machine's LLVM tools, which replace the tools that CMake's packages name.
_LLVM_PROGRAMS = Path("/usr/lib/llvm-22/bin")


def ensure_sysroot() -> Path:
    """Return the sysroot; download and unpack the packages if their list has changed."""
    if ensure_root(SYSROOT, _PACKAGES):
        programs = SYSROOT / "usr" / "lib" / "llvm-22" / "bin"
        shutil.rmtree(programs)
        programs.symlink_to(_LLVM_PROGRAMS)
    return SYSROOT


def ensure_root(root: Path, packages: Sequence[str], suite: str = "") -> bool:
    """Unpack packages for arm64, with all that they depend on, into a folder; return whether that was necessary.

    They are those of a suite of Debian, or of this machine's sources.
    """
    stamp = root / "packages.txt"
    key = " ".join((*packages, *([f"of {suite}"] if suite else [])))
    if stamp.exists() and stamp.read_text() == key:
        return False
    apt = _apt(suite)
    steps.run("list packages of arm64", [*apt, "update"])
    install = [*apt, "install", "--yes", *packages]
    steps.run("download packages of arm64", [*install, "--download-only"])
    _, listing = steps.run("choose packages of arm64", [*install, "--simulate"])
    chosen = re.findall(r"^Inst (\S+) \((\S+)", listing, re.MULTILINE)
    archives = _apt_folder(suite) / "cache" / "archives"
    names = [
        file.name
        for name, version in chosen
        for file in archives.glob(f"{name}_{version.replace(':', '%3a')}_*.deb")
    ]
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("proc", "dev", "tmp"):
        (root / folder).mkdir(parents=True)
    unpack = "; ".join(
        f"dpkg-deb -x {shlex.quote(str(archives / name))} {shlex.quote(str(root))}"
        for name in names
    )
    steps.run(f"unpack {len(names)} packages of arm64", ["sh", "-e", "-c", unpack])
    _make_links_relative(root)
    stamp.write_text(key)
    return True


def _apt_folder(suite: str) -> Path:
    return SYSTEM / f"apt-{suite}" if suite else SYSTEM / "apt"


def _apt(suite: str) -> list[str]:
    """A call of apt for arm64, as if nothing was installed, from the suite or from this machine's sources."""
    folder = _apt_folder(suite)
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    options = {
        "Dir::State": folder,
        "Dir::State::Lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
    }
    if suite:
        sources = folder / "sources.list"
        sources.write_text(f"deb {debian_python.configured_archive()} {suite} main\n")
        options |= {"Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "-"}
    return ["apt-get", *(f"-o{name}={value}" for name, value in options.items())]


def _make_links_relative(root: Path) -> None:
    """Make links to absolute paths mean files of the root."""
    for folder, directories, files in os.walk(root):
        for name in (*directories, *files):
            path = Path(folder, name)
            if not path.is_symlink():
                continue
            target = os.readlink(path)
            if target.startswith("/"):
                path.unlink()
                path.symlink_to(os.path.relpath(f"{root}{target}", folder))


def path() -> str:
    """PATH on which gcc and its kin are for AArch64."""
    folder = SYSTEM / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    root = shlex.quote(str(SYSROOT))
    names = ("ld", "nm", "objcopy", "objdump", "strip")
    tools = {name: f"aarch64-linux-gnu-{name}" for name in names}
    compilers = {"gcc": "gcc", "cc": "gcc", "g++": "g++", "c++": "g++"}
    tools |= {
        name: f"aarch64-linux-gnu-{compiler}-12 --sysroot={root}"
        for name, compiler in compilers.items()
    }
    for name in ("clang-22", "clang++-22"):
        tools[name] = f"/usr/bin/{name} --target=aarch64-linux-gnu --sysroot={root}"
    loader = f"{root}/lib/ld-linux-aarch64.so.1"
    tools["ldd"] = f"qemu-aarch64-static -L {root} -E LD_TRACE_LOADED_OBJECTS=1 {loader}"
    for name, command in tools.items():
        file = folder / name
        file.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        file.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def python_headers() -> Path:
    return SYSROOT / "usr" / "include" / f"python{_PYTHON_VERSION}"


def ensure_python(*groups: str) -> Path:
    """Return an interpreter for AArch64 that has the packages of these files of `scripts/requirements`."""
    folder = SYSTEM / "python"
    program = folder / "bin" / "python"
    site = folder / "lib" / f"python{_PYTHON_VERSION}" / "site-packages"
    files = [steps.ROOT / "scripts" / "requirements" / f"{group}.txt" for group in groups]
    contents = b"".join(file.read_bytes() for file in files)
    key = hashlib.sha256(str(SYSROOT).encode() + contents).hexdigest()
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text() == key:
        return program
    shutil.rmtree(folder, ignore_errors=True)
    site.mkdir(parents=True)
    program.parent.mkdir()
    (folder / "pyvenv.cfg").write_text(
        f"home = {SYSROOT}/usr/bin\ninclude-system-site-packages = false\n"
    )
    interpreter = SYSROOT / "usr" / "bin" / f"python{_PYTHON_VERSION}"
    program.write_text(
        "#!/bin/sh\n"
        'exec "${FAIRLEAD_QEMU:-qemu-aarch64-static}" '
        f'-L {shlex.quote(str(SYSROOT))} -0 "$0" {shlex.quote(str(interpreter))} "$@"\n'
    )
    program.chmod(0o755)
    if files:
        arguments = [argument for file in files for argument in ("-r", file)]
        install(site, _PYTHON_VERSION, arguments)
    stamp.write_text(key)
    return program


def install(site: Path, python_version: str, requirements: Sequence[str | os.PathLike]) -> None:
    """Unpack wheels for AArch64 into a folder: this machine's pip does it, which emulated takes minutes.

    `requirements` are pip's arguments; pip chooses for the version of Python and refuses wheels of another one.
    """
    steps.run(
        "pip install for AArch64",
        [
            *(_pip_python(), "-m", "pip", "install", "--progress-bar=off", f"--target={site}"),
            *_pip_options(python_version),
            *requirements,
        ],
    )


def _pip_options(python_version: str) -> list[str]:
    """Options that make pip choose wheels for AArch64 and a version of Python."""
    names = [f"manylinux_2_{minor}_aarch64" for minor in (17, 24, 26, 27, 28, 34, 35)]
    return [
        *("--only-binary=:all:", "--implementation=cp", f"--python-version={python_version}"),
        *(f"--platform={name}" for name in (*names, "manylinux2014_aarch64")),
    ]


def _pip_python() -> Path:
    return steps.ROOT / ".venv" / "bin" / "python"
