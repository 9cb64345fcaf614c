"""Lists the contents of a file of kernels: exported functions with signatures and documentation, and device images with
their architectures, kernels, registers and shared memory.

    fairlead inspect libkernels.so
    fairlead inspect --load libkernels.so        # also facts that only the library's code knows
    fairlead inspect --json kernel.cubin add.ptx

Files are shared libraries, object files, CUBINs, fatbins and PTX. They are read as bytes: nothing in them is executed,
but for libraries with --load, which are loaded (so their constructors run) and asked for metadata of their functions.
Functions exported from C++ have metadata, their types and documentation, where the library was compiled with
-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1; fairlead.ffi.cpp does so.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from fairlead.cli import CommandError

HELP = "list the functions, signatures and device images of a file"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help=".so, .o, .cubin, .fatbin or .ptx")
    parser.add_argument(
        "--load",
        action="store_true",
        help="load shared libraries, which runs their constructors, for signatures and documentation",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    reports = [_inspect(path, options.load) for path in options.files]
    if options.json:
        print(json.dumps(reports, indent=2))
    else:
        print("\n\n".join(_text(report) for report in reports))
    return 0


def _inspect(path: str, load: bool) -> dict[str, Any]:
    from fairlead._exported.contents import contents

    try:
        with open(path, "rb") as file:
            report = contents(file.read())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except ImportError as error:
        raise CommandError(f"reading device images needs Fairlead's compiler: {error}") from None
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    if report.get("signed_by"):
        report["is_trusted"] = _is_trusted(report["signed_by"])
    if load and report["kind"] == "library":
        _ask(path, report)
    return {"file": path, **report}


def _is_trusted(key: str) -> bool:
    """True if $FAIRLEAD_TRUSTED_KEYS lists the key."""
    from fairlead._compiler import listed_keys

    trusted = os.environ.get("FAIRLEAD_TRUSTED_KEYS")
    try:
        return trusted is not None and trusted != "" and key in listed_keys(trusted)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _ask(path: str, report: dict[str, Any]) -> None:
    """Loads the library and calls what its functions say of themselves."""
    from fairlead._exported.contents import signature_text

    try:
        import ctypes

        from fairlead import ffi

        library = ctypes.CDLL(ffi.load_module(path)._opened)

        def text(symbol: str) -> str:
            address = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
            return str(ffi.make_function(address)())

        for function in report["functions"]:
            name = function["name"]
            if function["has_metadata"]:
                function["metadata"] = json.loads(text(f"__tvm_ffi__metadata_{name}"))
                function["signature"] = signature_text(name, function["metadata"])
            if function["has_doc"]:
                function["doc"] = text(f"__tvm_ffi__doc_{name}")
    except Exception as error:  # Whatever its code does.
        raise CommandError(f"{path}: loading it failed: {error}") from None


def _text(report: dict[str, Any]) -> str:
    checked = ", its checksum is right" if report.get("checksum") else ""
    if report.get("signed_by"):
        trust = " (trusted)" if report["is_trusted"] else ""
        checked += f", signed by {report['signed_by']}{trust}"
    lines = [f"{report['file']}: {report['kind']}{checked}"]
    if report["functions"]:
        lines.append("  functions")
        untold = False
        for function in report["functions"]:
            abi = f" ({function['abi']}, as {function['name']})" if function.get("abi") else ""
            lines.append(f"    {function['signature'] or function['name']}{abi}")
            lines += [f"        {line}" for line in _origin(function["metadata"])]
            untold = untold or (function["signature"] is None and function["has_metadata"])
            if function["doc"]:
                lines += [f"        {line}" for line in function["doc"].splitlines()]
        if untold and report["kind"] == "library":
            lines.append("    (--load shows more signatures: the library's own code tells them)")
        if any(_has_no_types(function) for function in report["functions"]):
            lines.append(
                "    (names alone: compiled without -DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1)"
            )
    if report["images"]:
        lines.append("  images")
        for image in report["images"]:
            lines += _image_lines(image)
    if len(lines) == 1:
        lines.append("  no functions of the open ABI, no device images")
    return "\n".join(lines)


def _has_no_types(function: dict[str, Any]) -> bool:
    """True if nothing in the file tells the types of a function of the open ABI."""
    is_described = function["signature"] is not None or function["has_metadata"]
    return not is_described and not function.get("abi")


def _origin(metadata: dict[str, Any] | None) -> list[str]:
    """The compiler of a function, and its targets."""
    details = (metadata or {}).get("fairlead") or {}
    if "abi" not in details:
        return []
    options = ", ".join(f"{name} {value}" for name, value in (details.get("options") or {}).items())
    targets = ", ".join(map(str, details.get("targets") or ()))
    parts = [f"Fairlead {details.get('version')}, ABI {details['abi']}", f"for {targets}"]
    if details.get("cuda"):
        parts.append(f"CUDA {details['cuda']} or newer")
    if options:
        parts.append(options)
    lines = ["; ".join(parts)]
    if details.get("source"):
        lines.append(f"source {details['source'][:16]}")
    return lines


def _image_lines(image: dict[str, Any]) -> list[str]:
    title = f"    {image['name'] + ': ' if image['name'] else ''}{image['kind']}"
    lines = [f"{title}, {image['bytes']} bytes"]
    if "error" in image:
        lines.append(f"      {image['error']}")
    for part in image["parts"]:
        compressed = ", compressed" if part["compressed"] else ""
        lines.append(f"      {part['kind']} for {part['arch']}{compressed}")
        lines += [f"        {_kernel_text(kernel)}" for kernel in part["kernels"]]
    return lines


def _kernel_text(kernel: dict[str, Any]) -> str:
    facts = []
    if kernel["params"] is not None:
        sizes = "+".join(str(size) for _, size in kernel["params"])
        facts.append(f"parameters {sizes} bytes" if sizes else "no parameters")
    for key, unit in (
        ("registers", "registers"),
        ("shared_bytes", "bytes shared"),
        ("dynamic_shared_bytes", "bytes dynamic shared"),
        ("local_bytes", "bytes local"),
        ("max_threads", "threads at most"),
    ):
        if kernel.get(key) is not None:
            facts.append(f"{kernel[key]} {unit}")
        elif key == "registers" and kernel["params"] is not None:
            facts.append("registers unknown until it is assembled")
    name = kernel["readable_name"]
    if name != kernel["name"]:
        name += f" [{kernel['name']}]"
    text: str = name + (f": {', '.join(facts)}" if facts else "")
    return text
