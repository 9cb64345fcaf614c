"""Writes python/fairlead/_make_error.pyi: make_error for type checkers, with the parameters of each diagnostic.

``python tests/errors/error_page.py`` writes it, too; a test fails if it is old.
"""

from diagnostic_calls import ROOT, table

STUB = ROOT / "python" / "fairlead" / "_make_error.pyi"
HEADER = '''"""The forms of make_error, by the parameters of diagnostics. Written by make_error_stub.py."""

from typing import Literal, overload

from fairlead.errors import DSLError
'''


def text() -> str:
    """Return the stub. Generated code raises the diagnostics whose places have formats, such as ``{got:type}``."""
    forms: dict[str, list[str]] = {}
    for id, parameters in table().items():
        if any(":" in name for name in parameters.needed):
            continue
        needed = [f"{name}: object" for name in sorted(parameters.needed)]
        others = [
            f"{name}: object = None" for name in sorted(parameters.allowed - parameters.needed)
        ]
        form = ", ".join(["*", "help: str | None = None", *needed, *others])
        forms.setdefault(form, []).append(f'"{id}"')
    lines = [HEADER]
    for form, ids in forms.items():
        lines += [
            "@overload",
            f"def make_error(id: Literal[{', '.join(ids)}], {form}) -> DSLError: ...",
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STUB.write_text(text())
