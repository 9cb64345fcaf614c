"""``cutlass.utils.distributed``: flags that blocks of one or several devices wait at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.compat._places import take_places
from fairlead.cute import arch
from fairlead.cute._types import Condition, Int

__all__ = [
    "atomicAdd",
    "red_add1",
    "spin_lock_atom_cas_acquire_wait",
    "spin_lock_atom_cas_relaxed_wait",
    "spin_lock_ld_lt_relaxed_wait",
]

_Int32 = _compiler.Int32


def atomicAdd(dst_ptr: _compiler.Pointer, val: Int) -> Any:
    """Add ``val`` to the number at ``dst_ptr``, seen by every device, and return the old number."""
    return arch.atomic_add(dst_ptr, val, scope="sys")


def red_add1(lock_ptr: _compiler.Pointer, *, order: str, scope: str) -> None:
    """Adds 1 to the number at ``lock_ptr``; ``order`` is "relaxed" or "release", ``scope`` "gpu" or "sys"."""
    arch.red(lock_ptr, _Int32(1), op="add", sem=order, scope=scope)


def _until(old: Condition, is_waiting: Callable[[Any], Any], step: Callable[[], Any]) -> None:
    _compiler.while_loop(
        ["found"], [old], lambda values: is_waiting(values[0]), lambda values: [step()]
    )


def _exchanged(
    lock_ptr: _compiler.Pointer, expected_val: Int, reset_val: Int, sem: str, scope: str
) -> None:
    expected, reset = _Int32(expected_val), _Int32(reset_val)

    def step() -> Any:
        return arch.atomic_cas(lock_ptr, cmp=expected, val=reset, sem=sem, scope=scope)

    _until(step(), lambda old: old != expected, step)


def spin_lock_atom_cas_relaxed_wait(
    lock_ptr: _compiler.Pointer, *, expected_val: Int, reset_val: Int, scope: str
) -> None:
    """Waits until the Int32 at ``lock_ptr`` is ``expected_val``, and makes it ``reset_val`` in the same step."""
    _exchanged(lock_ptr, expected_val, reset_val, "relaxed", scope)


def spin_lock_atom_cas_acquire_wait(
    lock_ptr: _compiler.Pointer, *, expected_val: Int, reset_val: Int, scope: str
) -> None:
    """Wait as spin_lock_atom_cas_relaxed_wait does. Writes of other threads before the number are then visible."""
    _exchanged(lock_ptr, expected_val, reset_val, "acquire", scope)


def spin_lock_ld_lt_relaxed_wait(
    lock_ptr: _compiler.Pointer, *, expected_val: Int, scope: str
) -> None:
    """Waits while the Int32 at ``lock_ptr`` is below ``expected_val``."""

    def step() -> Any:
        return arch.load(lock_ptr, _Int32, sem="relaxed", scope=scope)

    _until(step(), lambda old: old < expected_val, step)


take_places(globals(), __all__)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"cutlass.utils.distributed has no {name!r} here: instructions on multicast memory of several devices are "
        "inline PTX (cute.arch.inline_ptx)"
    )
