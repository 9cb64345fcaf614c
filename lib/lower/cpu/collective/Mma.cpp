/// fairlead.mma: a warp multiplies tiles whose elements its lanes hold in registers. Each atom has
/// three functions in the module. Two write the numbers of A and B to memory, once for all products
/// with them, by the layouts of the atom's table: A in register order, B by rows. The third adds
/// products of a row of B and an element of A to a row of C: a multiply-add of vectors broadcasts
/// the element from memory.
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "dsl/atom/WarpMma.h"
#include "fairlead/Runtime.h"
#include "fairlead/TensorMemoryCpu.h"
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

constexpr int kLanes = 32, kRowsTogether = 8;

/// Indices of an operand's elements in its registers: the registers of all lanes are contiguous,
/// and so are the elements of a lane's register.
class FragmentOffsets {
public:
  FragmentOffsets(const layout::Layout &side, DType type, int extent)
      : perRegister(std::max(1, 32 / bitWidth(type))), rows(extent) {
    auto values = static_cast<int>(layout::size(*layout::get(side, {1})).value());
    registers = values / perRegister;
    offsets.resize(static_cast<size_t>(values) * kLanes);
    for (int lane = 0; lane < kLanes; ++lane)
      for (int value = 0; value < values; ++value) {
        int64_t element = layout::crd2idx(layout::tuple(lane, value), side)->value();
        offsets[element] =
            (value / perRegister * kLanes + lane) * perRegister + value % perRegister;
      }
  }

  /// Returns the index of the element in row `i` (of the tile's mode 0) and column `j`.
  int32_t of(int i, int j) const { return offsets[i + rows * j]; }

  int perRegister, registers;

private:
  int rows;
  std::vector<int32_t> offsets;
};

/// Builds the functions of one atom.
class MmaFunction {
public:
  MmaFunction(const dsl::MmaAtom &atom, ImplicitLocOpBuilder &b)
      : atom(atom), b(b), m(atom.shape[0]), n(atom.shape[1]), k(atom.shape[2]),
        a(atom.layoutA, atom.a, m), bOffsets(atom.layoutB, atom.b, n), c(atom.layoutC, atom.c, m) {
    number = !isFloat(atom.c)           ? Type(b.getI32Type())
             : atom.c == DType::Float64 ? Type(b.getF64Type())
                                        : Type(b.getF32Type());
  }

  /// (A, B, registers of C) -> registers of the sum; A and B in memory, unpacked.
  LLVM::LLVMFuncOp find(ModuleOp module) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    SmallVector<Type> inputs{pointer, pointer};
    inputs.append(c.registers, registerVector(atom.c));
    return find(module, "", resultType(), inputs,
                [&](ValueRange arguments) { LLVM::ReturnOp::create(b, multiplied(arguments)); });
  }

  /// (table, lane): computes the sum for a warp. Its lanes have written their operands to the
  /// table, each register contiguous over all lanes, and get their results there. The first lane
  /// works.
  LLVM::LLVMFuncOp findLone(ModuleOp module) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    LLVM::LLVMFuncOp multiply = find(module),
                     unpackers[2] = {findUnpack(module, true), findUnpack(module, false)};
    return find(module, ".lone", LLVM::LLVMVoidType::get(b.getContext()), {pointer, b.getI32Type()},
                [&](ValueRange arguments) {
                  Block *entry = b.getInsertionBlock();
                  Region *body = entry->getParent();
                  Block *work = b.createBlock(body, body->end()),
                        *end = b.createBlock(body, body->end());
                  LLVM::ReturnOp::create(b, ValueRange{});
                  b.setInsertionPointToEnd(entry);
                  Value zero = i32Constant(b, 0);
                  Value first =
                      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, arguments[1], zero);
                  LLVM::CondBrOp::create(b, first, work, end);
                  b.setInsertionPointToStart(work);
                  workOn(arguments[0], multiply, unpackers);
                  LLVM::BrOp::create(b, ValueRange{}, end);
                });
  }

  /// Returns the address of a lane's register in such a table, which has `tableBytes`.
  Value placeInTable(Value table, int reg, Value lane) {
    Type bytes = b.getI8Type();
    Value at = LLVM::GEPOp::create(b, table.getType(), bytes, table,
                                   ArrayRef<LLVM::GEPArg>{reg * kLanes * kMostBytes});
    return LLVM::GEPOp::create(b, table.getType(), number, at, ArrayRef<LLVM::GEPArg>{lane});
  }
  int64_t tableBytes() const {
    return int64_t{kLanes} * kMostBytes * (a.registers + bOffsets.registers + c.registers);
  }

  /// Returns the numbers of A (or B) in memory, which is written at the warp's first use of these
  /// registers.
  Value unpacked(ModuleOp module, FissionBuilder &warp, bool isA, ValueRange registers) {
    Value &memory = warp.madeBefore(atom.name + (isA ? ".a" : ".b"), registers);
    if (memory)
      return memory;
    memory = warp.makeArray(number, int64_t(isA ? m : n) * k);
    SmallVector<Value> operands{memory};
    for (Value value : registers)
      operands.push_back(warp.lanesOf(value));
    LLVM::CallOp::create(b, findUnpack(module, isA), operands);
    return memory;
  }

  int registersOfA() const { return a.registers; }
  int registersOfB() const { return bOffsets.registers; }

  Type resultType() {
    return LLVM::LLVMStructType::getLiteral(b.getContext(),
                                            SmallVector<Type>(c.registers, registerVector(atom.c)));
  }

