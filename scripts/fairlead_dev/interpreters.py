"""Finding the interpreter of a Python version, with its C headers."""

import glob
import os
import shutil
import subprocess
import sys

from . import debian_python, steps

_PROBE = """
import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print("%d.%d" % sys.version_info[:2] + free, os.path.realpath(sys.executable), os.path.exists(header))
"""


def find(version: str | None) -> str:
    """The interpreter of `version` ("3.12"; "3.13t" is the free-threaded one), or the running one's.

    One that the machine lacks comes from Debian's archive. Raises StepFailed if that has none.
    """
    if version is None:
        return sys.executable
    paths = []
    for candidate in _candidates(version):
        reason = _lack(candidate, version)
        if reason is None:
            return candidate
        paths.append(f"  {candidate}: {reason}")
    try:
        return str(debian_python.obtain(version))
    except steps.StepFailed as failure:
        last = str(failure).strip().splitlines()[-1]
        raise steps.StepFailed(
            f"Found no Python {version} to build for. Looked at:\n"
            + "\n".join(paths or ["  nothing of that name in /usr/bin, on PATH, or of pyenv or uv"])
            + f"\n  Debian's archive: {last}"
            + f"\nInstall one: uv python install {version}, or pyenv install {version}."
        ) from None


def _candidates(version: str) -> list[str]:
    name = f"python{version}"
    number, free = version.removesuffix("t"), "t" if version.endswith("t") else ""
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR", os.path.expanduser("~/.local/share/uv/python"))
    patterns = [
        f"{pyenv}/versions/{number}.*{free}/bin/{name}",
        f"{uv}/cpython-{number}.*{'+freethreaded' * bool(free)}-linux-*/bin/{name}",
    ]
    paths = [f"/usr/bin/{name}", f"/usr/local/bin/{name}", shutil.which(name)]
    paths += [path for pattern in patterns for path in sorted(glob.glob(pattern), reverse=True)]
    paths.append(str(debian_python.executable(version)))
    return list(dict.fromkeys(path for path in paths if path and os.path.exists(path)))


def _lack(candidate: str, version: str) -> str | None:
    """Why the interpreter does not do, or None."""
    try:
        done = subprocess.run(
            [candidate, "-c", _PROBE], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    words = done.stdout.split()
    if done.returncode or len(words) != 3:
        return (done.stderr.strip().splitlines() or ["it does not run"])[-1]
    if words[0] != version:
        return f"it is Python {words[0]}"
    return None if words[2] == "True" else "it has no Python.h"
