from __future__ import annotations

from typing import Any

from fairlead import cute

layout: cute.Layout = cute.make_layout((4, 8), stride=(8, 1))
nested = cute.make_layout(((2, 2), 8))
listed = cute.make_layout([4, 8])
by_layouts = cute.make_layout([layout, nested])
extents: Any = layout.shape
ordered = cute.make_ordered_layout((4, 8), order=(1, 0))
tiles = cute.zipped_divide(layout, (2, 4))
tiled = cute.logical_divide(layout, (cute.make_layout(2), None))
repeated = cute.tile_to_shape(layout, (16, 16), (0, 1))
swizzled: cute.ComposedLayout = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, layout)
index: Any = cute.crd2idx((1, 2), layout)
count: Any = cute.size(layout)
pieces = cute.ceil_div((100, 30), (32, 8))
parts: tuple[Any, cute.Layout] = cute.make_layout_tv(layout, cute.make_layout((1, 4)))
is_known: bool = cute.is_static(layout)
levels: int = cute.depth(nested)
last = cute.get(nested, mode=[0])
for kind in (cute.Float16, cute.BFloat16, cute.Int8):
    width: int = kind.width
    name: str = kind.__name__