private:
  static constexpr int kMostBytes = 8; ///< of a register

  LLVM::LLVMFuncOp findUnpack(ModuleOp module, bool isA) {
    SmallVector<Type> inputs{LLVM::LLVMPointerType::get(b.getContext())};
    inputs.append(isA ? a.registers : bOffsets.registers, registerVector(isA ? atom.a : atom.b));
    return find(module, isA ? ".a" : ".b", LLVM::LLVMVoidType::get(b.getContext()), inputs,
                [&](ValueRange arguments) {
                  isA ? unpackA(arguments) : unpackB(arguments);
                  LLVM::ReturnOp::create(b, ValueRange{});
                });
  }

  void workOn(Value table, LLVM::LLVMFuncOp multiply, ArrayRef<LLVM::LLVMFuncOp> unpackers) {
    Value first = i32Constant(b, 0);
    int reg = 0;
    auto load = [&](DType type) -> Value {
      return LLVM::LoadOp::create(b, registerVector(type), placeInTable(table, reg++, first));
    };
    SmallVector<Value> operands;
    for (bool isA : {true, false}) {
      Value size = arith::ConstantOp::create(b, b.getI32IntegerAttr((isA ? m : n) * k));
      SmallVector<Value> given{
          LLVM::AllocaOp::create(b, table.getType(), number, size, /*alignment=*/64)};
      for (int i = 0, end = isA ? a.registers : bOffsets.registers; i < end; ++i)
        given.push_back(load(isA ? atom.a : atom.b));
      LLVM::CallOp::create(b, unpackers[isA ? 0 : 1], given);
      operands.push_back(given[0]);
    }
    const int ofC = reg;
    for (int i = 0; i < c.registers; ++i)
      operands.push_back(load(atom.c));
    Value results = LLVM::CallOp::create(b, multiply, operands).getResult();
    for (int i = 0; i < c.registers; ++i)
      LLVM::StoreOp::create(b, LLVM::ExtractValueOp::create(b, results, i),
                            placeInTable(table, ofC + i, first));
  }

  Type vectorOf(int64_t count, Type element) { return VectorType::get({count}, element); }
  Type registerVector(DType type) {
    Type element = type == DType::Float64   ? Type(b.getF64Type())
                   : type == DType::Float32 ? Type(b.getF32Type())
                                            : Type(b.getI32Type());
    return vectorOf(kLanes, element);
  }
  Value splat(Type type, int64_t value) {
    auto vector = cast<VectorType>(type);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, b.getIntegerAttr(vector.getElementType(), value)));
  }
  Value splatFloat(Type type, double value) {
    auto vector = cast<VectorType>(type);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, b.getFloatAttr(vector.getElementType(), value)));
  }

  /// Decodes the elements of a register of all lanes to numbers for the computation.
  Value decoded(Value words, DType type) {
    int64_t count = kLanes * std::max(1, 32 / bitWidth(type));
    auto as = [&](Type element) {
      return LLVM::BitcastOp::create(b, vectorOf(count, element), words).getResult();
    };
    Type floats = vectorOf(count, b.getF32Type()), ints = vectorOf(count, b.getI32Type());
    switch (type) {
    case DType::Float16:
      return arith::ExtFOp::create(b, floats, as(b.getF16Type()));
    case DType::BFloat16: {
      Value extended = arith::ExtUIOp::create(b, ints, as(b.getI16Type()));
      return LLVM::BitcastOp::create(b, floats,
                                     arith::ShLIOp::create(b, extended, splat(ints, 16)));
    }
    case DType::TFloat32:
      // The instruction looks at the upper 19 bits.
      return LLVM::BitcastOp::create(
          b, floats, arith::AndIOp::create(b, words, splat(ints, int32_t(0xFFFFE000))));
    case DType::Float8E5M2: {
      // The upper half of a Float16.
      Type halves = vectorOf(count, b.getI16Type());
      Value bits = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, halves, as(b.getI8Type())),
                                         splat(halves, 8));
      Value upper = LLVM::BitcastOp::create(b, vectorOf(count, b.getF16Type()), bits);
      return arith::ExtFOp::create(b, floats, upper);
    }
    case DType::Float8E4M3FN:
      return decodedE4M3(arith::ExtUIOp::create(b, ints, as(b.getI8Type())), ints, floats);
    case DType::Int8:
      return arith::ExtSIOp::create(b, ints, as(b.getI8Type()));
    case DType::Uint8:
      return arith::ExtUIOp::create(b, ints, as(b.getI8Type()));
    case DType::Int4:
      return arith::ExtSIOp::create(b, ints, as(b.getIntegerType(4)));
    default:
      return words;
    }
  }

  /// Exponent and fraction, moved to a Float32's positions, are too small by 2^120, even for
  /// subnormal numbers; a code of all ones is NaN.
  Value decodedE4M3(Value code, Type ints, Type floats) {
    Value magnitude = arith::AndIOp::create(b, code, splat(ints, 0x7F));
    Value small =
        LLVM::BitcastOp::create(b, floats, arith::ShLIOp::create(b, magnitude, splat(ints, 20)));
    Value scaled = arith::MulFOp::create(b, small, splatFloat(floats, 0x1p120));
    Value isNan = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, magnitude, splat(ints, 0x7F));
    Value bits = arith::SelectOp::create(b, isNan, splat(ints, 0x7FC00000),
                                         LLVM::BitcastOp::create(b, ints, scaled));
    Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, code, splat(ints, 0x80)),
                                       splat(ints, 24));
    return LLVM::BitcastOp::create(b, floats, arith::OrIOp::create(b, bits, sign));
  }

  LLVM::LLVMFuncOp find(ModuleOp module, const char *suffix, Type result, ArrayRef<Type> inputs,
                        llvm::function_ref<void(ValueRange)> write) {
    std::string name = "fairlead.mma." + atom.name + suffix;
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return function;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    auto function = LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(result, inputs),
                                             LLVM::Linkage::Internal);
    function.setNoInline(true);
    b.setInsertionPointToStart(function.addEntryBlock(b));
    write(function.getArguments());
    return function;
  }

  Value at(Value array, int32_t index) {
    return LLVM::GEPOp::create(b, array.getType(), number, array, ArrayRef<LLVM::GEPArg>{index});
  }

  /// Stores A in register order, because later code reads single elements.
  void unpackA(ValueRange arguments) {
    int step = kLanes * a.perRegister;
    for (auto [i, words] : llvm::enumerate(arguments.drop_front()))
      LLVM::StoreOp::create(b, decoded(words, atom.a),
                            at(arguments[0], static_cast<int32_t>(i) * step));
  }

  /// Stores B by rows of k, each a vector along n.
  void unpackB(ValueRange arguments) {
    int step = kLanes * bOffsets.perRegister, rowsTogether = step / n;
    for (int i = 0; i < bOffsets.registers; ++i) {
      SmallVector<int32_t> order;
      for (int row = 0; row < rowsTogether; ++row)
        for (int column = 0; column < n; ++column)
          order.push_back(bOffsets.of(column, i * rowsTogether + row) - i * step);
      Value elements = decoded(arguments[1 + i], atom.b);
      LLVM::StoreOp::create(b, pick(b, elements, elements, order), at(arguments[0], i * step));
    }
  }

  Value multiplied(ValueRange arguments) {
    Value left = arguments[0], right = arguments[1];
    SmallVector<Value> sums = accumulators(arguments.drop_front(2));
    Type row = vectorOf(n, number);
    for (int first = 0; first < m; first += kRowsTogether)
      for (int step = 0; step < k; ++step) {
        Value products = LLVM::LoadOp::create(b, row, at(right, step * n));
        for (int i = first; i < first + kRowsTogether; ++i) {
          Value element = LLVM::LoadOp::create(b, number, at(left, a.of(i, step)));
          sums[i] = added(spread(element, row), products, sums[i]);
        }
      }
    return encoded(sums);
  }

  Value spread(Value element, Type row) {
    Value zero = i32Constant(b, 0);
    Value first = LLVM::InsertElementOp::create(b, LLVM::UndefOp::create(b, row), element, zero);
    return pick(b, first, first, SmallVector<int32_t>(n, 0));
  }
  Value added(Value x, Value y, Value sum) {
    if (isFloat(atom.c))
      return LLVM::FMulAddOp::create(b, x, y, sum);
    return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
  }

  /// Registers of C that hold 8 rows.
  int registersOf8Rows() const { return 8 * n / (kLanes * c.perRegister); }

  /// The rows of C.
  SmallVector<Value> accumulators(ValueRange registers) {
    SmallVector<Value> rows;
    int numRegisters = registersOf8Rows(), count = 8 * n;
    for (int half = 0; half < m / 8; ++half) {
      SmallVector<Value> parts;
      for (int i = 0; i < numRegisters; ++i)
        parts.push_back(decoded(registers[half * numRegisters + i], atom.c));
      Value elements = joined(b, parts);
      SmallVector<int32_t> order;
      for (int row = 0; row < 8; ++row)
        for (int column = 0; column < n; ++column)
          order.push_back(c.of(8 * half + row, column) - half * count);
      Value tile = pick(b, elements, elements, order);
      for (int row = 0; row < 8; ++row)
        rows.push_back(part(b, tile, row * n, n));
    }
    return rows;
  }

  /// The inverse of accumulators, as the function's result.
  Value encoded(ArrayRef<Value> rows) {
    int numRegisters = registersOf8Rows(), count = 8 * n;
    Value result = LLVM::UndefOp::create(b, resultType());
    for (int half = 0; half < m / 8; ++half) {
      Value tile = joined(b, rows.slice(8 * half, 8));
      SmallVector<int32_t> order(count);
      for (int row = 0; row < 8; ++row)
        for (int column = 0; column < n; ++column)
          order[c.of(8 * half + row, column) - half * count] = row * n + column;
      Value elements = pick(b, tile, tile, order);
      for (int i = 0; i < numRegisters; ++i) {
        int64_t length = count / numRegisters;
        Value words = numRegisters == 1 ? elements : part(b, elements, i * length, length);
        if (atom.c == DType::Float16)
          words = LLVM::BitcastOp::create(
              b, registerVector(atom.c),
              arith::TruncFOp::create(b, vectorOf(length, b.getF16Type()), words));
        result = LLVM::InsertValueOp::create(b, result, words, half * numRegisters + i);
      }
    }
    return result;
  }

  const dsl::MmaAtom &atom;
  ImplicitLocOpBuilder &b;
  int m, n, k;
  FragmentOffsets a, bOffsets, c;
  Type number; ///< what products are computed in
};

