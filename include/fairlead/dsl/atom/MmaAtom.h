/// MMA atoms: instructions that multiply a small tile by another and add the product to a third.
#pragma once

#include <array>
#include <memory>

#include "fairlead/dsl/Arguments.h"
#include "fairlead/dsl/Layout.h"

namespace fairlead::dsl {

enum class MmaOperand { A, B, C };
/// The memory an instruction reads an operand from.
enum class MmaMemory { Registers, Shared, Tensor };

class MmaInstruction;

/// D = A * B + C of tiles A (M, K), B (N, K), C and D (M, N). The layouts are
/// (thread, value) -> linear coordinate in the operand's tile, mode 0 fastest.
struct FAIRLEAD_API MmaAtom {
  std::string name; ///< "m16n8k16.f32.f16.f16"; "universal.f32" of one multiply-add of one thread
  std::array<int, 3> shape; ///< M, N, K
  DType a, b, c;            ///< element types; D has C's
  layout::Layout threads;
  layout::Layout layoutA, layoutB, layoutC;
  std::shared_ptr<const MmaInstruction> instruction; ///< its kind

  /// Operands of a warpgroup's instruction: whether A comes from registers, and which operands in
  /// shared memory lie with K slowest (M-major, N-major).
  struct Warpgroup {
    bool aInRegisters = false, aTransposed = false, bTransposed = false;
  };
  /// Operands of tcgen05.mma: which lie with K slowest, whether a pair of blocks multiplies
  /// together, and whether A comes from tensor memory instead of shared memory.
  struct TensorMemory {
    bool aTransposed = false, bTransposed = false, ofPair = false, aInTensorMemory = false;
  };

  /// One multiply-add of one thread, on every target.
  static MmaAtom universal(DType type, SourceLoc at = SourceLoc::here()) {
    return universal(type, type, at);
  }
  /// The same, computed in `computeType` and then rounded to `type`.
  static MmaAtom universal(DType type, DType computeType, SourceLoc at = SourceLoc::here());
  /// An instruction of a warp. Throws fairlead::Error (TypeError) with the list of
  /// instructions for A's type.
  static MmaAtom warp(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                      SourceLoc at = SourceLoc::here());
  /// wgmma of the 128 threads of a warpgroup: M = 64, N in steps of 8, K of 32 bytes. B must be in
  /// shared memory, and A in shared memory or registers. Throws fairlead::Error (TypeError).
  static MmaAtom ofWarpgroup(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                             const Warpgroup &operands, SourceLoc at = SourceLoc::here());
  /// tcgen05.mma of one block (M = 64 or 128) or of a pair (M = 128 or 256): N up to 256, K of 32
  /// bytes. Each block of a pair holds half of the rows of A, of B and of C. Throws fairlead::Error
  /// (TypeError).
  static MmaAtom inTensorMemory(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                                const TensorMemory &operands, SourceLoc at = SourceLoc::here());
  /// Scale factors of the operands of tcgen05.mma: kinds of PTX, and elements along K that share a
  /// factor.
  enum class ScaledKind { MXF8F6F4, MXF4, MXF4NVF4 };
  struct Scales {
    ScaledKind kind = ScaledKind::MXF8F6F4;
    DType type = DType::Float8E8M0FNU;
    int vector = 32;
  };
  /// tcgen05.mma with block scaling: floats of 4 to 8 bits with Float32 accumulators. Throws
  /// fairlead::Error (TypeError).
  static MmaAtom scaledInTensorMemory(DType a, DType b, std::array<int, 3> shape,
                                      const Scales &scales, const TensorMemory &operands,
                                      SourceLoc at = SourceLoc::here());
  /// mma.sync with block scaling: 16 x 8 of K = 64 elements of 4 bits, or of K = 32 floats of 4 to
  /// 8 bits in a byte each. Throws fairlead::Error (TypeError).
  static MmaAtom scaledWarp(DType a, DType b, const Scales &scales,
                            SourceLoc at = SourceLoc::here());
  /// All instructions of a warp without scale factors.
  static const std::vector<MmaAtom> &table();

  MmaMemory memoryOf(MmaOperand operand) const;
  /// True if products may overwrite C: gemm then takes `accumulate`.
  bool canOverwrite() const;
  /// True if gemm takes the addresses of scale factors.
  bool hasScales() const;
  /// True if gemm takes scale factors in registers.
  bool hasScaleFragments() const;
};

/// Scale factors of A and B: their addresses in tensor memory, Int32, or fragments in registers.
struct MmaScales {
  std::optional<Scalar> a, b;
  std::optional<Tensor> fragmentOfA, fragmentOfB;
};

template <> struct ArgumentTraits<MmaAtom> : KnownArgument<MmaAtom> {};

} // namespace fairlead::dsl
