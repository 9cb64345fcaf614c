"""Calls as torch.compile sees them: one of a function that has an operator is a call of the operator, others are left
to Python.

torch.compile follows functions of Python. Calls of a Function or a Dispatcher run in C; what torch.compile finds as
their ``__call__`` is the one below, which calls do not use.
"""

from __future__ import annotations

import sys
from typing import Any

from fairlead._core import Dispatcher, Function, _show_call

_ADVICE = (
    "torch.compile cannot follow a compiled function that is no operator: make one of it with fairlead.torch.op(...), "
    "before it is traced"
)


def _show(cls: type) -> None:
    in_c = cls.__call__

    def __call__(self: object, *args: object, **kwargs: object) -> Any:
        operator = getattr(self, "_torch_operator", None)
        if operator is not None:
            return operator(*args, **kwargs)
        if "torch._dynamo" in sys.modules:
            # Does nothing where Python runs it.
            sys.modules["torch._dynamo"].graph_break(msg=_ADVICE)
        return in_c(self, *args, **kwargs)

    _show_call(cls, __call__)


_show(Function)
_show(Dispatcher)