void waitForWarp(ThreadBuilder &thread) {
  Value all = arith::ConstantOp::create(thread.b, thread.b.getI32IntegerAttr(-1));
  thread.wait(kFairleadWaitWarp, all, thread.zero(), thread.zero(), thread.zero());
}

/// Returns the first lane's pointer.
Value pointerOfFirstLane(ThreadBuilder &thread, Value pointer) {
  ImplicitLocOpBuilder &b = thread.b;
  Value all = i32Constant(b, -1), last = i32Constant(b, kLanes - 1);
  auto pass = [&](Value part) -> Value {
    Value word = arith::TruncIOp::create(b, b.getI32Type(), part);
    Value received = thread.wait(kFairleadWaitShuffleIndex, all, word, thread.zero(), last);
    return arith::ExtUIOp::create(b, b.getI64Type(), received);
  };
  Value bits = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer), by = i64Constant(b, 32);
  Value low = pass(bits), high = pass(arith::ShRUIOp::create(b, bits, by));
  bits = arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, by));
  return LLVM::IntToPtrOp::create(b, pointer.getType(), bits);
}

/// Returns the first lane's memory of this size, which all lanes use.
Value tableOfWarp(Operation *op, ThreadBuilder &thread, int64_t bytes) {
  ImplicitLocOpBuilder &b = thread.b;
  Value threadTable;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&op->getParentOfType<LLVM::LLVMFuncOp>().getBody().front());
    Value size = i64Constant(b, bytes);
    threadTable =
        LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), size,
                               /*alignment=*/64);
  }
  return pointerOfFirstLane(thread, threadTable);
}

