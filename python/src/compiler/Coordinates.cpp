/// Tensors of coordinates, and the strides of their layouts.
#include "Layouts.h"

#include <new>

#include "fairlead/Diagnostics.h"

namespace fairlead::python {

using dsl::Tensor;
using layout::Int;

namespace {

Int stepAlong(nb::handle steps, nb::handle mode) {
  std::vector<int> path;
  if (PyLong_Check(mode.ptr()))
    path.push_back(nb::cast<int>(mode));
  else
    path = nb::cast<std::vector<int>>(mode);
  for (int entry : path)
    if (entry < 0 || entry > 254)
      throw makeError(Diagnostic::ArgumentValue, {{"function", "ScaledBasis"},
                                                  {"expected", "modes from 0 to 254"},
                                                  {"got", std::to_string(entry)}});
  if (path.empty() || path.size() > 8)
    throw makeError(Diagnostic::ArgumentValue,
                    {{"function", "ScaledBasis"},
                     {"expected", "a mode, or 1 to 8 of them from the outermost tuple on"},
                     {"got", std::to_string(path.size()) + " modes"}});
  layout::IntTuple count = tupleFromPython(steps, "an integer as the steps of a ScaledBasis");
  if (!count.isLeaf() || count.leaf().isStep())
    throw makeError(Diagnostic::ArgumentKind, {{"function", "ScaledBasis"},
                                               {"expected", "one integer as the steps"},
                                               {"got", nb::repr(steps).c_str()}});
  return Int::along(path, count.leaf());
}

/// So many times the steps. Where no program is traced, both are Python numbers.
Int scaled(const Int &step, nb::handle factor) {
  layout::IntTuple count = tupleFromPython(factor, "an integer to multiply a ScaledBasis by");
  if (!count.isLeaf() || count.leaf().isStep())
    throw makeError(Diagnostic::ArgumentKind, {{"function", "ScaledBasis"},
                                               {"expected", "one integer to multiply it by"},
                                               {"got", nb::repr(factor).c_str()}});
  return Int::along(step.path(), dsl::arithmetic().mul(count.leaf(), step.steps()));
}

} // namespace

nb::object coordinateAt(const Tensor &tensor, nb::handle key) {
  layout::Coordinate coordinate = coordinateFromPython(key);
  if (coordinate.hasOpen())
    return nb::cast(coordinate.isOpen() ? tensor : tensor.sliceAt(coordinate));
  return tupleToPython(tensor.at(tupleFromPython(key, "integers as a coordinate")));
}

void bindCoordinates(nb::module_ &m) {
  nb::class_<Int>(m, "ScaledBasis", "A stride of so many steps along one mode of a coordinate.")
      .def(
          "__init__",
          [](Int *self, nb::handle value, nb::handle mode) {
            new (self) Int(stepAlong(value, mode));
          },
          nb::arg("value"), nb::arg("mode"))
      .def_prop_ro(
          "value", [](const Int &step) { return tupleToPython(step.steps()); },
          "The factor of the basis vector.")
      .def_prop_ro("mode", &Int::path, "The mode, from the outermost tuple on.")
      .def("__repr__", &Int::str)
      .def(
          "__eq__",
          [](const Int &step, nb::handle other) {
            return nb::isinstance<Int>(other) && step == nb::cast<const Int &>(other);
          },
          nb::arg().none())
      .def("__mul__", &scaled)
      .def("__rmul__", &scaled)
      .def("__hash__", [](const Int &step) { return nb::hash(nb::str(step.str().c_str())); });

  nb::class_<CoordinateTensor, Tensor>(m, "CoordTensor",
                                       "A tensor of coordinates: nothing is stored; elements are "
                                       "tuples.")
      .def_prop_ro(
          "iterator", [](const CoordinateTensor &tensor) { return tupleToPython(tensor.origin()); },
          "The coordinate of its first element.");
  m.def(
      "make_identity_tensor",
      [](nb::handle shape) {
        return dsl::identityTensor(
            tupleFromPython(shape, "integers and tuples of them as a shape"));
      },
      nb::arg("shape"), "The tensor whose element at every coordinate is that coordinate.");
  m.def(
      "make_identity_layout",
      [](nb::handle shape) {
        return layout::identityLayout(
            tupleFromPython(shape, "integers and tuples of them as a shape"));
      },
      nb::arg("shape"), "The layout whose value at every coordinate is that coordinate.");
  m.def(
      "make_coord_tensor",
      [](nb::handle origin, const layout::Layout &layout) {
        return Tensor(tupleFromPython(origin, "integers as a coordinate"), layout);
      },
      nb::arg("origin"), nb::arg("layout"));
  m.def(
      "assume",
      [](nb::handle x, int64_t divisor) {
        Scalar value = toScalar(x, "assume");
        if (isFloat(value.dtype()) || divisor < 1)
          throw makeError(Diagnostic::ArgumentValue,
                          {{"function", "assume"},
                           {"expected", "an integer and a positive divisor"},
                           {"got", nb::repr(x).c_str() + (" and " + std::to_string(divisor))}});
        return toPython(dsl::assume(value, divisor));
      },
      nb::arg("x"), nb::arg("divby"), "The value, taken to be a multiple of divby.");
  m.def(
      "elem_less",
      [](nb::handle a, nb::handle b) {
        return toPython(dsl::elemLess(tupleFromPython(a, "integers and tuples of them"),
                                      tupleFromPython(b, "integers and tuples of them")));
      },
      nb::arg("a"), nb::arg("b"), "True when every integer of a is less than b's.");
}

} // namespace fairlead::python

const std::type_info *
nanobind::detail::type_hook<fairlead::dsl::Tensor>::get(const fairlead::dsl::Tensor *tensor) {
  bool coordinates = tensor && tensor->isCoordinates();
  return coordinates ? &typeid(fairlead::python::CoordinateTensor) : &typeid(fairlead::dsl::Tensor);
}
