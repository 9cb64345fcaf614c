"""Wheels of packages that tests look at and that are not installed: each is unpacked into a folder of its own."""

import zipfile
from collections.abc import Callable
from pathlib import Path

from . import environment, steps


def fetch(
    requirement: str, folder: Path, downloads: Path, keeps: Callable[[str], bool] = lambda _: True
) -> bool:
    """Unpacks a wheel, if that has not been done.

    Args:
        requirement: ``name==version``. What it requires itself is not fetched.
        folder: Where it is unpacked.
        downloads: A folder for the wheel.
        keeps: Given the name of a file of the wheel, whether to unpack it.

    Returns:
        False if pip cannot fetch it.
    """
    if folder.exists():
        return True
    version = requirement.partition("==")[2]
    command = [environment.python(), "-m", "pip", "download", "--progress-bar=off", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", downloads / version, requirement]
    status, _ = steps.run(f"fetch {requirement}", command, check=False, timeout=300)
    prefix = requirement.partition("==")[0].replace("-", "_").lower()
    wheels = sorted(
        path for path in (downloads / version).glob("*.whl") if path.name.lower().startswith(prefix)
    )
    if status != 0 or not wheels:
        print(f"  {requirement} is left out: pip cannot fetch its wheel")
        return False
    part = folder.with_name(f"{folder.name}.part")
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(part, filter(keeps, archive.namelist()))
    part.rename(folder)
    return True
