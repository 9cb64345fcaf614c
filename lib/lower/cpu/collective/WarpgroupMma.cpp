/// fairlead.warpgroup_mma: products of a warpgroup. Where both operands lie in shared memory a
/// thread computes its values of the result by itself; on a CPU it does so where the product is
/// asked for.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "dsl/Symbols.h"
#include "dsl/atom/AtomOps.h"
#include "fairlead/AsyncCpu.h"
#include "lower/cpu/collective/Calls.h"
#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

int typeNumber(StringRef name) {
  constexpr StringRef kNames[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "f32", "s32"};
  return static_cast<int>(llvm::find(kNames, name) - std::begin(kNames));
}

class WarpgroupMmaModel final : public CollectiveModelOf<dsl::WarpgroupMmaOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::ReadsShared; }
  /// A in registers would have to come from other threads.
  CpuForm cpuForm(Operation *op) const final {
    return op->getNumOperands() == op->getNumResults() + 3 ? CpuForm::Rewritten : CpuForm::None;
  }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    size_t count = op->getNumResults();
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    Type word = op->getResult(0).getType();
    Value memory = memoryFor(kernel, b);
    auto place = [&](size_t i) {
      return LLVM::GEPOp::create(b, memory.getType(), word, memory,
                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    };
    for (size_t i = 0; i < count; ++i)
      LLVM::StoreOp::create(b, op->getOperand(i), place(i));
    // "m64n128k16.f32.f16.f16"
    SmallVector<StringRef> parts;
    cast<dsl::WarpgroupMmaOp>(op).what().split(parts, '.');
    int n = 0;
    StringRef shape = parts[0];
    shape.consume_front("m64n");
    shape.consumeInteger(10, n);
    int types = typeNumber(parts[2]) | typeNumber(parts[3]) << 8 | typeNumber(parts[1]) << 16;
    int flags = 0;
    if (auto transposed = op->getAttrOfType<DenseI32ArrayAttr>("transposed"))
      flags = (transposed[0] ? 2 : 0) | (transposed[1] ? 4 : 0);
    Value added = arith::ExtUIOp::create(b, b.getI32Type(), op->getOperand(count + 2));
    Value options = arith::OrIOp::create(b, added, i32Constant(b, flags));
    auto window = LLVM::LLVMPointerType::get(b.getContext(), dsl::kSharedAddressSpace);
    Value shared = LLVM::AddressOfOp::create(b, window, dsl::kSharedSymbol);
    constexpr int kWarpgroup = 128;
    Value thread = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpgroup - 1));
    callRuntime(b, "FairleadCpuWarpgroupMma",
                {memory, generic(b, shared), op->getOperand(count), op->getOperand(count + 1),
                 i32Constant(b, n), i32Constant(b, types), options, thread});
    for (size_t i = 0; i < count; ++i)
      op->getResult(i).replaceAllUsesWith(LLVM::LoadOp::create(b, word, place(i)).getResult());
    op->erase();
  }

private:
  /// The thread's memory that accumulators go through: one for all of a kernel's products.
  static Value memoryFor(gpu::GPUFuncOp kernel, ImplicitLocOpBuilder &b) {
    constexpr char kMark[] = "fairlead.warpgroup_sums";
    constexpr int kMostWords = 128;
    Block &entry = kernel.getBody().front();
    for (auto memory : entry.getOps<LLVM::AllocaOp>())
      if (memory->hasAttr(kMark))
        return memory;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&entry);
    Value size = i32Constant(b, kMostWords);
    auto memory =
        LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI32Type(), size,
                               /*alignment=*/16);
    memory->setAttr(kMark, b.getUnitAttr());
    return memory;
  }
};

} // namespace

void attachWarpgroupMma(MLIRContext &context) {
  dsl::WarpgroupMmaOp::attachInterface<WarpgroupMmaModel>(context);
}

} // namespace fairlead::lower
