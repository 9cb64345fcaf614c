#include "lower/cuda/AsyncOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/AtomOps.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// One instruction, or a few, as inline PTX. Places of operands count results first.
class Assembly {
public:
  explicit Assembly(ImplicitLocOpBuilder &b) : b(b) {}

  /// An operand: pointers go as numbers. Returns its place, `$3`.
  std::string operand(Value value) {
    if (isa<LLVM::LLVMPointerType>(value.getType())) {
      unsigned space = cast<LLVM::LLVMPointerType>(value.getType()).getAddressSpace();
      Type number = space == kShared || space == kCluster ? b.getI32Type() : b.getI64Type();
      value = LLVM::PtrToIntOp::create(b, number, value);
    }
    operands.push_back(value);
    add(letterOf(value.getType()));
    return "$" + std::to_string(places++);
  }
  /// A result, and what it holds before: a register that is read and written.
  std::string result(Type type) {
    results.push_back(type);
    add("=" + letterOf(type));
    return "$" + std::to_string(places++);
  }
  /// What result number `index` holds before. All results come first.
  void initial(Value value, size_t index) {
    operands.push_back(value);
    add(std::to_string(index));
    ++places;
  }

  /// The results.
  SmallVector<Value> emit(const std::string &text) {
    add("~{memory}");
    Type whole;
    if (results.size() == 1)
      whole = results.front();
    else if (!results.empty())
      whole = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
    auto op = LLVM::InlineAsmOp::create(
        b, whole ? TypeRange(whole) : TypeRange(), operands, text, constraints,
        /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
    SmallVector<Value> values;
    if (results.size() == 1)
      values.push_back(op.getResult(0));
    else
      for (size_t i = 0; i < results.size(); ++i)
        values.push_back(LLVM::ExtractValueOp::create(b, op.getResult(0), static_cast<int64_t>(i)));
    return values;
  }

private:
  static constexpr unsigned kShared = 3, kCluster = 7;

  static std::string letterOf(Type type) {
    if (type.isF32())
      return "f";
    return type.isInteger(64) ? "l" : type.isInteger(16) ? "h" : "r";
  }
  void add(const std::string &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint;
  }

  ImplicitLocOpBuilder &b;
  SmallVector<Value> operands;
  SmallVector<Type> results;
  std::string constraints;
  size_t places = 0;
};

std::string joined(const SmallVector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

void lowerWarpgroupMma(dsl::WarpgroupMmaOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  size_t count = op->getNumResults();
  SmallVector<std::string> sums;
  for (Type type : op->getResultTypes())
    sums.push_back(assembly.result(type));
  for (size_t i = 0; i < count; ++i)
    assembly.initial(op->getOperand(i), i);
  auto rest = op->getOperands().drop_front(count);
  bool inRegisters = rest.size() > 3;
  std::string a;
  SmallVector<std::string> registers;
  for (Value value : rest.drop_back(2))
    registers.push_back(assembly.operand(value));
  a = inRegisters ? "{" + joined(registers) + "}" : registers.front();
  std::string descriptor = assembly.operand(rest[rest.size() - 2]);
  Value added = arith::ExtUIOp::create(b, b.getI32Type(), rest.back());
  std::string scale = assembly.operand(added);
  StringRef name = op.what();
  std::string options;
  if (!name.contains(".s32."))
    options = ", 1, 1";
  if (auto transposed = op->getAttrOfType<DenseI32ArrayAttr>("transposed")) {
    if (!inRegisters)
      options += ", " + std::to_string(transposed[0]);
    options += ", " + std::to_string(transposed[1]);
  }
  SmallVector<Value> values = assembly.emit(
      "{ .reg .pred p; setp.ne.b32 p, " + scale + ", 0; wgmma.mma_async.sync.aligned." +
      name.str() + " {" + joined(sums) + "}, " + a + ", " + descriptor + ", p" + options + "; }");
  op->replaceAllUsesWith(values);
}

/// By one thread of the warp, whose operands are computed by all: inside of a branch the assembler
/// may put instructions that not all threads come to. Where the program has chosen the thread, an
/// election would wait for the others.
std::string byOne(Operation *op, const std::string &instruction) {
  if (op->hasAttr(dsl::kChosenThreadAttribute))
    return instruction + ";";
  return "{ .reg .pred p; elect.sync _|p, -1; @p " + instruction + "; }";
}

void lowerTensorCopy(dsl::TensorCopyOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  StringRef kind = op.what();
  bool multicast = kind == "multicast", loads = multicast || kind == "load",
       prefetch = kind == "prefetch", hint = op->hasAttr("hint");
  auto operands = op->getOperands();
  size_t at = 0;
  std::string map = assembly.operand(operands[at++]);
  std::string shared = prefetch ? "" : assembly.operand(operands[at++]);
  std::string barrier = loads ? assembly.operand(operands[at++]) : "";
  std::string mask = multicast ? assembly.operand(operands[at++]) : "";
  SmallVector<std::string> place;
  while (at < operands.size() - (hint ? 1 : 0))
    place.push_back(assembly.operand(operands[at++]));
  std::string policy = hint ? ", " + assembly.operand(operands[at]) : "";
  std::string suffix = hint ? ".L2::cache_hint" : "";
  std::string dimensions = "." + std::to_string(place.size()) + "d";
  std::string box = "[" + map + ", {" + joined(place) + "}]";
  std::string text;
  if (loads)
    text = "cp.async.bulk.tensor" + dimensions +
           ".shared::cluster.global.mbarrier::complete_tx::bytes" +
           (multicast ? ".multicast::cluster" : "") + suffix + " [" + shared + "], " + box + ", [" +
           barrier + "]" + (multicast ? ", " + mask : "") + policy;
  else if (prefetch)
    text =
        "cp.async.bulk.prefetch.tensor" + dimensions + ".L2.global" + suffix + " " + box + policy;
  else if (kind == "store")
    text = "cp.async.bulk.tensor" + dimensions + ".global.shared::cta.bulk_group" + suffix + " " +
           box + ", [" + shared + "]" + policy;
  else
    text = "cp.reduce.async.bulk.tensor" + dimensions + ".global.shared::cta." +
           kind.drop_front(sizeof("reduce_") - 1).str() + ".bulk_group" + suffix + " " + box +
           ", [" + shared + "]" + policy;
  assembly.emit(byOne(op, text));
}

void lowerBulkCopy(dsl::BulkCopyOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  StringRef kind = op.what();
  bool multicast = kind == "multicast", stores = kind == "store", hint = op->hasAttr("hint");
  auto operands = op->getOperands();
  size_t at = 0;
  std::string to = assembly.operand(operands[at++]), from = assembly.operand(operands[at++]);
  std::string bytes = assembly.operand(operands[at++]);
  std::string barrier = stores ? "" : ", [" + assembly.operand(operands[at++]) + "]";
  std::string mask = multicast ? ", " + assembly.operand(operands[at++]) : "";
  std::string policy = hint ? ", " + assembly.operand(operands[at]) : "";
  std::string how = stores ? ".global.shared::cta.bulk_group"
                    : kind == "to_block"
                        ? ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                        : ".shared::cluster.global.mbarrier::complete_tx::bytes";
  assembly.emit(byOne(op, "cp.async.bulk" + how + (multicast ? ".multicast::cluster" : "") +
                              (hint ? ".L2::cache_hint" : "") + " [" + to + "], [" + from + "], " +
                              bytes + barrier + mask + policy));
}

void lowerMbarrier(dsl::MbarrierOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  StringRef what = op.what();
  auto operands = op->getOperands();
  if (op->getNumResults()) {
    std::string flag = assembly.result(b.getI32Type());
    std::string address = assembly.operand(operands[0]), parity = assembly.operand(operands[1]);
    const char *how = what == "try_wait" ? "try_wait" : "test_wait";
    Value word = assembly.emit("{ .reg .pred p; mbarrier." + std::string(how) +
                               ".parity.shared::cta.b64 p, [" + address + "], " + parity +
                               "; selp.b32 " + flag + ", 1, 0, p; }")[0];
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    op->getResult(0).replaceAllUsesWith(
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, word, zero).getResult());
    return;
  }
  bool remote = what.consume_back("_remote");
  std::string address = assembly.operand(operands[0]);
  if (what == "store") {
    Value number = operands[1];
    const unsigned bits = number.getType().getIntOrFloatBitWidth();
    // The instruction takes no registers of f64.
    if (!number.getType().isInteger(bits))
      number = arith::BitcastOp::create(b, b.getIntegerType(bits), number);
    std::string value = assembly.operand(number), target = assembly.operand(operands[2]);
    std::string block = assembly.operand(operands[3]);
    assembly.emit("{ .reg .b32 at, there; mapa.shared::cluster.u32 at, " + target + ", " + block +
                  "; mapa.shared::cluster.u32 there, " + address + ", " + block +
                  "; st.async.shared::cluster.mbarrier::complete_tx::bytes.b" +
                  std::to_string(bits) + " [at], " + value + ", [there]; }");
    return;
  }
  if (what == "wait") {
    assembly.emit("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [" + address +
                  "], " + assembly.operand(operands[1]) + "; @!p bra again; }");
    return;
  }
  std::string begin = "", place = "[" + address + "]", space = "shared::cta";
  std::string number =
      operands.size() > (remote ? 2 : 1) ? ", " + assembly.operand(operands[1]) : std::string();
  if (remote) {
    begin = "{ .reg .b32 there; mapa.shared::cluster.u32 there, " + address + ", " +
            assembly.operand(operands[operands.size() - 1]) + "; ";
    place = "[there]";
    space = "shared::cluster";
  }
  std::string scope = remote && what != "arrive_read" ? ".release.cluster." : ".";
  std::string text;
  if (what == "init")
    text = "mbarrier.init.shared::cta.b64 " + place + number;
  else if (what == "inval")
    text = "mbarrier.inval.shared::cta.b64 " + place;
  else if (what == "arrive" || what == "arrive_read")
    text = "mbarrier.arrive" + scope + space + ".b64 _, " + place + number;
  else if (what == "arrive_expect")
    text = "mbarrier.arrive.expect_tx" + scope + space + ".b64 _, " + place + number;
  else if (what == "expect")
    text = "mbarrier.expect_tx.relaxed." + std::string(remote ? "cluster." : "cta.") + space +
           ".b64 " + place + number;
  else
    text = "cp.async.mbarrier.arrive.noinc.shared::cta.b64 " + place;
  assembly.emit(begin + text + ";" + (remote ? " }" : ""));
}

void lowerMapEdit(dsl::MapEditOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  StringRef field = op.what();
  auto pointer = cast<LLVM::LLVMPointerType>(op->getOperand(0).getType());
  std::string map = "[" + assembly.operand(op->getOperand(0)) + "]";
  if (field == "release") {
    assembly.emit("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                  "aligned " +
                  map + ", [" + assembly.operand(op->getOperand(1)) + "], 128;");
    return;
  }
  std::string space = pointer.getAddressSpace() ? ".shared::cta" : ".global";
  bool extent = field == "extent";
  Value number = op->getOperand(1);
  if (extent)
    number = arith::TruncIOp::create(b, b.getI32Type(), number);
  std::string value = assembly.operand(number);
  // The strides of a map begin with that of dimension 1.
  std::string place = extent              ? std::to_string(op.index()) + ", "
                      : field == "stride" ? std::to_string(op.index() - 1) + ", "
                                          : std::string();
  const char *name = extent ? "global_dim" : field == "stride" ? "global_stride" : "global_address";
  assembly.emit(std::string("tensormap.replace.tile.") + name + space + ".b1024" +
                (extent ? ".b32 " : ".b64 ") + map + ", " + place + value + ";");
}

void lowerOrder(dsl::OrderOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  for (Value operand : op->getOperands())
    assembly.operand(operand);
  assembly.emit(op.what().str());
}

/// LLVM's intrinsics have no form with a prefetch.
void lowerPrefetchingCopy(NVVM::CpAsyncOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  auto prefetched = op->getAttrOfType<IntegerAttr>(dsl::kPrefetchedAttribute);
  bool all = op.getModifier() == NVVM::LoadCacheModifierKind::CA;
  std::string to = assembly.operand(op.getDst()), from = assembly.operand(op.getSrc());
  std::string read = op.getCpSize() ? ", " + assembly.operand(op.getCpSize()) : std::string();
  assembly.emit("cp.async." + std::string(all ? "ca" : "cg") +
                ".shared.global.L2::" + std::to_string(prefetched.getInt()) + "B [" + to + "], [" +
                from + "], " + std::to_string(op.getSize()) + read + ";");
}

void lowerBarrierArrive(NVVM::BarrierArriveOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string id = op.getBarrierId() ? assembly.operand(op.getBarrierId()) : "0";
  assembly.emit("bar.arrive " + id + ", " + assembly.operand(op.getNumberOfThreads()) + ";");
}

} // namespace

bool lowerAsyncOp(Operation *op, ImplicitLocOpBuilder &b) {
  if (auto mma = dyn_cast<dsl::WarpgroupMmaOp>(op))
    lowerWarpgroupMma(mma, b);
  else if (auto copy = dyn_cast<dsl::TensorCopyOp>(op))
    lowerTensorCopy(copy, b);
  else if (auto bulk = dyn_cast<dsl::BulkCopyOp>(op))
    lowerBulkCopy(bulk, b);
  else if (auto barrier = dyn_cast<dsl::MbarrierOp>(op))
    lowerMbarrier(barrier, b);
  else if (auto edit = dyn_cast<dsl::MapEditOp>(op))
    lowerMapEdit(edit, b);
  else if (auto order = dyn_cast<dsl::OrderOp>(op))
    lowerOrder(order, b);
  else if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
    lowerPrefetchingCopy(copy, b);
  else if (auto arrive = dyn_cast<NVVM::BarrierArriveOp>(op))
    lowerBarrierArrive(arrive, b);
  else
    return false;
  op->erase();
  return true;
}

} // namespace fairlead::lower
