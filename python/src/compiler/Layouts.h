/// Layouts, shapes and coordinates as Python objects.
#pragma once

#include "Values.h"

#include "fairlead/dsl/Coordinates.h"

/// Tensors of coordinates are of a class of their own in Python.
template <> struct nanobind::detail::type_hook<fairlead::dsl::Tensor> {
  static const std::type_info *get(const fairlead::dsl::Tensor *tensor);
};

namespace fairlead::python {

/// A dsl::Tensor of coordinates.
struct CoordinateTensor : dsl::Tensor {};

/// Nested tuples of Python ints and Int32 or Int64 values; steps along a mode are ScaledBasis
/// objects.
nb::object tupleToPython(const layout::IntTuple &tuple);
/// The inverse; lists count as tuples, and numbers that the program makes are dynamic (dsl::toInt).
/// TypeError (LayoutMode) naming `what` for anything else.
layout::IntTuple tupleFromPython(nb::handle object, const char *what);
/// Like tupleFromPython, but takes all values known while tracing as constants (dsl::toIndex).
layout::IntTuple knownTupleFromPython(nb::handle object, const char *what);

/// A composed layout, a layout, or a shape as a compact one.
layout::ComposedLayout composedFromPython(nb::handle object);

/// The coordinate at a key of a tensor of coordinates; a view if the key has None.
nb::object coordinateAt(const dsl::Tensor &tensor, nb::handle key);
/// Coordinates, and layouts that yield coordinates.
void bindCoordinates(nb::module_ &m);
/// Swizzles and composed layouts.
void bindComposed(nb::module_ &m);

/// An integer, a layout, None, or a tuple of them.
layout::Tiler tilerFromPython(nb::handle object);
/// A coordinate; None marks an open mode.
layout::Coordinate coordinateFromPython(nb::handle object);

} // namespace fairlead::python
