/// Tiled MMAs: an MMA atom repeated over threads and values, and products of fragments.
#pragma once

#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::dsl {

/// An MMA atom whose threads are repeated `atoms` (M, N, K) times. `permutation` gives, mode by
/// mode, the order of a tile's elements as they are dealt to the atoms.
class FAIRLEAD_API TiledMma {
public:
  explicit TiledMma(MmaAtom atom, const layout::Layout &atoms = layout::Layout(layout::IntTuple(1)),
                    const layout::Tiler &permutation = layout::Tiler());

  const MmaAtom &atom() const { return atom_; }
  /// Open entries are tiles as large as the atoms.
  const layout::Tiler &permutation() const { return permutation_; }
  /// (thread of the atom, atom along M, N, K) -> thread.
  const layout::Layout &threads() const { return threads_; }
  layout::Int size() const;
  /// The extent of a tile along M (0), N (1) or K (2).
  layout::Int tileSize(int mode) const;
  /// (thread, value) -> linear coordinate in a tile of the operand.
  layout::Layout elements(MmaOperand operand) const;
  /// The operand's layout as ((thread of the atom, (atoms along its two modes)),
  /// (value, (rests ...))).
  layout::Layout threadFragments(MmaOperand operand, const layout::Layout &layout) const;

  /// A thread's elements of the operand's tensor, of data or of coordinates:
  /// (values, tiles of mode 0, tiles of mode 1, modes beyond ...). Throws fairlead::Error
  /// (ValueError, TiledFormCover) for data with an extent that is known to be no multiple of the
  /// tile's.
  Tensor partition(MmaOperand operand, const Tensor &tensor, const Scalar &thread,
                   SourceLoc at = SourceLoc::here()) const;
  /// The shape of that for a tensor of this shape; the same for all threads.
  layout::IntTuple partitionShape(MmaOperand operand, const layout::IntTuple &shape,
                                  SourceLoc at = SourceLoc::here()) const;

  /// Registers for a partition, or for a shape of one.
  Tensor fragmentA(const Tensor &partition, SourceLoc at = SourceLoc::here()) const;
  Tensor fragmentB(const Tensor &partition, SourceLoc at = SourceLoc::here()) const;
  Tensor fragmentC(const layout::IntTuple &shape, SourceLoc at = SourceLoc::here()) const;

  std::string str() const;

private:
  DType type(MmaOperand operand) const;
  layout::Tiler permutationOf(int mode) const;
  void requireWhole(MmaOperand operand, const Tensor &tensor) const;

  MmaAtom atom_;
  layout::Tiler permutation_;
  layout::Layout threads_;
};

/// Returns the operand of instructions for a partition of A or B: registers for it, or a tensor
/// without memory for A in tensor memory. For operands in shared memory, returns descriptors: a
/// tensor of pairs (low and high word) with a mode 0 of extent 1 and the partition's other modes.
/// Throws fairlead::Error (ValueError, LayoutOperation) for memory whose layout no descriptor can
/// express.
FAIRLEAD_API Tensor operandFragment(const MmaAtom &atom, MmaOperand operand,
                                    const Tensor &partition, SourceLoc at = SourceLoc::here());

/// Returns the accumulator for a partition of C of this shape, in registers. For accumulators in
/// tensor memory, returns a tensor without memory that has their layout: an address counts columns
/// of 32 bits in its low half, and lanes in its high half.
FAIRLEAD_API Tensor accumulatorFragment(const MmaAtom &atom, const layout::IntTuple &shape,
                                        SourceLoc at = SourceLoc::here());
/// Returns a fragment of any operand in registers or tensor memory. Throws fairlead::Error
/// (TypeError, MmaFragmentSource) for operands in shared memory.
FAIRLEAD_API Tensor fragmentOfShape(const MmaAtom &atom, MmaOperand operand,
                                    const layout::IntTuple &shape,
                                    SourceLoc at = SourceLoc::here());

/// Computes d = a * b + c on a thread's fragments. Mode 0 holds the values of one atom. Shapes are
/// (values), or (values, M), (values, N) and (values, M, N), with a last mode K of a and b over
/// which the products are summed. c and d may be the same. Atoms of one value also take fragments
/// without mode 0. Throws fairlead::Error (ValueError, GemmFragments) for other shapes, and
/// (TypeError) for operands outside of registers (for a warpgroup's instructions: other
/// than descriptors). `accumulate`: Boolean, for a warpgroup's instructions only; if false, c
/// counts as 0. `scales`: for instructions with scale factors, which take one tile along M and N.
FAIRLEAD_API void gemm(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b,
                       const Tensor &c, const Scalar &accumulate = Scalar(true),
                       const MmaScales &scales = {}, SourceLoc at = SourceLoc::here());
/// One instruction.
FAIRLEAD_API void mmaAtom(const MmaAtom &atom, const Tensor &d, const Tensor &a, const Tensor &b,
                          const Tensor &c, const Scalar &accumulate = Scalar(true),
                          const MmaScales &scales = {}, SourceLoc at = SourceLoc::here());

/// Orders register accesses with the asynchronous instructions of a warpgroup: call it before the
/// first one, and after other instructions wrote accumulators or A in registers.
FAIRLEAD_API void warpgroupFence(SourceLoc at = SourceLoc::here());
/// Ends a group of the instructions issued since the last group.
FAIRLEAD_API void warpgroupCommit(SourceLoc at = SourceLoc::here());
/// Waits until at most `groups` groups (0 to 7) are in flight: then accumulators of the others can
/// be read. Throws fairlead::Error (TypeError).
FAIRLEAD_API void warpgroupWait(int groups, SourceLoc at = SourceLoc::here());

template <> struct ArgumentTraits<TiledMma> : KnownArgument<TiledMma> {};

} // namespace fairlead::dsl
