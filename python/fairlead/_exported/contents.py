"""The contents of files of kernels: functions, their metadata, device images."""

from __future__ import annotations

import json
import re
from typing import Any

from fairlead._compiler import ElfFile, ElfSection, Signature, read_elf

_PREFIX = "__tvm_ffi_"
_METADATA, _DOC, _CUBIN = f"{_PREFIX}_metadata_", f"{_PREFIX}_doc_", f"{_PREFIX}_cubin_"
_PLAIN = "__fairlead_c_"
_EM_CUDA = 190
_FATBIN_MAGIC = b"\x50\xed\x55\xba"
# Metadata as Fairlead's compiler writes it: a constant of the object, with its keys sorted.
_OWN_METADATA = re.compile(rb'\{"fairlead":\{[^\0]*\}\0')
_PTX = re.compile(rb"\.version[ \t]+\d+\.\d+[^\0]*?\.target[ \t]+sm_\d+")


def contents(data: bytes) -> dict[str, Any]:
    """The description of a file's bytes. ValueError for bytes of no kind known here; nothing is executed."""
    if data[:4] == b"\x7fELF":
        elf = read_elf(data)
        if elf.machine != _EM_CUDA:
            return _host_file(elf, data)
    image = read_image(data)
    image["name"] = None
    return {"kind": image["kind"], "functions": [], "images": [image]}


def read_image(data: bytes) -> dict[str, Any]:
    from fairlead import _compiler

    image = _compiler.read_image(data)
    image["bytes"] = len(data)
    return image


def signature_text(name: str, metadata: dict[str, Any] | None) -> str | None:
    """Return the whole signature (``name(x: Tensor(...), ...) where ...``) if Fairlead's compiler wrote the metadata,
    otherwise the ABI's type schema; None without either."""
    if not metadata:
        return None
    details = metadata.get("fairlead") or {}
    if text := details.get("text") or details.get("signature"):  # older files have no text
        return printed_signature(text, details.get("accesses"))
    try:
        schema = json.loads(metadata.get("type_schema") or "null")
    except (TypeError, ValueError):
        return None
    if not isinstance(schema, dict) or schema.get("type") != "ffi.Function":
        return None
    named = schema.get("named_args")
    if isinstance(named, dict):
        returned, params = named.get("return"), named.get("params")
    else:
        args = schema.get("args") or []
        returned, params = args[:1], args[1:] if args else None
    if params is None:
        return f"{name}(...)"
    result = "".join(map(_type_text, returned or []))
    return f"{name}({', '.join(map(_type_text, params))})" + (f" -> {result}" if result else "")


def printed_signature(text: str, accesses: object = None) -> str:
    """Return a signature's text as it is printed: without alignments that every element of the type has, and with the
    accesses to memory, if they are known. A text that this version cannot read stays as it is."""
    try:
        return str(parsed_signature(text, accesses))
    except ValueError:
        return text


def parsed_signature(text: str, accesses: object = None) -> Signature:
    """Return the signature that metadata have as ``text``, with their ``accesses``, which older files do not have.

    Raises ValueError for a text that this version cannot read."""
    signature = Signature.parse(text)
    if isinstance(accesses, dict) and all(isinstance(name, str) for name in accesses.values()):
        signature.note_accesses(accesses)
    return signature


def _type_text(schema: object) -> str:
    if not isinstance(schema, dict):
        return "Any"
    name = str(schema.get("type", "Any"))
    name = {"DLTensor*": "TensorView"}.get(name, name.removeprefix("ffi."))
    args = [_type_text(arg) for arg in schema.get("args") or ()]
    if name == "Optional" and args:
        return f"{args[0]} | None"
    if name in ("Union", "Variant") and args:
        return " | ".join(args)
    return f"{name}[{', '.join(args)}]" if args else name


def _host_file(elf: ElfFile, data: bytes) -> dict[str, Any]:
    kind = {1: "object", 2: "executable", 3: "library"}.get(elf.type, "ELF file")
    symbols = {}
    for symbol in elf.symbols:
        if symbol.is_defined and symbol.name.startswith(_PREFIX):
            symbols[symbol.name] = symbol
    said = own_metadata(elf, data)
    functions = []
    for name in sorted(symbols):
        stem = name.removeprefix(_PREFIX)
        if stem.startswith("_") or not symbols[name].is_function or symbols[name].is_local:
            continue
        # Without a type schema metadata looks as if it were the plain one's.
        metadata = said.get((stem, "open")) or said.get((stem, "plain"))
        functions.append(
            {
                "name": stem,
                "signature": signature_text(stem, metadata),
                "doc": None,
                "metadata": metadata,
                "has_metadata": _METADATA + stem in symbols,
                "has_doc": _DOC + stem in symbols,
            }
        )
    functions += _plain_functions(elf, said)
    images = _images(elf, data, symbols)
    _add_dynamic_shared(images, functions)
    return {
        "kind": kind,
        "checksum": "right" if elf.is_sealed else None,
        "signed_by": elf.signer or None,
        "functions": functions,
        "images": images,
    }


