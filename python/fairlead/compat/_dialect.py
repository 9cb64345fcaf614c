"""The dialect of functions that are decorated by ``cutlass.cute``."""

from __future__ import annotations

from fairlead._tracing.dialect import Dialect
from fairlead.compat import _operation_texts, _texts
from fairlead.compat._mlir._vectors import as_vector
from fairlead.primitives import Vector

__all__ = ["PUBLISHED"]

_MEMBERS = dict(_texts.MEMBERS)
_MEMBERS["ir_value"] = {Vector: lambda vector: lambda *, loc=None, ip=None: as_vector(vector)}
_MEMBERS["__str__"] = {**_texts.MEMBERS["__str__"], **_operation_texts.TEXTS}

PUBLISHED = Dialect(
    "cutlass",
    # Published programs have accesses outside of tensors behind conditions that do not hold.
    checks_known_indices=False,
    published_form=True,
    lenient=True,
    narrow_sizes=True,
    passes_numbers=True,
    # They keep account of gradients themselves.
    detaches=True,
    # ptxas reads symbols: with "cutlass" in one it prefetches for cp.async and schedules differently.
    kernel_prefix="kernel_cutlass",
    ignored_keywords=frozenset({"loc", "ip"}),
    ignored_launch_options=frozenset({"hint_smem_base_uniform"}),
    members=_MEMBERS,
)
