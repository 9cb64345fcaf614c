/// Shared memory, barriers and warp collectives.
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/TracingDialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/launch/EmitLaunch.h"
#include "dsl/trace/Builder.h"
#include "dsl/verify/Verify.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Returns the device module's global for the block's dynamic shared memory, whose size the launch
/// sets.
LLVM::GlobalOp sharedGlobal(Program::Impl &impl) {
  if (auto global = impl.device.lookupSymbol<LLVM::GlobalOp>(kSharedSymbol))
    return global;
  OpBuilder b = OpBuilder::atBlockBegin(impl.device.getBody());
  auto none = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  return LLVM::GlobalOp::create(b, b.getUnknownLoc(), none, /*isConstant=*/false,
                                LLVM::Linkage::External, kSharedSymbol, Attribute(),
                                kSharedAlignment, kSharedAddressSpace);
}

mlir::Value asInt(Program::Impl &impl, const Scalar &scalar) {
  return emitAs(impl, scalar, DType::Int32);
}

/// Shuffles one 32-bit word across the warp.
mlir::Value shuffleWord(Program::Impl &impl, Shuffle kind, mlir::Value word, mlir::Value offset,
                        mlir::Value mask, mlir::Value clamp) {
  constexpr NVVM::ShflKind kKinds[] = {NVVM::ShflKind::idx, NVVM::ShflKind::up,
                                       NVVM::ShflKind::down, NVVM::ShflKind::bfly};
  OpBuilder &b = impl.builder;
  auto attribute = NVVM::ShflKindAttr::get(impl.context.get(), kKinds[static_cast<int>(kind)]);
  return NVVM::ShflOp::create(b, b.getUnknownLoc(), b.getI32Type(), mask, word, offset, clamp,
                              attribute, UnitAttr());
}

} // namespace

Pointer allocateShared(DType dtype, int64_t bytes, int64_t alignment, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("shared memory");
  if (alignment < 1 || alignment > kSharedAlignment || (alignment & (alignment - 1)) != 0)
    throw makeError(Diagnostic::SharedAlignment, {{"expected", std::to_string(kSharedAlignment)},
                                                  {"got", std::to_string(alignment)}});
  int64_t offset = (impl.kernel->sharedBytes + alignment - 1) / alignment * alignment;
  if (bytes < 0 || bytes > INT32_MAX - offset)
    throw makeError(Diagnostic::SharedSize,
                    {{"expected", std::to_string(INT32_MAX)}, {"got", std::to_string(bytes)}});
  requireSharedCapacity(impl, offset + bytes,
                        ", of which `" + impl.kernel->function.getName().str() + "` asks for " +
                            std::to_string(bytes) + " here");
  impl.kernel->sharedBytes = offset + bytes;
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value base = LLVM::AddressOfOp::create(b, loc, sharedGlobal(impl));
  const bool isRest = bytes == 0 && tracingDialect().publishedForm;
  if (offset || isRest)
    base = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  if (isRest) {
    impl.kernel->rests.push_back(base.getDefiningOp<LLVM::GEPOp>());
    impl.kernel->restAlignment = std::max(impl.kernel->restAlignment, alignment);
  }
  noteAllocation(impl, base, offset, bytes);
  noteMemory(impl, base, dtype, AddressSpace::Shared, bytes);
  return Pointer(dtype, toHandle(base), AddressSpace::Shared, alignment);
}

int64_t sharedBytes() { return kernelImpl("shared memory").kernel->sharedBytes; }

void mergeSharedOfBranches() { kernelImpl("shared memory").kernel->mergesSharedMemory = true; }

Scalar dynamicSharedBytes() {
  Program::Impl &impl = kernelImpl("the size of shared memory");
  OpBuilder &b = impl.builder;
  return wrap(DType::Int32, NVVM::DynamicSmemSize::create(b, b.getUnknownLoc(), b.getI32Type()));
}

Tensor registerTensor(DType dtype, const layout::Layout &layout, SourceLoc at) {
  AtSourceLoc placed(at);
  constexpr int64_t kMaxElements = 1 << 16, kMostAligned = 32;
  Program::Impl &impl = currentImpl("a register tensor");
  layout::Int count = layout::cosize(layout);
  if (!layout.isStatic() || count.value() < 1 || count.value() > kMaxElements)
    throw makeError(Diagnostic::RegisterTensor,
                    {{"expected", std::to_string(kMaxElements)}, {"got", layout.str()}});
  // At the start, so that a loop does not take more of the stack each time.
  mlir::Region &body = impl.kernel ? impl.kernel->function.getBody() : impl.host.getBody();
  OpBuilder b = OpBuilder::atBlockBegin(&body.front(), impl.builder.getListener());
  Location loc = b.getUnknownLoc();
  // On a CPU the memory of the block's threads is adjacent.
  int64_t bytes = count.value() * byteSize(dtype);
  if (tracingDialect().publishedForm && count.value() > 1)
    bytes = (bytes + kMostAligned - 1) / kMostAligned * kMostAligned;
  int64_t alignment = std::min(bytes & -bytes, kMostAligned);
  auto elements = static_cast<int32_t>(bytes / byteSize(dtype));
  mlir::Value size = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(elements));
  mlir::Value memory =
      LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                             memoryType(b.getContext(), dtype), size, kMostAligned);
  noteMemory(impl, memory, dtype, AddressSpace::Register, bytes);
  return Tensor(Pointer(dtype, toHandle(memory), AddressSpace::Register, alignment), layout);
}

