/// Atomic operations and fences.
#include "dsl/memory/ElementAccess.h"
#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Block.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

LLVM::AtomicOrdering ordering(AtomicOrder order) {
  switch (order) {
  case AtomicOrder::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case AtomicOrder::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case AtomicOrder::Release:
    return LLVM::AtomicOrdering::release;
  case AtomicOrder::AcquireRelease:
    break;
  }
  return LLVM::AtomicOrdering::acq_rel;
}

/// Returns the NVPTX back end's name of the scope; the CPU's lowering drops it.
StringRef scopeName(AtomicScope scope) {
  switch (scope) {
  case AtomicScope::Block:
    return "block";
  case AtomicScope::Device:
    return "device";
  case AtomicScope::System:
    break;
  }
  return "";
}

constexpr const char *kOpNames[] = {"add", "and", "or", "xor", "min", "max", "exchange"};

LLVM::AtomicBinOp binOp(AtomicOp op, DType type) {
  using LLVM::AtomicBinOp;
  bool isFloating = isFloat(type), isSignedInt = isSigned(type);
  switch (op) {
  case AtomicOp::Add:
    return isFloating ? AtomicBinOp::fadd : AtomicBinOp::add;
  case AtomicOp::And:
    return AtomicBinOp::_and;
  case AtomicOp::Or:
    return AtomicBinOp::_or;
  case AtomicOp::Xor:
    return AtomicBinOp::_xor;
  case AtomicOp::Min:
    return isFloating ? AtomicBinOp::fmin : isSignedInt ? AtomicBinOp::min : AtomicBinOp::umin;
  case AtomicOp::Max:
    return isFloating ? AtomicBinOp::fmax : isSignedInt ? AtomicBinOp::max : AtomicBinOp::umax;
  case AtomicOp::Exchange:
    break;
  }
  return AtomicBinOp::xchg;
}

bool takes(AtomicOp op, DType type) {
  if (isInteger(type))
    return bitWidth(type) == 32 || bitWidth(type) == 64;
  if (!isFloat(type) || isNarrowFloat(type))
    return false;
  if (bitWidth(type) == 16)
    return op == AtomicOp::Add;
  return op == AtomicOp::Add || op == AtomicOp::Min || op == AtomicOp::Max ||
         op == AtomicOp::Exchange;
}

void checkType(bool isSupported, const char *operation, DType type) {
  if (!isSupported)
    throw makeError(Diagnostic::AtomicType, {{"operation", std::string("atomic ") + operation},
                                             {"got", std::string(className(type))}});
}

mlir::Value valueFor(Program::Impl &impl, const Pointer &pointer, const Scalar &value) {
  requireStorable(value, pointer.dtype());
  return emitAs(impl, value, pointer.dtype());
}

} // namespace

Scalar atomic(AtomicOp op, const Pointer &pointer, const Scalar &value, AtomicOrder order,
              AtomicScope scope, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("an atomic operation");
  checkType(takes(op, pointer.dtype()), kOpNames[static_cast<int>(op)], pointer.dtype());
  OpBuilder &b = impl.builder;
  mlir::Value address = emitPointer(impl, pointer);
  mlir::Value stored = valueFor(impl, pointer, value);
  return wrap(pointer.dtype(),
              LLVM::AtomicRMWOp::create(b, b.getUnknownLoc(), binOp(op, pointer.dtype()), address,
                                        stored, ordering(order), scopeName(scope)));
}

Scalar atomicCompareExchange(const Pointer &pointer, const Scalar &expected, const Scalar &value,
                             AtomicOrder order, AtomicScope scope, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("an atomic operation");
  DType type = pointer.dtype();
  checkType(isInteger(type) && (bitWidth(type) == 32 || bitWidth(type) == 64), "compare-exchange",
            type);
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  // A failed exchange does not write, so it keeps only the acquire half of the order.
  AtomicOrder failure = order == AtomicOrder::AcquireRelease ? AtomicOrder::Acquire
                        : order == AtomicOrder::Release      ? AtomicOrder::Relaxed
                                                             : order;
  mlir::Value address = emitPointer(impl, pointer);
  mlir::Value old = valueFor(impl, pointer, expected), fresh = valueFor(impl, pointer, value);
  mlir::Value pair = LLVM::AtomicCmpXchgOp::create(b, loc, address, old, fresh, ordering(order),
                                                   ordering(failure), scopeName(scope));
  return wrap(type, LLVM::ExtractValueOp::create(b, loc, pair, ArrayRef<int64_t>{0}));
}

void fence(AtomicScope scope, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("a fence");
  LLVM::FenceOp::create(impl.builder, impl.builder.getUnknownLoc(), LLVM::AtomicOrdering::acq_rel,
                        scopeName(scope));
}

} // namespace fairlead::dsl
