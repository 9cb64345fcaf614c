/// The layout algebra.
#include "Layouts.h"

#include "Dialect.h"

#include <numeric>

#include <nanobind/stl/optional.h>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/layout/Like.h"
#include "fairlead/layout/Recast.h"

namespace fairlead::python {

using dsl::Tensor;
using layout::Coordinate;
using layout::IntTuple;
using layout::Layout;
using layout::Tiler;

namespace {

bool isSequence(nb::handle object) {
  return PyTuple_Check(object.ptr()) || PyList_Check(object.ptr());
}

[[noreturn]] void reject(const char *expected, nb::handle got) {
  throw makeError(Diagnostic::LayoutMode, {{"expected", expected}, {"got", nb::repr(got).c_str()}});
}

using FromScalar = layout::Int (*)(const Scalar &);

layout::Int intFromPython(nb::handle object, const char *what, FromScalar convert = &dsl::toInt) {
  layout::Int *step = nullptr;
  if (nb::isinstance<layout::Int>(object) && nb::try_cast(object, step) && step)
    return *step;
  std::optional<Scalar> scalar = PyBool_Check(object.ptr()) ? std::nullopt : tryScalar(object);
  if (!scalar || isFloat(scalar->dtype()))
    reject(what, object);
  return convert(*scalar);
}

IntTuple tupleFrom(nb::handle object, const char *what, FromScalar convert) {
  if (!isSequence(object))
    return intFromPython(object, what, convert);
  std::vector<IntTuple> modes;
  for (nb::handle mode : object)
    modes.push_back(tupleFrom(mode, what, convert));
  return IntTuple(std::move(modes));
}

/// Run-time parts are computed where a program is traced; elsewhere there are none.
const layout::Arithmetic &arithmetic() { return dsl::arithmetic(); }

nb::object orFail(const std::optional<Layout> &result, const char *operation, const Layout &layout,
                  nb::handle other) {
  if (!result)
    throw makeError(
        Diagnostic::LayoutOperation,
        {{"operation", operation}, {"layout", layout.str()}, {"other", nb::repr(other).c_str()}});
  return nb::cast(*result);
}

/// A function of layouts, and of composed layouts and tensors by their layouts.
template <typename Function> void defineOn(nb::module_ &m, const char *name, Function function) {
  m.def(
      name,
      [name, function](nb::handle object, nb::handle other) -> nb::object {
        auto applied = [&](const Layout &layout) {
          return nb::cast<Layout>(orFail(function(layout, other), name, layout, other));
        };
        Tensor *tensor = nullptr;
        if (nb::try_cast(object, tensor) && tensor)
          return nb::cast(tensor->withLayout(applied(tensor->layout())));
        layout::ComposedLayout *composed = nullptr;
        if (nb::try_cast(object, composed) && composed)
          return nb::cast(composed->withOuter(applied(composed->outer())));
        Layout *layout = nullptr;
        if (!nb::try_cast(object, layout) || !layout)
          reject("a layout or a tensor", object);
        return nb::cast(applied(*layout));
      },
      nb::arg("x"), nb::arg("other").none());
}

using ByTiler = std::optional<Layout> (*)(const Layout &, const Tiler &,
                                          const layout::Arithmetic &);
using ByLayout = std::optional<Layout> (*)(const Layout &, const Layout &,
                                           const layout::Arithmetic &);

void bindTiling(nb::module_ &m) {
  constexpr std::pair<const char *, ByTiler> kTilings[] = {
      {"composition", &layout::composition},      {"logical_divide", &layout::logicalDivide},
      {"zipped_divide", &layout::zippedDivide},   {"tiled_divide", &layout::tiledDivide},
      {"flat_divide", &layout::flatDivide},       {"logical_product", &layout::logicalProduct},
      {"zipped_product", &layout::zippedProduct}, {"tiled_product", &layout::tiledProduct},
      {"flat_product", &layout::flatProduct}};
  for (auto [name, function] : kTilings)
    defineOn(m, name, [function = function](const Layout &layout, nb::handle tiler) {
      return function(layout, tilerFromPython(tiler), arithmetic());
    });
  constexpr std::pair<const char *, ByLayout> kProducts[] = {
      {"blocked_product", &layout::blockedProduct}, {"raked_product", &layout::rakedProduct}};
  for (auto [name, function] : kProducts)
    defineOn(m, name, [function = function](const Layout &layout, nb::handle tiler) {
      Tiler other = tilerFromPython(tiler);
      return other.isOpen() || other.isTuple() ? std::nullopt
                                               : function(layout, other.layout(), arithmetic());
    });
  defineOn(m, "coalesce", [](const Layout &layout, nb::handle profile) -> std::optional<Layout> {
    if (profile.is_none())
      return layout::coalesce(layout, arithmetic());
    return layout::coalesce(layout, knownTupleFromPython(profile, "integers as a profile"),
                            arithmetic());
  });
  defineOn(m, "complement", [](const Layout &layout, nb::handle target) {
    return layout::complement(layout, intFromPython(target, "an integer as a cotarget"),
                              arithmetic());
  });
}

void bindModes(nb::module_ &m) {
  defineOn(m, "select_modes", [](const Layout &layout, nb::handle modes) {
    return layout::select(layout, nb::cast<std::vector<int>>(modes));
  });
  defineOn(m, "get_mode", [](const Layout &layout, nb::handle path) {
    return layout::get(layout, nb::cast<std::vector<int>>(path));
  });
  defineOn(m, "group_modes", [](const Layout &layout, nb::handle range) {
    auto bounds = nb::cast<std::vector<int>>(range);
    return layout::groupModes(layout, bounds.at(0), bounds.at(1));
  });
  defineOn(m, "flatten_layout", [](const Layout &layout, nb::handle) -> std::optional<Layout> {
    return layout::flatten(layout);
  });
  defineOn(m, "filter_zeros", [](const Layout &layout, nb::handle) -> std::optional<Layout> {
    return layout::filterZeros(layout);
  });
  defineOn(m, "filter_layout", [](const Layout &layout, nb::handle) -> std::optional<Layout> {
    return layout::filter(layout, arithmetic());
  });
  defineOn(m, "append_mode", [](const Layout &layout, nb::handle mode) -> std::optional<Layout> {
    return layout::append(layout, nb::cast<const Layout &>(mode));
  });
  defineOn(m, "prepend_mode", [](const Layout &layout, nb::handle mode) -> std::optional<Layout> {
    return layout::prepend(layout, nb::cast<const Layout &>(mode));
  });
  defineOn(m, "dice_modes", [](const Layout &layout, nb::handle coordinate) {
    return layout::dice(layout, coordinateFromPython(coordinate));
  });
  m.def(
      "recast_layout",
      [](int newBits, int oldBits, nb::handle object) -> nb::object {
        const layout::ComposedLayout layout = composedFromPython(object);
        auto result = layout::recast(layout, newBits, oldBits, arithmetic());
        if (!result)
          throw makeError(Diagnostic::LayoutOperation,
                          {{"operation", "recast_layout"},
                           {"layout", layout.str()},
                           {"other", nb::repr(nb::make_tuple(newBits, oldBits)).c_str()}});
        return result->isLayout() ? nb::cast(result->outer()) : nb::cast(*result);
      },
      nb::arg("new_bits"), nb::arg("old_bits"), nb::arg("layout"));
  m.def(
      "make_layout_image_mask",
      [](const Layout &layout, nb::handle coordinate, int mode) {
        IntTuple place = tupleFromPython(coordinate, "integers as a coordinate");
        return tupleToPython(dsl::toInt(dsl::imageMask(layout, place, mode)));
      },
      nb::arg("layout"), nb::arg("coordinate"), nb::arg("mode"));
  m.def(
      "tile_to_shape",
      [](nb::handle object, nb::handle shape, nb::handle order) -> nb::object {
        layout::ComposedLayout atom = composedFromPython(object);
        nb::object tiled = orFail(
            layout::tileToShape(atom.outer(), tupleFromPython(shape, "integers as a shape"),
                                knownTupleFromPython(order, "integers as an order"), arithmetic()),
            "tile_to_shape", atom.outer(), shape);
        return nb::isinstance<Layout>(object)
                   ? tiled
                   : nb::cast(atom.withOuter(nb::cast<const Layout &>(tiled)));
      },
      nb::arg("atom"), nb::arg("shape"), nb::arg("order"));
  m.def(
      "make_layout_tv",
      [](const Layout &threads, const Layout &values) {
        auto partition = layout::threadValues(threads, values, arithmetic());
        if (!partition)
          orFail(std::nullopt, "make_layout_tv", threads, nb::cast(values));
        return nb::make_tuple(tupleToPython(partition->tile), partition->elements);
      },
      nb::arg("threads"), nb::arg("values"));
  m.def(
      "layout_like", [](const Layout &layout) { return layout::layoutLike(layout, arithmetic()); },
      nb::arg("layout"));
  m.def(
      "fragment_layout",
      [](const Layout &layout) { return layout::fragmentLayout(layout, arithmetic()); },
      nb::arg("layout"));
  m.def(
      "max_common_layout",
      [](const Layout &a, const Layout &b) {
        return orFail(layout::maxCommonLayout(a, b, arithmetic()), "max_common_layout", a,
                      nb::cast(b));
      },
      nb::arg("a"), nb::arg("b"));
  m.def("right_inverse", [](const Layout &layout) {
    return orFail(layout::rightInverse(layout, arithmetic()), "right_inverse", layout, nb::none());
  });
  m.def("left_inverse", [](const Layout &layout) {
    return orFail(layout::leftInverse(layout, arithmetic()), "left_inverse", layout, nb::none());
  });
  m.def(
      "slice_layout",
      [](nb::handle object, nb::handle coordinate) -> nb::object {
        if (nb::isinstance<layout::ComposedLayout>(object)) {
          const auto &composed = nb::cast<const layout::ComposedLayout &>(object);
          auto part = composed.slice(coordinateFromPython(coordinate), arithmetic());
          if (!part)
            orFail(std::nullopt, "slice_", composed.outer(), coordinate);
          return nb::cast(*part);
        }
        const auto &layout = nb::cast<const Layout &>(object);
        auto part = layout::slice(layout, coordinateFromPython(coordinate), arithmetic());
        return orFail(part ? std::optional<Layout>(part->layout) : std::nullopt, "slice_", layout,
                      coordinate);
      },
      nb::arg("layout"), nb::arg("coordinate").none());
}

void bindTensorTiling(nb::module_ &m) {
  m.def(
      "local_tile",
      [](const Tensor &tensor, nb::handle tiler, nb::handle coordinate) {
        return dsl::localTile(tensor, tilerFromPython(tiler), coordinateFromPython(coordinate));
      },
      nb::arg("tensor"), nb::arg("tiler").none(), nb::arg("coordinate").none());
  m.def(
      "local_partition",
      [](const Tensor &tensor, const Layout &threads, nb::handle index) {
        return dsl::localPartition(tensor, threads, toScalar(index, "the index of a thread"));
      },
      nb::arg("tensor"), nb::arg("threads"), nb::arg("index").none());
  m.def(
      "domain_offset",
      [](nb::handle coordinate, const Tensor &tensor) {
        return dsl::domainOffset(coordinateFromPython(coordinate), tensor);
      },
      nb::arg("coordinate").none(), nb::arg("tensor"));
  m.def(
      "make_tensor",
      [](const dsl::Pointer &pointer, nb::handle layout) {
        return dsl::makeTensor(pointer, composedFromPython(layout));
      },
      nb::arg("pointer"), nb::arg("layout"));
  m.def("extend_allocation", &dsl::extendAllocation, nb::arg("tensor"));
}

nb::object indexOf(const Layout &layout, nb::handle coordinate) {
  IntTuple place = tupleFromPython(coordinate, "integers as a coordinate");
  std::optional<IntTuple> index;
  if (layout::yieldsCoordinates(layout))
    index = layout::coordinateAt(place, layout, layout::originOf(layout), arithmetic());
  else if (auto number = layout::crd2idx(place, layout, arithmetic()))
    index = *number;
  if (!index)
    throw makeError(Diagnostic::LayoutOperation, {{"operation", "crd2idx"},
                                                  {"layout", layout.str()},
                                                  {"other", nb::repr(coordinate).c_str()}});
  return tupleToPython(*index);
}

} // namespace

/// An integer T stands for T:1.
Tiler tilerFromPython(nb::handle object) {
  if (object.is_none())
    return {};
  Layout *layout = nullptr;
  if (nb::try_cast(object, layout) && layout)
    return Tiler(*layout);
  if (!isSequence(object))
    return Tiler(
        Layout(intFromPython(object, "integers, layouts, None and tuples of them as a tiler")));
  std::vector<Tiler> modes;
  for (nb::handle mode : object)
    modes.push_back(tilerFromPython(mode));
  return Tiler(std::move(modes));
}

Coordinate coordinateFromPython(nb::handle object) {
  if (object.is_none())
    return {};
  if (!isSequence(object))
    return Coordinate(
        intFromPython(object, "integers, None and tuples of them as a coordinate", &dsl::toIndex));
  std::vector<Coordinate> modes;
  for (nb::handle mode : object)
    modes.push_back(coordinateFromPython(mode));
  return Coordinate(std::move(modes));
}

nb::object tupleToPython(const IntTuple &tuple) {
  if (tuple.isLeaf())
    return tuple.leaf().isStep() ? nb::cast(tuple.leaf()) : toPython(dsl::toScalar(tuple.leaf()));
  return nb::tuple(listEach(tuple.modes(), tupleToPython));
}

IntTuple tupleFromPython(nb::handle object, const char *what) {
  return tupleFrom(object, what, &dsl::toInt);
}

IntTuple knownTupleFromPython(nb::handle object, const char *what) {
  return tupleFrom(object, what, &dsl::toIndex);
}

void bindLayouts(nb::module_ &m) {
  nb::class_<Layout> layouts(
      m, "Layout",
      "A function from coordinates to indices: a shape and strides, nested alike. "
      "Coordinates count with mode 0 fastest.");
  defineMembers(layouts);
  layouts
      .def_prop_ro(
          "shape", [](const Layout &layout) { return tupleToPython(layout.shape()); },
          "Extents: Python ints where static, else Int32 or Int64 values; nested.")
      .def_prop_ro(
          "stride", [](const Layout &layout) { return tupleToPython(layout.stride()); },
          "Strides, nested as the shape is.")
      .def_prop_ro(
          "size",
          [](const Layout &layout) { return tupleToPython(layout::size(layout, arithmetic())); },
          "Product of the extents.")
      .def_prop_ro(
          "max_alignment",
          [](const Layout &layout) {
            int64_t most = 0;
            std::vector<layout::Int> extents = layout.shape().leaves(),
                                     strides = layout.stride().leaves();
            for (size_t i = 0; i < extents.size(); ++i)
              most = std::gcd(most, (strides[i].is(1) ? extents[i] : strides[i]).divisibility());
            return most ? most : 1;
          },
          "Elements of which pieces of the mode of stride 1 begin at multiples: a common factor of "
          "its extent and of the other strides, as far as it is known.")
      .def(
          "__call__",
          [](const Layout &layout, nb::handle coordinate, const nb::kwargs &keywords) {
            checkKeywords("__call__", keywords);
            return indexOf(layout, coordinate);
          },
          nb::arg("coordinate"), nb::arg("keywords"),
          "The index of a coordinate: linear, flat or nested.")
      .def(
          "get_hier_coord",
          [](const Layout &layout, nb::handle index, const nb::kwargs &keywords) {
            checkKeywords("get_hier_coord", keywords);
            return tupleToPython(layout::hierarchicalCoordinate(
                intFromPython(index, "an integer as an index"), layout, arithmetic()));
          },
          nb::arg(), nb::arg("keywords"),
          "The coordinate of an index of the layout, nested as its shape.")
      .def(
          "get_flat_coord",
          [](const Layout &layout, nb::handle index, const nb::kwargs &keywords) {
            checkKeywords("get_flat_coord", keywords);
            return tupleToPython(layout::flatCoordinate(
                intFromPython(index, "an integer as an index"), layout, arithmetic()));
          },
          nb::arg(), nb::arg("keywords"),
          "The coordinate of an index of the layout, one number for each mode.")
      .def(
          "__eq__",
          [](const Layout &a, nb::handle b) {
            Layout *other = nullptr;
            return nb::try_cast(b, other) && other && a == *other;
          },
          nb::arg().none())
      .def("__getitem__",
           [](const Layout &layout, int mode) {
             int rank = layout::rank(layout);
             auto part = layout::get(layout, {mode < 0 ? mode + rank : mode});
             if (!part) // of this type, so that `for mode in layout` ends
               throw makeError(Diagnostic::ModeRange,
                               {{"got", std::to_string(mode)}, {"expected", std::to_string(rank)}});
             return *part;
           })
      .def("__len__", [](const Layout &layout) { return layout::rank(layout); })
      .def("__repr__", &Layout::str);
  m.def(
      "make_layout",
      [](nb::handle shape, nb::handle stride) {
        IntTuple extents = tupleFromPython(shape, "integers and tuples of them as a shape");
        if (stride.is_none())
          return Layout(extents, arithmetic());
        auto layout = Layout::make(
            extents, tupleFromPython(stride, "integers and tuples of them as strides"));
        if (!layout)
          throw makeError(Diagnostic::StrideNesting,
                          {{"shape", extents.str()}, {"got", nb::repr(stride).c_str()}});
        return *layout;
      },
      nb::arg("shape"), nb::arg("stride").none());
  m.def(
      "make_ordered_layout",
      [](nb::handle shape, nb::handle order) {
        auto layout =
            Layout::ordered(tupleFromPython(shape, "integers and tuples of them as a shape"),
                            knownTupleFromPython(order, "integers as an order"), arithmetic());
        if (!layout)
          throw makeError(Diagnostic::OrderNesting, {{"got", nb::repr(order).c_str()}});
        return *layout;
      },
      nb::arg("shape"), nb::arg("order"));
  m.def("group_layouts", [](const nb::list &layouts) {
    std::vector<Layout> modes;
    for (nb::handle mode : layouts)
      modes.push_back(nb::cast<const Layout &>(mode));
    return layout::group(modes);
  });
  m.def("cosize",
        [](const Layout &layout) { return tupleToPython(layout::cosize(layout, arithmetic())); });
  m.def("depth", [](nb::handle object) {
    return layout::depth(tupleFromPython(object, "integers and tuples of them"));
  });
  m.def(
      "idx2crd",
      [](nb::handle index, nb::handle shape) {
        IntTuple extents = tupleFromPython(shape, "integers and tuples of them as a shape");
        auto place =
            layout::idx2crd(tupleFromPython(index, "integers as an index"), extents, arithmetic());
        if (!place)
          reject("an index nested no deeper than the shape", index);
        return tupleToPython(*place);
      },
      nb::arg("index"), nb::arg("shape"));
  bindCoordinates(m);
  bindComposed(m);
  bindTiling(m);
  bindModes(m);
  bindTensorTiling(m);
}

} // namespace fairlead::python
