/// fairlead.load_matrix, store_matrix and transpose_matrix: the lanes of a warp exchange rows of 16
/// bytes, which are in shared memory or in 32-bit registers.
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/MatrixRows.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr int kRows = 8, kWords = 4, kRowBytes = 4 * kWords;

/// Returns, by halves of words, the index of half `s` of lane l's register in the contiguous rows.
/// Lane 4 c + q holds the elements of rows 2 q and 2 q + 1 in column c.
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

/// Addresses of the parts of a lane's registers if lanes run separately. Other lanes hold the rows'
/// addresses.
class LoneLane {
public:
  LoneLane(ThreadBuilder &thread, Value row, bool transposed)
      : thread(thread), b(thread.b), row(row), transposed(transposed), lane(thread.lane()) {}

  /// Number of parts of a register: a word, or its two halves if the matrix is transposed.
  int parts() const { return transposed ? 2 : 1; }
  Type partType() const { return transposed ? b.getI16Type() : b.getI32Type(); }

  /// Returns the address of part `index` of the lane's register of a matrix.
  Value place(int matrix, int index) {
    Value column = op<arith::ShRUIOp>(lane, number(2)), rest = op<arith::AndIOp>(lane, number(3));
    Value from =
        transposed ? op<arith::AddIOp>(op<arith::MulIOp>(rest, number(2)), number(index)) : column;
    Value address = rowOfLane(thread, row, op<arith::AddIOp>(from, number(kRows * matrix)));
    Value offset =
        transposed ? op<arith::MulIOp>(column, number(2)) : op<arith::MulIOp>(rest, number(kWords));
    Value sum =
        arith::AddIOp::create(b, address, arith::ExtUIOp::create(b, b.getI64Type(), offset));
    return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), sum);
  }

private:
  template <typename Op> Value op(Value x, Value y) { return Op::create(b, x, y).getResult(); }
  Value number(int value) { return i32Constant(b, value); }

  ThreadBuilder &thread;
  ImplicitLocOpBuilder &b;
  Value row;
  bool transposed;
  Value lane;
};

class LoadMatrix final : public EmittedModelOf<ir::LoadMatrixOp> {
public:
  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    auto load = cast<ir::LoadMatrixOp>(op);
    tellRows(op, load.getRow(), kRowBytes, kRows * static_cast<int>(load.getRegisters().size()),
             kFairleadCheckRead, checks);
  }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    ImplicitLocOpBuilder &b = warp.b;
    Value table = warp.laneTable(warp.lanesOf(op->getOperand(0)));
    bool transposed = cast<ir::LoadMatrixOp>(op).getTransposed();
    for (auto [matrix, result] : llvm::enumerate(op->getResults())) {
      SmallVector<Value> rows;
      for (int row = 0; row < kRows; ++row)
        rows.push_back(LLVM::LoadOp::create(
            b, rowType(b), rowAddress(warp, table, kRows * static_cast<int>(matrix) + row), 16));
      // Lane 4 r + q holds word q of row r.
      Value words = joined(b, rows);
      warp.setLanes(result, transposed ? byHalves(b, words, transposedOrder()) : words);
    }
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    ImplicitLocOpBuilder &b = thread.b;
    LoneLane lane(thread, op->getOperand(0), cast<ir::LoadMatrixOp>(op).getTransposed());
    for (auto [matrix, result] : llvm::enumerate(op->getResults())) {
      Value word;
      for (int part = 0; part < lane.parts(); ++part) {
        Value bits =
            LLVM::LoadOp::create(b, lane.partType(), lane.place(static_cast<int>(matrix), part));
        if (lane.parts() == 2) {
          bits = arith::ExtUIOp::create(b, b.getI32Type(), bits);
          Value by = i32Constant(b, 16 * part);
          bits = arith::ShLIOp::create(b, bits, by);
        }
        word = word ? arith::OrIOp::create(b, word, bits).getResult() : bits;
      }
      result.replaceAllUsesWith(word);
    }
    return {};
  }
};

class StoreMatrix final : public EmittedModelOf<ir::StoreMatrixOp> {
public:
  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    auto store = cast<ir::StoreMatrixOp>(op);
    tellRows(op, store.getRow(), kRowBytes, kRows * static_cast<int>(store.getRegisters().size()),
             kFairleadCheckWrite, checks);
  }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    ImplicitLocOpBuilder &b = warp.b;
    Value table = warp.laneTable(warp.lanesOf(op->getOperand(0)));
    bool transposed = cast<ir::StoreMatrixOp>(op).getTransposed();
    for (auto [matrix, value] : llvm::enumerate(op->getOperands().drop_front())) {
      Value words = warp.lanesOf(value);
      if (transposed)
        words = byHalves(b, words, inverse(transposedOrder()));
      for (int row = 0; row < kRows; ++row)
        LLVM::StoreOp::create(b, part(b, words, kWords * row, kWords),
                              rowAddress(warp, table, kRows * static_cast<int>(matrix) + row), 16);
    }
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    ImplicitLocOpBuilder &b = thread.b;
    LoneLane lane(thread, op->getOperand(0), cast<ir::StoreMatrixOp>(op).getTransposed());
    for (auto [matrix, word] : llvm::enumerate(op->getOperands().drop_front()))
      for (int part = 0; part < lane.parts(); ++part) {
        Value bits = word;
        if (lane.parts() == 2) {
          Value by = i32Constant(b, 16 * part);
          bits = arith::TruncIOp::create(b, lane.partType(), arith::ShRUIOp::create(b, bits, by));
        }
        LLVM::StoreOp::create(b, bits, lane.place(static_cast<int>(matrix), part));
      }
    return {};
  }
};

class TransposeMatrix final : public EmittedModelOf<ir::TransposeMatrixOp> {
public:
  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    Value words = warp.lanesOf(op->getOperand(0));
    warp.setLanes(op->getResult(0), byHalves(warp.b, words, transposedOrder()));
  }

  /// Half h of lane l's result is half (l / 4) % 2 of the word of lane 8 (l % 4) + 4 h + l / 8.
  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    ImplicitLocOpBuilder &b = thread.b;
    auto number = [&](int value) { return i32Constant(b, value); };
    Value lane = thread.lane();
    Value first = arith::ShLIOp::create(b, arith::AndIOp::create(b, lane, number(3)), number(3));
    first = arith::OrIOp::create(b, first, arith::ShRUIOp::create(b, lane, number(3)));
    Value shift = arith::ShLIOp::create(b, arith::AndIOp::create(b, lane, number(4)), number(2));
    auto half = [&](Value source) -> Value {
      Value word =
          thread.wait(kFairleadWaitShuffleIndex, number(-1), op->getOperand(0), source, number(31));
      word = arith::ShRUIOp::create(b, word, shift);
      return arith::AndIOp::create(b, word, number(0xffff));
    };
    Value low = half(first), high = half(arith::OrIOp::create(b, first, number(4)));
    return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, number(16)));
  }
};

} // namespace

void attachMatrices(MLIRContext &context) {
  ir::TransposeMatrixOp::attachInterface<TransposeMatrix>(context);
  ir::LoadMatrixOp::attachInterface<LoadMatrix>(context);
  ir::StoreMatrixOp::attachInterface<StoreMatrix>(context);
}

} // namespace fairlead::lower
