"""Tasks: warps of a block, the resources that they read and write, and the schedule that orders this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead.cute import arch
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._resources import MemoryResource
from fairlead.tasks._schedule import ScheduleResult

__all__ = ["Task"]


class Task:
    """Neighbouring warps of each block that execute one schedule.

    Args:
        src_resources, dst_resources: the resources that the schedule reads and writes.
        warp_idx: the first warp.
        num_warps: number of warps.
        schedule: the result of a function decorated with ``@schedule``.
        num_registers: of each thread, 24 to 256 in steps of 8 (GPUs of compute capability 9.0 and up); by default what
            the compiler decides. All warps of a warpgroup must ask for it.
        name: for messages.
        options: ``debug_print`` and options of profilers, which have no effect.

    Raises ScheduleError for other values.
    """

    def __init__(
        self,
        src_resources: Sequence[MemoryResource],
        dst_resources: Sequence[MemoryResource],
        warp_idx: int,
        num_warps: int,
        *,
        schedule: ScheduleResult,
        num_registers: int | None = None,
        name: str = "",
        run_only_on_cta_id: object = None,
        **options: object,
    ) -> None:
        if not isinstance(schedule, ScheduleResult):
            raise ScheduleError(
                f"Task '{name}': expected the result of a function decorated with @schedule as schedule, got "
                f"{type(schedule).__name__}"
            )
        for parameter, value, least in (("warp_idx", warp_idx, 0), ("num_warps", num_warps, 1)):
            if type(value) is not int or value < least:
                raise ScheduleError(
                    f"Task '{name}': expected an int of {least} or more as {parameter}, got {value!r}"
                )
        if num_registers is not None and (
            type(num_registers) is not int or not 24 <= num_registers <= 256 or num_registers % 8
        ):
            raise ScheduleError(
                f"Task '{name}': expected num_registers of 24 to 256 in steps of 8, got {num_registers!r}"
            )
        if run_only_on_cta_id is not None:
            raise ScheduleError(f"Task '{name}': run_only_on_cta_id is not supported")
        for option in options:
            if option != "debug_print" and not option.startswith("iket_"):
                raise ScheduleError(f"Task '{name}' has no option {option!r}")
        self.src_resources, self.dst_resources = list(src_resources), list(dst_resources)
        self.warp_idx, self.num_warps = warp_idx, num_warps
        self.schedule, self.num_registers, self.name = schedule, num_registers, name

    @property
    def warps(self) -> range:
        """The numbers of the warps."""
        return range(self.warp_idx, self.warp_idx + self.num_warps)

    def is_selected(self) -> Any:
        """Return whether the running warp is one of the task's."""
        warp = arch.make_warp_uniform(arch.warp_idx())
        return (warp >= self.warp_idx) & (warp < self.warp_idx + self.num_warps)
