#include "Values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/TracingDialect.h"

namespace fairlead::python {
namespace {

/// Integers of any size, modulo 2^64.
int64_t wrapPythonInt(nb::handle number) {
  unsigned long long bits = PyLong_AsUnsignedLongLongMask(number.ptr());
  if (bits == static_cast<unsigned long long>(-1) && PyErr_Occurred())
    throw nb::python_error();
  return static_cast<int64_t>(bits);
}

int64_t truncateTo(DType type, int64_t number) {
  if (type == DType::Boolean)
    return number != 0;
  if (bitWidth(type) > 64)
    return number;
  int shift = 64 - bitWidth(type);
  uint64_t left = static_cast<uint64_t>(number) << shift;
  return isSigned(type) ? static_cast<int64_t>(left) >> shift : static_cast<int64_t>(left >> shift);
}

/// A float as an integer of a type, as in conversions at run time. A value out of range becomes the
/// nearest limit; for narrow types the limit is that of 16 bits, and the result is truncated. In
/// published programs numbers wrap.
int64_t wholeNumber(DType type, double number) {
  if (dsl::tracingDialect().publishedForm && std::fabs(number) < std::ldexp(1.0, 63))
    return truncateTo(type, static_cast<int64_t>(number));
  int width = std::clamp(bitWidth(type), 16, 64);
  double end = std::ldexp(1.0, width - isSigned(type)), least = isSigned(type) ? -end : 0.0;
  uint64_t bits = 0;
  if (number >= end)
    bits = std::numeric_limits<uint64_t>::max() >> (64 - width + isSigned(type));
  else if (number <= least)
    bits = isSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(least)) : 0;
  else
    bits = number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number))
                      : static_cast<uint64_t>(number);
  return truncateTo(type, static_cast<int64_t>(bits));
}

/// Python's integers by halves, whatever their size.
nb::object half(nb::handle number, bool high) {
  nb::object bits = nb::int_(64);
  PyObject *result =
      high ? PyNumber_Rshift(number.ptr(), bits.ptr())
           : PyNumber_And(number.ptr(), nb::int_(std::numeric_limits<uint64_t>::max()).ptr());
  if (!result)
    throw nb::python_error();
  return nb::steal(result);
}

/// An integer of up to 128 bits as a run-time value; LiteralRange for one that takes more.
Scalar wideConstant(DType type, nb::handle number) {
  nb::object high = half(number, true);
  int overflow = 0;
  long long top = PyLong_AsLongLongAndOverflow(high.ptr(), &overflow);
  if (overflow) {
    uint64_t bits = PyLong_AsUnsignedLongLong(high.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      rejectRange(type, nb::str(number).c_str());
    }
    top = static_cast<long long>(bits);
  }
  uint64_t low = PyLong_AsUnsignedLongLong(half(number, false).ptr());
  auto part = [&](uint64_t bits) { return dsl::constant(type, static_cast<int64_t>(bits)); };
  auto shifted = [&](const Scalar &value, int bits) {
    return dsl::binary(BinaryOp::Shl, value, Scalar(bits));
  };
  Scalar middle = dsl::binary(BinaryOp::Or, shifted(part(low >> 32), 32), part(low & 0xffffffff));
  return dsl::binary(BinaryOp::Or, shifted(part(top), 64), middle);
}

} // namespace

void rejectRange(DType type, const std::string &number) {
  throw makeError(
      Diagnostic::ScalarRange,
      {{"site", "written in a program"}, {"dtype", std::string(className(type))}, {"got", number}});
}

Scalar fitLiteral(DType type, const Scalar &literal) {
  if (isFloat(type)) {
    return Scalar(dsl::rounded(type, literal.literalFloat()));
  }
  if (type == DType::Boolean)
    return Scalar(literal.isFloatLiteral() ? literal.literalFloat() != 0
                                           : literal.literalInt() != 0);
  if (literal.isFloatLiteral() && !std::isfinite(literal.literalFloat()))
    rejectRange(type, std::to_string(literal.literalFloat()));
  return Scalar(literal.isFloatLiteral() ? wholeNumber(type, literal.literalFloat())
                                         : truncateTo(type, literal.literalInt()));
}

Scalar typedConstant(DType type, const Scalar &literal) {
  return literal.isFloatLiteral() ? dsl::constant(type, literal.literalFloat())
                                  : dsl::constant(type, literal.literalInt());
}

nb::object literalToPython(const Scalar &literal) {
  if (literal.isFloatLiteral())
    return nb::float_(literal.literalFloat());
  if (literal.isBoolLiteral())
    return nb::bool_(literal.literalInt() != 0);
  return nb::int_(literal.literalInt());
}

bool isLarge(nb::handle object) {
  int overflow = 0;
  if (!PyLong_CheckExact(object.ptr()))
    return false;
  PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  return overflow != 0;
}

std::optional<int64_t> largeBits(nb::handle object) {
  unsigned long long bits = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return std::nullopt;
  }
  return static_cast<int64_t>(bits);
}

Scalar literalOf(DType type, nb::handle number) {
  if (!isLarge(number)) {
    int64_t value = wrapPythonInt(number);
    int width = bitWidth(type);
    if (isInteger(type) && type != DType::Boolean && width < 64 &&
        !dsl::tracingDialect().publishedForm &&
        (value < -(int64_t(1) << (width - 1)) || value >= int64_t(1) << width))
      rejectRange(type, nb::str(number).c_str());
    return Scalar(value);
  }
  if (isFloat(type)) {
    double value = PyLong_AsDouble(number.ptr());
    if (PyErr_Occurred())
      throw nb::python_error();
    return Scalar(value);
  }
  if (type == DType::Boolean)
    return Scalar(true);
  if (bitWidth(type) > 64) {
    if (!tracing())
      throw makeError(Diagnostic::LiteralRange, {{"got", nb::str(number).c_str()}});
    return wideConstant(type, number);
  }
  std::optional<int64_t> bits = largeBits(number);
  if (!bits || bitWidth(type) < 64)
    rejectRange(type, nb::str(number).c_str());
  return Scalar(*bits);
}

Scalar numberToLiteral(nb::handle number) {
  if (PyBool_Check(number.ptr()))
    return Scalar(number.is(Py_True));
  if (PyFloat_Check(number.ptr()))
    return Scalar(PyFloat_AS_DOUBLE(number.ptr()));
  return Scalar(wrapPythonInt(number));
}

} // namespace fairlead::python
