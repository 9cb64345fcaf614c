/// Python's numbers as literals of the language, and back.
#ifndef FAIRLEAD_PYTHON_COMPILER_LITERALS_H_
#define FAIRLEAD_PYTHON_COMPILER_LITERALS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "Values.h"

namespace fairlead::python {

/// Throws ScalarRange: `number` is not one of `type`.
[[noreturn]] void rejectRange(DType type, const std::string &number);

/// Rounds or wraps a literal to a type, for numbers outside a trace.
Scalar fitLiteral(DType type, const Scalar &literal);

/// A literal as a value of the program that is being traced.
Scalar typedConstant(DType type, const Scalar &literal);

nb::object literalToPython(const Scalar &literal);

/// True for a Python integer beyond 64 signed bits.
bool isLarge(nb::handle object);

/// The 64 bits of a large integer; nullopt if it has more.
std::optional<int64_t> largeBits(nb::handle object);

/// Converts a Python integer that a program combines with, or converts to, a number of type `type`.
/// It may use all bits of the type, with either sign. Throws ScalarRange if it has more.
Scalar literalOf(DType type, nb::handle number);

/// A Python number of any kind; integers modulo 2^64.
Scalar numberToLiteral(nb::handle number);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_COMPILER_LITERALS_H_