class Mma final : public EmittedModelOf<ir::MmaOp> {
public:
  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    ImplicitLocOpBuilder &b = warp.b;
    auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
    MmaFunction mma(dsl::WarpMma::atomOf(cast<ir::MmaOp>(op)), b);
    ValueRange operands = op->getOperands();
    int ofA = mma.registersOfA(), ofB = mma.registersOfB();
    SmallVector<Value> registers{
        mma.unpacked(module, warp, /*isA=*/true, operands.take_front(ofA)),
        mma.unpacked(module, warp, /*isA=*/false, operands.slice(ofA, ofB))};
    for (Value value : operands.drop_front(ofA + ofB))
      registers.push_back(warp.lanesOf(value));
    LLVM::LLVMFuncOp function = mma.find(module);
    Value results = LLVM::CallOp::create(b, function, registers).getResult();
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      warp.setLanes(result, LLVM::ExtractValueOp::create(b, results, static_cast<int64_t>(index)));
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    ImplicitLocOpBuilder &b = thread.b;
    auto module = op->getParentOfType<ModuleOp>();
    MmaFunction mma(dsl::WarpMma::atomOf(cast<ir::MmaOp>(op)), b);
    Value table = tableOfWarp(op, thread, mma.tableBytes()), lane = thread.lane();
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      LLVM::StoreOp::create(b, value, mma.placeInTable(table, static_cast<int>(index), lane));
    waitForWarp(thread);
    LLVM::CallOp::create(b, mma.findLone(module), ValueRange{table, lane});
    waitForWarp(thread);
    const auto ofC = static_cast<int>(op->getNumOperands() - op->getNumResults());
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      result.replaceAllUsesWith(LLVM::LoadOp::create(
          b, result.getType(), mma.placeInTable(table, ofC + static_cast<int>(index), lane)));
    return {};
  }
};

