"""./run notebooks: write each tutorial as a notebook next to its script."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "examples" / "tutorials"


def cells(script: str) -> list[tuple[str, str]]:
    """Return the cells of a script in percent format: pairs of the type ("markdown" or "code") and the source."""
    pairs = []
    for text in re.split(r"^# %%", script, flags=re.M)[1:]:
        header, _, body = text.partition("\n")
        if "[markdown]" in header:
            lines = (re.sub("^# ?", "", line) for line in body.strip().split("\n"))
            pairs.append(("markdown", "\n".join(lines)))
        else:
            pairs.append(("code", body.strip("\n")))
    return pairs


def notebook(script: str) -> str:
    """Return the notebook of a script, as JSON text without outputs."""
    entries = []
    for index, (kind, source) in enumerate(cells(script)):
        entry = {"cell_type": kind, "id": f"cell-{index}", "metadata": {}}
        if kind == "code":
            entry |= {"execution_count": None, "outputs": []}
        entries.append(entry | {"source": source.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": entries,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    if arguments:
        print("usage: ./run notebooks", file=sys.stderr)
        return 2
    for script in sorted(TUTORIALS.glob("[0-9]*.py")):
        script.with_suffix(".ipynb").write_text(notebook(script.read_text()))
    return 0
