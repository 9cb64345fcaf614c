"""Checks in programs of the language."""

from __future__ import annotations

from typing import Any

from fairlead.cute._trace import state

__all__ = ["assert_"]


def assert_(condition: Any, message: str = "") -> None:
    """Checks a condition when the program runs, in kernels and host functions, under ``--enable-assertions``.

    Where it is false on the CPU or in the host function, the call raises AssertionError with ``message``, the line, and
    the block. In a kernel for CUDA the thread prints them, and the kernel ends with cudaErrorAssert.
    Without the option nothing is checked. A condition that is known while tracing is checked then.
    """
    if state.program is None:
        assert condition, message
        return
    if not state.program.assertions:
        return
    if isinstance(condition, bool):
        assert condition, message
        return
    from fairlead import _compiler

    _compiler.assert_that(condition, message)
