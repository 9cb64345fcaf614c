"""Functions of layouts whose results differ in published programs."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler, cute
from fairlead.cute._types import Coordinate, Extents, Modes, Tiler

__all__ = [
    "append_ones",
    "ceil_div",
    "coalesce",
    "composition",
    "domain_offset",
    "filter",
    "flatten",
    "group_modes",
    "left_inverse",
    "make_ordered_layout",
    "prepend_ones",
    "slice_",
]


_SIGNED = {
    getattr(_compiler, f"Uint{width}"): getattr(_compiler, f"Int{width}")
    for width in (8, 16, 32, 64)
}


def with_sign(x: object) -> Any:
    """Return ``x``; of an address or a tensor of unsigned integers, that of signed ones: pointers of published programs
    forget the sign."""
    if not isinstance(x, (_compiler.Pointer, _compiler.Tensor)) or x.dtype not in _SIGNED:
        return x
    signed = _SIGNED[x.dtype]
    return x._recast(signed) if isinstance(x, _compiler.Pointer) else cute.recast_tensor(x, signed)


def _leaves(extents: Extents) -> tuple[Any, ...]:
    leaves: tuple[Any, ...] = cute.flatten((extents,))
    return leaves


def make_ordered_layout(shape: Extents, order: Extents) -> Any:
    """Return a compact layout as ``fairlead.cute.make_ordered_layout`` does. Extents with the same number in ``order``
    have the same stride."""
    extents, numbers = _leaves(shape), _leaves(order)
    if len(extents) != len(numbers) or len(set(numbers)) == len(numbers):
        return cute.make_ordered_layout(shape, order)
    strides = []
    for number in numbers:
        stride: Any = 1
        for extent, other in zip(extents, numbers):
            stride = stride * extent if other < number else stride
        strides.append(stride)
    return cute.make_layout(shape, stride=cute.unflatten(tuple(strides), shape))


def group_modes(x: Modes, begin: int, end: int | None = None) -> Any:
    """Group modes as ``fairlead.cute.group_modes`` does; a negative ``end`` counts from the last mode on."""
    rank = cute.rank(x)
    end = rank if end is None else end + rank if end < 0 else end
    return cute.group_modes(x, begin, end)


def ceil_div(a: Extents, b: Extents) -> Any:
    """Divide as ``fairlead.cute.ceil_div`` does; a nested mode by a number is the mode's size by it."""
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(b) > len(a):
        return cute.ceil_div(a, b)
    quotients = [
        ceil_div(x if isinstance(y, tuple) else cute.size(x), y)
        if isinstance(x, tuple)
        else cute.ceil_div(x, y)
        for x, y in zip(a, b)
    ]
    return (*quotients, *a[len(b) :])


def _ones_for_none(profile: Coordinate) -> Any:
    if isinstance(profile, tuple):
        return tuple(_ones_for_none(entry) for entry in profile)
    return 1 if profile is None else profile


def _joined(layout: _compiler.Layout) -> Any:
    """Return the layout with its static neighbours joined; a mode with an extent or a step of run time stays alone."""
    runs: list[Any] = []
    for mode in zip(_leaves(layout.shape), _leaves(layout.stride)):
        part, was_static = cute.make_layout(mode[0], stride=mode[1]), bool(runs) and runs[-1][1]
        if cute.is_static(part) and was_static:
            runs[-1] = (cute.append(runs[-1][0], part), True)
        else:
            runs.append((part, cute.is_static(part)))
    shape: list[Any] = []
    stride: list[Any] = []
    for run, is_static in runs:
        run = cute.coalesce(run) if is_static else run
        if not is_static or cute.size(run) != 1:
            shape.extend(_leaves(run.shape))
            stride.extend(_leaves(run.stride))
    if not shape:
        return cute.coalesce(layout)
    if len(shape) == 1:
        return cute.make_layout(shape[0], stride=stride[0])
    return cute.make_layout(tuple(shape), stride=tuple(stride))


def _joined_within(layout: _compiler.Layout, profile: Coordinate) -> Any:
    if not isinstance(profile, tuple):
        return _joined(layout)
    modes = [cute.get(layout, mode=[index]) for index in range(cute.rank(layout))]
    for index, entry in enumerate(profile):
        modes[index] = _joined_within(modes[index], entry)
    shape, stride = (tuple(getattr(mode, part) for mode in modes) for part in ("shape", "stride"))
    return cute.make_layout(shape, stride=stride)


