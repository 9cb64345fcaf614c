/// Extents of launches: 32 bits, whatever integers the program computes them from.
#include "dsl/launch/EmitLaunch.h"

#include "llvm/ADT/DenseSet.h"

#include "dsl/trace/Builder.h"
#include "dsl/verify/Verify.h"
#include "fairlead/dsl/TracingDialect.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Emits host code that records the first wrapping 32-bit sum or product among those a value is
/// computed from, including those in branches and loops.
class WrapNotes {
public:
  explicit WrapNotes(Program::Impl &impl) : impl(impl), loc(impl.builder.getUnknownLoc()) {}

  /// Returns the wrapped result in 64 bits, or 0 if nothing has wrapped; null if nothing can
  /// wrap.
  mlir::Value noteAll(mlir::Value value) {
    follow(value);
    if (!slot)
      return {};
    return LLVM::LoadOp::create(impl.builder, loc, impl.builder.getI64Type(), slot);
  }

private:
  void follow(ValueRange values) {
    for (mlir::Value value : values)
      follow(value);
  }

  void follow(mlir::Value value) {
    if (!value.getType().isInteger(32) || !seen.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op) { // what a loop carries
      op = value.getParentRegion()->getParentOp();
      if (isa<scf::ForOp, scf::WhileOp>(op))
        followLoop(op);
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      followLoop(op);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      follow(branch.thenYield().getOperand(result));
      follow(branch.elseYield().getOperand(result));
    } else if (isa<arith::ArithDialect>(op->getDialect())) {
      follow(op->getOperands());
      if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
        note(op);
    }
  }

  /// Follows all carried values: one may become another in the next iteration.
  void followLoop(Operation *loop) {
    if (auto forLoop = dyn_cast<scf::ForOp>(loop)) {
      follow(forLoop.getInitArgs());
      follow(forLoop.getBody()->getTerminator()->getOperands());
    } else if (auto whileLoop = dyn_cast<scf::WhileOp>(loop)) {
      follow(whileLoop.getInits());
      follow(whileLoop.getConditionOp().getArgs());
      follow(whileLoop.getYieldOp().getOperands());
    }
  }

  /// Computes the operation again in 64 bits, right after it, and records a differing result.
  void note(Operation *op) {
    if (!slot)
      slot = newSlot();
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    mlir::Type i64 = b.getI64Type();
    SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(b.createOrFold<arith::ExtSIOp>(loc, i64, operand));
    mlir::Value exact =
        b.create(OperationState(loc, op->getName(), operands, TypeRange{i64}))->getResult(0);
    mlir::Value got = b.createOrFold<arith::ExtSIOp>(loc, i64, op->getResult(0));
    mlir::Value none = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    mlir::Value before = LLVM::LoadOp::create(b, loc, i64, slot);
    mlir::Value isFirst = arith::AndIOp::create(
        b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, exact, got),
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, none));
    LLVM::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, isFirst, exact, before), slot);
  }

  mlir::Value newSlot() {
    OpBuilder b = OpBuilder::atBlockBegin(&impl.host.getBody().front());
    mlir::Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
    mlir::Value none = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    mlir::Value memory = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                                                b.getI64Type(), one);
    LLVM::StoreOp::create(b, loc, none, memory);
    return memory;
  }

  Program::Impl &impl;
  Location loc;
  mlir::Value slot; ///< what wrapped first, or 0
  llvm::DenseSet<mlir::Value> seen;
};

} // namespace

mlir::Value emitExtent(Program::Impl &impl, const Scalar &extent, const std::string &kernel,
                       const std::string &what) {
  if (extent.isLiteral()) {
    int64_t number = extent.literalInt();
    if (number != static_cast<int32_t>(number))
      throw makeError(Diagnostic::LaunchExtentRange,
                      {{"what", what}, {"kernel", kernel}, {"got", std::to_string(number)}});
    return emitIntConstant(impl, DType::Int32, number);
  }
  mlir::Value narrow = emitAs(impl, extent, DType::Int32);
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value expected, got;
  if (extent.dtype() == DType::Int32) {
    got = WrapNotes(impl).noteAll(narrow);
    expected = got ? emitIntConstant(impl, DType::Int64, 0) : got;
  } else if (bitWidth(extent.dtype()) == 64 || extent.dtype() == DType::Uint32) {
    got = emitAs(impl, extent, DType::Int64);
    expected = b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), narrow);
  }
  if (got)
    requireEqual(impl, wrap(DType::Int64, expected), wrap(DType::Int64, got),
                 info(Diagnostic::LaunchExtentRange).kind,
                 compose(Diagnostic::LaunchExtentRange, {{"what", what}, {"kernel", kernel}}));
  return narrow;
}

