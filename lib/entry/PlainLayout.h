/// How arguments lie in memory in the plain C ABI: what exported headers declare and generated code
/// reads.
#ifndef FAIRLEAD_LIB_ENTRY_PLAINLAYOUT_H_
#define FAIRLEAD_LIB_ENTRY_PLAINLAYOUT_H_

#include <string>
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

  PlainTensor(const Signature &signature, const TensorParam &tensor);
};

/// A name for each parameter that C and C++ take: itself, unless it is a keyword or is not in
/// ASCII. Distinct.
std::vector<std::string> plainNames(const Signature &signature);

/// The exported header of a function: C99 and C++. `digest` ties it to its object, which defines
/// plainTie(prefix, digest).
std::string plainHeader(const Signature &signature, const std::string &prefix,
                        const std::string &targets, const std::string &digest);
std::string plainTie(const std::string &prefix, const std::string &digest);

/// The name of the first parameter that the plain C ABI has no type for, and why; else "".
std::string plainObstacle(const Signature &signature);

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_PLAINLAYOUT_H_
