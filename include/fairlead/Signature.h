/// The parameter list of a function with its constraints: the one object that validates, names,
/// documents and exports it.
#ifndef FAIRLEAD_SIGNATURE_H_
#define FAIRLEAD_SIGNATURE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/DType.h"
#include "fairlead/Export.h"

namespace fairlead {

/// A symbolic integer: one value per call, bound where it first appears, checked wherever it
/// appears again.
struct Symbol {
  std::string name;         ///< "n0", numbered by first appearance
  int width = 32;           ///< bits of the value inside the program: 32 or 64
  int64_t divisibility = 1; ///< every value is a multiple of it
};

/// An extent or a stride (in elements): `coefficient` times the symbols whose indices are listed.
/// No symbols: static.
struct Extent {
  int64_t coefficient = 1;
  std::vector<int> symbols;

  bool isStatic() const { return symbols.empty(); }
  /// Exactly one symbol, times 1: a place that binds it.
  bool isSymbol() const { return coefficient == 1 && symbols.size() == 1; }
};

/// A tensor parameter.
struct TensorParam {
  DType dtype = DType::Float32;
  std::vector<Extent> shape;
  std::vector<Extent>
      strides;           ///< as long as shape; ignored in dimensions whose extent at run time is 1
  int64_t alignment = 1; ///< bytes by which the first element's address must be divisible
  std::string space = "gmem"; ///< memory space that the program sees: "gmem" or "generic"
};

/// A scalar parameter, passed by value.
struct ScalarParam {
  DType dtype = DType::Int32;
};

/// A CUDA stream: an explicit argument, or (environment) taken from the TVM FFI environment and not
/// an argument.
struct StreamParam {
  bool environment = false;
};

struct Param {
  std::string name;
  std::variant<TensorParam, ScalarParam, StreamParam> type;

  /// False for environment streams.
  bool isArgument() const;
};

/// Two extents of tensor parameters that the traced program needs to be equal, found while tracing
/// (`c[:] = a[:] + b[:]`). The entry checks them like a shared symbol.
struct ExtentEquality {
  int param, mode;           ///< the place that is reported
  int otherParam, otherMode; ///< the place it must match
};

struct Signature {
  std::string name;
  std::vector<Param> params;
  std::vector<Symbol> symbols;
  std::vector<ExtentEquality> equalities;

  /// `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))`; scalars print as `float32`,
  /// streams as `Stream`.
  FAIRLEAD_API std::string str() const;
  /// Number of arguments that a caller passes.
  FAIRLEAD_API int numArguments() const;
};

} // namespace fairlead
#endif // FAIRLEAD_SIGNATURE_H_
