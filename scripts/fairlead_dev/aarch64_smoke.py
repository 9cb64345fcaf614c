"""Try a wheel for AArch64, with NumPy, in a root of Debian's packages for arm64 under qemu."""

import shlex
import shutil
from pathlib import Path

from . import aarch64_system, steps

# Pythons that Debian has for arm64, by the ABI in a wheel's name: the version, and the suite that has it (this
# machine's sources, if it is empty).
_PYTHONS = {"cp311": ("3.11", ""), "cp313": ("3.13", "trixie"), "cp314": ("3.14", "forky")}
# Enough to install a wheel: nothing compiles there.
_PACKAGES = ("base-files", "libc-bin", "coreutils", "bash", "dash", "libstdc++6")
_RUN = steps.ROOT / "scripts" / "run_aarch64.sh"


def python_of(wheel: Path) -> tuple[str, str] | None:
    """Return the version and the suite of Debian's Python for the wheel, or None if Debian has none."""
    return _PYTHONS.get(wheel.name.split("-")[3])


def run(wheel: Path) -> None:
    """Install a wheel that `python_of` accepts, and run tests/install/smoke.py."""
    version, suite = python_of(wheel) or ("", "")
    root = aarch64_system.SYSTEM / f"root-{version}"
    aarch64_system.ensure_root(root, (*_PACKAGES, f"python{version}"), suite)
    shutil.copy(steps.ROOT / "tests" / "install" / "smoke.py", root / "smoke.py")
    shutil.rmtree(root / "env", ignore_errors=True)
    create = f"python{version} -m venv --without-pip /env"
    steps.run("create an empty environment for AArch64", _inside(root, create))
    site = root / "env" / "lib" / f"python{version}" / "site-packages"
    aarch64_system.install(site, version, [wheel, "numpy"])
    _move_scripts(site / "bin", root / "env" / "bin")
    steps.run(
        "smoke test of the wheel for AArch64",
        _inside(root, "cd /env && /env/bin/python -I /smoke.py"),
        timeout=1200,
    )


def _move_scripts(source: Path, target: Path) -> None:
    """Put the scripts of a wheel where an environment has them; pip wrote them for this machine's Python."""
    for script in source.glob("fairlead*"):
        _, _, program = script.read_text().partition("\n")
        moved = target / script.name
        moved.write_text(f"#!/env/bin/python\n{program}")
        moved.chmod(0o755)


def _inside(root: Path, command: str) -> list[str]:
    """A shell command inside the root, with nothing of this machine's environment."""
    variables = ["PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "FAIRLEAD_TARGET=cpu"]
    # Debian signs return addresses since 13: by qemu's own algorithm, programs run ten times as fast.
    variables.append("QEMU_CPU=max,pauth-impdef=on")
    mount = f"mount --rbind /proc {root}/proc && mount --rbind /dev {root}/dev"
    clean = f"/usr/bin/env -i {' '.join(variables)} /bin/sh -c {shlex.quote(command)}"
    return [str(_RUN), "sh", "-c", f"{mount} && exec chroot {root} {clean}"]
