/// The operations of atoms in traced programs: what the lanes of a warp or a warpgroup do together,
/// copies that run beside them, and the barriers of those. Registers are i32, which hold several
/// elements of less bits, f32 or f64, so that every target can handle them one by one. Internal to
/// lib/dsl and lib/lower.
#ifndef FAIRLEAD_LIB_DSL_ATOM_ATOMOPS_H_
#define FAIRLEAD_LIB_DSL_ATOM_ATOMOPS_H_

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

namespace fairlead::dsl {

class AtomDialect : public mlir::Dialect {
public:
  explicit AtomDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "fairlead"; }
};

/// Of nvvm.cp.async: how many bytes around those that it reads go to the L2 cache, as a hint.
inline constexpr llvm::StringLiteral kPrefetchedAttribute = "fairlead.prefetched";
/// On a copy of one thread of the warp (unit): no other lane reaches it, and none is elected.
inline constexpr llvm::StringLiteral kChosenThreadAttribute = "fairlead.chosen_thread";

/// What the operations share: any operands and results, and one attribute.
template <typename Concrete>
class AtomOp : public mlir::Op<Concrete, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroSuccessors,
                               mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults> {
public:
  using mlir::Op<Concrete, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroSuccessors,
                 mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults>::Op;

  static Concrete create(mlir::OpBuilder &b, mlir::TypeRange results, mlir::ValueRange operands,
                         llvm::ArrayRef<mlir::NamedAttribute> attributes) {
    mlir::OperationState state(b.getUnknownLoc(), Concrete::getOperationName(), operands, results,
                               attributes);
    return mlir::cast<Concrete>(b.create(state));
  }
};

/// The registers of D from those of A, B and C, in this order; the atom is a row of
/// MmaAtom::table(), by its name.
class MmaOp : public AtomOp<MmaOp> {
public:
  using AtomOp::AtomOp;
  static llvm::StringRef getOperationName() { return "fairlead.mma"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"atom"};
    return names;
  }
  llvm::StringRef atom() { return (*this)->getAttrOfType<mlir::StringAttr>("atom").getValue(); }
};

/// The registers of matrices in shared memory, one each: lane 8 j + i gives the address of row i of
/// matrix j, as an i64.
class LoadMatrixOp : public AtomOp<LoadMatrixOp> {
public:
  using AtomOp::AtomOp;
  static llvm::StringRef getOperationName() { return "fairlead.load_matrix"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"transposed"};
    return names;
  }
  bool transposed() { return (*this)->getAttrOfType<mlir::BoolAttr>("transposed").getValue(); }
};

/// The inverse: an address, and the registers.
class StoreMatrixOp : public AtomOp<StoreMatrixOp> {
public:
  using AtomOp::AtomOp;
  static llvm::StringRef getOperationName() { return "fairlead.store_matrix"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"transposed"};
    return names;
  }
  bool transposed() { return (*this)->getAttrOfType<mlir::BoolAttr>("transposed").getValue(); }
};

/// An operation that a string attribute says all of. `Concrete` has kName and kAttribute.
template <typename Concrete> class NamedAtomOp : public AtomOp<Concrete> {
public:
  using AtomOp<Concrete>::AtomOp;
  static llvm::StringRef getOperationName() { return Concrete::kName; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {Concrete::kAttribute};
    return names;
  }
  llvm::StringRef what() {
    return (*this)->template getAttrOfType<mlir::StringAttr>(Concrete::kAttribute).getValue();
  }
};

/// wgmma.mma_async of a warpgroup: the registers of the accumulator, then A (one i64, the
/// descriptor of its shared memory, or four i32 of registers), B's descriptor, and an i1: whether
/// the accumulator is added. Results: the accumulator. "atom" is the instruction's shape and types,
/// "transposed" (optional, i32 array) whether A and B lie with K slowest, of types that have that.
class WarpgroupMmaOp : public NamedAtomOp<WarpgroupMmaOp> {
public:
  using NamedAtomOp::NamedAtomOp;
  static constexpr llvm::StringLiteral kName = "fairlead.warpgroup_mma", kAttribute = "atom";
};

