"""Mistakes in C++ programs of the kernel language that a compiler refuses, with the message that says what to write."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
#include "fairlead/dsl/Tensor.h"
using namespace fairlead::dsl;
void program(const Tensor &a, const Scalar &i) {{
  {body}
}}
"""


def compiled(body):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    return subprocess.run(
        [compiler, "-std=c++17", "-fsyntax-only", "-I", ROOT / "include", "-x", "c++", "-"],
        input=PROGRAM.format(body=body),
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    "body",
    [
        "Scalar value = a[i]; a[i] = value + 1;",
        "a[i] = a[i] * 2;",
        "a[i] = a[0];",
    ],
)
def test_right_ones_compile(body):
    done = compiled(body)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "if (i < 4) a[i] = 1.0;",
            "a Scalar is known only when the compiled program runs: write if_(",
        ),
        ("while (i < 4) {}", "a Scalar is known only when the compiled program runs: write if_("),
        ("auto value = a[i]; a[i] = value;", "deleted"),
        ("auto value = a[i]; value = Scalar(1);", "discards qualifiers"),
        ("auto value = a[i]; Scalar twice = value * 2;", "deleted"),
    ],
)
def test_wrong_ones_do_not(body, message):
    done = compiled(body)
    assert done.returncode != 0
    assert message in done.stderr
