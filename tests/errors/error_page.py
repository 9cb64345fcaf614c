"""docs/errors.md, made from the table of diagnostics and the errors that the cases of calls raise.

``python tests/errors/error_page.py`` writes the page, and the forms of make_error for type checkers.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "errors.md"
TABLE = ROOT / "include" / "fairlead" / "Diagnostics.def"

HEAD = """# Errors

This page lists the errors that Fairlead raises. An error of tracing or compiling is a `fairlead.DSLError` and also the
exception named here. It shows the user's file, line and expression, if known, also inside helpers that a kernel calls.
Its `diagnostic` is the id (in C++, `fairlead::Error::id()`), and its `help` says what to write instead, if that is
known. An error of a call is the exception named here. Exceptions of the user's own code pass through unchanged.

An error has an id if the fault is in the program, its compiled function, a file of functions or a setting. A plain
Python function that is called wrongly (an argument with a wrong type or value, or one that is missing or unknown)
raises Python's own `TypeError` or `ValueError`, without an id. The message names the argument, the expectation and the
value. A name that does not exist is an `AttributeError`, a missing file a `FileNotFoundError`. All functions of
`fairlead.ffi` and of programs' other names (`fairlead.compat`) do the same.

Tracebacks leave out Fairlead's own frames. With the environment variable `FAIRLEAD_DEBUG=1` they are complete.

`python tests/errors/error_page.py` writes this page; a test compares it with the errors that are raised.

## A call that the signature rejects

Each message as one call raised it. Arguments are counted from 0, as in the signature that the message shows: structs
are taken apart into their fields there. Those of structs, None and keywords count the arguments of the Python call.

"""


def templates() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The table of diagnostics: (section, [(id, exception, text)])."""
    sections: list[tuple[str, list[tuple[str, str, str]]]] = []
    for line in TABLE.read_text().splitlines():
        if line.startswith("// --- "):
            sections.append((line.removeprefix("// --- ").split(". ")[0].rstrip("."), []))
        elif match := re.match(r'FAIRLEAD_DIAGNOSTIC\((\w+), "(\w+)", "(.*)"\)$', line):
            id, kind, text = match.groups()
            sections[-1][1].append((id, kind, text.replace('\\"', '"').replace("\\n", " ")))
    return sections


def further_cases():
    """Other calls that end in the messages above: where a symbol stands, and what Python passes."""
    import kernels
    import numpy as np

    from fairlead import Float32, Int32, cute

    def rows(a, n):
        pass

    columns, n = cute.sym_int(), cute.sym_int()
    tensor = cute.runtime.make_fake_compact_tensor(Float32, (n, columns), stride_order=(1, 0))
    f = kernels.compile_host(rows, tensor, n)
    fixed = cute.runtime.make_fake_compact_tensor(Float32, (n, 4), stride_order=(1, 0))
    g = kernels.compile_host(rows, fixed, Int32)
    wide = np.zeros((3, 8), np.float32)
    return {
        "gaps between rows of any length": lambda: f(wide[:, :5], 3),
        "gaps between rows of one length": lambda: g(wide[:, :4], 3),
        "a number that is an extent": lambda: f(wide, 4),
        "an integer beyond 64 bits": lambda: g(np.zeros((3, 4), np.float32), 2**64),
        "a list for a tensor": lambda: f([1.0, 2.0], 3),
        "a stand-in for a tensor": lambda: f(tensor, 3),
    }


