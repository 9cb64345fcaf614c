/// The operations of atoms in traced programs: what the lanes of a warp do together. Registers are
/// i32, which hold several elements of less bits, f32 or f64, so that every target can handle them
/// one by one. Internal to lib/dsl and lib/lower.
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

} // namespace fairlead::dsl

MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::AtomDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::MmaOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::LoadMatrixOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::StoreMatrixOp)

#endif // FAIRLEAD_LIB_DSL_ATOM_ATOMOPS_H_