def _add_dynamic_shared(images: list[dict[str, Any]], functions: list[dict[str, Any]]) -> None:
    """Add to kernels what launches of the functions add to their static shared memory."""
    bytes_by_kernel: dict[str, int] = {}
    for function in functions:
        details = (function["metadata"] or {}).get("fairlead") or {}
        bytes_by_kernel.update(details.get("dynamic_shared") or {})
    for image in images:
        for kernel in (kernel for part in image["parts"] for kernel in part["kernels"]):
            kernel["dynamic_shared_bytes"] = bytes_by_kernel.get(kernel["name"])


def _plain_functions(elf: ElfFile, said: _Said) -> list[dict[str, Any]]:
    """Functions of the plain C ABI: their descriptors are data, and name no entry."""
    names = sorted(
        symbol.name.removeprefix(_PLAIN)
        for symbol in elf.symbols
        if symbol.is_defined and symbol.name.startswith(_PLAIN) and not symbol.is_local
    )
    functions = []
    for name in dict.fromkeys(names):
        # Objects of before told the type schema, and not the name that a function is exported under.
        metadata = said.get((name, "plain")) or said.get((name, "open"))
        if not metadata and len(said) == 1:
            metadata = next(iter(said.values()))
        functions.append(
            {
                "name": name,
                "signature": signature_text(name, metadata),
                "doc": None,
                "metadata": metadata,
                "has_metadata": False,
                "has_doc": False,
                "abi": "plain C",
            }
        )
    return functions


_Said = dict[tuple[str, str], dict[str, Any]]


def own_metadata(elf: ElfFile, data: bytes) -> _Said:
    """Exported name and ABI -> metadata, of functions that Fairlead compiled."""
    metadata_by_name = {}
    for section in elf.sections:
        if not section.name.startswith((".rodata", ".data.rel.ro")):
            continue
        for match in _OWN_METADATA.finditer(_content(section, data)):
            try:
                metadata = json.loads(match.group()[:-1])
                details = metadata["fairlead"]
                name = str(details.get("exported") or details["signature"].partition("(")[0])
                metadata_by_name[name, "open" if "type_schema" in metadata else "plain"] = metadata
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
    return metadata_by_name


def _content(section: ElfSection, data: bytes) -> bytes:
    start = section.file_offset
    return b"" if start is None else data[start : start + section.size]


def _images(elf: ElfFile, data: bytes, symbols: dict[str, Any]) -> list[dict[str, Any]]:
    """Images that symbols name, then those found by how images begin."""
    images = []
    covered: list[range] = []
    for name in sorted(symbols):
        if not name.startswith(_CUBIN) or name + "_end" not in symbols:
            continue
        start, end = (symbols[n].file_offset for n in (name, name + "_end"))
        if start is None or end is None:
            raise ValueError(f"{name} lies outside its section")
        covered.append(range(start, end))
        images.append(_image(data[start:end], name.removeprefix(_CUBIN)))
    for section in elf.sections:
        content, offset = _content(section, data), section.file_offset or 0
        # Debug information and the like holds no images, but may hold their text.
        if section.name.startswith((".rodata", ".data", ".nv_fatbin", ".lrodata", ".ldata")):
            for start, end in _begins(content):
                if any(offset + start in part for part in covered):
                    continue
                image = _image(content[start:end], None)
                if "error" in image:
                    continue  # It only looked like one.
                size = max((part["offset"] + part["size"] for part in image["parts"]), default=0)
                covered.append(range(offset + start, offset + start + max(size, 1)))
                image["bytes"] = size
                images.append(image)
    return images


def _elf_end(data: bytes, at: int) -> int:
    """The end of the ELF file that begins at `at`, by its headers: other files may follow it."""
    try:
        return at + read_elf(data, at).size
    except ValueError:
        return len(data)


def _begins(data: bytes) -> list[tuple[int, int]]:
    """The offsets in a section where images may begin, by their first bytes."""
    offsets = []
    for magic in (_FATBIN_MAGIC, b"\x7fELF"):
        at = data.find(magic)
        while at >= 0:
            cuda = magic == _FATBIN_MAGIC or data[at + 18 : at + 20] == bytes([_EM_CUDA, 0])
            if cuda:
                offsets.append((at, len(data) if magic == _FATBIN_MAGIC else _elf_end(data, at)))
            at = data.find(magic, at + 4)
    for match in _PTX.finditer(data):
        start = data.rfind(b"\0", 0, match.start()) + 1
        end = data.find(b"\0", match.end())
        offsets.append((start, len(data) if end < 0 else end))
    return sorted(offsets)


def _image(data: bytes, name: str | None) -> dict[str, Any]:
    try:
        return {"name": name, **read_image(data)}
    except ValueError as error:
        return {
            "name": name,
            "kind": "unknown",
            "bytes": len(data),
            "parts": [],
            "error": str(error),
        }
