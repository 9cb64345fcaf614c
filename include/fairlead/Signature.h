/// The parameter list of a function with its constraints: the one object that validates, names,
/// documents and exports it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/AddressSpace.h"
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

  friend bool operator==(const Extent &a, const Extent &b) {
    return a.coefficient == b.coefficient && a.symbols == b.symbols;
  }
};

/// The strides of a compact row-major tensor of this shape.
FAIRLEAD_API std::vector<Extent> rowMajorStrides(const std::vector<Extent> &shape);

/// Accesses of a program to the memory behind a parameter. Nothing is set in a signature without
/// a program.
struct FAIRLEAD_API MemoryAccess {
  bool read = false, written = false;
  /// True if an address goes into inline assembly, into memory or into a call of other code, which
  /// may then read and write.
  bool escapes = false;

  bool mayBeWritten() const { return written || escapes; }
  bool isOnlyRead() const { return read && !mayBeWritten(); }
  /// "in" (only read), "out" (only written), "inout", "none", or "unknown" if the address escapes
  /// and the program itself writes nothing.
  std::string_view name() const;
  /// The access with this name; nothing for other texts.
  static std::optional<MemoryAccess> named(std::string_view name);

  friend MemoryAccess operator|(MemoryAccess a, MemoryAccess b) {
    return {a.read || b.read, a.written || b.written, a.escapes || b.escapes};
  }
};

/// A tensor parameter.
struct TensorParam {
  DType dtype = DType::Float32;
  std::vector<Extent> shape;
  std::vector<Extent>
      strides;           ///< as long as shape; ignored in dimensions whose extent at run time is 1
  int64_t alignment = 1; ///< bytes by which the first element's address must be divisible
  AddressSpace space = AddressSpace::Global; ///< that the program sees: Global or Generic
  int dtypeVariable = -1; ///< index in Signature::dtypeVariables; -1: `dtype` is fixed
  bool onHost = false;    ///< the host function itself reads or writes elements, not only kernels
  MemoryAccess access = {};
  /// True if calls check that the bytes from its first to its last element are not among those of
  /// another tensor argument. Tensors that are both only read may share memory.
  bool noAlias = false;
};

/// Returns a hint for the message about a mismatched stride: how to compile for row-major tensors.
/// Empty unless the parameter's first mode is the contiguous one and its stride is the mismatch.
FAIRLEAD_API std::string strideHint(const TensorParam &tensor, size_t mode);

/// A scalar parameter, passed by value.
struct ScalarParam {
  DType dtype = DType::Int32;
  int dtypeVariable = -1; ///< as in TensorParam
  int symbol = -1;        ///< index in Signature::symbols whose value it is; -1: any value
};

/// The address of elements of one type, passed by value; the program knows the layout behind it.
struct PointerParam {
  DType dtype = DType::Float32;
  int64_t alignment = 1;                     ///< bytes by which the address must be divisible
  AddressSpace space = AddressSpace::Global; ///< that the program sees: Global or Generic
  MemoryAccess access = {};
};

/// A CUDA stream: an explicit argument, or (environment) taken from the TVM FFI environment and not
/// an argument.
struct StreamParam {
  bool environment = false;
};

struct FAIRLEAD_API Param {
  std::string name;
  std::variant<TensorParam, ScalarParam, StreamParam, PointerParam> type;

  /// False for environment streams.
  bool isArgument() const;
  /// The access to a tensor or behind a pointer; null for other parameters.
  const MemoryAccess *access() const;
  MemoryAccess *access();
};

/// Two extents of tensor parameters that the traced program needs to be equal, found while tracing
/// (`c[:] = a[:] + b[:]`). The entry checks them like a shared symbol.
struct ExtentEquality {
  int param, mode;           ///< the place that is reported
  int otherParam, otherMode; ///< the place it must match
};

/// A dtype chosen by each call: `T in {float16, float32}`. Some tensor has it as its dtype.
struct DTypeVariable {
  std::string name;
  std::vector<DType> choices;
};

struct Signature {
  std::string name;
  std::vector<Param> params;
  std::vector<Symbol> symbols;
  std::vector<ExtentEquality> equalities;
  std::vector<DTypeVariable> dtypeVariables = {};

  /// Reads a signature's text (docs/kernels.md has the grammar): `add_one(x: Tensor([n, m],
  /// float32, strides=[s, 1], align=16, no_alias), alpha: T, stream: Stream) where n % 8 == 0, T in
  /// {float16, float32}`. Strides left out are compact row-major. Symbols are 64 bits wide. A
  /// tensor may have `out` or `inout` in front, as display() prints it. Throws fairlead::Error
  /// (ValueError) with the place marked.
  FAIRLEAD_API static Signature parse(std::string_view text);
  /// The whole signature for people: text() without alignments that every element of the type has,
  /// with `out` before parameters that are only written and `inout` before parameters that are, or
  /// may be, read and written.
  FAIRLEAD_API std::string display() const;
  /// The whole signature, as parse reads it, without the accesses to memory.
  FAIRLEAD_API std::string text() const;
  /// With the choices of its dtype variables made: the first of each for 0, and so on below
  /// numInstances(). It prints as the general one does.
  FAIRLEAD_API Signature instance(int index) const;
  FAIRLEAD_API int numInstances() const;

  /// `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))`; scalars print as `float32`,
  /// streams as `Stream`. For messages: strides and constraints are left out.
  FAIRLEAD_API std::string str() const;
  /// Number of arguments that a caller passes.
  FAIRLEAD_API int numArguments() const;
  /// The tensors that the program writes or may write, by their numbers as a caller passes them.
  FAIRLEAD_API std::vector<int> writtenArguments() const;
};

} // namespace fairlead