def structure_cases():
    """Calls whose structs, tuples, None and keywords do not fit: the call path reports these."""
    from typing import NamedTuple

    import kernels

    import fairlead
    from fairlead import Float32

    class Config(NamedTuple):
        scale: Float32
        mode: fairlead.Constexpr

    def f(a, config, mask=None, *, count: fairlead.Int32 = 1):
        pass

    def h(a):
        a[0] = 1.0

    class Array:
        """JAX's, as the call path knows them."""

    Array.__name__ = Array.__qualname__ = "Array"
    Array.__module__, Array.__dlpack__ = "jax", lambda self: None
    g = kernels.compile_host(f, kernels.vector(), Config(1.0, "fast"))
    h = kernels.compile_host(h, kernels.vector())
    a, read_only = kernels.zeros(), kernels.zeros()
    read_only.setflags(write=False)
    return {
        "another value of a constant": lambda: g(a, (1.0, "slow")),
        "a tuple of another length": lambda: g(a, (1.0,)),
        "no tuple": lambda: g(a, 1.0),
        "not None, for which it was compiled": lambda: g(a, (1.0, "fast"), a),
        "memory that may not be written to": lambda: h(read_only),
        "an array of JAX that the function writes": lambda: h(Array()),
        "a missing argument": lambda: g(a),
        "an unknown keyword": lambda: g(a, (1.0, "fast"), size=1),
        "an argument given twice": lambda: g(a, (1.0, "fast"), a=a),
        "too many positional arguments": lambda: g(a, (1.0, "fast"), None, 1),
    }


def protocol_cases():
    """Arguments whose own protocols give what cannot be used: told while the argument is converted."""
    import ctypes

    import kernels
    import numpy as np

    from fairlead import cute
    from fairlead.cute import cuda

    class Stream:
        def __cuda_stream__(self):
            return 1, 0

    class NoCapsule:
        def __dlpack__(self, **options):
            return 5

    class Capsule(NoCapsule):
        def __dlpack__(self, **options):
            make = ctypes.PyDLL(None).PyCapsule_New
            make.restype, make.argtypes = (
                ctypes.py_object,
                (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            )
            return make(ctypes.addressof(self.memory), self.name, None)

    malformed, used = Capsule(), Capsule()
    # A DLPack tensor of -1 modes: address, device, number of modes, and what does not count.
    malformed.memory = (ctypes.c_int32 * 24)(*[0] * 4, -1)
    malformed.name, used.name, used.memory = b"dltensor", b"used_dltensor", malformed.memory

    def f(a, stream: cuda.CUstream):
        pass

    g = kernels.compile_host(f, kernels.vector(), cute.runtime.make_fake_stream())
    a = kernels.zeros()
    return {
        "an array that is no DLPack tensor": lambda: g(np.zeros(4, ">f4"), 0),
        "no capsule": lambda: g(NoCapsule(), 0),
        "a capsule that was used": lambda: g(used, 0),
        "a DLPack tensor of -1 modes": lambda: g(malformed, 0),
        "a stream of an unknown protocol": lambda: g(a, Stream()),
    }


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def code(text: str) -> str:
    return f"`` {cell(text)} ``" if "`" in text else f"`{cell(text)}`"


def named(name: str) -> str:
    """Return an id as an anchor, errors.html#TensorDType; other text unchanged."""
    return f'<a id="{name}"></a>{name}' if name.isidentifier() else name


def row(name: str, call) -> str:
    try:
        call()
    except Exception as error:
        kind = next(cls for cls in type(error).__mro__ if cls.__module__ == "builtins")
        return f"| {named(name)} | {kind.__name__} | {code(str(error))} |\n"
    raise AssertionError(f"{name}: nothing is raised")


def page() -> str:
    import importlib

    from error_cases import CASES

    if not CASES:
        importlib.import_module("cases_calls")
    text = [HEAD, "| what | exception | message |\n|---|---|---|\n"]
    (_, calls), *others = templates()
    for id, _, _ in calls:
        if id in CASES:
            text.append(row(id, CASES[id]))
    for cases in (further_cases(), structure_cases(), protocol_cases()):
        text += [row(name, call) for name, call in cases.items()]
    for title, diagnostics in others:
        text.append(f"\n## {title}\n\nA word in braces is filled in.\n\n")
        text.append("| id | exception | message |\n|---|---|---|\n")
        text += [
            f"| {named(id)} | {kind} | {code(message)} |\n" for id, kind, message in diagnostics
        ]
    return "".join(text)


if __name__ == "__main__":
    import make_error_stub

    PAGE.write_text(page())
    make_error_stub.STUB.write_text(make_error_stub.text())
