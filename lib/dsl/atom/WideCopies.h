/// Copies between memory and registers whose elements are neighbours in memory, but of whose
/// address no more is known than that it is a multiple of an element. Internal to lib/dsl/atom.
#ifndef FAIRLEAD_LIB_DSL_ATOM_WIDECOPIES_H_
#define FAIRLEAD_LIB_DSL_ATOM_WIDECOPIES_H_

#include <functional>

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// The accesses of up to 16 bytes that would copy source to destination if the addresses in global
/// memory were multiples of them. Tensors torch gives are so nearly always, but nothing says so
/// where a program leaves their strides dynamic: the addresses are looked at when the kernel runs.
class WideCopy {
public:
  /// `narrow`: the elements that the copy's own instructions take at once.
  WideCopy(const Tensor &source, const Tensor &destination, int64_t narrow);

  /// Whether that takes fewer accesses than the copy as it is written, on a GPU.
  bool pays() const { return !pieces.empty(); }

  /// Whether the addresses allow it.
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
