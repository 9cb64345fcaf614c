"""Functions as torch.compile sees them: a call of one that has an operator is a call of the operator.

torch.compile follows functions of Python. A Function's calls run in C; what torch.compile finds as its ``__call__`` is
the one below, which calls do not use.
"""

from __future__ import annotations

from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import Function, _show_call

__all__ = ["show_calls"]

_in_c = Function.__call__


def _call(self: Function, *args: Any, **kwargs: Any) -> Any:
    operator = getattr(self, "_torch_operator", None)
    if operator is None:
        # torch.compile leaves this to Python.
        return _in_c(self, *args, **kwargs)
    return operator(*args, **kwargs)


def show_calls() -> None:
    """Makes calls of all functions visible to torch.compile."""
    _show_call(_call)
