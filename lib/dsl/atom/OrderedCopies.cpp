#include "dsl/atom/CopyInstruction.h"

#include "dsl/atom/Need.h"
#include "dsl/memory/ElementAccess.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr const char *kOrderNames[] = {"weak",    "relaxed", "acquire", "release",
                                       "acq_rel", "sc",      "mmio",    "volatile"};
constexpr const char *kScopeNames[] = {"cta", "cluster", "gpu", "sys"};

bool hasScope(MemoryOrder order) {
  return order != MemoryOrder::Weak && order != MemoryOrder::Mmio && order != MemoryOrder::Volatile;
}

/// The number of bytes that one access can have: atomic ones have a word.
int64_t mostBytes(MemoryOrder order) { return order == MemoryOrder::Volatile ? 16 : 8; }

LLVM::AtomicOrdering orderingOf(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::Relaxed:
  case MemoryOrder::Mmio:
    return LLVM::AtomicOrdering::monotonic;
  case MemoryOrder::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemoryOrder::Release:
    return LLVM::AtomicOrdering::release;
  case MemoryOrder::SequentiallyConsistent:
    return LLVM::AtomicOrdering::seq_cst;
  case MemoryOrder::Weak:
  case MemoryOrder::Volatile:
  case MemoryOrder::AcquireRelease:
    break;
  }
  return LLVM::AtomicOrdering::not_atomic;
}

/// Return the NVPTX back end's name of the scope; the CPU's lowering drops it.
StringRef scopeOf(const CopyOp &op) {
  if (!hasScope(op.order))
    return "";
  switch (op.scope) {
  case MemoryScope::Block:
    return "block";
  case MemoryScope::Cluster:
    return "cluster";
  case MemoryScope::Device:
    return "device";
  case MemoryScope::System:
    break;
  }
  return "";
}

/// One access of `count` neighbouring elements of a tensor, as an operation of LLVM's.
class OrderedAccess {
public:
  OrderedAccess(Program::Impl &impl, const CopyOp &op, const Tensor &tensor, int64_t at,
                int64_t count)
      : impl(impl), op(op), bytes(static_cast<unsigned>(count * byteSize(tensor.dtype()))) {
    mlir::Type element = memoryType(impl.context.get(), tensor.dtype());
    elements = count == 1 ? element : mlir::Type(VectorType::get({count}, element));
    address = emitAddress(impl, tensor.pointer(), offsetOf(tensor, layout::Int(at)));
    // Atomic accesses are of integers.
    accessed = ordering() == LLVM::AtomicOrdering::not_atomic
                   ? elements
                   : mlir::Type(impl.builder.getIntegerType(8 * bytes));
  }

  mlir::Value load() const {
    OpBuilder &b = impl.builder;
    mlir::Value number = LLVM::LoadOp::create(
        b, b.getUnknownLoc(), accessed, address, bytes, isVolatile(), /*isNonTemporal=*/false,
        /*isInvariant=*/false, /*isInvariantGroup=*/false, ordering(), scopeOf(op));
    return as(elements, number);
  }
  void store(mlir::Value values) const {
    OpBuilder &b = impl.builder;
    LLVM::StoreOp::create(b, b.getUnknownLoc(), as(accessed, values), address, bytes, isVolatile(),
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false, ordering(),
                          scopeOf(op));
  }

private:
  LLVM::AtomicOrdering ordering() const { return orderingOf(op.order); }
  bool isVolatile() const {
    return op.order == MemoryOrder::Volatile || op.order == MemoryOrder::Mmio;
  }
  mlir::Value as(mlir::Type type, mlir::Value value) const {
    OpBuilder &b = impl.builder;
    return value.getType() == type
               ? value
               : LLVM::BitcastOp::create(b, b.getUnknownLoc(), type, value).getResult();
  }

  Program::Impl &impl;
  const CopyOp &op;
  unsigned bytes;
  mlir::Type elements, accessed;
  mlir::Value address;
};

bool isRegister(const Tensor &tensor) {
  return !tensor.isCoordinates() && tensor.space() == AddressSpace::Register;
}
bool isMemory(const Tensor &tensor) {
  return !tensor.isCoordinates() && tensor.space() != AddressSpace::Register &&
         tensor.space() != AddressSpace::Tensor;
}
bool isLoad(const CopySides &sides) { return isRegister(sides.destination); }

} // namespace

std::string CopyOp::orderText() const {
  if (order == MemoryOrder::Weak)
    return "";
  const std::string text = kOrderNames[static_cast<int>(order)];
  return hasScope(order) ? text + "." + kScopeNames[static_cast<int>(scope)] : text;
}

void requireOrder(const CopyOp &op, DType type) {
  if (op.order == MemoryOrder::Weak)
    return;
  if (op.kind != CopyKind::Universal)
    throw makeError(Diagnostic::OrderOfAtom, {{"got", op.orderText()}});
  if (op.order == MemoryOrder::AcquireRelease)
    throw makeError(Diagnostic::OrderOfBoth, {{"got", "acq_rel"}});
  if (bitWidth(type) % 8 && type != DType::Boolean)
    throw makeError(Diagnostic::OrderElements,
                    {{"order", op.orderText()}, {"got", std::string(className(type))}});
}

void requireOrderedSides(const CopySides &sides) {
  const CopyOp &op = sides.atom.op();
  const Tensor &source = sides.source, &destination = sides.destination;
  const std::string both = source.str() + " and " + destination.str();
  const bool loads = isMemory(source) && isRegister(destination);
  if (!loads && !(isRegister(source) && isMemory(destination)))
    throw makeError(Diagnostic::OrderSides, {{"atom", sides.atom.str()}, {"got", both}});
  if (isPacked(source) || isPacked(destination))
    throw makeError(Diagnostic::OrderTypes, {{"atom", sides.atom.str()}, {"got", both}});
  if (op.order == (loads ? MemoryOrder::Release : MemoryOrder::Acquire))
    throw makeError(Diagnostic::OrderDirection, {{"order", loads ? "ACQUIRE" : "RELEASE"},
                                                 {"direction", loads ? "to" : "from"},
                                                 {"got", loads ? "RELEASE" : "ACQUIRE"}});
  const AddressSpace space = (loads ? source : destination).space();
  if (op.order == MemoryOrder::Mmio && space != AddressSpace::Global &&
      space != AddressSpace::Generic)
    throw makeError(Diagnostic::OrderMemory, {{"atom", sides.atom.str()}, {"got", both}});
  if (hasScope(op.order) && op.scope == MemoryScope::Cluster)
    Program::current()->requireFeature(GpuFeature::Clusters, sides.atom.str());
}

void copyOrdered(const CopySides &sides, int64_t at, int64_t count) {
  const CopyOp &op = sides.atom.op();
  const bool loads = isLoad(sides);
  const Tensor &memory = loads ? sides.source : sides.destination;
  const Tensor &registers = loads ? sides.destination : sides.source;
  const int64_t most = mostBytes(op.order) / byteSize(memory.dtype());
  for (const int64_t end = at + count; at < end;) {
    const int64_t width =
        neighboursFrom(memory, at, neighboursFrom(registers, at, std::min(most, end - at)));
    const OrderedAccess access(sides.impl, op, memory, at, width);
    if (loads)
      storeTogether(sides.impl, registers, at, width, access.load());
    else
      access.store(loadTogether(sides.impl, registers, at, width));
    at += width;
  }
}

} // namespace fairlead::dsl
