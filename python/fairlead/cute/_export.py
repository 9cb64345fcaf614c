"""Exporting, and linking an exported object into a shared library."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlead import _compiler
from fairlead._core import CallDescription, Form
from fairlead._exported.operators import ExportedOperator
from fairlead._exported.seal import seal
from fairlead.config import runtime_libraries
from fairlead.errors import make_error

if TYPE_CHECKING:
    from fairlead.cute._compile import CompiledFunction

#: Ends of the names of files that the other export function writes.
_LIBRARIES, _OBJECTS = (".so", ".dylib", ".dll"), (".o", ".obj")
#: Ends of the names of files that neither writes.
_OTHERS = (
    ".a",
    ".lib",
    ".h",
    ".hpp",
    ".c",
    ".cpp",
    ".cu",
    ".py",
    ".ptx",
    ".cubin",
    ".txt",
    ".json",
)


def export(
    function: CompiledFunction,
    path: str | os.PathLike[str] | None,
    file_name: str | None,
    function_prefix: str | None,
    file_path: str | os.PathLike[str] | None,
    function_name: str | None,
    sign: str | os.PathLike[str] | None,
) -> None:
    """``CompiledFunction.export_to_c``."""
    facts = _Facts.of(function).as_json()
    texts = {
        "path": path,
        "function_name": function_name,
        "file_path": file_path,
        "file_name": file_name,
        "function_prefix": function_prefix,
    }
    _require_texts(texts)
    plain = any(text is not None for text in (file_name, function_prefix, file_path))
    if not plain and path is not None:
        if os.fsdecode(path).endswith(_LIBRARIES):
            reason = (
                "export_to_c writes an object file (.o); export_library writes a shared library"
            )
            raise make_error("ExportPath", path=os.fsdecode(path), reason=reason)
        _require_ending(os.fsdecode(path), "export_to_c writes an object file", ".o")
        name = function.signature.name if function_name is None else function_name
        with _signed_files(os.fsdecode(path), sign) as written:
            function.artifact.export_object(written, name, facts)
        return
    folder = path if file_path is None else file_path
    twice = path is not None and file_path is not None
    if folder is None or file_name is None or function_name is not None or twice:
        names = ", ".join(name for name, value in texts.items() if value is not None)
        raise make_error("ExportArguments", got=names or "nothing")
    call = function.call_description
    for name, form in zip(call.names, call.forms or (), strict=call.forms is not None):
        if _is_custom(form):
            reason = f"parameter `{name}` is of a custom type, which C has none for"
            raise make_error("ExportType", signature=function.signature.short_text, reason=reason)
    if file_name.endswith((*_LIBRARIES, *_OBJECTS, *_OTHERS)):
        stem = file_name.rpartition(".")[0]
        reason = f"file_name is the name of two files, .o and .h, without their endings: `{stem}`"
        raise make_error("ExportPath", path=file_name, reason=reason)
    prefix = file_name if function_prefix is None else function_prefix
    if sign is None:
        function.artifact.export_c(os.fsdecode(folder), file_name, prefix, facts)
        return
    target = os.path.join(os.fsdecode(folder), file_name + ".o")
    with _signed_files(target, sign) as written:
        function.artifact.export_c(os.path.dirname(written), file_name, prefix, facts)


@contextlib.contextmanager
def _signed_files(path: str, sign: str | os.PathLike[str] | None) -> Iterator[str]:
    """Return the path at which to write the object of ``path``. With ``sign`` it is in a folder next to ``path``: files
    are signed there and then moved, so that no reader sees an object without its signature. Otherwise ``path``."""
    if sign is None:
        yield path
        return
    import tempfile  # late, as below

    folder = os.path.dirname(path) or "."
    try:
        if not os.path.isdir(folder):
            os.mkdir(folder)
        beside = tempfile.TemporaryDirectory(prefix=".signing-", dir=folder)
    except OSError as error:
        raise make_error("ExportPath", path=path, reason=error.strerror) from None
    with beside as place:
        written = os.path.join(place, os.path.basename(path))
        yield written
        seal(written, sign)
        try:
            for name in sorted(os.listdir(place)):  # the header first
                os.replace(os.path.join(place, name), os.path.join(folder, name))
        except OSError as error:
            raise make_error("ExportPath", path=path, reason=error.strerror) from None


def _require_ending(path: str, what: str, ending: str) -> None:
    """ExportPath for a path that ends as files of other kinds do."""
    if path.endswith(_OTHERS):
        reason = f"{what} ({ending}): `{path.rpartition('.')[0]}{ending}`"
        raise make_error("ExportPath", path=path, reason=reason)


def _require_texts(texts: dict[str, Any]) -> None:
    """ExportArguments for a name that is no text or a path that is none, ExportPath for one that no file has."""
    for name, value in texts.items():
        kinds = (str, bytes, os.PathLike) if name.endswith("path") else str
        if value is not None and not isinstance(value, kinds):
            raise make_error("ExportArguments", got=f"{name} of type {type(value).__name__}")
        if value is not None and "\0" in os.fsdecode(value):
            reason = f"{name} holds a null character"
            raise make_error("ExportPath", path=repr(os.fsdecode(value))[1:-1], reason=reason)


def _is_custom(form: Form) -> bool:
    """True if a part of an argument is an object of the argument protocol."""
    return form.kind == "custom" or any(map(_is_custom, form.children))


def _call_text(function: CompiledFunction) -> str | None:
    """How the function is called. What no file can tell (objects of the argument protocol, constants that are objects)
    is taken apart: then each part is a parameter."""
    call = function.call_description
    if call.text is not None:
        return call.text
    names = _compiler.argument_names(function.signature)
    last = [form.kind == "argument" for form in call.forms or ()][-len(call.last_defaults) :]
    defaults = call.last_defaults if all(last) else ()
    values = (...,) * (len(names) - len(defaults)) + defaults
    return CallDescription(names, values, len(names)).text


class _Facts(NamedTuple):
    """Properties of an exported function that only Python knows: members of its metadata, without the empty ones."""

    call: str | None  #: how the function is called
    narrow_strides: tuple[str, ...]  #: tensors whose strides have 32 bits in plain C
    doc: str
    operator: ExportedOperator | None  #: the options of fairlead.torch.op, for fairlead.torch.load

    @classmethod
    def of(cls, function: CompiledFunction) -> _Facts:
        import inspect  # late: only exports need it, and importing it takes a while

        operator: Callable[[], ExportedOperator] | None = function.__dict__.get("_operator")
        return cls(
            _call_text(function),
            function._narrow_strides,
            inspect.cleandoc(function.__doc__ or ""),
            operator() if operator else None,
        )

    def as_json(self) -> list[tuple[str, str]]:
        """The name and the JSON text of each fact, as the compiler takes them."""
        import json

        facts = self._asdict().items()
        return [(name, json.dumps(value, allow_nan=False)) for name, value in facts if value]


def link_library(
    function: CompiledFunction,
    path: str,
    name: str | None,
    compiler: str,
    sign: str | os.PathLike[str] | None,
) -> None:
    """Write ``path``; NoCompiler where ``compiler`` is not found, LinkFailed with its output where it fails."""
    import shutil  # late: these take long, and few programs link
    import subprocess
    import tempfile

    if path.endswith(_OBJECTS):
        reason = "export_library writes a shared library (.so); export_to_c writes an object file"
        raise make_error("ExportPath", path=path, reason=reason)
    _require_ending(path, "export_library writes a shared library", ".so")
    program = shutil.which(compiler)
    if program is None:
        raise make_error("NoCompiler", path=path, compiler=compiler)
    with tempfile.TemporaryDirectory() as folder, _signed_files(path, sign) as written:
        object_file = os.path.join(folder, "function.o")
        function.export_to_c(object_file, function_name=name)
        command = [
            program,
            "-shared",
            "-o",
            written,
            object_file,
            *runtime_libraries(),
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise make_error(
                "LinkFailed",
                path=path,
                compiler=compiler,
                output=(result.stderr or result.stdout).strip(),
            )
    if sign is None:
        seal(path)