namespace {

using KnownExtents = std::array<std::optional<int64_t>, 3>;

/// Returns the constant extents; extents that the caller left out are 1.
KnownExtents knownOf(const std::array<Scalar, 3> &extents) {
  KnownExtents result;
  for (int d = 0; d < 3; ++d)
    result[d] = extents[d].defined() ? extents[d].staticInt() : 1;
  return result;
}

/// "(2, ?, 1)"
std::string textOf(const KnownExtents &extents) {
  std::string text;
  for (const auto &extent : extents)
    text += (text.empty() ? "(" : ", ") + (extent ? std::to_string(*extent) : "?");
  return text + ")";
}

} // namespace

void requireSharedCapacity(const Program::Impl &impl, int64_t bytes, const std::string &asker) {
  for (const Target &target : impl.targets)
    if (int64_t most = target.sharedBytes(); most && bytes > most)
      throw makeError(Diagnostic::SharedSize,
                      {{"expected", std::to_string(most)},
                       {"got", std::to_string(bytes) + " on " + target.str() + asker}});
}

void requireExtents(const std::array<Scalar, 3> &block, const std::array<Scalar, 3> &grid,
                    const std::string &kernel) {
  if (tracingDialect().publishedForm)
    return; // published programs expect these errors of the call
  constexpr int64_t kMostThreads = 1024;
  const KnownExtents threads = knownOf(block), blocks = knownOf(grid);
  if (llvm::any_of(blocks, [](const auto &extent) { return extent && *extent < 0; }))
    throw makeError(Diagnostic::LaunchGridNegative, {{"kernel", kernel}, {"grid", textOf(blocks)}});
  if (llvm::is_contained(blocks, std::optional<int64_t>(0)))
    return; // nothing runs
  int64_t count = 1;
  for (const auto &extent : threads)
    count = extent && (*extent < 1 || count < 1)
                ? 0
                : count * std::min(extent.value_or(1), kMostThreads + 1);
  if (count < 1 || count > kMostThreads)
    throw makeError(Diagnostic::LaunchBlockSize, {{"kernel", kernel}, {"block", textOf(threads)}});
}

void requireCluster(const std::array<Scalar, 3> &cluster, const std::array<Scalar, 3> &grid,
                    const std::string &kernel) {
  // Every GPU with clusters has them of 8 blocks, some of 16.
  constexpr int64_t kMostBlocks = 16;
  KnownExtents blocks = knownOf(cluster), whole = knownOf(grid);
  auto reject = [&](const std::string &expected) {
    throw makeError(Diagnostic::LaunchCluster,
                    {{"kernel", kernel}, {"expected", expected}, {"cluster", textOf(blocks)}});
  };
  int64_t count = 1;
  for (const auto &extent : blocks) {
    if (extent && *extent < (tracingDialect().publishedForm ? 0 : 1))
      reject("extents of 1 or more");
    // Published programs may give zeros for no cluster, as at launches.
    count = std::min(count * std::clamp<int64_t>(extent.value_or(1), 1, kMostBlocks + 1),
                     kMostBlocks + 1);
  }
  if (count > 1)
    Program::current()->requireFeature(GpuFeature::Clusters,
                                       "the cluster " + textOf(blocks) + " of `" + kernel + "`");
  if (count > kMostBlocks)
    reject("at most " + std::to_string(kMostBlocks) + " blocks");
  for (int d = 0; d < 3; ++d)
    if (blocks[d] && whole[d] && *blocks[d] > 1 && *whole[d] % *blocks[d])
      reject("extents that divide those of the grid, " + textOf(whole));
}

void requirePairs(const Program::Impl &impl, const std::string &kernel,
                  const std::array<Scalar, 3> &cluster) {
  for (const Target &target : impl.targets)
    if (target.lacks(GpuFeature::TensorMemory)) // then the kernel has no instruction of pairs
      return;
  checkPairs(mlir::gpu::GPUModuleOp(impl.device).lookupSymbol<mlir::gpu::GPUFuncOp>(kernel),
             knownOf(cluster));
}

} // namespace fairlead::dsl
