#include "dsl/memory/ElementAccess.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr int64_t kMostBytes = 16;

/// Returns the distance of two elements before swizzles, in elements; nothing if it is dynamic.
std::optional<int64_t> distanceBetween(const layout::Layout &layout, int64_t from, int64_t to) {
  std::vector<layout::Int> x = layout::idx2crd(layout::Int(from), layout.shape())->leaves(),
                           y = layout::idx2crd(layout::Int(to), layout.shape())->leaves(),
                           strides = layout.stride().leaves();
  int64_t distance = 0;
  for (size_t leaf = 0; leaf < x.size(); ++leaf) {
    int64_t steps = y[leaf].value() - x[leaf].value();
    if (steps && !strides[leaf].isStatic())
      return std::nullopt;
    distance += steps ? steps * strides[leaf].value() : 0;
  }
  return distance;
}

mlir::Type memoryVector(Program::Impl &impl, DType type, int64_t count) {
  mlir::Type element = memoryType(impl.context.get(), type);
  return count == 1 ? element : VectorType::get({count}, element);
}

unsigned vectorAlignment(const Tensor &tensor, const layout::Int &place, int64_t count) {
  return static_cast<unsigned>(
      std::min(alignmentAt(tensor.pointer(), place), count * byteSize(tensor.dtype())));
}

/// True if elements have their value's form in memory: Booleans and packed elements do not.
bool isPlainInMemory(const Tensor &tensor) {
  return tensor.dtype() != DType::Boolean && !isPacked(tensor);
}

} // namespace

bool isSwizzled(const Tensor &tensor) {
  return !tensor.isCoordinates() && (tensor.pointer().swizzle() || !tensor.composed().isLayout());
}

int64_t neighboursFrom(const Tensor &tensor, int64_t at, int64_t most) {
  layout::Int place = offsetOf(tensor, layout::Int(at));
  int64_t aligned = alignmentAt(tensor.pointer(), place) / byteSize(tensor.dtype());
  return runFrom(tensor, at, std::min(most, aligned));
}

int64_t runFrom(const Tensor &tensor, int64_t at, int64_t most) {
  const int64_t widest = isPacked(tensor) ? 8 * kMostBytes / bitWidth(tensor.dtype())
                                          : kMostBytes / byteSize(tensor.dtype());
  int64_t limit = std::min({most, widest, tensor.composed().neighbours()});
  int64_t count = 1;
  while (2 * count <= limit) {
    for (int64_t i = count; i < 2 * count; ++i)
      if (distanceBetween(tensor.layout(), at, at + i) != i)
        return count;
    count *= 2;
  }
  return count;
}

mlir::Value loadTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count) {
  layout::Int place = offsetOf(tensor, layout::Int(at));
  return LLVM::LoadOp::create(
      impl.builder, impl.builder.getUnknownLoc(), memoryVector(impl, tensor.dtype(), count),
      emitAddress(impl, tensor.pointer(), place), vectorAlignment(tensor, place, count));
}

void storeTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count,
                   mlir::Value elements) {
  layout::Int place = offsetOf(tensor, layout::Int(at));
  LLVM::StoreOp::create(impl.builder, impl.builder.getUnknownLoc(), elements,
                        emitAddress(impl, tensor.pointer(), place),
                        vectorAlignment(tensor, place, count));
}

Scalars loadVectors(const Tensor &tensor) {
  Program::Impl &impl = currentImpl("reading a tensor");
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const int64_t size = layout::size(tensor.layout()).value();
  Scalars values;
  for (int64_t at = 0; at < size;) {
    int64_t count = isPlainInMemory(tensor) ? neighboursFrom(tensor, at, size - at) : 1;
    if (count == 1) {
      values.push_back(tensor.loadAt(layout::Coordinate(layout::Int(at++))));
      continue;
    }
    mlir::Value vector = loadTogether(impl, tensor, at, count);
    for (int64_t i = 0; i < count; ++i)
      values.push_back(wrap(
          tensor.dtype(),
          LLVM::ExtractElementOp::create(b, loc, vector, emitIntConstant(impl, DType::Int32, i))));
    at += count;
  }
  return values;
}

void storeVectors(const Tensor &tensor, const Scalars &values) {
  Program::Impl &impl = currentImpl("writing a tensor");
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  const auto size = static_cast<int64_t>(values.size());
  for (int64_t at = 0; at < size;) {
    int64_t count = isPlainInMemory(tensor) ? neighboursFrom(tensor, at, size - at) : 1;
    if (count == 1) {
      tensor.storeAt(layout::Coordinate(layout::Int(at)), values[at]);
      ++at;
      continue;
    }
    mlir::Value vector = LLVM::UndefOp::create(b, loc, memoryVector(impl, tensor.dtype(), count));
    for (int64_t i = 0; i < count; ++i) {
      requireStorable(values[at + i], tensor.dtype());
      vector = LLVM::InsertElementOp::create(b, loc, vector,
                                             emitAs(impl, values[at + i], tensor.dtype()),
                                             emitIntConstant(impl, DType::Int32, i));
    }
    storeTogether(impl, tensor, at, count, vector);
    at += count;
  }
}

int64_t moveTogether(Program::Impl &impl, const Tensor &source, const Tensor &destination,
                     int64_t at, int64_t most) {
  int64_t count = neighboursFrom(destination, at, neighboursFrom(source, at, most));
  storeTogether(impl, destination, at, count, loadTogether(impl, source, at, count));
  return count;
}

} // namespace fairlead::dsl
