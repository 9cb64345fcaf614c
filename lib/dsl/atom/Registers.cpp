#include "dsl/atom/Registers.h"

#include "dsl/memory/ElementAccess.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

bool hasOwnRegister(DType type) {
  return type == DType::Float32 || type == DType::Float64 || bitWidth(type) == 32;
}

/// The places of elements from `begin` on.
SmallVector<layout::Int> placesOf(const Tensor &tensor, int64_t begin, int count) {
  SmallVector<layout::Int> places;
  for (int i = 0; i < count; ++i)
    places.push_back(offsetOf(tensor, layout::Int(begin + i)));
  return places;
}

bool areNeighbours(ArrayRef<layout::Int> places) {
  for (size_t i = 1; i < places.size(); ++i)
    if (!places[i].isStatic() || !places[0].isStatic() ||
        places[i].value() != places[0].value() + static_cast<int64_t>(i))
      return false;
  return true;
}

unsigned alignmentFor(const Tensor &tensor, const layout::Int &place, int64_t most) {
  return static_cast<unsigned>(std::min(alignmentAt(tensor.pointer(), place), most));
}

/// Returns the vector type of a register's elements.
mlir::Type vectorType(Program::Impl &impl, DType type) {
  return VectorType::get({perRegister(type)}, memoryType(impl.context.get(), type));
}

} // namespace

int perRegister(DType type) {
  return hasOwnRegister(type) || bitWidth(type) >= 32 ? 1 : 32 / bitWidth(type);
}

mlir::Type registerType(OpBuilder &b, DType type) {
  if (type == DType::Float64)
    return b.getF64Type();
  return type == DType::Float32 ? mlir::Type(b.getF32Type()) : b.getI32Type();
}

SmallVector<mlir::Value> loadRegisters(Program::Impl &impl, const Tensor &tensor, int64_t begin,
                                       int count, bool vectors) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const Pointer &pointer = tensor.pointer();
  const int numElements = perRegister(tensor.dtype()), width = bitWidth(tensor.dtype());
  mlir::Type type = registerType(b, tensor.dtype());
  SmallVector<layout::Int> places = placesOf(tensor, begin, count);
  SmallVector<mlir::Value> registers;
  for (int i = 0; i < count; i += numElements) {
    ArrayRef<layout::Int> mine = ArrayRef(places).slice(i, numElements);
    bool together = areNeighbours(mine) && width >= 8;
    if (numElements == 1 || together) {
      bool vector = vectors && numElements > 1;
      mlir::Value word = LLVM::LoadOp::create(
          b, loc, vector ? vectorType(impl, tensor.dtype()) : type,
          emitAddress(impl, pointer, mine[0]),
          alignmentFor(tensor, mine[0], byteSize(tensor.dtype()) * numElements));
      registers.push_back(vector ? LLVM::BitcastOp::create(b, loc, type, word).getResult() : word);
      continue;
    }
    mlir::Value word;
    mlir::Type element = b.getIntegerType(width);
    for (int j = 0; j < numElements; ++j) {
      mlir::Value bits = LLVM::LoadOp::create(b, loc, element, emitAddress(impl, pointer, mine[j]));
      bits = arith::ExtUIOp::create(b, loc, type, bits);
      if (j)
        bits = arith::ShLIOp::create(b, loc, bits, emitIntConstant(impl, DType::Int32, j * width));
      word = word ? arith::OrIOp::create(b, loc, word, bits).getResult() : bits;
    }
    registers.push_back(word);
  }
  return registers;
}

void storeRegisters(Program::Impl &impl, const Tensor &tensor, int64_t begin, ValueRange registers,
                    bool vectors) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const Pointer &pointer = tensor.pointer();
  const int numElements = perRegister(tensor.dtype()), width = bitWidth(tensor.dtype());
  SmallVector<layout::Int> places =
      placesOf(tensor, begin, numElements * static_cast<int>(registers.size()));
  for (auto [index, given] : llvm::enumerate(registers)) {
    mlir::Value word = given;
    ArrayRef<layout::Int> mine = ArrayRef(places).slice(index * numElements, numElements);
    if (numElements == 1 || (areNeighbours(mine) && width >= 8)) {
      if (vectors && numElements > 1)
        word = LLVM::BitcastOp::create(b, loc, vectorType(impl, tensor.dtype()), word);
      LLVM::StoreOp::create(b, loc, word, emitAddress(impl, pointer, mine[0]),
                            alignmentFor(tensor, mine[0], byteSize(tensor.dtype()) * numElements));
      continue;
    }
    mlir::Type element = b.getIntegerType(width);
    for (int j = 0; j < numElements; ++j) {
      mlir::Value bits = word;
      if (j)
        bits = arith::ShRUIOp::create(b, loc, bits, emitIntConstant(impl, DType::Int32, j * width));
      bits = arith::TruncIOp::create(b, loc, element, bits);
      LLVM::StoreOp::create(b, loc, bits, emitAddress(impl, pointer, mine[j]));
    }
  }
}

} // namespace fairlead::dsl
