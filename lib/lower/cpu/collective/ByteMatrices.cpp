/// fairlead.load_byte_matrix: the lanes of a warp load rows of 16 elements of 4, 6 or 8 bits from
/// shared memory. Each element becomes a byte of a register.
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/CheckCpu.h"
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

constexpr int kColumns = 16, kLanes = 32, kBytesOfRegister = 4, kBitsOfByte = 8;

Value splatOf(ImplicitLocOpBuilder &b, VectorType type, ArrayRef<int16_t> values) {
  return LLVM::ConstantOp::create(b, type, DenseElementsAttr::get(type, values));
}

/// Returns a row's elements of `bits` bits as bytes. `row`: its 16 bytes.
Value unpacked(ImplicitLocOpBuilder &b, Value row, int bits) {
  if (bits == kBitsOfByte)
    return row;
  SmallVector<int32_t> low, high;
  SmallVector<int16_t> shifts;
  for (int column = 0; column < kColumns; ++column) {
    low.push_back(bits * column / kBitsOfByte);
    high.push_back(low.back() + 1);
    shifts.push_back(static_cast<int16_t>(bits * column % kBitsOfByte));
  }
  auto pairs = VectorType::get({kColumns}, b.getI16Type());
  auto byte = [&](ArrayRef<int32_t> order) -> Value {
    return LLVM::ZExtOp::create(b, pairs, pick(b, row, row, order));
  };
  Value above = LLVM::ShlOp::create(b, byte(high), splatOf(b, pairs, {int16_t{kBitsOfByte}}));
  Value words = LLVM::OrOp::create(b, byte(low), above);
  words = LLVM::LShrOp::create(b, words, splatOf(b, pairs, shifts));
  words = LLVM::AndOp::create(b, words, splatOf(b, pairs, {static_cast<int16_t>((1 << bits) - 1)}));
  return LLVM::TruncOp::create(b, VectorType::get({kColumns}, b.getI8Type()), words);
}

/// Returns, for register `part` of each lane, the indices of its four bytes among those of the rows
/// of a transposed matrix.
SmallVector<int32_t> transposedOrder(int part) {
  SmallVector<int32_t> order;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int byte = 0; byte < kBytesOfRegister; ++byte)
      order.push_back((lane % 4 * kBytesOfRegister + byte) * kColumns + lane / 4 + 8 * part);
  return order;
}

/// The registers of a lane if lanes run separately. Other lanes hold the rows' addresses.
class LoneLane {
public:
  LoneLane(ir::LoadByteMatrixOp op, ThreadBuilder &thread)
      : op(op), thread(thread), b(thread.b), bits(static_cast<int>(op.getBits())) {
    Value lane = thread.lane();
    quarter = arith::AndIOp::create(b, lane, number(3));
    line = arith::ShRUIOp::create(b, lane, number(2));
  }

  /// Returns the registers of a matrix: one, or two if it is transposed.
  SmallVector<Value> load(int matrix) {
    const int parts = op.getTransposed() ? 2 : 1, first = op.getRows() * matrix;
    Value start = arith::MulIOp::create(b, quarter, number(kBytesOfRegister));
    SmallVector<Value> registers(parts);
    Value row;
    for (int byte = 0; byte < kBytesOfRegister; ++byte) {
      Value along = plus(start, byte);
      if (op.getTransposed())
        row = rowOfLane(thread, op.getRow(), plus(along, first));
      else if (!row)
        row = rowOfLane(thread, op.getRow(), plus(line, first));
      for (int part = 0; part < parts; ++part) {
        Value value = element(row, op.getTransposed() ? plus(line, 8 * part) : along);
        value = arith::ShLIOp::create(b, value, number(kBitsOfByte * byte));
        Value &word = registers[part];
        word = word ? arith::OrIOp::create(b, word, value).getResult() : value;
      }
    }
    return registers;
  }

private:
  Value number(int value) { return i32Constant(b, value); }
  Value plus(Value value, int addend) { return arith::AddIOp::create(b, value, number(addend)); }

  /// Returns an element of the row at an address.
  Value element(Value row, Value column) {
    const bool isPacked = bits < kBitsOfByte;
    Value bit = arith::MulIOp::create(b, column, number(bits));
    Value byte = arith::ShRUIOp::create(b, bit, number(3));
    Value address = arith::AddIOp::create(b, row, arith::ExtUIOp::create(b, b.getI64Type(), byte));
    Value value = LLVM::LoadOp::create(
        b, isPacked ? b.getI16Type() : b.getI8Type(),
        LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), address),
        /*alignment=*/1);
    value = arith::ExtUIOp::create(b, b.getI32Type(), value);
    if (!isPacked)
      return value;
    Value shift = arith::AndIOp::create(b, bit, number(7));
    value = arith::ShRUIOp::create(b, value, shift);
    return arith::AndIOp::create(b, value, number((1 << bits) - 1));
  }

  ir::LoadByteMatrixOp op;
  ThreadBuilder &thread;
  ImplicitLocOpBuilder &b;
  int bits;
  Value quarter, line; ///< lane % 4 and lane / 4
};

class LoadByteMatrix final : public EmittedModelOf<ir::LoadByteMatrixOp> {
public:
  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    auto load = cast<ir::LoadByteMatrixOp>(op);
    tellRows(op, load.getRow(), load.getRowBytes(), load.getRows() * load.getMatrices(),
             kFairleadCheckRead, checks);
  }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    auto load = cast<ir::LoadByteMatrixOp>(op);
    ImplicitLocOpBuilder &b = warp.b;
    Value table = warp.laneTable(warp.lanesOf(load.getRow()));
    Type rowType = VectorType::get({kColumns}, b.getI8Type());
    Type words = VectorType::get({kLanes}, b.getI32Type());
    const int parts = load.getTransposed() ? 2 : 1;
    for (int matrix = 0; matrix < load.getMatrices(); ++matrix) {
      SmallVector<Value> rows;
      for (int row = 0; row < load.getRows(); ++row)
        rows.push_back(unpacked(
            b,
            LLVM::LoadOp::create(b, rowType, rowAddress(warp, table, load.getRows() * matrix + row),
                                 kColumns),
            static_cast<int>(load.getBits())));
      // Byte 16 r + c is element c of row r. Without a transposition these are the bytes of lane
      // 4 r + c / 4.
      Value bytes = joined(b, rows);
      for (int part = 0; part < parts; ++part) {
        Value mine = load.getTransposed() ? pick(b, bytes, bytes, transposedOrder(part)) : bytes;
        warp.setLanes(op->getResult(parts * matrix + part),
                      LLVM::BitcastOp::create(b, words, mine));
      }
    }
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    auto load = cast<ir::LoadByteMatrixOp>(op);
    LoneLane lane(load, thread);
    unsigned index = 0;
    for (int matrix = 0; matrix < load.getMatrices(); ++matrix)
      for (Value word : lane.load(matrix))
        op->getResult(index++).replaceAllUsesWith(word);
    return {};
  }
};

} // namespace

void attachByteMatrices(MLIRContext &context) {
  ir::LoadByteMatrixOp::attachInterface<LoadByteMatrix>(context);
}

} // namespace fairlead::lower
