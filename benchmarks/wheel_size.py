"""Size of the wheel in dist/, and of an installation beside the peer's."""

import sys
import zipfile
from pathlib import Path

from _report import child, finish, peersPython, row

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


def main() -> None:
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    wheels = sorted(_DIST.glob(f"fairlead-*-{tag}-*.whl"))
    if not wheels:
        sys.exit(f"no dist/fairlead-*-{tag}-*.whl: ./run wheel makes one")
    wheel = wheels[-1]
    with zipfile.ZipFile(wheel) as archive:
        installed = sum(entry.file_size for entry in archive.infolist()) / 1e6
    theirs = child(peersPython(), _INSTALLED)["bytes"] / 1e6 if peersPython() else 0.0
    finish([
        row("wheel", wheel.stat().st_size / 1e6, "MB", wheel.name),
        row("installed", installed, "MB", peer=theirs or None, peer_name="nvidia-cutlass-dsl"),
    ])  # fmt: skip


if __name__ == "__main__":
    main()