void syncThreads(SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("a barrier");
  NVVM::BarrierOp::create(impl.builder, impl.builder.getUnknownLoc());
}

static void emitBarrier(const Scalar &id, const Scalar *threads) {
  Program::Impl &impl = kernelImpl("a barrier");
  OpBuilder &b = impl.builder;
  mlir::Value number = asInt(impl, id);
  requireBarrierNumber(number);
  NVVM::BarrierOp::create(b, b.getUnknownLoc(), mlir::Type(), number,
                          threads ? asInt(impl, *threads) : mlir::Value(),
                          NVVM::BarrierReductionAttr(), mlir::Value());
}

void barrier(const Scalar &id, const Scalar &threads, SourceLoc at) {
  AtSourceLoc placed(at);
  emitBarrier(id, &threads);
}

void barrier(const Scalar &id, SourceLoc at) {
  AtSourceLoc placed(at);
  emitBarrier(id, nullptr);
}

void syncWarp(const Scalar &mask, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("a barrier of a warp");
  NVVM::SyncWarpOp::create(impl.builder, impl.builder.getUnknownLoc(), asInt(impl, mask));
}

static Scalar linearThread() {
  Dim3 index = threadIdx(), extent = blockDim();
  return index.x + extent.x * (index.y + extent.y * index.z);
}

Scalar laneIdx() { return linearThread() & Scalar(kWarpSize - 1); }
Scalar warpIdx() { return linearThread() >> Scalar(5); }

Scalar shuffle(Shuffle kind, const Scalar &value, const Scalar &offset, const Scalar &mask,
               const Scalar &clamp, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("a shuffle");
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  DType type = value.dtype();
  mlir::Value bits = emit(impl, value), by = asInt(impl, offset), lanes = asInt(impl, mask),
              bound = asInt(impl, clamp);
  // Up counts down to lane 0, where its bound is.
  if (kind == Shuffle::Up && clamp.isLiteral() && clamp.literalInt() == 31)
    bound = emitIntConstant(impl, DType::Int32, 0);
  auto word = [&](mlir::Value part) { return shuffleWord(impl, kind, part, by, lanes, bound); };
  int width = static_cast<int>(bits.getType().getIntOrFloatBitWidth());
  mlir::Type ints = b.getIntegerType(width), i32 = b.getI32Type();
  bool isFloating = isa<FloatType>(bits.getType());
  if (isFloating)
    bits = arith::BitcastOp::create(b, loc, ints, bits);
  mlir::Value result;
  if (width > 32) {
    for (int at = 0; at < width; at += 32) {
      mlir::Value by = arith::ConstantOp::create(b, loc, b.getIntegerAttr(ints, at));
      mlir::Value part =
          word(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, bits, by)));
      part = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, ints, part), by);
      result = result ? arith::OrIOp::create(b, loc, result, part).getResult() : part;
    }
  } else if (width == 32) {
    result = word(bits);
  } else {
    result = arith::TruncIOp::create(b, loc, ints, word(arith::ExtUIOp::create(b, loc, i32, bits)));
  }
  if (isFloating)
    result = arith::BitcastOp::create(b, loc, valueType(impl.context.get(), type), result);
  return wrap(type, result);
}

Scalar vote(Vote kind, const Scalar &predicate, const Scalar &mask, SourceLoc at) {
  AtSourceLoc placed(at);
  constexpr NVVM::VoteSyncKind kKinds[] = {NVVM::VoteSyncKind::any, NVVM::VoteSyncKind::all,
                                           NVVM::VoteSyncKind::uni, NVVM::VoteSyncKind::ballot};
  Program::Impl &impl = kernelImpl("a vote");
  OpBuilder &b = impl.builder;
  bool ballot = kind == Vote::Ballot;
  mlir::Type type = ballot ? b.getI32Type() : b.getI1Type();
  mlir::Value result = NVVM::VoteSyncOp::create(
      b, b.getUnknownLoc(), type, asInt(impl, mask), emitAs(impl, predicate, DType::Boolean),
      NVVM::VoteSyncKindAttr::get(impl.context.get(), kKinds[static_cast<int>(kind)]));
  return wrap(ballot ? DType::Uint32 : DType::Boolean, result);
}

} // namespace fairlead::dsl
