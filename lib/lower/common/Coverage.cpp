/// fairlead.cover -> calls of the runtime (fairlead/Coverage.h).
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "fairlead/Coverage.h"
#include "ir/Builders.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/Passes.h"
#include "lower/common/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

SmallVector<ir::CoverOp> coverOps(ModuleOp module) {
  SmallVector<ir::CoverOp> ops;
  module.walk([&](ir::CoverOp op) { ops.push_back(op); });
  return ops;
}

/// Defines the text of the operation's frame (FairleadCover) in the modules around it, once, and
/// returns its symbol. Kernels move from gpu.module to the module itself later.
std::string frameSymbol(ir::CoverOp op) {
  const std::string symbol = "covered_frame_" + std::to_string(op.getFrame());
  const std::string bytes = std::string(8, '\0') + op.getFile().str() + '\0';
  ir::defineBytesAround(op, symbol, bytes, /*isConstant=*/false);
  return symbol;
}

} // namespace

void lowerCoverage(ModuleOp module) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  for (ir::CoverOp op : coverOps(module)) {
    b.setInsertionPoint(op);
    b.setLoc(op.getLoc());
    Value thread = op->getParentOfType<gpu::GPUFuncOp>() ? linearThread(b) : i32Constant(b, 0);
    callRuntime(b, runtime::FairleadCover,
                {LLVM::AddressOfOp::create(b, pointer, frameSymbol(op)), thread,
                 i32Constant(b, static_cast<int64_t>(op.getEvent())),
                 i32Constant(b, op.getLine())});
    op.erase();
  }
}

void dropCoverage(ModuleOp module) {
  for (ir::CoverOp op : coverOps(module))
    op.erase();
}

} // namespace fairlead::lower
