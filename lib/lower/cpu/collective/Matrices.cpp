/// fairlead.load_matrix and fairlead.store_matrix: a warp's lanes exchange rows of 16 bytes in
/// shared memory and 32-bit registers.
#include "dsl/atom/AtomOps.h"
#include "lower/cpu/FissionBuilder.h"
#include "lower/cpu/collective/Lanes.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr int kRows = 8, kWords = 4;

/// By halves of words: where half `s` of lane l's register is in the rows, one behind the other;
/// lane 4 c + q holds the elements of rows 2 q and 2 q + 1 in column c.
SmallVector<int32_t> transposedOrder() {
  SmallVector<int32_t> order;
  for (int lane = 0; lane < kRows * kWords; ++lane)
    for (int half = 0; half < 2; ++half)
      order.push_back((2 * (lane % kWords) + half) * kRows + lane / kWords);
  return order;
}

/// The permutation is its own inverse but for halves: here it is inverted.
SmallVector<int32_t> inverse(ArrayRef<int32_t> order) {
  SmallVector<int32_t> result(order.size());
  for (auto [index, place] : llvm::enumerate(order))
    result[place] = static_cast<int32_t>(index);
  return result;
}

Value byHalves(ImplicitLocOpBuilder &b, Value words, ArrayRef<int32_t> order) {
  Type halves = VectorType::get({2 * kRows * kWords}, b.getI16Type());
  Value bits = LLVM::BitcastOp::create(b, halves, words);
  return LLVM::BitcastOp::create(b, words.getType(), pick(b, bits, bits, order));
}

Type rowType(ImplicitLocOpBuilder &b) { return VectorType::get({kWords}, b.getI32Type()); }

Value rowAddress(FissionBuilder &warp, Value table, int matrix, int row) {
  ImplicitLocOpBuilder &b = warp.b;
  Value number = warp.loadElement(table, b.getI64Type(), warp.i32(kRows * matrix + row));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), number);
}

class LoadMatrix final : public WarpAtomModel<dsl::LoadMatrixOp> {
public:
  Effects effects(Operation *) const final { return Effects::ReadsShared | Effects::Waits; }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    ImplicitLocOpBuilder &b = warp.b;
    Value table = warp.laneTable(warp.lanesOf(op->getOperand(0)));
    bool transposed = cast<dsl::LoadMatrixOp>(op).transposed();
    for (auto [matrix, result] : llvm::enumerate(op->getResults())) {
      SmallVector<Value> rows;
      for (int row = 0; row < kRows; ++row)
        rows.push_back(LLVM::LoadOp::create(
            b, rowType(b), rowAddress(warp, table, static_cast<int>(matrix), row), 16));
      // Lane 4 r + q holds word q of row r.
      Value words = joined(b, rows);
      warp.setLanes(result, transposed ? byHalves(b, words, transposedOrder()) : words);
    }
  }
};

class StoreMatrix final : public WarpAtomModel<dsl::StoreMatrixOp> {
public:
  Effects effects(Operation *) const final { return Effects::WritesShared | Effects::Waits; }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    ImplicitLocOpBuilder &b = warp.b;
    Value table = warp.laneTable(warp.lanesOf(op->getOperand(0)));
    bool transposed = cast<dsl::StoreMatrixOp>(op).transposed();
    for (auto [matrix, value] : llvm::enumerate(op->getOperands().drop_front())) {
      Value words = warp.lanesOf(value);
      if (transposed)
        words = byHalves(b, words, inverse(transposedOrder()));
      for (int row = 0; row < kRows; ++row)
        LLVM::StoreOp::create(b, part(b, words, kWords * row, kWords),
                              rowAddress(warp, table, static_cast<int>(matrix), row), 16);
    }
  }
};

} // namespace

void attachMatrices(MLIRContext &context) {
  dsl::LoadMatrixOp::attachInterface<LoadMatrix>(context);
  dsl::StoreMatrixOp::attachInterface<StoreMatrix>(context);
}

} // namespace fairlead::lower
