"""The plan of a build: its sources, tools and options; and the commands."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairlead import __version__
from fairlead.config import include_dir, lib_dir
from fairlead.ffi.cpp import _cache, _toolchain
from fairlead.ffi.cpp._ninja import Step

_METADATA = "TVM_FFI_DLL_EXPORT_INCLUDE_METADATA"
_OBJECTS = (".o", ".obj")

#: An image under the names that TVM_FFI_EMBED_CUBIN declares: aligned, not visible outside the library.
_EMBEDDING = """\
.section .rodata, "a", @progbits
.balign 16
.globl {symbol}
.hidden {symbol}
.type {symbol}, @object
{symbol}:
.incbin "{leaf}"
.globl {symbol}_end
.hidden {symbol}_end
{symbol}_end:
.byte 0
.size {symbol}, {size}
.section .note.GNU-stack, "", @progbits
"""


def strings(name: str, value: object) -> list[str]:
    """Return a list of strings from None, one or several; TypeError with the argument's name for anything else."""
    if value is None:
        return []
    if isinstance(value, str | os.PathLike):
        return [os.fspath(value)]
    if not isinstance(value, Sequence):
        raise TypeError(f"{name}: expected a list of str, but got {type(value).__name__}")
    for item in value:
        if not isinstance(item, str | os.PathLike):
            raise TypeError(f"{name}: expected a list of str, but one is {type(item).__name__}")
    return [os.fspath(item) for item in value]


@dataclass(frozen=True)
class Flags:
    """Options of the caller."""

    cxx: list[str]
    cuda: list[str]
    link: list[str]
    includes: list[str]

    @staticmethod
    def of(cxx: object, cuda: object, link: object, includes: object, backend: str | None) -> Flags:
        backend = backend or os.environ.get("TVM_FFI_GPU_BACKEND") or "cuda"
        if backend != "cuda":
            raise ValueError(f"backend: expected 'cuda', the only one here, but got {backend!r}")
        options = {
            "extra_cflags": cxx,
            "extra_cuda_cflags": cuda,
            "extra_ldflags": link,
            "extra_include_paths": includes,
        }
        for name, value in options.items():
            if isinstance(value, str):
                raise TypeError(f"{name}: expected a list of options, but got the str {value!r}")
        lists = [strings(name, value) for name, value in options.items()]
        lists[3] = [os.path.abspath(path) for path in lists[3]]
        return Flags(*lists)


