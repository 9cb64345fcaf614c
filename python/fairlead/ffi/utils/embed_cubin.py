"""Embeds device images (CUBIN, fatbin, PTX) in object files, for ``TVM_FFI_EMBED_CUBIN`` of the C++ headers.

    python -m fairlead.ffi.utils.embed_cubin --cubin k.cubin --name my_cubin --input-obj in.o --output-obj out.o

The object with an image is written here, byte by byte: it takes no assembler, no ``ld -r`` and no objcopy. Images
are aligned to 16 bytes and end in a zero that does not count. Their symbols are hidden, so two libraries of one
process may use one name. Only joining with an input object runs tools: ``ld -r``, and objcopy where it is found, which
lets two such objects of one library use one name.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

_MACHINES = {"x86_64": 62, "AMD64": 62, "aarch64": 183, "arm64": 183}
_ALIGNMENT = 16
_PREFIX = "__tvm_ffi__cubin_"


def symbols(name: str) -> tuple[str, str]:
    """Return the symbols of the image `name`: its first byte, and the byte after its last."""
    if not (name.isascii() and name.replace("_", "a").isalnum()):
        raise ValueError(f"the name of an embedded image must be a C identifier, got {name!r}")
    return f"{_PREFIX}{name}", f"{_PREFIX}{name}_end"


def make_object(images: Mapping[str, bytes], machine: int | None = None) -> bytes:
    """Return a relocatable ELF object for this machine (or the ELF number `machine`) that holds the images by name."""
    if machine is None:
        machine = _MACHINES.get(platform.machine())
    if machine is None:
        raise RuntimeError(f"cannot embed images on a machine of type {platform.machine()}")
    content, names, table = bytearray(), bytearray(b"\0"), bytearray(24)
    for name, image in images.items():
        if not image:
            raise ValueError(f"the image {name!r} is empty (0 bytes)")
        content += bytes(-len(content) % _ALIGNMENT)
        for symbol, value, size in zip(
            symbols(name), (len(content), len(content) + len(image)), (len(image), 0)
        ):
            # Global, an object, hidden, in section 1.
            table += struct.pack("<IBBHQQ", len(names), 0x11, 2, 1, value, size)
            names += symbol.encode() + b"\0"
        content += image + b"\0"
    titles = b"\0.rodata\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab\0"
    # Title, type, flags, content, link, info, alignment, entry size.
    sections = [
        (b".rodata", 1, 2, content, 0, 0, _ALIGNMENT, 0),
        (b".note.GNU-stack", 1, 0, b"", 0, 0, 1, 0),
        (b".symtab", 2, 0, table, 4, 1, 8, 24),
        (b".strtab", 3, 0, names, 0, 0, 1, 0),
        (b".shstrtab", 3, 0, titles, 0, 0, 1, 0),
    ]
    body, headers = bytearray(64), bytearray(64)
    for title, kind, flags, data, link, info, alignment, entry in sections:
        body += bytes(-len(body) % alignment)
        place = titles.index(title + b"\0")
        headers += struct.pack(
            "<IIQQQQIIQQ", place, kind, flags, 0, len(body), len(data), link, info, alignment, entry
        )
        body += bytes(data)
    body += bytes(-len(body) % 8)
    count = len(sections) + 1
    body[:64] = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\177ELF\2\1\1", 1, machine, 1, 0, 0, len(body), 0, 64, 0, 0, 64, count, count - 1,
    )  # fmt: skip
    return bytes(body + headers)


def _run(command: list[str], verbose: bool) -> None:
    if verbose:
        print("+", *command)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} failed with status {done.returncode}:\n{done.stderr}"
        )


def _machine_of(path: Path) -> int:
    head = path.read_bytes()[:20]
    if head[:6] != b"\177ELF\2\1":
        raise RuntimeError(f"{path} is no 64-bit ELF object")
    return int(struct.unpack_from("<H", head, 18)[0])


def embed_images(
    images: Mapping[str, bytes],
    output_obj_path: Path,
    input_obj_path: Path | None = None,
    verbose: bool = False,
) -> None:
    """Write an object with the images, joined with `input_obj_path` if given. FileNotFoundError, ValueError, or
    RuntimeError with a tool's message."""
    output_obj_path = Path(output_obj_path)
    if input_obj_path is None:
        output_obj_path.write_bytes(make_object(images))
        return
    input_obj_path = Path(input_obj_path)
    if not input_obj_path.is_file():
        raise FileNotFoundError(f"there is no object file {input_obj_path}")
    linker = shutil.which(os.environ.get("LD") or "ld")
    if linker is None:
        raise RuntimeError("joining object files needs the linker ld, which is not on PATH")
    image = make_object(images, _machine_of(input_obj_path))
    with tempfile.TemporaryDirectory(dir=output_obj_path.parent) as folder:
        added, joined = Path(folder, "image.o"), Path(folder, "joined.o")
        added.write_bytes(image)
        _run([linker, "-r", "-o", str(joined), str(input_obj_path), str(added)], verbose)
        copier = shutil.which(os.environ.get("OBJCOPY") or "objcopy")
        if copier is not None:
            local = [f"--localize-symbol={symbol}" for name in images for symbol in symbols(name)]
            _run([copier, *local, str(joined)], verbose)
        os.replace(joined, output_obj_path)
    if verbose:
        print(f"embedded {', '.join(images)} in {output_obj_path}")


def embed_cubin(
    cubin_path: Path, input_obj_path: Path, output_obj_path: Path, name: str, verbose: bool = False
) -> None:
    """Write `output_obj_path`: the input object with the image of `cubin_path` embedded under `name`."""
    cubin_path = Path(cubin_path)
    if not cubin_path.is_file():
        raise FileNotFoundError(f"there is no image file {cubin_path}")
    embed_images({name: cubin_path.read_bytes()}, output_obj_path, input_obj_path, verbose)


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, 1 a file is missing, 2 a tool failed (or wrong usage), 3 anything else."""
    parser = argparse.ArgumentParser(
        prog="embed_cubin", description="Embeds a device image in an object file."
    )
    parser.add_argument("--output-obj", required=True, help="the object file to write")
    parser.add_argument("--input-obj", required=True, help="the object file to join with")
    parser.add_argument("--cubin", required=True, help="the image: a CUBIN, fatbin or PTX file")
    parser.add_argument("--name", required=True, help="the name in TVM_FFI_EMBED_CUBIN")
    parser.add_argument("--verbose", action="store_true", help="show the commands run")
    options = parser.parse_args(arguments)
    try:
        embed_cubin(
            Path(options.cubin),
            Path(options.input_obj),
            Path(options.output_obj),
            options.name,
            options.verbose,
        )
    except FileNotFoundError as error:
        print(f"embed_cubin: {error}", file=sys.stderr)
        return 1
    except RuntimeError as error:
        print(f"embed_cubin: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        print(f"embed_cubin: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