/// One box of a tensor between global and shared memory, by one thread of the warp. "kind": "load",
/// "multicast", "store", "prefetch", or "reduce_add" and the like. Operands: the tensor map's
/// address, then (but for prefetch) the address in shared memory, then of loads that of the
/// mbarrier, of multicast an i16 mask; the box's coordinates, i32, dimension 0 first. "hint"
/// (unit): a last i64 operand is the cache policy.
class TensorCopyOp : public NamedAtomOp<TensorCopyOp> {
public:
  using NamedAtomOp::NamedAtomOp;
  static constexpr llvm::StringLiteral kName = "fairlead.tensor_copy", kAttribute = "kind";
};

/// Neighbouring bytes between memories, by one thread of the warp. "kind": "load" (to shared, from
/// global, bytes, mbarrier), "multicast" (the same and an i16 mask), "store" (to global, from
/// shared, bytes), "to_block" (to shared memory of a block of the cluster, from shared, bytes,
/// mbarrier there).
class BulkCopyOp : public NamedAtomOp<BulkCopyOp> {
public:
  using NamedAtomOp::NamedAtomOp;
  static constexpr llvm::StringLiteral kName = "fairlead.bulk_copy", kAttribute = "kind";
};

/// In the host program: the tensor map of a tensor, as a pointer at its 128 bytes. Operands: the
/// address of the tensor, the extents of its dimensions (i64), the strides of all but the first in
/// bytes (i64). "map" is the rest: the box, then element type and swizzle (see FairleadTensorMap).
class TensorMapOp : public AtomOp<TensorMapOp> {
public:
  using AtomOp::AtomOp;
  static llvm::StringRef getOperationName() { return "fairlead.tensor_map"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"box", "type", "bytes", "swizzle"};
    return names;
  }
};

/// The attribute of parameters of kernels that are tensor maps: pointers at 128 bytes that launches
/// pass by value.
inline constexpr char kTensorMapParameter[] = "fairlead.tensor_map_parameter";

/// What is done to an mbarrier, whose address in shared memory is the first operand: "init"
/// (count), "arrive" (count), "arrive_read" (count; what the thread wrote need not be seen),
/// "arrive_expect" (bytes), "expect" (bytes), "copies_arrive" (when the thread's cp.async are
/// done), "inval"; with "_remote" at the end (all but the last two), of the block of the cluster
/// that is the last operand. "store_remote" (a number of 32 or 64 bits, an address in shared
/// memory): the number is stored in that block, and the mbarrier there has its bytes. "wait",
/// "try_wait", "test_wait" (parity): until, or i1 whether the phase of that parity has ended.
class MbarrierOp : public NamedAtomOp<MbarrierOp> {
public:
  using NamedAtomOp::NamedAtomOp;
  static constexpr llvm::StringLiteral kName = "fairlead.mbarrier", kAttribute = "what";
};

/// One field of a tensor map in memory becomes another: "field" is "address", "extent" or "stride"
/// (in bytes), "index" (i32) the dimension. Operands: the map's address, in global or shared
/// memory, and an i64. With "release" a map in shared memory, the second operand, is published as
/// the first one, in global memory, by all of a warp.
class MapEditOp : public NamedAtomOp<MapEditOp> {
public:
  using NamedAtomOp::NamedAtomOp;
  static constexpr llvm::StringLiteral kName = "fairlead.map_edit", kAttribute = "field";
  int index() {
    return static_cast<int>((*this)->getAttrOfType<mlir::IntegerAttr>("index").getInt());
  }
};

/// An instruction that orders others, or is a hint: it has no result, and where things are done
/// when they are asked for there is nothing to do. "ptx" is its text, with `$0` for an address
/// operand (an i64 number or an i32 one in shared memory).
class OrderOp : public NamedAtomOp<OrderOp> {
public:
  using NamedAtomOp::NamedAtomOp;
  static constexpr llvm::StringLiteral kName = "fairlead.order", kAttribute = "ptx";
};

} // namespace fairlead::dsl

MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::AtomDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::MmaOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::LoadMatrixOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::StoreMatrixOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::WarpgroupMmaOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::TensorCopyOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::BulkCopyOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::TensorMapOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::MapEditOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::MbarrierOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::OrderOp)

#endif // FAIRLEAD_LIB_DSL_ATOM_ATOMOPS_H_
