"""Obtaining a CPython that the machine lacks from Debian's archive, for building and trying wheels: in build/pythons.

Debian 12 has Python 3.11 only; later suites have newer ones. Their packages are unpacked together with the C library
that they need, so the system does not change. Debian has no free-threaded Python: that is compiled from the sources.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from . import build, steps

FOLDER = build.BUILD / "pythons"
# Debian's suites to search. The newest version of a Python counts.
_SUITES = ("trixie", "forky")
_ARCHIVE = "http://deb.debian.org/debian"


def executable(version: str) -> Path:
    """Return the path of the interpreter of `version` ("3.14", "3.13t") that `obtain` makes."""
    folder = FOLDER / version
    return (folder if version.endswith("t") else folder / "usr") / "bin" / f"python{version}"


def obtain(version: str) -> Path:
    """Make CPython `version`, unless it is there, and return its interpreter.

    Raises StepFailed if the archive does not have it.
    """
    interpreter = executable(version)
    if interpreter.exists():
        return interpreter
    for tool in ("apt-get", "dpkg-deb", "make", "patchelf", "tar"):
        if shutil.which(tool) is None:
            raise steps.StepFailed(f"{tool} is not installed")
    shutil.rmtree(FOLDER / version, ignore_errors=True)
    if version.endswith("t"):
        _compile(version)
    else:
        _unpack(version)
    return interpreter


def _unpack(version: str) -> None:
    """Unpack the packages of Python `version` and all that they need."""
    archives = FOLDER / "cache" / "archives"
    shutil.rmtree(archives, ignore_errors=True)
    apt = _apt("deb")
    steps.run(
        f"download Python {version}",
        [
            *(*apt, "install", "-y", "--no-install-recommends", "--download-only"),
            *(f"python{version}-venv", f"libpython{version}-dev"),
        ],
    )
    # An interrupted run leaves no interpreter: the folder gets its name at the end.
    root, final = FOLDER / f"unpacked-{version}", FOLDER / version
    shutil.rmtree(root, ignore_errors=True)
    for package in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    loader = next(libraries.glob("ld-linux-*.so.*"))
    folder = final / libraries.relative_to(root)
    subprocess.run(
        [
            *("patchelf", "--set-interpreter", folder / loader.name, "--force-rpath"),
            *("--set-rpath", folder, root / "usr" / "bin" / f"python{version}"),
        ],
        check=True,
    )
    # Two absolute paths: pip's wheels, for venv, and the header of the processor.
    for module in root.glob(f"usr/lib/python{version}/_sysconfigdata_*.py"):
        text = module.read_text()
        module.write_text(re.sub(r"(?<=')/usr/share/python-wheels", f"{final}\\g<0>", text))
    chosen = root / "usr" / "include" / libraries.name / f"python{version}" / "pyconfig.h"
    shutil.copyfile(chosen, root / "usr" / "include" / f"python{version}" / "pyconfig.h")
    root.rename(final)


def _compile(version: str) -> None:
    """Compile the free-threaded Python `version`, without profile-guided optimisation."""
    source = _fetch_source(version.removesuffix("t"))
    prefix = FOLDER / version
    tree = FOLDER / f"build-{version}"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    options = [f"--prefix={prefix}", "--with-ensurepip=install", "--disable-gil"]
    steps.run(f"configure Python {version}", [source / "configure", "-q", *options], cwd=tree)
    steps.run(f"compile Python {version}", ["make", "-s", f"-j{build.jobs()}"], cwd=tree)
    steps.run(f"install Python {version}", ["make", "-s", "install"], cwd=tree)
    shutil.rmtree(tree)


def _fetch_source(number: str) -> Path:
    """Download and unpack the newest source of Python `number`; return its folder."""
    archives = FOLDER / "sources" / number
    shutil.rmtree(archives, ignore_errors=True)
    archives.mkdir(parents=True)
    steps.run(
        f"download the source of Python {number}",
        [*_apt("deb-src"), "source", "--download-only", "--only-source", f"python{number}"],
        cwd=archives,
    )
    (packed,) = archives.glob("*.orig.tar.*")
    subprocess.run(["tar", "xf", packed, "-C", archives], check=True)
    (configure,) = archives.glob("*/configure")
    return configure.parent


def _apt(kind: str) -> list[str | os.PathLike]:
    """Return an apt-get command with its own, current lists, for a machine without packages.

    `kind`: deb or deb-src.
    """
    lists, cache, status = FOLDER / "lists", FOLDER / "cache", FOLDER / "status"
    for folder in (lists / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    status.write_text("")
    sources = FOLDER / "sources.list"
    archive = configured_archive()
    sources.write_text("".join(f"{kind} {archive} {suite} main\n" for suite in _SUITES))
    settings = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": lists,
        "Dir::State::status": status,
        "Dir::Cache": cache,
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "1",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items())]
    steps.run("list the packages of newer Debians", [*apt, "update"])
    return apt


def configured_archive() -> str:
    """Return the archive that apt of this machine uses, so that its mirrors and proxies serve this too."""
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    archives = [line for line in done.stdout.split() if "security" not in line]
    return archives[0] if archives else _ARCHIVE
