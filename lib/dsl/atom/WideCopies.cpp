#include "dsl/atom/CopyInstruction.h"

#include "dsl/memory/ElementAccess.h"
#include "ir/Attributes.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

bool isGlobal(const Tensor &tensor) { return tensor.space() == AddressSpace::Global; }
bool isInRegisters(const Tensor &tensor) { return tensor.space() == AddressSpace::Register; }

/// The CPU takes vectors from any address, and its checks are of elements.
bool appliesTo(Program::Impl &impl) {
  auto gains = [](const Target &target) { return target.info().alignsVectors; };
  auto checks = impl.module->getOperation()->getAttrOfType<StringAttr>(ir::kChecksAttribute);
  return checks && checks.getValue() != ir::kGuards ? llvm::all_of(impl.targets, gains)
                                                    : llvm::any_of(impl.targets, gains);
}

} // namespace

WideCopy::WideCopy(const Tensor &source, const Tensor &destination, int64_t narrow)
    : impl(currentImpl("a copy")), source(source), destination(destination) {
  if (source.isCoordinates() || !appliesTo(impl) || source.dtype() != destination.dtype() ||
      source.dtype() == DType::Boolean || isPacked(source) || isPacked(destination) ||
      isSwizzled(source) || isSwizzled(destination) ||
      (!(isGlobal(source) && isInRegisters(destination)) &&
       !(isInRegisters(source) && isGlobal(destination))))
    return;
  const Tensor &memory = isGlobal(source) ? source : destination;
  const int64_t size = layout::size(source.layout()).value();
  bool gains = false;
  for (int64_t at = 0; at < size;) {
    int64_t count = runFrom(destination, at, runFrom(source, at, size - at));
    gains |= count > narrow && count > neighboursFrom(memory, at, count);
    pieces.push_back({at, count});
    at += count;
  }
  if (!gains)
    pieces.clear();
}

Scalar WideCopy::allowed() const {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const Tensor &memory = isGlobal(source) ? source : destination;
  const int64_t elementBytes = byteSize(memory.dtype());
  mlir::Value rest;
  SmallVector<std::pair<int64_t, int64_t>> tested; // bytes from the pointer, and of the access
  for (Piece piece : pieces) {
    const layout::Int place = offsetOf(memory, layout::Int(piece.at));
    const int64_t bytes = piece.count * elementBytes;
    if (place.isStatic()) {
      const int64_t begin = place.value() * elementBytes;
      if (llvm::any_of(tested, [&](const auto &other) {
            return other.second % bytes == 0 && (begin - other.first) % bytes == 0;
          }))
        continue;
      tested.push_back({begin, bytes});
    }
    mlir::Value address = emitAddress(impl, memory.pointer(), place);
    mlir::Value number = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address);
    mlir::Value mask = emitIntConstant(impl, DType::Int64, bytes - 1);
    mlir::Value over = arith::AndIOp::create(b, loc, number, mask);
    rest = rest ? arith::OrIOp::create(b, loc, rest, over) : over;
  }
  return wrap(DType::Int64, rest) == 0;
}

void WideCopy::run() const {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const bool loads = isGlobal(source);
  const Tensor &memory = loads ? source : destination;
  for (Piece piece : pieces) {
    mlir::Value address =
        emitAddress(impl, memory.pointer(), offsetOf(memory, layout::Int(piece.at)));
    auto bytes = static_cast<unsigned>(piece.count * byteSize(memory.dtype()));
    mlir::Type element = memoryType(impl.context.get(), memory.dtype());
    mlir::Type type = piece.count == 1 ? element : VectorType::get({piece.count}, element);
    if (loads)
      storeTogether(impl, destination, piece.at, piece.count,
                    LLVM::LoadOp::create(b, loc, type, address, bytes));
    else
      LLVM::StoreOp::create(b, loc, loadTogether(impl, source, piece.at, piece.count), address,
                            bytes);
  }
}

} // namespace fairlead::dsl
