"""Tensors in a kernel's own memory, a thread's part of a tile, and copies that stop at the edge of a parameter."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute import _atoms, _layout, _operations
from fairlead.cute._derivation import Derivation, derivation_of, followed
from fairlead.cute._shared_memory import SmemAllocator
from fairlead.cute._types import Extents
from fairlead.cute._values import make_rmem_tensor
from fairlead.cute.nvgpu import CopyUniversalOp
from fairlead.errors import make_error, require

__all__ = ["allocate", "copy", "partition", "partition_and_copy"]


def allocate(
    element_type: type[_compiler.Numeric],
    address_space: object,
    layout: _compiler.Layout | _compiler.ComposedLayout | Extents,
    alignment: int = 1,
) -> Any:
    """Return a tensor in a kernel's own memory; ``SmemAllocator.allocate_tensor`` and ``make_rmem_tensor`` make the
    same.

    Args:
        element_type: a numeric class.
        address_space: ``AddressSpace.smem``, of the running block, or ``AddressSpace.rmem``, of the thread.
        layout: known while tracing.
        alignment: of shared memory, in bytes: a power of two up to 1024.

    Raises ValueError for another address space.
    """
    require(allocate, alignment=alignment)
    if address_space == _compiler.AddressSpace.smem:
        return SmemAllocator().allocate_tensor(element_type, layout, alignment)
    if address_space == _compiler.AddressSpace.rmem:
        return make_rmem_tensor(layout, element_type)
    raise make_error(
        "ArgumentValue",
        function="allocate",
        expected="AddressSpace.smem or AddressSpace.rmem",
        got=str(address_space),
    )


def partition(
    buffer: _compiler.Tensor, agent_id: object, *, layout_tv: _compiler.Layout, tiler: object
) -> Any:
    """Return the part of ``buffer`` that one thread, or another agent, works on.

    Args:
        buffer: a tensor, of a tile or more.
        agent_id: the thread's number, an integer.
        layout_tv: (thread, value) -> linear coordinate within a tile of ``tiler``.
        tiler: the extents of the tile, which divides ``buffer``.

    Returns:
        A tensor of shape ``(values, rest)``, where ``rest`` counts the tiles.
    """
    tiles = _layout.zipped_divide(buffer, tiler)
    parts = _layout.composition(tiles, (layout_tv, None))
    return parts[(agent_id, None), None]


def _vectors(tensor: _compiler.Tensor, elements: int) -> Any:
    """``tensor`` as (elements, vectors), in the order of its linear coordinates."""
    count = _operations.size(tensor.layout)
    return _layout.composition(
        tensor, _layout.make_layout((elements, count // elements), stride=(1, elements))
    )


def _check(src: Any, dst: Any, elements: int) -> None:
    for index, (name, tensor) in enumerate((("src", src), ("dst", dst))):
        if not isinstance(tensor, _compiler.Tensor):
            raise make_error(
                "ArgumentAnnotation",
                function="copy",
                index=index,
                name=name,
                expected="a tensor",
                got=type(tensor).__name__,
            )
    sizes = _operations.size(src.layout), _operations.size(dst.layout)
    if not all(isinstance(size, int) for size in sizes):
        raise make_error(
            "ArgumentValue",
            function="copy",
            expected="tensors whose size is known while tracing",
            got=f"src {src.shape}, dst {dst.shape}",
        )
    if sizes[0] != sizes[1]:
        raise make_error(
            "ArgumentValue",
            function="copy",
            expected=f"as many elements in dst as in src, {sizes[0]}",
            got=sizes[1],
        )
    if sizes[0] % elements:
        raise make_error(
            "ArgumentValue",
            function="copy",
            expected=f"tensors whose size is a multiple of the {elements} elements that copy_atom copies at once",
            got=sizes[0],
        )


def _derivation(tensor: _compiler.Tensor, name: str) -> Derivation | None:
    """The derivation of a tensor in global memory, which must have one; None for other memory."""
    if tensor.memspace not in (_compiler.AddressSpace.gmem, _compiler.AddressSpace.generic):
        return None
    derivation = derivation_of(tensor)
    if derivation is None:
        raise make_error(
            "ArgumentValue",
            function="copy",
            expected=f"{name} in global memory to be a view of a parameter of the `cute.experimental.kernel`, or of a "
            "tensor of make_tensor, whose shape says which elements there are",
            got="a tensor of another origin, or one that a run-time branch or loop carries",
        )
    return derivation


def copy(src: _compiler.Tensor, dst: _compiler.Tensor, *, copy_atom: _compiler.CopyAtom) -> None:
    """Copy the part of ``src`` inside the kernel's tensors to ``dst``, by the instructions of ``copy_atom``.

    A side in global memory must be a view of a parameter of the kernel, or of a tensor that the kernel made by
    ``make_tensor``. Vectors inside that tensor's shape, in all modes, are copied by the atom, and the elements inside
    of vectors that cross its edge one by one. A load that is left out leaves the destination as it was, a store that is
    left out writes nothing.

    Args:
        src, dst: tensors of the same size, whose linear coordinates correspond.
        copy_atom: a copy atom of a plain copy (``CopyUniversalOp``, ``cp.async``).

    Raises:
        ValueError: sizes that differ or are no multiple of the atom's vector, or a tensor in global memory that is no
            such view.
    """
    elements = copy_atom.num_elements
    _check(src, dst, elements)
    edges = [
        edge for edge in (_derivation(src, "src"), _derivation(dst, "dst")) if edge is not None
    ]
    if not edges:
        _atoms.copy(copy_atom, _vectors(src, elements), _vectors(dst, elements))
        return
    count = _operations.size(src.layout) // elements
    views = [(_vectors(edge.coordinates, elements), edge.shape) for edge in edges]
    is_whole = make_rmem_tensor((1, count), _compiler.Boolean)
    crosses: Any = False
    for vector in range(count):
        first, last = (_is_inside(views, element, vector) for element in (0, elements - 1))
        is_whole[0, vector] = first & last
        crosses = crosses | (first != last)
    _atoms.copy(copy_atom, _vectors(src, elements), _vectors(dst, elements), pred=is_whole)
    if elements > 1:
        _compiler.if_else(
            crosses, [], [], lambda: _copy_elements(src, dst, views, is_whole, elements), lambda: []
        )


def _is_inside(views: list[tuple[Any, Any]], element: int, vector: int) -> Any:
    """True if an element of a vector is inside the parameters of all sides."""
    inside: Any = _compiler.Boolean(True)
    for coordinates, shape in views:
        inside = inside & _operations.elem_less(coordinates[element, vector], shape)
    return inside


def _copy_elements(
    src: _compiler.Tensor,
    dst: _compiler.Tensor,
    views: list[tuple[Any, Any]],
    is_whole: Any,
    elements: int,
) -> list[Any]:
    """Copy the inner elements of the vectors that cross an edge."""
    count = _operations.size(src.layout)
    inside = make_rmem_tensor((1, count), _compiler.Boolean)
    for index in range(count):
        vector, element = divmod(index, elements)
        inside[0, index] = _is_inside(views, element, vector) & ~is_whole[0, vector]
    atom = _atoms.make_copy_atom(CopyUniversalOp(), src.element_type)
    _atoms.copy(atom, _vectors(src, 1), _vectors(dst, 1), pred=inside)
    return []


def partition_and_copy(thr_copy: Any, src: _compiler.Tensor, dst: _compiler.Tensor) -> None:
    """Copy one thread's part of a tiled copy, from ``src`` to ``dst``, as ``copy`` does.

    Args:
        thr_copy: a thread's slice of a tiled copy (``get_slice``).
        src, dst: tiles that contain the thread's parts; a tensor in registers is the part already.
    """
    registers = _compiler.AddressSpace.rmem
    source = (
        src
        if src.memspace == registers
        else followed(lambda tensor: thr_copy.partition_S(tensor))(src)
    )
    target = (
        dst
        if dst.memspace == registers
        else followed(lambda tensor: thr_copy.partition_D(tensor))(dst)
    )
    copy(source, target, copy_atom=thr_copy)
