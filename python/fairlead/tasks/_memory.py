"""Memory of a kernel's resources: the one block of shared memory, which also holds the barriers of their pipelines, and
columns of tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead.primitives import AddressSpace, Array
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._pipelines import BARRIER_BYTES, PipelineGroup

if TYPE_CHECKING:
    from fairlead.tasks._resources import MemoryResource

__all__ = ["SmemAllocation", "SmemAllocator", "TmemAllocation", "TmemAllocator"]

_MOST_ALIGNMENT = 1024
#: Columns of the tensor memory of a multiprocessor.
MOST_COLUMNS = 512


class SmemAllocation:
    """Shared memory that a resource asks for.

    Args:
        name: for messages.
        size_bytes: default ``count`` elements of ``dtype``.
        alignment: in bytes, a power of two up to 1024.

    ``offset``, in bytes from the beginning of the block, is set by ``SmemAllocator.compute_layout``.
    """

    def __init__(
        self,
        name: str,
        size_bytes: int = 0,
        alignment: int = 128,
        dtype: type[_compiler.Numeric] | None = None,
        count: int = 1,
    ) -> None:
        size = size_bytes or (0 if dtype is None else (count * dtype.width + 7) // 8)
        if size < 1:
            raise ScheduleError(
                f"SmemAllocation '{name}': expected size_bytes, or dtype and count, of 1 byte or more, got {size}"
            )
        if alignment not in [1 << power for power in range(11)]:
            raise ScheduleError(
                f"alignment of SmemAllocation '{name}': expected a power of two up to {_MOST_ALIGNMENT}, "
                f"got {alignment!r}"
            )
        self.name, self.size_bytes, self.alignment = name, size, alignment
        self.dtype, self.count = dtype, count
        self.offset: int | None = None


class SmemAllocator:
    """Lays out what resources ask for, then the barriers of their pipelines, in one block of shared memory."""

    def __init__(self) -> None:
        self._allocations: list[SmemAllocation] = []
        self._resources: list[MemoryResource] = []
        self._groups: list[PipelineGroup] = []
        self._barrier_offsets: dict[int, int] = {}
        self._data_bytes: int | None = None
        self._bytes = 0
        self._memory: Any = None
        #: The memory that holds the address of tensor memory; None without ``add_tmem_ptr``.
        self.tmem_ptr_alloc: SmemAllocation | None = None

    def add_resource(self, resource: MemoryResource) -> None:
        """Add the memory that a resource needs by ``get_smem_requirements``, and the barriers of its pipeline."""
        self._check_open("add_resource")
        self._resources.append(resource)
        self._allocations.extend(resource.get_smem_requirements())

    def add_pipeline_group(self, group: PipelineGroup) -> None:
        """Add the barriers of a group, in place of the barriers of its members."""
        self._check_open("add_pipeline_group")
        self._groups.append(group)

    def add(self, allocation: SmemAllocation) -> SmemAllocation:
        """Add memory that belongs to no resource, and return it."""
        self._check_open("add")
        self._allocations.append(allocation)
        return allocation

    def add_tmem_ptr(self, allocation: SmemAllocation) -> SmemAllocation:
        """Add the Int32 that receives the address of tensor memory, and return it.

        It becomes ``tmem_ptr_i32`` of the tasks' ResourceContext. Raises ScheduleError for another dtype than Int32 or
        Uint32, and the second time.
        """
        if allocation.dtype not in (_compiler.Int32, _compiler.Uint32) or allocation.count != 1:
            raise ScheduleError(
                f"SmemAllocation '{allocation.name}': expected one Int32 for the address of tensor memory, got "
                f"{allocation.count} of {getattr(allocation.dtype, '__name__', 'no dtype')}"
            )
        if self.tmem_ptr_alloc is not None:
            raise ScheduleError("SmemAllocator.add_tmem_ptr() was called already")
        self.tmem_ptr_alloc = self.add(allocation)
        return allocation

    def has(self, resource: MemoryResource) -> bool:
        """Return whether a resource was added."""
        return any(resource is added for added in self._resources)

    def compute_layout(self) -> None:
        """Decide all offsets: data by falling alignment, then barriers. Raises ScheduleError the second time."""
        self._check_open("compute_layout")
        end = 0
        for allocation in sorted(self._allocations, key=lambda one: -one.alignment):
            end = -(-end // allocation.alignment) * allocation.alignment
            allocation.offset = end
            end += allocation.size_bytes
        self._data_bytes = end
        end = -(-end // BARRIER_BYTES) * BARRIER_BYTES
        for group in self._groups:
            self._barrier_offsets[id(group)] = end
            end += BARRIER_BYTES * group.num_stages * (len(group.members) + 1)
        for resource in self._resources:
            config = resource.pipeline_config
            if config is None or config.barrier_ptr is not None or resource.pipeline_group:
                continue
            self._barrier_offsets[id(resource)] = end
            end += BARRIER_BYTES * config.num_stages * 2
        self._bytes = end

    def allocate(self) -> None:
        """Make the block, in the kernel that is traced; ``TaskManager.setup_resources_and_tasks`` does it."""
        if self._data_bytes is None:
            self.compute_layout()
        if self._memory is None and self._bytes:
            alignments = [allocation.alignment for allocation in self._allocations]
            self._memory = Array(
                _compiler.Int8,
                self._bytes,
                space=AddressSpace.smem,
                alignment=max([BARRIER_BYTES, *alignments]),
            )

    def barriers_of(self, owner: MemoryResource | PipelineGroup) -> Any:
        """Return the pointer to the first barrier of a resource or group; None where it was not added."""
        offset = self._barrier_offsets.get(id(owner))
        return None if offset is None else self.smem_base.data_ptr(offset)

    def get(self, allocation: SmemAllocation) -> Array:
        """Return the memory of an allocation: elements of its dtype, or bytes."""
        if allocation.dtype is None:
            return self.get_as_type(allocation, _compiler.Int8, allocation.size_bytes)
        return self.get_as_type(allocation, allocation.dtype, allocation.count)

    def get_as_type(
        self, allocation: SmemAllocation, dtype: type[_compiler.Numeric], count: int = 1
    ) -> Array:
        """Return the memory of an allocation as ``count`` elements of ``dtype``."""
        if allocation.offset is None:
            raise ScheduleError(
                f"SmemAllocation '{allocation.name}' has no offset: expected add() and compute_layout() before"
            )
        return Array(self.smem_base.data_ptr(allocation.offset), shape=(count,), dtype=dtype)

    @property
    def smem_base(self) -> Any:
        """The block, an Array of Int8; None before ``allocate``."""
        return self._memory

    @property
    def total_smem_bytes(self) -> int:
        """Size of the block."""
        return self._bytes

    @property
    def barrier_smem_bytes(self) -> int:
        """Size of the barriers, with padding before them for their alignment."""
        return self._bytes - (self._data_bytes or 0)

    def _check_open(self, method: str) -> None:
        if self._data_bytes is not None:
            raise ScheduleError(f"SmemAllocator.{method}() after compute_layout(), which runs once")


class TmemAllocation:
    """Columns of tensor memory that a resource asks for.

    Args:
        name: for messages.
        num_columns: number of 32-bit columns, 1 to 512.

    ``offset``, in columns from the first one of the kernel, is set by ``TmemAllocator.compute_layout``.

    Raises ScheduleError for another number of columns.
    """

    def __init__(self, name: str, num_columns: int) -> None:
        if type(num_columns) is not int or not 1 <= num_columns <= MOST_COLUMNS:
            raise ScheduleError(
                f"TmemAllocation '{name}': expected num_columns of 1 to {MOST_COLUMNS}, got {num_columns!r}"
            )
        self.name, self.num_columns = name, num_columns
        self.offset: int | None = None


class TmemAllocator:
    """Gives resources columns of tensor memory, one after the other. The kernel reserves and releases them."""

    def __init__(self) -> None:
        self._allocations: list[TmemAllocation] = []
        self._columns: int | None = None

    def add_resource(self, resource: MemoryResource) -> None:
        """Add the allocations that a resource requests with ``get_tmem_requirements``."""
        for allocation in resource.get_tmem_requirements():
            self.add(allocation)

    def add(self, allocation: TmemAllocation) -> TmemAllocation:
        """Add columns that belong to no resource, and return them."""
        if self._columns is not None:
            raise ScheduleError("TmemAllocator.add() after compute_layout(), which runs once")
        self._allocations.append(allocation)
        return allocation

    def compute_layout(self) -> None:
        """Decide all offsets, in the order of adding. Raises ScheduleError the second time."""
        if self._columns is not None:
            raise ScheduleError("TmemAllocator.compute_layout() runs once")
        self._columns = 0
        for allocation in self._allocations:
            allocation.offset = self._columns
            self._columns += allocation.num_columns

    @property
    def total_tmem_columns(self) -> int:
        """Number of columns of all allocations."""
        return sum(allocation.num_columns for allocation in self._allocations)
