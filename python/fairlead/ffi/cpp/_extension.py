"""``load_inline``, ``build_inline``, ``build`` and ``load``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from fairlead._hints import name_keywords
from fairlead.ffi._loading import load_module
from fairlead.ffi._module import Module
from fairlead.ffi.cpp import _cache, _inline, _ninja, _plan

__all__ = ["build", "build_inline", "load", "load_inline"]

Sources = Sequence[str] | str | None
Flags = Sequence[str] | None


def load_inline(
    name: str,
    *,
    cpp_sources: Sources = None,
    cuda_sources: Sources = None,
    functions: Mapping[str, str] | Sequence[str] | str | None = None,
    extra_cflags: Flags = None,
    extra_cuda_cflags: Flags = None,
    extra_ldflags: Flags = None,
    extra_include_paths: Flags = None,
    build_directory: str | os.PathLike[str] | None = None,
    embed_cubin: Mapping[str, bytes] | None = None,
    keep_module_alive: bool = True,
    backend: str | None = None,
) -> Module:
    """Build a library from source text, as `build_inline` does, and load it.

    Args:
        name, cpp_sources, cuda_sources, functions, embed_cubin, build_directory, backend: see build_inline.
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths: see build_inline.
        keep_module_alive: whether the library stays loaded until the process ends; otherwise as long as something of
            it is in use.

    Raises BuildError as `build_inline` does, and RuntimeError when the library cannot be loaded.
    """
    _, path = _build_inline(
        name,
        cpp_sources,
        cuda_sources,
        functions,
        embed_cubin,
        None,
        build_directory,
        _plan.Flags.of(
            extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, backend
        ),
    )
    return load_module(path, keep_module_alive)


def build_inline(
    name: str,
    *,
    cpp_sources: Sources = None,
    cuda_sources: Sources = None,
    functions: Mapping[str, str] | Sequence[str] | str | None = None,
    extra_cflags: Flags = None,
    extra_cuda_cflags: Flags = None,
    extra_ldflags: Flags = None,
    extra_include_paths: Flags = None,
    build_directory: str | os.PathLike[str] | None = None,
    embed_cubin: Mapping[str, bytes] | None = None,
    backend: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> str:
    """Build a library from source text; return its path.

    Args:
        name: of the library; its file is ``<name>.so``.
        cpp_sources: C++ text, or several that are put one after the other.
        cuda_sources: the same of CUDA C++, compiled by nvcc for the architectures of ``TVM_FFI_CUDA_ARCH_LIST``
            ("9.0a 10.0a"), or else for the GPUs of this machine.
        functions: names of functions to export, with their documentation if it is a mapping. They must be declared
            in the C++ text, or in the CUDA text when there is no other.
        extra_cflags, extra_cuda_cflags, extra_ldflags: more options of the C++ compiler, of nvcc and of linking.
        extra_include_paths: folders of headers.
        build_directory: the folder to build in; one of the cache if None.
        embed_cubin: images by name, for ``TVM_FFI_EMBED_CUBIN(name)``.
        backend: "cuda" or None.
        output: name or path of the file to make instead; one that ends in ``.o`` is a relocatable object.

    Raises BuildError when a tool is missing or fails, with all that the compiler said.
    """
    flags = _plan.Flags.of(
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, backend
    )
    path, _ = _build_inline(
        name,
        cpp_sources,
        cuda_sources,
        functions,
        embed_cubin,
        output,
        build_directory,
        flags,
    )
    return path


def build(
    name: str,
    *,
    sources: Sources = None,
    cpp_files: Sources = None,
    cuda_files: Sources = None,
    extra_cflags: Flags = None,
    extra_cuda_cflags: Flags = None,
    extra_ldflags: Flags = None,
    extra_include_paths: Flags = None,
    build_directory: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> str:
    """Build a library from files; return its path. Only files whose content, or whose headers, changed are compiled.

    Args:
        sources: files of C (``.c``), CUDA (``.cu``), C++ (other endings), or objects (``.o``), which export their
            functions with ``TVM_FFI_DLL_EXPORT_TYPED_FUNC``.
        cpp_files, cuda_files: older names of `sources`; all are taken together.

    The others are those of `build_inline`.
    """
    flags = _plan.Flags.of(
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, backend
    )
    path, _ = _build_files(name, (sources, cpp_files, cuda_files), output, build_directory, flags)
    return path


def load(
    name: str,
    *,
    sources: Sources = None,
    cpp_files: Sources = None,
    cuda_files: Sources = None,
    extra_cflags: Flags = None,
    extra_cuda_cflags: Flags = None,
    extra_ldflags: Flags = None,
    extra_include_paths: Flags = None,
    build_directory: str | os.PathLike[str] | None = None,
    keep_module_alive: bool = True,
    backend: str | None = None,
) -> Module:
    """Build a library from files, as `build` does, and load it.

    Args:
        name, sources, cpp_files, cuda_files, build_directory, backend: see build.
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths: see build.
        keep_module_alive: see load_inline.
    """
    flags = _plan.Flags.of(
        extra_cflags, extra_cuda_cflags, extra_ldflags, extra_include_paths, backend
    )
    _, path = _build_files(name, (sources, cpp_files, cuda_files), None, build_directory, flags)
    return load_module(path, keep_module_alive)


def _build_inline(
    name: str,
    cpp_sources: Sources,
    cuda_sources: Sources,
    functions: object,
    embed_cubin: Mapping[str, bytes] | None,
    output: str | os.PathLike[str] | None,
    build_directory: str | os.PathLike[str] | None,
    flags: _plan.Flags,
) -> tuple[str, str]:
    texts = _inline.texts(cpp_sources, cuda_sources, functions)
    images = _inline.images(embed_cubin)
    plan = _plan.Plan(name, output, flags, sources=[], texts=texts, images=images)
    return _make(plan, build_directory)


def _build_files(
    name: str,
    groups: Sequence[Sources],
    output: str | os.PathLike[str] | None,
    build_directory: str | os.PathLike[str] | None,
    flags: _plan.Flags,
) -> tuple[str, str]:
    sources = [path for part in groups for path in _plan.strings("sources", part)]
    if not sources:
        raise ValueError("build: no sources were given")
    plan = _plan.Plan(
        name,
        output,
        flags,
        sources=[os.path.abspath(path) for path in sources],
        texts={},
        images={},
    )
    for path in plan.sources:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"build: there is no source file {path}")
    return _make(plan, build_directory)


def _make(plan: _plan.Plan, build_directory: str | os.PathLike[str] | None) -> tuple[str, str]:
    """The path that a caller expects, and the one to load: that one is never another library's later."""
    key = _cache.digest(json.dumps(plan.key(), sort_keys=True).encode())
    if build_directory is None:
        root = _cache.cache_folder()
        entry = _cache.Entry(os.path.join(root, f"{plan.name}_{key[:16]}"), root)
    else:
        build_directory = os.path.abspath(os.fspath(build_directory))
        entry = _cache.Entry(os.path.join(build_directory, f"{plan.leaf}.build"))
    result = entry.find(key)
    if result is None:
        entry.create()
        entry.require_trust()
        with entry.locked(plan.name):
            result = entry.find(key)  # Another process may have made it while this one waited.
            if result is None:
                result = _run(plan, entry, key)
    destination = plan.destination(build_directory)
    if destination is None:
        return result, result
    if not _cache.has_content(destination, _cache.digest(_read(result))):
        os.makedirs(os.path.dirname(destination), exist_ok=True)
        _cache.place(result, destination)
    return destination, result


def _run(plan: _plan.Plan, entry: _cache.Entry, key: str) -> str:
    start = entry.start()
    try:
        for leaf, content in plan.files().items():
            path = os.path.join(entry.work, leaf)
            # A file that stays as it is keeps its time, so that its object is not compiled again.
            if not (os.path.exists(path) and _read(path) == content):
                _cache.replace(path, content)
        files = _ninja.run(
            plan.name, entry.work, plan.steps(entry.work), plan.leaf, start, entry.show_life
        )
        return entry.publish(os.path.join(entry.work, plan.leaf), plan.leaf, key, files)
    finally:
        entry.end()


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


name_keywords(__all__, globals())
