"""The kernels of a file that run on a GPU, and the reason why others do not."""

from __future__ import annotations

import re
from typing import Any

from fairlead.cli import CommandError

#: The least CUDA version of a driver that compiles a PTX ISA version, by the ISA (10 * major + minor). From ISA 9.0 on
#: both have the same minor, and CUDA is 4 majors ahead.
_CUDA_OF_PTX = {80: 120, 81: 121, 82: 122, 83: 123, 84: 124, 85: 125, 86: 127, 87: 128, 88: 129}
_VERSION = re.compile(rb"^\s*\.version\s+(\d{1,2})\.(\d)\b", re.MULTILINE)


def gpu_row(name: str) -> dict[str, Any]:
    """The table's row of the GPU that an option names, such as ``sm_103``."""
    from fairlead import _compiler

    row: dict[str, Any] | None = _compiler.gpu_architecture(name.removeprefix("cuda:"))
    if row is None:
        names = ", ".join(arch["name"] for arch in _compiler.gpu_architectures())
        raise CommandError(f"--gpu: expected one of {names}, but got {name!r}")
    return row


def driver_version(text: str) -> int:
    """10 * major + minor of a CUDA version such as ``12.4``."""
    if not re.fullmatch(r"\d+\.\d", text):
        raise CommandError(f"--driver: expected a CUDA version such as 12.4, but got {text!r}")
    return int(text.replace(".", ""))


def suitability(path: str, gpu: dict[str, Any], driver: int | None) -> list[dict[str, str]]:
    """Return a verdict for each function and kernel of the file: dicts of ``what``, ``verdict`` (ok, note, broken),
    ``found`` and ``remedy``. ``driver``: the CUDA version of the GPU's driver, 10 * major + minor, if it is known."""
    from fairlead._exported.contents import contents

    try:
        with open(path, "rb") as file:
            data = file.read()
        report = contents(data)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    rows = [_function_row(function) for function in report["functions"]]
    rows += [
        _kernel_row(kernel, parts, gpu, driver) for kernel, parts in _kernels(report, data).items()
    ]
    if not rows:
        rows.append(_row("file", "note", "it holds neither functions nor kernels"))
    return rows


def _row(what: str, verdict: str, finding: str, remedy: str = "") -> dict[str, str]:
    return {"what": what, "verdict": verdict, "found": finding, "remedy": remedy}


def _function_row(function: dict[str, Any]) -> dict[str, str]:
    """True if this version loads the function."""
    from fairlead._exported.format import require_format

    metadata = (function["metadata"] or {}).get("fairlead") or {}
    name = f"function {function['name']}"
    if not metadata:
        return _row(name, "note", "not compiled by Fairlead: its needs are not known")
    try:
        require_format(metadata, "it")
    except RuntimeError as error:
        text, _, remedy = str(error).rpartition("; " if "; " in str(error) else ": ")
        return _row(name, "broken", text, remedy)
    targets = metadata.get("targets")
    names = map(str, targets) if isinstance(targets, list) else ()
    return _row(name, "ok", f"compiled for {', '.join(names)}")


def _kernels(report: dict[str, Any], data: bytes) -> dict[str, list[dict[str, Any]]]:
    """The images that hold a kernel, by its name. The images of a compressed part are those of `(compressed)`."""
    kernels: dict[str, list[dict[str, Any]]] = {}
    for image in report["images"]:
        for part in image["parts"]:
            names = [kernel["readable_name"] for kernel in part["kernels"]]
            for name in names or ["(compressed)" if part["compressed"] else "(no kernel)"]:
                kernels.setdefault(name, []).append({**part, "ptx": _ptx_version(part, data)})
    return kernels


def _ptx_version(part: dict[str, Any], data: bytes) -> int | None:
    """The PTX ISA of a part, 10 * major + minor; None for machine code, and for PTX that is compressed."""
    if part["kind"] != "ptx" or part["compressed"]:
        return None
    # Offsets count from the image, whose place in the file is not told: the text itself is looked for.
    target = part["arch"].replace("compute_", "sm_").encode()
    directive = re.compile(rb"\s*\.target\s+" + re.escape(target) + rb"\b")
    for match in _VERSION.finditer(data):
        if directive.match(data, match.end()):
            return 10 * int(match[1]) + int(match[2])
    return None


def _kernel_row(
    kernel: str, parts: list[dict[str, Any]], gpu: dict[str, Any], driver: int | None
) -> dict[str, str]:
    """The image that the loader takes: the first that fits and that the driver does not refuse."""
    from fairlead import _compiler

    what, name = f"kernel {kernel}", gpu["name"]
    archs = [part["arch"] for part in parts]
    refused = ""
    for index in _compiler.images_for(archs, name):
        part = parts[index]
        if part["kind"] != "ptx":
            return _row(what, "ok", f"machine code for {part['arch']}{refused}")
        text, cuda = f"PTX for {part['arch']}", _cuda_of(part["ptx"])
        if driver is None or cuda is None or driver >= cuda:
            text += ", which the driver compiles when it is loaded"
            text += f" (CUDA {_version(cuda)} or newer)" if cuda else ""
            remedy = "update the driver" if refused else ""
            return _row(what, "note" if refused else "ok", text + refused, remedy)
        refused += f"; {text} needs a driver of CUDA {_version(cuda)} or newer"
    if refused:
        remedy = f"update the driver, or export it with --target cuda:{name}"
        finding = f"the driver has CUDA {_version(driver or 0)}{refused}"
        return _row(what, "broken", finding, remedy)
    only = ", ".join(dict.fromkeys(archs))
    return _row(what, "broken", f"no code for {name}, only for {only}", _remedy(gpu))


def _cuda_of(ptx: int | None) -> int | None:
    """The least CUDA version of a driver that compiles a PTX ISA; None if the ISA is not known."""
    return None if ptx is None else _CUDA_OF_PTX.get(ptx) or max(ptx + 40, 120)


def _remedy(gpu: dict[str, Any]) -> str:
    if gpu["compiles"]:
        return f"export it with --target cuda:{gpu['name']}"
    return "export it with PTX, such as --target ptx:compute_90"


def _version(number: int) -> str:
    return f"{number // 10}.{number % 10}"