/// fairlead.mma.block_scale: the runtime multiplies, with the registers of all lanes in memory.
class ScaledWarpMma final : public EmittedModelOf<ir::ScaledMmaOp> {
public:
  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    ImplicitLocOpBuilder &b = warp.b;
    Value table = warp.makeArray(b.getI32Type(), int64_t{kLanes} * op->getNumOperands());
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      LLVM::StoreOp::create(b, warp.lanesOf(value), placeOf(b, table, index));
    multiply(op, table, i32Constant(b, 0), b);
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      warp.setLanes(result, LLVM::LoadOp::create(b, VectorType::get({kLanes}, result.getType()),
                                                 placeOf(b, table, kFirstSum + index)));
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    ImplicitLocOpBuilder &b = thread.b;
    Value table = tableOfWarp(op, thread, int64_t{4} * kLanes * op->getNumOperands());
    Value lane = thread.lane();
    auto place = [&](size_t index, Type type) -> Value {
      return LLVM::GEPOp::create(b, table.getType(), type, placeOf(b, table, index),
                                 ArrayRef<LLVM::GEPArg>{lane});
    };
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      LLVM::StoreOp::create(b, value, place(index, value.getType()));
    waitForWarp(thread);
    multiply(op, table, lane, b);
    waitForWarp(thread);
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      result.replaceAllUsesWith(
          LLVM::LoadOp::create(b, result.getType(), place(kFirstSum + index, result.getType())));
    return {};
  }

private:
  static constexpr size_t kFirstSum = 6;

  static Value placeOf(ImplicitLocOpBuilder &b, Value table, size_t index) {
    return LLVM::GEPOp::create(b, table.getType(), b.getI32Type(), table,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index) * kLanes});
  }

  /// `lane`: the runtime works for the first one only.
  static void multiply(Operation *op, Value table, Value lane, ImplicitLocOpBuilder &b) {
    auto mma = cast<ir::ScaledMmaOp>(op);
    const bool isPacked = mma.getKind() != ir::ScaledMmaKind::MXF8F6F4;
    auto typeOf = [&](ir::ProductType type) {
      return isPacked ? int{kFairleadMmaE2M1Packed} : static_cast<int>(type);
    };
    const int types = typeOf(mma.getAType()) | typeOf(mma.getBType()) << 8 |
                      (mma.getScaleType() == ir::ScaleType::UE8M0) << 16 |
                      static_cast<int>(mma.getVector()) << 24;
    callRuntime(b, runtime::FairleadCpuScaledMma, {table, i32Constant(b, types), lane});
  }
};

} // namespace

void attachMma(MLIRContext &context) {
  ir::MmaOp::attachInterface<Mma>(context);
  ir::ScaledMmaOp::attachInterface<ScaledWarpMma>(context);
}

} // namespace fairlead::lower
