"""``fairlead cache export --wheel``: entries of a cache as packages for pip, one for each family of targets."""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import zipfile
from typing import TYPE_CHECKING

from fairlead.cli import CommandError
from fairlead.cute._cache_packages import GROUP, PREFIX

if TYPE_CHECKING:
    from fairlead.cli.cache import Entry

_KINDS = ("programs", "objects", "cubins", "nvrtc")
# The earliest time of a ZIP file: equal entries make equal files.
_TIME = (1980, 1, 1, 0, 0, 0)


def export(root: str, entries: list[Entry], options: argparse.Namespace) -> int:
    """Write the wheels."""
    if options.wheel is None:
        raise CommandError("export needs --wheel FOLDER")
    name = options.name or "app"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise CommandError(f"--name: expected small letters, digits and `_`, but got {name!r}")
    if not re.fullmatch(r"\d+(\.\d+)*", options.version):
        raise CommandError(f"--version: expected numbers such as 1.0, but got {options.version!r}")
    chosen = [entry for entry in entries if entry.kind in _KINDS]
    if options.manifest:
        from fairlead.cli._fleet import read_list

        listed = {(kind, digest) for kind, digest, _ in read_list(options.manifest)}
        missing = listed - {(entry.kind, entry.digest) for entry in chosen}
        if missing:
            raise CommandError(f"{len(missing)} entries of {options.manifest} are not in {root}")
        chosen = [entry for entry in chosen if (entry.kind, entry.digest) in listed]
    for entry in chosen:
        if damage := entry.damage():
            raise CommandError(
                f"{entry.path}: {damage}; `fairlead cache verify --remove` removes it"
            )
    families = sorted({family for entry in chosen for family in families_of(entry.label)})
    if options.arch:
        unknown = [arch for arch in options.arch if arch not in families]
        if unknown:
            architectures = ", ".join(families) or "none"
            raise CommandError(f"--arch {unknown[0]}: the cache has entries for {architectures}")
        families = options.arch
    if not families:
        raise CommandError(f"no compiled programs in {root}")
    os.makedirs(options.wheel, exist_ok=True)
    for family in families:
        # Entries that name no target, such as those of CUDA C++ sources, are in each package.
        members = [e for e in chosen if family in (families_of(e.label) or [family])]
        path = _write(options.wheel, f"{name}_{family.replace('-', '_')}", options.version, members)
        print(f"{path}: {len(members)} {'entry' if len(members) == 1 else 'entries'}")
    return 0


def families_of(label: str) -> list[str]:
    """Return the families of targets of an entry: architectures of GPUs such as sm_90a, and cpu."""
    targets = label.partition(") for ")[2] or label.rpartition(" for ")[2]
    names = re.findall(r"\b(?:sm|compute)_(\w+)|\b(cpu)\b", targets)
    return [*dict.fromkeys(f"sm_{arch}" if arch else cpu for arch, cpu in names)]


def _write(folder: str, name: str, version: str, entries: list[Entry]) -> str:
    package = PREFIX + name
    info = f"{package}-{version}.dist-info"
    files = {
        f"{package}/__init__.py": f'"""Compiled kernels of {name}, which Fairlead finds by itself."""\n'.encode()
    }
    for entry in entries:
        with open(entry.path, "rb") as file:
            files[f"{package}/{entry.kind}/{entry.digest[:2]}/{entry.digest[2:]}"] = file.read()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: {version}\n"
        "Summary: compiled kernels for Fairlead\n"
    ).encode()
    tag = "py3-none-any"
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: fairlead\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    )
    files[f"{info}/entry_points.txt"] = f"[{GROUP}]\n{name} = {package}\n".encode()
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
    path = os.path.join(folder, f"{package}-{version}-{tag}.whl")
    beside = f"{path}.{os.getpid()}.tmp"
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as wheel:
        for member, data in files.items():
            described = zipfile.ZipInfo(member, _TIME)
            described.compress_type = zipfile.ZIP_DEFLATED
            described.external_attr = 0o100644 << 16
            wheel.writestr(described, data)
    os.replace(beside, path)
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
