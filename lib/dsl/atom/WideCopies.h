/// Copies between memory and registers whose elements are neighbours in memory, but whose address
/// is only known to be a multiple of an element. Internal to lib/dsl/atom.
#ifndef FAIRLEAD_LIB_DSL_ATOM_WIDECOPIES_H_
#define FAIRLEAD_LIB_DSL_ATOM_WIDECOPIES_H_

#include <functional>

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// The accesses of up to 16 bytes that copy source to destination if the addresses in global memory
/// are aligned to them. Tensors of torch nearly always are, but dynamic strides do not promise it.
/// So the kernel tests the addresses when it runs.
class WideCopy {
public:
  /// `narrow`: the number of elements that each instruction of the copy itself takes.
  WideCopy(const Tensor &source, const Tensor &destination, int64_t narrow);

  /// True if the wide copy takes fewer accesses on a GPU than the copy as written.
  bool pays() const { return !pieces.empty(); }

  /// True if the addresses are aligned for the wide copy.
  Scalar allowed() const;
  void run() const;

private:
  struct Piece {
    int64_t at, count;
  };
  Program::Impl &impl;
  const Tensor &source, &destination;
  std::vector<Piece> pieces;
};

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_WIDECOPIES_H_
