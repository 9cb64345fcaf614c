/// The memory layout of arguments in the plain C ABI, for
/// exported headers and generated code.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fairlead/Signature.h"

namespace fairlead::entry {

/// The struct of a tensor argument: `data`, then the extents that are not static, in the order of
/// the modes, then the strides that are not static.
struct PlainTensor {
  std::vector<int> shapeSlot, strideSlot; ///< by mode: the index in its array; -1 for static
  int numShapes = 0, numStrides = 0;
  int shapeBits = 32, strideBits = 64; ///< of the arrays' elements
  int shapeOffset = 0, strideOffset = 0;

  /// `narrow`: strides have 32 bits, as the compile's use_32bit_stride asked.
  PlainTensor(const Signature &signature, const TensorParam &tensor, bool narrow);
};

/// Names of tensor parameters with strides of 32 bits: a JSON list, from the facts of an export
/// (kNarrowStrides).
class NarrowStrides {
public:
  explicit NarrowStrides(const std::vector<std::pair<std::string, std::string>> &facts);
  bool has(const std::string &param) const;
  const std::string &text() const { return list; }

private:
  std::string list;
};
inline constexpr char kNarrowStrides[] = "narrow_strides";

/// A parameter as a part of a C argument.
struct PlainMember {
  const Param *param;
  std::string name; ///< of the struct's member
  int offset = 0;   ///< bytes into the struct
};

/// One argument in C: a parameter, or a struct of all parameters from one structure of the original
/// function (`shape[0]`, `shape[1]`; `config.scale`). Numbers, streams and addresses are members by
/// value, tensors by pointer.
struct PlainArgument {
  /// Itself, unless it is a keyword or not in ASCII. Distinct among the arguments.
  std::string name;
  bool isStruct = false;
  bool isIntTuple = false; ///< a struct of integers without names
  std::vector<PlainMember> members;
};

/// The arguments, without environment streams.
std::vector<PlainArgument> plainArguments(const Signature &signature);

/// The exported header of a function: C99 and C++. `digest` ties it to its object, which defines
/// plainTie(prefix, digest).
std::string plainHeader(const Signature &signature, const std::string &prefix,
                        const std::string &targets, const NarrowStrides &narrow,
                        const std::string &digest);
std::string plainTie(const std::string &prefix, const std::string &digest);

/// The name of the first parameter that the plain C ABI has no type for, and why; else "".
std::string plainObstacle(const Signature &signature);

} // namespace fairlead::entry
