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

/// A literal rounded or wrapped to a type: what a number outside a trace holds.
Scalar fitLiteral(DType type, const Scalar &literal);

/// A literal as a value of the program that is being traced.
Scalar typedConstant(DType type, const Scalar &literal);

nb::object literalToPython(const Scalar &literal);

/// Whether this is a Python integer beyond 64 signed bits.
bool isLarge(nb::handle object);

/// The 64 bits of a large integer; nothing where it has more.
std::optional<int64_t> largeBits(nb::handle object);

/// A Python integer that a program writes beside, or converts to, a number of type `type`: of its
/// bits, with either sign. ScalarRange where it has more.
Scalar literalOf(DType type, nb::handle number);

/// A Python number of any kind; integers modulo 2^64.
Scalar numberToLiteral(nb::handle number);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_COMPILER_LITERALS_H_
