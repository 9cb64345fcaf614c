#include "lower/cpu/CpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include "fairlead/Diagnostics.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Ops.h"
#include "lower/common/PlainOps.h"
#include "lower/cpu/collective/CpuModel.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// True for the GPU operations that the CPU passes lower without a model.
bool isKnownGpuOp(Operation *op) {
  return isa<gpu::GPUFuncOp, gpu::ReturnOp, gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp,
             gpu::GridDimOp, gpu::ClusterDimBlocksOp, gpu::PrintfOp, NVVM::DynamicSmemSize>(op);
}

/// Returns the name of an operation that only GPUs have; empty for all others.
std::string gpuOnly(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return "its inline PTX `" + assembly.getAsmString().trim().str() + "`";
  if (auto modelled = dyn_cast<CpuOp>(op)) {
    if (modelled.cpuForm() != CpuForm::None)
      return {};
  } else if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    if (!intrinsic.getIntrin().starts_with("llvm.nvvm."))
      return {};
    return "its operation `" + intrinsic.getIntrin().str() + "`";
  } else if (isKnownGpuOp(op) || !(isa<NVVM::NVVMDialect, gpu::GPUDialect>(op->getDialect()) ||
                                   op->hasTrait<ir::UsesTensorMemory>())) {
    return {};
  }
  return "its operation `" + op->getName().getStringRef().str() + "`";
}

} // namespace

void checkCpuForms(gpu::GPUModuleOp kernels) {
  kernels.walk([](gpu::GPUFuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (std::string operation = gpuOnly(op); !operation.empty())
        throw makeError(Diagnostic::NoCpuForm,
                        {{"kernel", kernel.getName().str()}, {"operation", operation}});
    });
  });
}

namespace {

constexpr unsigned kShared = 3; ///< the address space

/// The address of an operation that reads memory and, at most, takes a lock there; null for others.
Value askedAddress(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return load.getAddr();
  if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
    return exchange.getPtr();
  auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op);
  const bool keeps = atomic && (atomic.getBinOp() == LLVM::AtomicBinOp::xchg ||
                                matchPattern(atomic.getVal(), m_Zero()));
  return keeps ? atomic.getPtr() : Value();
}

class SpinLoop {
public:
  explicit SpinLoop(scf::WhileOp loop) : loop(loop) {}

  /// True if only other threads can end the loop once it has begun.
  bool is() {
    const bool onlyAsks =
        !loop->walk([&](Operation *op) {
               return op == loop || mayRepeat(op) ? WalkResult::advance() : WalkResult::interrupt();
             })
             .wasInterrupted();
    if (!onlyAsks)
      return false;
    bool asks = false;
    for (Value value : sourcesOf(loop.getConditionOp().getCondition())) {
      if (counts(value))
        return false;
      Operation *op = value.getDefiningOp();
      Value address = op && isInside(op) ? askedAddress(op) : Value();
      if (!address || ir::MemoryRoot::of(address).isPrivate())
        continue;
      if (!isSameInAll(address))
        return false;
      asks = true;
    }
    return asks;
  }

private:
  bool isInside(Operation *op) const { return loop->isProperAncestor(op); }

  /// True for operations that leave no trace for other threads, but for a lock.
  bool mayRepeat(Operation *op) {
    if (isa<scf::IfOp>(op) || op->hasTrait<OpTrait::IsTerminator>() || isa<LLVM::FenceOp>(op))
      return true;
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return ir::MemoryRoot::of(store.getAddr()).isPrivate();
    if (isPlain(op) || isa<LLVM::LoadOp>(op))
      return true;
    // An exchange for what the loop has computed from memory succeeds without other threads.
    return askedAddress(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isSameInAll(operand); });
  }

  /// The values that the loop carries to the argument of one of its regions.
  void appendCarried(BlockArgument argument, SmallVectorImpl<Value> &values) {
    const unsigned number = argument.getArgNumber();
    if (argument.getOwner() == loop.getAfterBody())
      return values.push_back(loop.getConditionOp().getArgs()[number]);
    values.push_back(loop.getInits()[number]);
    values.push_back(loop.getYieldOp().getOperand(number));
  }

  /// The values that a value is computed from, with itself; outside of the loop only the first.
  llvm::SetVector<Value> sourcesOf(Value value) {
    llvm::SetVector<Value> sources;
    SmallVector<Value> open{value};
    while (!open.empty()) {
      Value next = open.pop_back_val();
      if (!sources.insert(next))
        continue;
      if (auto argument = dyn_cast<BlockArgument>(next)) {
        if (argument.getOwner()->getParentOp() == loop)
          appendCarried(argument, open);
        continue;
      }
      Operation *op = next.getDefiningOp();
      if (!isInside(op))
        continue;
      llvm::append_range(open, op->getOperands());
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        const unsigned number = cast<OpResult>(next).getResultNumber();
        open.push_back(branch.thenYield().getOperand(number));
        open.push_back(branch.elseYield().getOperand(number));
      }
    }
    return sources;
  }

  /// True for a number that each iteration computes from the one before, as one of iterations.
  bool counts(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != loop.getBeforeBody() || value.getType().isInteger(1))
      return false;
    return sourcesOf(loop.getYieldOp().getOperand(argument.getArgNumber())).contains(value);
  }

  /// True if the value is the same in all iterations.
  bool isSameInAll(Value value) {
    return llvm::all_of(sourcesOf(value), [&](Value source) {
      if (auto argument = dyn_cast<BlockArgument>(source))
        return argument.getOwner()->getParentOp() != loop;
      return !isInside(source.getDefiningOp()) || isPlain(source.getDefiningOp());
    });
  }

  scf::WhileOp loop;
};

} // namespace

void suspendSpinLoops(gpu::GPUModuleOp kernels) {
  SmallVector<scf::WhileOp> loops;
  kernels.walk([&](scf::WhileOp loop) {
    if (SpinLoop(loop).is())
      loops.push_back(loop);
  });
  for (scf::WhileOp loop : loops) {
    ImplicitLocOpBuilder b(loop.getLoc(), loop);
    b.setInsertionPointToStart(loop.getAfterBody());
    Value null = LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), kShared));
    Value parity = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    ir::MbarrierTestOp::create(b, null, parity, /*may_suspend=*/false);
  }
}

} // namespace fairlead::lower
