"""Size of the wheel in dist/, and of an installation beside the peer's."""

import sys
import zipfile
from pathlib import Path

import _harness
from _harness import Row, peers_python
from _processes import child, row

_DIST = Path(__file__).resolve().parents[1] / "dist"
# Sizes as the installed distributions' own file lists have them.
_INSTALLED = """
import importlib.metadata, json
total = 0
for distribution in importlib.metadata.distributions():
    if (distribution.metadata["Name"] or "").lower().startswith("nvidia-cutlass-dsl"):
        total += sum(file.size or 0 for file in distribution.files or ())
print(json.dumps(dict(bytes=total)))
"""


def measure(rounds: int) -> list[Row]:
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    wheels = sorted(_DIST.glob(f"fairlead-*-{tag}-*.whl"))
    if not wheels:
        sys.exit(f"no dist/fairlead-*-{tag}-*.whl: ./run wheel makes one")
    wheel = wheels[-1]
    with zipfile.ZipFile(wheel) as archive:
        installed = sum(entry.file_size for entry in archive.infolist()) / 1e6
    python = peers_python()
    theirs = child(python, _INSTALLED)["bytes"] / 1e6 if python else 0.0
    return [
        row("wheel", wheel.stat().st_size / 1e6, "MB", wheel.name),
        row("installed", installed, "MB", peer=theirs or None, peer_name="nvidia-cutlass-dsl"),
    ]


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