class Plan:
    """One library or object. `texts` and `images` are files that the build writes, `sources` the caller's."""

    def __init__(
        self,
        name: str,
        output: str | os.PathLike[str] | None,
        flags: Flags,
        *,
        sources: list[str],
        texts: dict[str, str],
        images: dict[str, bytes],
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: expected str, but got {type(name).__name__}")
        if not name or name in (".", "..") or any(c in name for c in "/\\\0\n"):
            raise ValueError(f"name: expected a name that a file can have, but got {name!r}")
        _require_plain("name", name)
        self.name = name
        self.flags = flags
        self.sources = sources
        self.texts = texts
        self.images = images
        self._output = None if output is None else os.fspath(output)
        self.leaf = f"{name}.so" if self._output is None else os.path.basename(self._output)
        if not self.leaf:
            raise ValueError(f"output: expected the name of a file, but got {self._output!r}")
        _require_plain("output", self.leaf)
        if any(leaf == self.leaf for leaf in (*self.files(), "building", "build.ninja")):
            raise ValueError(f"output: {self.leaf!r} is the name of one of the build's own files")
        self.relocatable = self.leaf.endswith(_OBJECTS)

    def destination(self, folder: str | None) -> str | None:
        """Return the path where the caller wants the result besides the cache's own; None for the cache alone."""
        if self._output is not None and os.path.dirname(self._output):
            return os.path.abspath(self._output)
        return None if folder is None else os.path.join(folder, self.leaf)

    def key(self) -> dict[str, Any]:
        """All that decides the result, but for the content of the files that compilers read."""
        flags = self.flags
        tools: dict[str, Any] = {"cxx": self._cxx.identity}
        if self._has(".c"):
            tools["cc"] = self._cc.identity
        if self.with_cuda:
            tools["nvcc"] = self._nvcc.identity
            tools["archs"] = self._archs
            tools["cuda"] = self._cuda
        return {
            "fairlead": __version__,
            "headers": include_dir(),
            "leaf": self.leaf,
            "flags": [flags.cxx, flags.cuda, flags.link, flags.includes],
            "sources": self.sources,
            "texts": self.texts,
            "images": {name: _cache.digest(image) for name, image in self.images.items()},
            "tools": tools,
            "surroundings": _toolchain.surroundings([*flags.cxx, *flags.cuda]),
        }

    def files(self) -> dict[str, bytes]:
        """Write the plan's own files into the build's folder before it starts."""
        contents = {leaf: text.encode() for leaf, text in self.texts.items()}
        for name, image in self.images.items():
            leaf = f"embedded_{name}.bin"
            text = _EMBEDDING.format(symbol=_symbol(name), leaf=leaf, size=len(image))
            contents[leaf] = image
            contents[f"embedded_{name}.s"] = text.encode()
        return contents

    def link_files(self) -> list[str]:
        """Files that the options of linking name."""
        return [os.path.abspath(flag) for flag in self.flags.link if os.path.isfile(flag)]

    def steps(self, folder: str) -> list[Step]:
        steps = []
        objects = []
        sources = [*(os.path.join(folder, leaf) for leaf in self.texts), *self.sources]
        for number, source in enumerate(sources):
            if source.endswith(_OBJECTS):
                objects.append(source)
                continue
            step = self._compile(source, f"{number}_{os.path.basename(source)}.o")
            steps.append(step)
            objects.append(step.output)
        for name in self.images:
            step = Step(
                f"embedded_{name}.o",
                [*self._cxx.command, "-c", f"embedded_{name}.s", "-o", f"embedded_{name}.o"],
                [f"embedded_{name}.s", f"embedded_{name}.bin"],
            )
            steps.append(step)
            objects.append(step.output)
        return [*steps, *(self._merge(objects) if self.relocatable else [self._link(objects)])]

    @property
    def with_cuda(self) -> bool:
        return self._has(".cu")

    def _has(self, ending: str) -> bool:
        return any(path.endswith(ending) for path in (*self.sources, *self.texts))

    @cached_property
    def _cxx(self) -> _toolchain.Tool:
        return _toolchain.cxx()

    @cached_property
    def _cc(self) -> _toolchain.Tool:
        return _toolchain.cc()

    @cached_property
    def _nvcc(self) -> _toolchain.Tool:
        return _toolchain.nvcc()

    @cached_property
    def _cuda(self) -> str:
        return _toolchain.cuda_root(self._nvcc)

    @cached_property
    def _archs(self) -> list[str]:
        return _toolchain.cuda_archs()

    def _includes(self) -> list[str]:
        paths = [*self.flags.includes, include_dir()]
        if self.with_cuda:
            paths.append(os.path.join(self._cuda, "include"))
        return [f"-I{path}" for path in paths]

    def _compile(self, source: str, output: str) -> Step:
        flags = self.flags
        depfile = f"{output}.d"
        define = [f"-D{_METADATA}=1"]
        if any(_METADATA in flag for flag in (*flags.cxx, *flags.cuda)):
            define = []
        rest = [*self._includes(), "-c", source, "-o", output]
        if source.endswith(".cu"):
            own_flags = ["-O2", *_toolchain.gencode(self._archs), "-Xcompiler", "-fPIC"]
            if not any(flag.startswith(("-std", "--std")) for flag in flags.cuda):
                own_flags.append("-std=c++17")
            command = [*self._nvcc.command, "-MD", "-MF", depfile, *own_flags, *define, *flags.cuda]
        elif source.endswith(".c"):
            command = [*self._cc.command, "-MD", "-MF", depfile, "-fPIC", "-O2", *flags.cxx]
        else:
            own_flags = ["-MD", "-MF", depfile, "-std=c++17", "-fPIC", "-O2"]
            command = [*self._cxx.command, *own_flags, *define, *flags.cxx]
        return Step(output, [*command, *rest], [source], depfile)

    def _link(self, objects: list[str]) -> Step:
        command = [*self._cxx.command, "-shared", *objects, "-o", self.leaf]
        command += [f"-L{lib_dir()}", "-ltvm_ffi"]
        if self.with_cuda:
            command += self._cuda_libraries()
        return Step(self.leaf, [*command, *self.flags.link], [*objects, *self.link_files()])

    def _cuda_libraries(self) -> list[str]:
        """CUDA's runtime, linked in where the toolkit allows it: a process may hold another version of the shared
        one, or none."""
        for leaf in ("lib64", "lib"):
            folder = os.path.join(self._cuda, leaf)
            if os.path.exists(os.path.join(folder, "libcudart_static.a")):
                hide = "-Wl,--exclude-libs,libcudart_static.a"
                return [f"-L{folder}", hide, "-lcudart_static", "-ldl", "-lrt", "-lpthread"]
        return [f"-L{os.path.join(self._cuda, 'lib64')}", "-lcudart"]

    def _merge(self, objects: list[str]) -> list[Step]:
        """One object of several. Embedded images become local: other objects may use the same names."""
        merge = [*self._cxx.command, "-r", "-nostdlib", *objects, "-o"]
        if not self.images:
            return [Step(self.leaf, [*merge, self.leaf], objects)]
        merged = f"merged_{self.leaf}"
        names = [f"{_symbol(name)}{end}" for name in self.images for end in ("", "_end")]
        hide = [f"--localize-symbol={name}" for name in names]
        command = [_toolchain.objcopy(), *hide, merged, self.leaf]
        return [Step(merged, [*merge, merged], objects), Step(self.leaf, command, [merged])]


def _require_plain(what: str, name: str) -> None:
    """ValueError for names that ninja and compilers would not take as files."""
    if name.startswith("-"):
        raise ValueError(
            f"{what}: expected a name that does not begin as an option does, but got {name!r}"
        )
    if "|" in name:
        raise ValueError(
            f"{what}: expected a name without `|`, which build files set apart, but got {name!r}"
        )


def _symbol(name: str) -> str:
    return f"__tvm_ffi__cubin_{name}"
