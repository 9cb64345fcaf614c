/// Kinds of copy instructions, which copy atoms are built from. Internal to lib/dsl/atom.
#pragma once

#include <functional>

#include "dsl/trace/Builder.h"
#include "fairlead/dsl/atom/CopyAtom.h"

namespace fairlead::dsl {

/// True if the copy's accesses have an order.
inline bool isOrdered(const CopyOp &op) { return op.order != MemoryOrder::Weak; }

/// A copy by an atom's instruction.
struct CopySides {
  Program::Impl &impl;
  const CopyAtom &atom;
  const Tensor &source, &destination;
  const Tensor *found = nullptr; ///< what copyExtremes fills

  /// Bytes of a thread's values of the source in one instruction.
  int64_t bytes() const;
};

/// A kind of copy instruction.
class CopyInstruction {
public:
  explicit CopyInstruction(std::string name) : name(std::move(name)) {}
  virtual ~CopyInstruction() = default;
  static const CopyInstruction &of(CopyKind kind);

  /// Return (thread, value) -> place in the message, of elements. Throws fairlead::Error
  /// (TypeError) for options, types and numbers of bits that the instruction has not.
  virtual CopyAtom::Layouts layouts(const CopyOp &op, DType type, int bits) const = 0;
  /// Return the options that the atom's text shows, with a space before each.
  virtual std::string optionsText(const CopyOp &op) const;
  /// Throws fairlead::Error unless all targets have the instruction, and unless it reaches the
  /// memory of both sides (TypeError; ValueError, AtomAlignment).
  virtual void require(const CopySides &sides) const;
  /// Emits one instruction, from a linear coordinate of each side on. `predicate`: see
  /// fillsWithZeros.
  virtual void emit(const CopySides &sides, int64_t from, int64_t to,
                    const std::optional<Scalar> &predicate) const;
  /// True if the instruction takes a predicate, and writes zeros if it is false.
  virtual bool fillsWithZeros() const;

  const std::string name;

protected:
  [[noreturn]] void rejectType(DType type, const char *expected) const;
};

/// Return the number of instructions of a copy. Throws fairlead::Error (CopyStaticShape,
/// CopyWidths, CopyPartitions) unless both sides have their values.
int64_t instructionsOf(const CopyAtom &atom, const Tensor &source, const Tensor &destination);

/// The operands of a copy that one thread of a warp issues; null or empty: none.
struct BulkValues {
  mlir::Value target, source, bytes, map;
  llvm::SmallVector<mlir::Value> coordinates;
  mlir::Value barrier, blocks, policy;
};

/// A copy of a box of a tensor or of neighbouring bytes, which one thread of a warp issues. Only
/// copyBoxes and copyBulk emit it, because they have its operands.
class BulkCopy final : public CopyInstruction {
public:
  struct Row {
    CopyKind kind;
    const char *name;
    bool copiesBoxes;
    bool hasBarrier;       ///< the copied bytes are counted at an mbarrier
    bool isMulticast;      ///< shared memory of several blocks gets a copy
    AddressSpace from, to; ///< Cluster: shared memory of another block
    void (*emit)(mlir::OpBuilder &b, const CopyOp &op, const BulkValues &values);
  };

  explicit BulkCopy(const Row &row);
  /// Return the instruction of a kind; null for kinds that copy otherwise.
  static const BulkCopy *find(CopyKind kind);
  static const BulkCopy &of(const CopyAtom &atom);

  CopyAtom::Layouts layouts(const CopyOp &op, DType type, int bits) const final;

  const Row &row;
};

/// The layouts of instructions of one thread, which move `bits` bits; 0: one element.
CopyAtom::Layouts threadLayouts(DType type, int bits);

/// Throws fairlead::Error (TypeError) if PTX has no access of the operation's order for
/// elements of this type.
void requireOrder(const CopyOp &op, DType type);

/// Throws fairlead::Error (TypeError) unless one side is in registers and the other one in
/// memory that the order can be of, and unless all targets have the scope.
void requireOrderedSides(const CopySides &sides);

/// Copies `count` elements from linear coordinate `at` of both sides on, in accesses as wide as
/// layouts, alignments and the order allow: 8 bytes for atomic ones.
void copyOrdered(const CopySides &sides, int64_t at, int64_t count);

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
