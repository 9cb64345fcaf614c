"""Writes python/fairlead/_compiler.pyi from the built module: python python/src/compiler/stub.py [FILE]

Needs nanobind, and fairlead of the build tree on the path. tests/python/dsl/compile/test_stub.py fails when the file is
old.
"""

import re
import sys
from pathlib import Path


def stub() -> str:
    """The stub's text. What may be a number, a tensor or a Python object is Any: the core decides while tracing."""
    from nanobind.stubgen import StubGen

    from fairlead import _compiler

    generator = StubGen(_compiler)
    generator.put(_compiler)
    text = generator.get()
    text = re.sub(r"(?<=: )object( \| None)?\b|(?<=-> )object\b", "Any", text)
    text = re.sub(
        r"^(from collections.abc import .*)$",
        r"\1\nfrom typing import Any",
        text,
        count=1,
        flags=re.M,
    )
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[2] / "fairlead" / "_compiler.pyi"
    Path(sys.argv[1] if len(sys.argv) > 1 else default).write_text(stub())
