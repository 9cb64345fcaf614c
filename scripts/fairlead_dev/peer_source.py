"""The source package of apache-tvm-ffi, whose own tests ours run: fetched through pip, kept in build/."""

import re
import tarfile
from pathlib import Path

from . import environment, steps

_WORK = steps.ROOT / "build" / "peer-source"


def folder() -> Path | None:
    """Return the folder of the unpacked sources; None before ensure()."""
    path = _WORK / f"apache_tvm_ffi-{_version()}"
    return path if (path / "tests").is_dir() else None


def ensure() -> Path | None:
    """Fetches it if it is not there; none, after a line that says so, where it cannot be had."""
    if unpacked := folder():
        return unpacked
    _WORK.mkdir(parents=True, exist_ok=True)
    package = f"apache-tvm-ffi=={_version()}"
    command = [environment.python(), "-m", "pip", "download", "--progress-bar=off", "--no-deps"]
    command += ["--no-binary", "apache-tvm-ffi", "--dest", _WORK, package]
    label = f"fetch the sources of {package}"
    status, _ = steps.run(label, command, check=False, timeout=900, aside=True)
    archives = sorted(_WORK.glob(f"apache_tvm_ffi-{_version()}.tar.*"))
    if status != 0 or not archives:
        print(f"  {package}'s own tests are skipped: pip cannot fetch its source package")
        return None
    safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Pythons from 3.11.4 on
    with tarfile.open(archives[0]) as archive:
        archive.extractall(_WORK, **safe)
    return folder()


def _version() -> str:
    """Return the version that the other tests also use."""
    text = (environment.REQUIREMENTS / "peers.txt").read_text()
    return re.search(r"^apache-tvm-ffi==(\S+)$", text, re.MULTILINE)[1]
