"""Source text with the exports of its functions, and images to embed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairlead.ffi.cpp._plan import strings

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PRELUDE = "".join(
    f"#include <tvm/ffi/{header}>\n"
    for header in (
        "container/tensor.h",
        "dtype.h",
        "error.h",
        "extra/c_env_api.h",
        "function.h",
    )
)


def texts(cpp_sources: object, cuda_sources: object, functions: Any) -> dict[str, str]:
    """File name -> text. The functions are exported by the C++ file, if any, else by the CUDA file."""
    parts = {
        "main.cpp": strings("cpp_sources", cpp_sources),
        "cuda.cu": strings("cuda_sources", cuda_sources),
    }
    files = {leaf: _PRELUDE + "\n".join(part) + "\n" for leaf, part in parts.items() if part}
    if not files:
        raise ValueError("build_inline: neither cpp_sources nor cuda_sources were given")
    exporting = next(iter(files))
    for function, doc in _documented(functions).items():
        files[exporting] += f"TVM_FFI_DLL_EXPORT_TYPED_FUNC({function}, {function});\n"
        if doc:
            files[exporting] += (
                f"TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC({function}, {_c_string(doc)});\n"
            )
    return files


def images(embed_cubin: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """Name -> image, checked."""
    if embed_cubin is None:
        return {}
    if not isinstance(embed_cubin, Mapping):
        raise TypeError(
            f"embed_cubin: expected a mapping from names to bytes, but got {type(embed_cubin).__name__}"
        )
    images = {}
    for name, image in embed_cubin.items():
        if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
            raise ValueError(f"embed_cubin: expected an identifier as a name, but got {name!r}")
        if not isinstance(image, bytes | bytearray | memoryview):
            raise TypeError(
                f"embed_cubin[{name!r}]: expected bytes, but got {type(image).__name__}"
            )
        images[name] = bytes(image)
        if not images[name]:
            raise ValueError(f"embed_cubin[{name!r}]: the image is empty")
    return images


def _documented(functions: Mapping[str, str] | Sequence[str] | str | None) -> dict[str, str]:
    if functions is None:
        return {}
    if isinstance(functions, Mapping):
        documented = dict(functions)
    else:
        names = strings("functions", functions)
        documented = dict.fromkeys(names, "")
        if len(documented) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"functions: {twice!r} is exported twice")
    for name, doc in documented.items():
        if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
            raise ValueError(
                f"functions: expected the name of a function at namespace scope, but got {name!r}; export others with "
                "TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function) in the source"
            )
        if not isinstance(doc, str | None):
            raise TypeError(
                f"functions[{name!r}]: expected its documentation as str, but got {type(doc).__name__}"
            )
    return {name: doc or "" for name, doc in documented.items()}


def _c_string(text: str) -> str:
    """A C string literal of the text's UTF-8."""
    out = []
    for byte in text.encode():
        character = chr(byte)
        # A question mark may begin a trigraph; octal escapes end after three digits.
        plain = character.isascii() and character.isprintable() and character not in '"\\?'
        out.append(character if plain else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'
