#include "lower/CheckedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::lower {

Root rootOf(Value address) {
  Root root;
  while (Operation *op = address.getDefiningOp()) {
    if (auto known = op->getAttrOfType<DenseI64ArrayAttr>(ir::kAllocationAttribute)) {
      root.kind = Root::Shared;
      root.base = address;
      root.allocation = known.asArrayRef();
      return root;
    }
    if (auto index = dyn_cast<ir::IndexOp>(op)) {
      root.whole |= index.getWhole();
      address = index.getAddress();
    } else if (auto step = dyn_cast<LLVM::GEPOp>(op)) {
      DataLayout layout;
      if (step.getDynamicIndices().empty() && step.getRawConstantIndices().size() == 1)
        root.distance += step.getRawConstantIndices().front() *
                         static_cast<int64_t>(layout.getTypeSize(step.getElemType()));
      else
        root.constant = false;
      address = step.getBase();
    } else if (isa<LLVM::AddrSpaceCastOp>(op)) {
      address = op->getOperand(0);
    } else if (isa<LLVM::IntToPtrOp, LLVM::PtrToIntOp>(op)) {
      address = op->getOperand(0);
    } else {
      if (isa<LLVM::AllocaOp>(op))
        root.kind = Root::Own;
      root.base = address;
      return root;
    }
  }
  auto argument = cast<BlockArgument>(address);
  if (isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) &&
      isa<LLVM::LLVMPointerType>(argument.getType()))
    root.kind = Root::Parameter;
  root.base = address;
  return root;
}

Value restOfSharedMemory(ImplicitLocOpBuilder &b, const Root &root) {
  Value all = NVVM::DynamicSmemSize::create(b, b.getI32Type());
  Value reserved = arith::ConstantOp::create(b, b.getI64IntegerAttr(root.allocation[0]));
  Value bytes = arith::ExtUIOp::create(b, b.getI64Type(), all);
  return arith::SubIOp::create(b, bytes, reserved);
}

static void placeOf(Location location, std::string &file, std::string &line) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    file = place.getFilename().str();
    line = std::to_string(place.getLine());
  }
}

std::string siteText(Operation *op, StringRef kernel, const Root &root, StringRef what) {
  constexpr char kField = '\x1f';
  std::string file, line = "0";
  placeOf(op->getLoc(), file, line);
  std::string text = file + kField + line + kField + kernel.str() + kField;
  auto index = dyn_cast<ir::IndexOp>(op);
  const StringRef memory = index                       ? stringifyMemoryKind(index.getMemory())
                           : root.kind == Root::Shared ? "shared"
                                                       : "global";
  text += (index ? index.getTensor() : what).str() + kField + memory.str() + kField;
  if (root.kind == Root::Shared) {
    std::string from, at = "0";
    placeOf(root.base.getDefiningOp()->getLoc(), from, at);
    text += from + kField + at + kField + std::to_string(root.allocation[0]) + kField +
            std::to_string(root.allocation[1]);
  }
  return text;
}

bool takesFromShared(Operation *op) {
  return isa<ir::BulkStoreOp, ir::TensorStoreOp, ir::TensorReduceOp>(op);
}

bool isOfProduct(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ir::WarpgroupMmaOp>(op))
      return true;
    if (!isa<LLVM::BitcastOp, arith::ShRUIOp, arith::TruncIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}
bool isForProducts(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<LLVM::BitcastOp, arith::ExtUIOp, arith::ShLIOp, arith::OrIOp>(user))
      return isForProducts(user->getResult(0));
    return isa<ir::WarpgroupMmaOp>(user);
  });
}

} // namespace fairlead::lower
