/// Python's operators, for every class of traced values.
#pragma once

#include "Values.h"

namespace fairlead::python {

/// divmod(a, b), rounded down as Python's.
inline nb::object quotientAndRest(nb::handle a, nb::handle b) {
  nb::object quotient = applyBinary(BinaryOp::FloorDiv, a, b);
  if (quotient.is(Py_NotImplemented))
    return quotient;
  return nb::make_tuple(quotient, applyBinary(BinaryOp::Mod, a, b));
}

inline nb::object power(nb::handle a, nb::handle b, nb::handle modulus) {
  if (!modulus.is_none())
    throw makeError(Diagnostic::ArgumentValue,
                    {{"function", "pow"},
                     {"expected", "no modulus for run-time numbers: write `pow(a, b) % modulus`"},
                     {"got", nb::repr(modulus).c_str()}});
  return applyBinary(BinaryOp::Pow, a, b);
}

template <typename Class> void defineOperators(Class &cls) {
  struct Entry {
    const char *forward, *reflected;
    BinaryOp op;
  };
  constexpr Entry kBinary[] = {{"__add__", "__radd__", BinaryOp::Add},
                               {"__sub__", "__rsub__", BinaryOp::Sub},
                               {"__mul__", "__rmul__", BinaryOp::Mul},
                               {"__truediv__", "__rtruediv__", BinaryOp::TrueDiv},
                               {"__floordiv__", "__rfloordiv__", BinaryOp::FloorDiv},
                               {"__mod__", "__rmod__", BinaryOp::Mod},
                               {"__and__", "__rand__", BinaryOp::And},
                               {"__or__", "__ror__", BinaryOp::Or},
                               {"__xor__", "__rxor__", BinaryOp::Xor},
                               {"__lshift__", "__rlshift__", BinaryOp::Shl},
                               {"__rshift__", "__rrshift__", BinaryOp::Shr}};
  for (const Entry &entry : kBinary) {
    BinaryOp op = entry.op;
    cls.def(
        entry.forward, [op](nb::handle a, nb::handle b) { return applyBinary(op, a, b); },
        nb::arg().none());
    cls.def(
        entry.reflected, [op](nb::handle a, nb::handle b) { return applyBinary(op, b, a); },
        nb::arg().none());
  }
  cls.def(
      "__divmod__", [](nb::handle a, nb::handle b) { return quotientAndRest(a, b); },
      nb::arg().none());
  cls.def(
      "__rdivmod__", [](nb::handle a, nb::handle b) { return quotientAndRest(b, a); },
      nb::arg().none());
  cls.def(
      "__pow__",
      [](nb::handle a, nb::handle b, nb::handle modulus) { return power(a, b, modulus); },
      nb::arg(), nb::arg() = nb::none());
  cls.def(
      "__rpow__",
      [](nb::handle a, nb::handle b, nb::handle modulus) { return power(b, a, modulus); },
      nb::arg(), nb::arg() = nb::none());
  constexpr std::pair<const char *, CompareOp> kCompare[] = {
      {"__eq__", CompareOp::Eq}, {"__ne__", CompareOp::Ne}, {"__lt__", CompareOp::Lt},
      {"__le__", CompareOp::Le}, {"__gt__", CompareOp::Gt}, {"__ge__", CompareOp::Ge}};
  for (auto [name, op] : kCompare)
    cls.def(
        name, [op = op](nb::handle a, nb::handle b) { return applyCompare(op, a, b); },
        nb::arg().none());
  cls.def("__neg__", [](nb::handle a) { return applyUnary(UnaryOp::Neg, a); });
  cls.def("__pos__", [](nb::handle a) { return nb::borrow(a); });
  cls.def("__abs__", [](nb::handle a) { return applyUnary(UnaryOp::Abs, a); });
  cls.def("__invert__", [](nb::handle a) { return applyUnary(UnaryOp::Invert, a); });
}

/// The protocol of values that objects of users' classes build theirs from: each is its own value.
template <typename Class> void defineProtocol(Class &cls) {
  cls.def("__extract_mlir_values__", [](nb::handle self) { return listOf(self); });
  cls.def(
      "__new_from_mlir_values__",
      [](nb::handle, const nb::sequence &values) { return nb::object(values[0]); },
      nb::arg("values"));
}

} // namespace fairlead::python
