/// Traced scalars as Python objects, and the conversions that every binding file shares.
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>

#include "fairlead/dsl/Program.h"

namespace fairlead::python {

namespace nb = nanobind;
using dsl::BinaryOp;
using dsl::CompareOp;
using dsl::Scalar;
using dsl::Scalars;
using dsl::UnaryOp;

/// An instance of a numeric class: a run-time value, or, made outside a trace, a
/// number with a type, which becomes a constant where a traced function uses it.
struct Value {
  DType dtype = DType::Int32;
  Scalar scalar;
};
struct IntegerValue : Value {};
struct FloatValue : Value {};
template <DType D>
using NumericBase =
    std::conditional_t<(D >= DType::Float16 && D <= DType::Float4E2M1FN), FloatValue, IntegerValue>;
template <DType D> struct TypedValue : NumericBase<D> {};

/// The Python class of a dtype ("Float32"), a borrowed reference.
nb::handle classOf(DType type);
/// The dtype of a numeric class; nothing for other objects.
std::optional<DType> dtypeOfClass(nb::handle cls);
/// dtypeOfClass, or TypeError (DTypeExpected).
DType requireDType(nb::handle cls);
/// A list of these objects.
template <typename... Objects> nb::list listOf(Objects &&...objects) {
  nb::list list;
  (list.append(std::forward<Objects>(objects)), ...);
  return list;
}
/// A list of what `toObject` makes of each value.
template <typename Values, typename ToObject>
nb::list listEach(const Values &values, ToObject toObject) {
  nb::list list;
  for (const auto &value : values)
    list.append(toObject(value));
  return list;
}

/// The name of an object's type in messages: `Tensor`, without the module that binds it.
std::string typeName(nb::handle object);

/// Python numbers are literals; numbers made outside the trace become constants of the program
/// being traced. Nothing for objects that are no scalars.
std::optional<Scalar> tryScalar(nb::handle object);
/// tryScalar, or TypeError naming `what`.
Scalar toScalar(nb::handle object, const char *what);
/// A literal as a Python number, a value as an instance of its numeric class.
nb::object toPython(const Scalar &scalar);
nb::object toPython(const Scalars &scalars, bool asTuple);

/// The operators of values, tensors' whole-tensor expressions and Python numbers; NotImplemented
/// for anything else.
nb::object applyBinary(BinaryOp op, nb::handle a, nb::handle b);
nb::object applyCompare(CompareOp op, nb::handle a, nb::handle b);
nb::object applyUnary(UnaryOp op, nb::handle a, bool fastMath = false);

/// The operators without whole-tensor expressions as operands.
nb::object scalarBinary(BinaryOp op, nb::handle a, nb::handle b);
nb::object scalarCompare(CompareOp op, nb::handle a, nb::handle b);
nb::object scalarUnary(UnaryOp op, nb::handle a, bool fastMath);

/// True while this thread traces a program.
inline bool tracing() { return dsl::Program::current() != nullptr; }

/// Searches the Python packages on sys.path for NVRTC, not only those next to Fairlead's.
void addPackageFolders();

void bindErrors(nb::module_ &m);
void bindDialect(nb::module_ &m);
void bindValues(nb::module_ &m);
void bindTensors(nb::module_ &m);
void bindLayouts(nb::module_ &m);
void bindAtoms(nb::module_ &m);
void bindControlFlow(nb::module_ &m);
void bindPrograms(nb::module_ &m);
void bindSignatures(nb::module_ &m);
void bindBlock(nb::module_ &m);
void bindPrint(nb::module_ &m);
void bindCompile(nb::module_ &m);
void bindTargets(nb::module_ &m);
void bindDLPack(nb::module_ &m);
void bindCuda(nb::module_ &m);
void bindElfFiles(nb::module_ &m);
void bindProductTiles(nb::module_ &m);
void bindRemoteCache(nb::module_ &m);
void bindKernels(nb::module_ &m);

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
