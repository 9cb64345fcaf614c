/// fairlead.warpgroup_mma: products of a warpgroup. Where both operands lie in shared memory a
/// thread computes its values of the result by itself; on a CPU it does so where the product is
/// asked for. Where A lies in registers, the four lanes that hold a row exchange their parts first.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/Symbols.h"
#include "dsl/atom/AtomOps.h"
#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "lower/cpu/Checks.h"
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
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    size_t count = op->getNumResults();
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    Type word = op->getResult(0).getType();
    Value memory = memoryFor(kernel, "fairlead.warpgroup_sums", kMostWords, b);
    auto place = [&](size_t i) { return placeIn(memory, word, i, b); };
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
    auto rest = op->getOperands().drop_front(count);
    Value added = arith::ExtUIOp::create(b, b.getI32Type(), rest.back());
    Value options = arith::OrIOp::create(b, added, i32Constant(b, flags));
    auto window = LLVM::LLVMPointerType::get(b.getContext(), dsl::kSharedAddressSpace);
    Value shared = LLVM::AddressOfOp::create(b, window, dsl::kSharedSymbol);
    constexpr int kWarpgroup = 128;
    Value thread = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpgroup - 1));
    const bool inRegisters = rest.size() > 3;
    Value left = inRegisters ? rowsOf(rest.drop_back(2), thread, kernel, b) : rest.front();
    tellIssue(op, b);
    callRuntime(b, inRegisters ? "FairleadCpuWarpgroupMmaRows" : "FairleadCpuWarpgroupMma",
                {memory, generic(b, shared), left, rest[rest.size() - 2], i32Constant(b, n),
                 i32Constant(b, types), options, thread});
    for (size_t i = 0; i < count; ++i)
      op->getResult(i).replaceAllUsesWith(LLVM::LoadOp::create(b, word, place(i)).getResult());
    op->erase();
  }

private:
  /// Under checks the runtime knows of the product before it runs.
  static void tellIssue(Operation *op, ImplicitLocOpBuilder &b) {
    auto site = op->getAttrOfType<StringAttr>(kSiteAttribute);
    if (!site)
      return;
    int64_t what = kFairleadCheckIssueProduct;
    if (op->getAttrOfType<BoolAttr>(kFollowsAttribute).getValue())
      what |= kFairleadCheckIssueValues;
    Value null = nullPointer(b);
    callRuntime(b, "FairleadCheckOrder",
                {LLVM::AddressOfOp::create(b, null.getType(), site.getValue()), linearThread(b),
                 i32Constant(b, kFairleadCheckIssue), null,
                 arith::ConstantOp::create(b, b.getI64IntegerAttr(what)), null});
  }

  static constexpr int kMostWords = 128, kLanesOfRow = 4;

  /// The two rows of A, of 32 bytes, whose parts this thread and its neighbours hold: register
  /// v1 + 2 v2 of lane q of four is word q + 4 v2 of row v1.
  static Value rowsOf(ValueRange registers, Value thread, gpu::GPUFuncOp kernel,
                      ImplicitLocOpBuilder &b) {
    constexpr int kRows = 2, kWords = 8, kAllLanes = -1, kWholeWarp = 31;
    Value memory = memoryFor(kernel, "fairlead.warpgroup_rows", kRows * kWords, b);
    Type word = b.getI32Type();
    auto kind = NVVM::ShflKindAttr::get(b.getContext(), NVVM::ShflKind::idx);
    Value first = arith::AndIOp::create(b, thread, i32Constant(b, ~(kLanesOfRow - 1)));
    for (auto [index, part] : llvm::enumerate(registers))
      for (int lane = 0; lane < kLanesOfRow; ++lane) {
        Value source = arith::OrIOp::create(b, first, i32Constant(b, lane));
        Value got = NVVM::ShflOp::create(b, word, i32Constant(b, kAllLanes), part, source,
                                         i32Constant(b, kWholeWarp), kind, UnitAttr());
        size_t row = index % kRows, column = index / kRows * kLanesOfRow + lane;
        LLVM::StoreOp::create(b, got, placeIn(memory, word, row * kWords + column, b));
      }
    return memory;
  }

  static Value placeIn(Value memory, Type word, size_t index, ImplicitLocOpBuilder &b) {
    return LLVM::GEPOp::create(b, memory.getType(), word, memory,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }

  /// Memory of the thread that values go through: one of a name for all of a kernel's products.
  static Value memoryFor(gpu::GPUFuncOp kernel, StringRef name, int words,
                         ImplicitLocOpBuilder &b) {
    Block &entry = kernel.getBody().front();
    for (auto memory : entry.getOps<LLVM::AllocaOp>())
      if (memory->hasAttr(name))
        return memory;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&entry);
    auto memory = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                         b.getI32Type(), i32Constant(b, words), /*alignment=*/16);
    memory->setAttr(name, b.getUnitAttr());
    return memory;
  }
};

} // namespace

void attachWarpgroupMma(MLIRContext &context) {
  dsl::WarpgroupMmaOp::attachInterface<WarpgroupMmaModel>(context);
}

} // namespace fairlead::lower