def coalesce(x: Modes, target_profile: Coordinate = None) -> Any:
    """Join modes as ``fairlead.cute.coalesce`` does; None in a profile stands for one mode, as 1 does. Modes that have
    an extent or a step of run time stay as they are, so that ranks depend on static numbers alone."""
    profile = (
        _ones_for_none(target_profile) if isinstance(target_profile, tuple) else target_profile
    )
    coalesced = cute.coalesce(x, target_profile=profile)
    tensor: Any = None if isinstance(x, (_compiler.Layout, _compiler.ComposedLayout)) else x
    layout: Any = x if tensor is None else tensor.layout
    composed: Any = layout if isinstance(layout, _compiler.ComposedLayout) else None
    modes = layout if composed is None else composed.outer
    if not isinstance(modes, _compiler.Layout) or cute.is_static(modes):
        return coalesced
    layout = _joined_within(modes, profile)
    if composed is not None:
        layout = cute.make_composed_layout(composed.inner, composed.offset, layout)
    return layout if tensor is None else cute.make_tensor(tensor.iterator, layout)


def filter(x: Modes) -> Any:
    """Drop modes of stride 0 as ``fairlead.cute.filter`` does, and join the others as ``coalesce`` does."""
    return coalesce(cute.filter_zeros(x))


def append_ones(x: Modes, up_to_rank: int | None = None) -> Any:
    """Append modes as ``fairlead.cute.append_ones`` does; one without ``up_to_rank``."""
    return with_sign(cute.append_ones(x, cute.rank(x) + 1 if up_to_rank is None else up_to_rank))


def prepend_ones(x: Modes, up_to_rank: int | None = None) -> Any:
    """Prepend modes as ``fairlead.cute.prepend_ones`` does; one without ``up_to_rank``."""
    return cute.prepend_ones(x, cute.rank(x) + 1 if up_to_rank is None else up_to_rank)


def left_inverse(layout: _compiler.Layout) -> Any:
    """Return an inverse as ``fairlead.cute.left_inverse`` does. In a static layout, an index that it does not reach
    goes on as the mode before it does, and to coordinate 0 before the first one."""
    shape, stride = _leaves(layout.shape), _leaves(layout.stride)
    if not cute.is_static(layout) or any(not isinstance(step, int) or step < 0 for step in stride):
        return cute.left_inverse(layout)
    modes, weight = [], 1
    for extent, step in zip(shape, stride):
        if extent != 1 and step != 0:
            modes.append((step, extent, weight))
        weight *= extent
    modes.sort()
    ends = [step for step, _, _ in modes[1:]]
    if any(end % step or end < step * extent for (step, extent, _), end in zip(modes, ends)):
        return cute.left_inverse(layout)
    if not modes:
        return cute.make_layout(1, stride=0)
    extents = [modes[0][0]] + [end // mode[0] for mode, end in zip(modes, ends)] + [modes[-1][1]]
    weights = [0] + [weight for _, _, weight in modes]
    return cute.coalesce(cute.make_layout(tuple(extents), stride=tuple(weights)))


def _has_open(coordinate: object) -> bool:
    if isinstance(coordinate, (tuple, list)):
        return any(map(_has_open, coordinate))
    return coordinate is None


def slice_(x: Modes, coord: Coordinate) -> Any:
    """Return the modes of ``x`` as ``fairlead.cute.slice_`` does. Of a swizzled layout, they keep only the part of the
    offset that the swizzle sees: the layout of the slice of a tensor."""
    part = cute.slice_(x, coord)
    if not isinstance(part, _compiler.ComposedLayout) or not _has_open(coord):
        return part
    if isinstance(part.offset, tuple) or (isinstance(part.offset, int) and part.offset == 0):
        return part
    address = cute.make_ptr(_compiler.Int8, 0, cute.AddressSpace.generic)
    return cute.make_tensor(address, part).layout


def domain_offset(coord: Coordinate, tensor: _compiler.Tensor) -> Any:
    """Return the tensor from ``coord`` on, as ``fairlead.cute.domain_offset`` does. The address of a swizzled tensor
    moves by the swizzled offset, and its layout stays as it is."""
    layout = tensor.layout
    if not isinstance(layout, _compiler.ComposedLayout):
        return with_sign(cute.domain_offset(coord, tensor))
    return cute.make_tensor(with_sign(tensor.iterator) + layout(coord), layout)


def composition(lhs: Modes, rhs: Tiler) -> Any:
    """Compose as ``fairlead.cute.composition`` does. The elements of a tensor have a sign; see ``with_sign``."""
    return with_sign(cute.composition(lhs, rhs))


def flatten(x: Modes | Extents) -> Any:
    """Flatten as ``fairlead.cute.flatten`` does. The elements of a tensor have a sign; see ``with_sign``."""
    return with_sign(cute.flatten(x))
