"""``cutlass.utils.distributed``: flags that blocks of one or several devices wait at, and memory that several devices
have together. Instructions on such memory are for GPUs: in a kernel for the CPU they are an error when it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.compat._ir_types import StructType
from fairlead.compat._places import take_places
from fairlead.cute import arch
from fairlead.cute._assembly import inline_asm
from fairlead.cute._ir_types import extractvalue
from fairlead.cute._types import Condition, Int
from fairlead.errors import make_error

__all__ = [
    "atomicAdd",
    "multimem_ld_reduce_4xf32",
    "multimem_ld_reduce_8xbf16",
    "multimem_ld_reduce_8xf16",
    "multimem_ld_reduce_16xe4m3",
    "multimem_ld_reduce_16xe5m2",
    "multimem_red_add1",
    "multimem_red_relaxed_gpu_add1",
    "multimem_red_release_sys_add1",
    "multimem_st_4xb32",
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


def multimem_red_add1(lock_ptr: _compiler.Pointer, *, order: str, scope: str) -> None:
    """Add 1 to the Int32 at ``lock_ptr``, an address of several devices, on each of them.

    Args:
        order: "relaxed" or "release".
        scope: "gpu" or "sys".

    Raises ValueError (ArgumentValue) for another order or scope.
    """
    for name, word, words in (
        ("order", order, ("relaxed", "release")),
        ("scope", scope, ("gpu", "sys")),
    ):
        if word not in words:
            raise make_error(
                "ArgumentValue",
                function="multimem_red_add1",
                expected=f"{' or '.join(map(repr, words))} as {name}",
                got=repr(word),
            )
    text = f"multimem.red.{order}.{scope}.global.add.s32 [$0], 1;"
    inline_asm(None, [lock_ptr.toint()], text, "l", has_side_effects=True)


def multimem_red_relaxed_gpu_add1(lock_ptr: _compiler.Pointer) -> None:
    """Add 1 as multimem_red_add1 does, relaxed, for the threads of a GPU."""
    multimem_red_add1(lock_ptr, order="relaxed", scope="gpu")


def multimem_red_release_sys_add1(lock_ptr: _compiler.Pointer) -> None:
    """Add 1 as multimem_red_add1 does, with release, for the threads of all devices."""
    multimem_red_add1(lock_ptr, order="release", scope="sys")


def _reduced(name: str, precision: str, type_: str) -> Callable[..., Any]:
    text = (
        f"multimem.ld_reduce.relaxed.sys.global.add{precision}.v4.{type_} {{$0, $1, $2, $3}}, [$4];"
    )

    def function(mc_ptr: _compiler.Pointer) -> tuple[Any, Any, Any, Any]:
        kind = StructType.get_literal([_Int32] * 4)
        words = inline_asm(kind, [mc_ptr.toint()], text, "=r,=r,=r,=r,l", has_side_effects=True)
        first, second, third, fourth = (extractvalue(_Int32, words, [i]) for i in range(4))
        return first, second, third, fourth

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        "Return the sums over all devices of 16 bytes at an address of several, as four words."
    )
    return function


multimem_ld_reduce_4xf32 = _reduced("multimem_ld_reduce_4xf32", "", "f32")
multimem_ld_reduce_8xf16 = _reduced("multimem_ld_reduce_8xf16", ".acc::f32", "f16x2")
multimem_ld_reduce_8xbf16 = _reduced("multimem_ld_reduce_8xbf16", ".acc::f32", "bf16x2")
multimem_ld_reduce_16xe4m3 = _reduced("multimem_ld_reduce_16xe4m3", ".acc::f16", "e4m3x4")
multimem_ld_reduce_16xe5m2 = _reduced("multimem_ld_reduce_16xe5m2", ".acc::f16", "e5m2x4")


def multimem_st_4xb32(mc_ptr: _compiler.Pointer, x: Int, y: Int, z: Int, w: Int) -> None:
    """Store four words at an address of several devices, on each of them."""
    text = "multimem.st.relaxed.sys.global.v4.f32 [$0], {$1, $2, $3, $4};"
    words = [_Int32(word) for word in (x, y, z, w)]
    inline_asm(None, [mc_ptr.toint(), *words], text, "l,r,r,r,r", has_side_effects=True)


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
