/// Kinds of MMA instructions, which MMA atoms are built from. Internal to lib/dsl/atom.
#pragma once

#include <optional>
#include <string>

#include "dsl/trace/Builder.h"
#include "fairlead/DType.h"
#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::dsl {

/// A fragment as (values, tiles, K).
struct Fragment {
  const Tensor &tensor;
  int values;
  int64_t tiles, steps;

  /// Linear coordinate of an atom's first value.
  int64_t at(int64_t tile, int64_t step) const { return values * (tile + tiles * step); }
};

/// The fragments of a gemm. `d` and `c` are divided alike, as `sum` says.
struct MmaTiles {
  /// The parts of an operand of each tile: its registers, its address, or its descriptor.
  using Operands = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;

  Program::Impl &impl;
  const MmaAtom &atom;
  const Tensor &c, &d;
  Fragment left, right, sum;
  const Scalar &accumulate;
  const MmaScales &scales;

  /// Return the registers of a fragment's tiles at a step of K.
  Operands registersOf(const Fragment &fragment, int64_t k) const;
  /// Return registers, the addresses of a fragment in tensor memory, or the descriptors of one in
  /// shared memory.
  Operands operandsOf(const Fragment &fragment, int64_t k) const;

  /// Call `multiply(m, n)` for each tile, row by row: ptxas spills fewer registers of Ampere's
  /// FlashAttention 2 than column by column.
  void inOrder(llvm::function_ref<void(int64_t, int64_t)> multiply) const;
  /// The operands of a product that may read shared memory.
  struct Product {
    int64_t place; ///< of the accumulator's first value: a linear coordinate
    mlir::ArrayRef<mlir::Value> a;
    mlir::Value b, added;
  };
  /// Call `multiply` for each tile's product at a step of K, row by row.
  void multiplyEach(int64_t k, llvm::function_ref<void(const Product &)> multiply) const;

  /// Call `multiply(m, n)` for each tile, down one column and up the next: neighbouring calls share
  /// an element of A or B.
  void alternating(llvm::function_ref<void(int64_t, int64_t)> multiply) const;
};

/// A kind of MMA instruction.
class MmaInstruction {
public:
  virtual ~MmaInstruction() = default;

  /// Throws fairlead::Error (AtomArchitecture, AtomFamily, NoCpuForm) unless all targets have the
  /// instruction.
  virtual void require(const MmaAtom &atom) const = 0;
  /// Emit the products of all tiles for one step of K.
  virtual void multiply(const MmaTiles &tiles, int64_t k) const = 0;

  virtual MmaMemory memoryOf(MmaOperand operand) const;
  /// True if products may overwrite C.
  virtual bool canOverwrite() const;
  /// True if products need scale factors.
  virtual bool hasScales() const;
  /// True if products need scale factors in registers.
  virtual bool hasScaleFragments() const;
  /// Bits of an element of an operand in shared memory.
  virtual int elementBits(const MmaAtom &atom, MmaOperand operand) const;
  /// True if K is the slowest mode of the operand, which is in shared memory.
  virtual bool isTransposed(MmaOperand operand) const;
  /// Bits of the high word of all descriptors of operands.
  virtual int64_t descriptorBits() const;
  /// Return a tensor, in registers or tensor memory, for a partition of the operand of this shape.
  virtual Tensor fragment(const MmaAtom &atom, MmaOperand operand,
                          const layout::IntTuple &shape) const;
};

/// Return the descriptor with these words, the low one first.
mlir::Value emitDescriptor(Program::Impl &impl, const layout::IntTuple &words);

/// Throw fairlead::Error (TypeError, MmaTypes) for elements and scale factors of types that the
/// kind lacks. `name` is the instruction's, `product` that of the extents and types.
void requireScaledTypes(const std::string &name, const std::string &product, DType a, DType b,
                        const MmaAtom::Scales &scales);

/// "m16n8k16"
std::string shapeName(const std::array<int, 3> &shape);
/// "m16n8k16.f32.f16.f16": the extents and the types of C, A and B, as elementName names them.
std::string productName(const std::array<int, 3> &shape, DType c, DType a, DType b);

} // namespace fairlead::dsl

namespace fairlead::ir {

/// Types of elements as operations of products name them. Internal to lib/dsl/atom.
enum class ProductType : uint32_t;

} // namespace fairlead::ir

namespace fairlead::dsl {

/// Return the type of elements as operations name it; nothing for types that no product has.
std::optional<ir::ProductType> productType(DType type);

inline bool isByte(DType type) { return type == DType::Int8 || type == DType::Uint8; }
inline bool isFloat8(DType type) {
  return type == DType::Float8E4M3FN || type == DType::Float8E5M2;
}
/// True for floats of 4, 6 and 8 bits.
inline bool isSmallFloat(DType type) {
  return isFloat8(type) || type == DType::Float6E2M3FN || type == DType::Float6E3M2FN ||
         type == DType::Float4E2M1FN;
}

/// True if instructions of warpgroups, and those with tensor memory, multiply these types.
inline bool canMultiply(DType a, DType b) {
  const bool squares = a == DType::Float16 || a == DType::BFloat16 || a == DType::TFloat32;
  return (squares && a == b) || (isFloat8(a) && isFloat8(b)) || (isByte(a) && isByte(b));
}

} // namespace fairlead::dsl
