"""The target that a function is traced for."""

from __future__ import annotations

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.errors import make_error


def current_target() -> _compiler.Target:
    """Return the target of the running trace, for code that depends on it: a tile size, an instruction.

    ``str(target)`` is ``"cuda:sm_90a"`` or ``"cpu"``, ``target.capability`` the compute capability (90; 0 for the CPU).
    ``target.has("tma")`` is true for GPUs with that feature (docs/target.md lists them).
    A function that asks is traced for each family of its targets (an architecture, or CPUs of all levels), others once.

    Raises RuntimeError (OutsideTrace) where nothing is traced.
    """
    if state.program is None:
        raise make_error("OutsideTrace", what="asking for the current target")
    target: _compiler.Target = state.program.target
    return target
