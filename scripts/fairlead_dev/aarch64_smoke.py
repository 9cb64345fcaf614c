"""Try a wheel for AArch64 in a root of Debian's packages for arm64, with NumPy beside it, under qemu."""

import shlex
import shutil
from pathlib import Path

from . import aarch64_system, steps

_ROOT = aarch64_system.SYSTEM / "root"
# Enough to install a wheel: nothing compiles there.
_PACKAGES = ("python3.11-venv", "python3", "libc-bin", "coreutils", "bash", "dash", "libstdc++6")
_RUN = steps.ROOT / "scripts" / "run_aarch64.sh"


def can_try(wheel: Path) -> bool:
    """Return whether the wheel is for the Python that Debian 12 has for arm64."""
    return "-cp311-" in wheel.name


def run(wheel: Path) -> None:
    """Install a wheel that `can_try` accepts, and run tests/install/smoke.py."""
    aarch64_system.ensure_root(_ROOT, _PACKAGES)
    root, packages = _ROOT, _ROOT / "wheels"
    shutil.rmtree(packages, ignore_errors=True)
    packages.mkdir()
    shutil.copy(wheel, packages)
    aarch64_system.download("numpy", packages)
    shutil.copy(steps.ROOT / "tests" / "install" / "smoke.py", root / "smoke.py")
    shutil.rmtree(root / "env", ignore_errors=True)
    install = "/env/bin/python -m pip install --quiet --no-index --find-links /wheels fairlead"
    steps.run("create an empty environment for AArch64", _inside(root, "python3.11 -m venv /env"))
    steps.run("install the wheel for AArch64", _inside(root, install))
    steps.run(
        "smoke test of the wheel for AArch64",
        _inside(root, "cd /env && /env/bin/python -I /smoke.py"),
        timeout=1200,
    )


def _inside(root: Path, command: str) -> list[str]:
    """A shell command inside the root, with nothing of this machine's environment."""
    variables = ["PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "FAIRLEAD_TARGET=cpu"]
    mount = f"mount --rbind /proc {root}/proc && mount --rbind /dev {root}/dev"
    clean = f"/usr/bin/env -i {' '.join(variables)} /bin/sh -c {shlex.quote(command)}"
    return [str(_RUN), "sh", "-c", f"{mount} && exec chroot {root} {clean}"]
