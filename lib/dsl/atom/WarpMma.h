/// MMA instructions of a warp: the rows of Mma.def. Internal to lib/dsl and lib/lower.
#pragma once

#include "dsl/atom/MmaInstruction.h"

namespace fairlead::ir {
class MmaOp;
} // namespace fairlead::ir

namespace fairlead::dsl {

class WarpMma final : public MmaInstruction {
public:
  WarpMma(int leastArch, int leastPtx, std::string intrinsic)
      : leastArch(leastArch), leastPtx(leastPtx), intrinsic(std::move(intrinsic)) {}

  /// The atom of an operation, and its instruction. Throw fairlead::Error (RuntimeError,
  /// CompileFailed) if no row has its extents and types.
  static const MmaAtom &atomOf(ir::MmaOp op);
  static const WarpMma &of(ir::MmaOp op);

  void require(const MmaAtom &atom) const final;
  void multiply(const MmaTiles &tiles, int64_t k) const final;

  const int leastArch;         ///< compute capability, 10 * major + minor
  const int leastPtx;          ///< PTX ISA, 10 * major + minor
  const std::string intrinsic; ///< of LLVM
};

} // namespace fairlead::dsl
