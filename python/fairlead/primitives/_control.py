"""Clusters, registers, ends and pauses of threads, texts, and inline PTX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute import _instructions
from fairlead.cute._assembly import inline_asm
from fairlead.cute._ir_types import StructType
from fairlead.cute._print import printf
from fairlead.cute._types import Choice, Condition, Int, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import (
    emit,
    int32,
    like,
    member,
    needs,
    on_gpu,
    pointer,
    shared,
)

__all__ = [
    "breakpoint",
    "cluster_ctarank",
    "exit",
    "griddepcontrol",
    "inline_ptx",
    "inline_ptx_hl",
    "mapa",
    "nanosleep",
    "pmevent",
    "print_runtime",
    "ptx_add_comment",
    "setmaxregister",
]


def cluster_ctarank() -> Any:
    """Return the rank of the block in its cluster, an Int32; for sm_90 and newer GPUs, and the CPU."""
    needs("cluster_ctarank", "clusters")
    return _compiler.block_rank_in_cluster()


def mapa(addr: PointerLike, cta_rank: object, *, addrspace: Choice | int = 7) -> Any:
    """Return an address in shared memory as another block of the cluster has it.

    For sm_90 and newer GPUs, and the CPU.

    Args:
        addr: an address in shared memory of this block.
        cta_rank: the rank of the block.
        addrspace: the memory space of the result: that of the cluster, 7.

    Returns:
        An address of the same kind: loads, stores, `red` and mbarriers take it.
    """
    needs("mapa", "clusters")
    ptr = shared(addr, "mapa", "addr")
    number = getattr(addrspace, "value", addrspace)
    if number != _compiler.AddressSpace.dsmem.value:
        raise make_error(
            "ArgumentValue", function="mapa", expected="7 as addrspace", got=repr(addrspace)
        )
    rank = int32(cta_rank, "mapa", "cta_rank", least=0, most=15)
    return like(addr, _compiler.map_to_block(ptr, rank))


def setmaxregister(reg_count: int, action: Choice) -> None:
    """Change the number of registers of the warpgroup's threads; for sm_90a and newer GPUs, without effect on the CPU.

    Args:
        reg_count: 24 to 256, a multiple of 8, known while tracing.
        action: a ``SetMaxRegisterAction``: DECREASE or INCREASE.
    """
    function = "setmaxregister"
    change = member(_enums.SetMaxRegisterAction, action, function, "action").value
    count = int32(reg_count, function, "reg_count", least=24, most=256, multiple=8)
    if not isinstance(count, int):
        raise make_error(
            "ArgumentKind",
            function=function,
            expected="a number that is known while tracing as reg_count",
            got=type(reg_count).__name__,
        )
    _compiler.set_registers(count, change == "increase")


def exit() -> None:
    """End the thread. On GPUs, barriers of the whole block do not wait for it any longer.

    On the CPU only in the body of a kernel, or in a branch there; a barrier that waits for the thread is an error.
    """
    emit("exit;")


def nanosleep(duration: Int) -> None:
    """Pause the thread for about `duration` nanoseconds, at most 1 ms; without effect on the CPU."""
    _instructions.nanosleep(int32(duration, "nanosleep", "duration", least=0))


def breakpoint() -> None:
    """Stop in a debugger of GPUs; without effect on the CPU."""
    if on_gpu():
        emit("brkpt;")


def pmevent(event_id: int | None = None, *, mask: int | None = None) -> None:
    """Trigger performance monitor events; without effect on the CPU.

    Args:
        event_id: an event, 0 to 15.
        mask: a bit for each of several events.
    """
    if (event_id is None) == (mask is None):
        raise make_error(
            "ArgumentKind",
            function="pmevent",
            expected="one of event_id and mask",
            got="none" if mask is None else "both",
        )
    events = mask
    if event_id is not None:
        events = 1 << int32(event_id, "pmevent", "event_id", least=0, most=15)
    int32(events, "pmevent", "mask", least=0, most=0xFFFF)
    if on_gpu():
        emit(f"pmevent.mask {events};")


def ptx_add_comment(comment: str) -> None:
    """Put a comment into the PTX of the kernel; without effect on the CPU."""
    if not isinstance(comment, str):
        raise make_error(
            "ArgumentKind",
            function="ptx_add_comment",
            expected="text",
            got=type(comment).__name__,
        )
    if on_gpu():
        emit("// " + comment.replace("\n", " ").replace("$", "$$"))


def griddepcontrol(kind: Choice) -> None:
    """Wait for the kernels ahead in the stream, or let the kernels behind start; for sm_90 and newer GPUs, and the CPU.

    Args:
        kind: a ``GridDepAction``: WAIT or LAUNCH_DEPENDENTS.
    """
    action = member(_enums.GridDepAction, kind, "griddepcontrol", "kind").value
    needs("griddepcontrol", "clusters")
    if action == "wait":
        _compiler.wait_for_previous()
    else:
        _compiler.launch_dependents()


def print_runtime(fmt: str, *args: object) -> None:
    """Print when the program runs, on the host and in kernels, as ``cute.printf`` does.

    Args:
        fmt: text with ``{}`` or C's conversions for the other arguments.
        args: numbers, pointers and tensors.
    """
    printf(fmt, *args)


def _constraint(cls: Any) -> str:
    if cls.is_float and cls.width >= 32:
        return "f" if cls.width == 32 else "d"
    return {16: "h", 64: "l"}.get(cls.width, "r")


def _operand(value: object) -> Any:
    if isinstance(value, (_compiler.Pointer,)) or hasattr(value, "pointer"):
        return pointer(value, "inline_ptx", "an argument").toint()
    if isinstance(value, bool):
        return _compiler.Boolean(value)
    if isinstance(value, int):
        return _compiler.Int32(value)
    return _compiler.Float32(value) if isinstance(value, float) else value


def inline_ptx(
    ptx_code: str,
    *,
    write_only_types: Sequence[Any] | None = None,
    read_only_args: Sequence[Any] | None = None,
    read_write_args: Sequence[Any] | None = None,
    predicate: Condition | None = None,
) -> Any:
    """Put PTX into a kernel. On the CPU what common instructions compute is written as operations of the language.

    Args:
        ptx_code: instructions. ``$0``, ``$1`` ... are the results of `write_only_types`, then `read_write_args`, then
            `read_only_args`; or ``{$w0}``, ``{$rw0}`` and ``{$r0}``.
        write_only_types: a numeric class for each result, or one.
        read_only_args: numbers and addresses.
        read_write_args: numbers whose registers the code changes.
        predicate: a Boolean; where it is false, the code is skipped.

    Returns:
        None, a number, or a tuple: the results, then the new values of `read_write_args`.
    """
    single = write_only_types is not None and not isinstance(write_only_types, (tuple, list))
    types = [write_only_types] if single else list(write_only_types or ())
    changed = [_operand(value) for value in read_write_args or ()]
    passed = [_operand(value) for value in read_only_args or ()]
    counts = {"w": (0, len(types)), "rw": (len(types), len(changed))}
    # Registers that are read and written are results and operands at once.
    first = len(types) + len(changed)
    counts["r"] = (first + len(changed), len(passed))

    def named(match: re.Match[str]) -> str:
        start, count = counts[match[1]]
        if int(match[2]) >= count:
            got = f"{count} of these operands"
            raise make_error("AtomUse", expected=f"inline_ptx with {match[0]}", got=got)
        return f"\0{start + int(match[2])}"

    def numbered(match: re.Match[str]) -> str:
        number = int(match[1])
        return f"${number if number < first else number + len(changed)}"

    code = re.sub(r"\{\$(rw|w|r)(\d+)\}", named, ptx_code)
    code = re.sub(r"(?<!\$)\$(\d+)", numbered, code).replace("\0", "$")
    operands = [*changed, *passed]
    results = types + [type(value) for value in changed]
    if predicate is not None:
        operands.append(_compiler.Boolean(predicate))
        place = len(results) + len(operands) - 1
        code = f"{{ .reg .pred taken; setp.ne.b32 taken, ${place}, 0; @taken {code} }}"
    constraints = [f"={_constraint(cls)}" for cls in results]
    constraints += [str(len(types) + place) for place in range(len(changed))]
    constraints += [_constraint(type(value)) for value in operands[len(changed) :]]
    res = StructType.get_literal(results) if len(results) > 1 else results[0] if results else None
    value = inline_asm(res, operands, code, ",".join(constraints), has_side_effects=True)
    return tuple(value.leaves()) if len(results) > 1 else value


def inline_ptx_hl(
    ptx_code: str,
    *,
    write_only_types: Sequence[Any] | None = None,
    read_only_args: Sequence[Any] | None = None,
    read_write_args: Sequence[Any] | None = None,
    pred: Condition | None = None,
) -> Any:
    """Put PTX with the placeholders ``{$w0}``, ``{$rw0}`` and ``{$r0}`` into a kernel; see inline_ptx."""
    return inline_ptx(
        ptx_code,
        write_only_types=write_only_types,
        read_only_args=read_only_args,
        read_write_args=read_write_args,
        predicate=pred,
    )
