#include "lower/nvidia/ops/AtomOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/Ops.h"
#include "lower/nvidia/ops/Assembly.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// "m64n128k16.f32.f16.f16": the shape and the types of D, A and B.
std::string nameOf(ir::WarpgroupMmaOp op) {
  auto type = [](ir::ProductType type) { return "." + stringifyProductType(type).str(); };
  return "m64n" + std::to_string(op.getN()) + "k" + std::to_string(op.getK()) +
         type(op.getDType()) + type(op.getAType()) + type(op.getBType());
}

/// Return the immediates after the predicate of the accumulator: the factors of A and B for floats,
/// then for elements of 16 bits whether operands in shared memory are transposed.
std::string optionsOf(ir::WarpgroupMmaOp op) {
  std::string options;
  if (op.getDType() != ir::ProductType::S32)
    options = ", 1, 1";
  if (op.hasTransposedForms()) {
    if (!op.isAInRegisters())
      options += op.getATransposed() ? ", 1" : ", 0";
    options += op.getBTransposed() ? ", 1" : ", 0";
  }
  return options;
}

void lowerOp(ir::WarpgroupMmaOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  SmallVector<std::string> sums;
  for (Type type : op.getUpdated().getTypes())
    sums.push_back(assembly.result(type));
  for (auto [index, sum] : llvm::enumerate(op.getSums()))
    assembly.initial(sum, index);
  SmallVector<std::string> parts;
  for (Value part : op.getA())
    parts.push_back(assembly.operand(part));
  std::string a = op.isAInRegisters() ? "{" + joined(parts) + "}" : parts.front();
  std::string descriptor = assembly.operand(op.getB());
  std::string scale = assembly.operand(arith::ExtUIOp::create(b, b.getI32Type(), op.getAdded()));
  SmallVector<Value> values =
      assembly.emit("{ .reg .pred p; setp.ne.b32 p, " + scale +
                    ", 0; wgmma.mma_async.sync.aligned." + nameOf(op) + " {" + joined(sums) +
                    "}, " + a + ", " + descriptor + ", p" + optionsOf(op) + "; }");
  op->replaceAllUsesWith(values);
}

/// The parts of a copy's instruction that its operands make.
class CopyText {
public:
  explicit CopyText(Assembly &assembly) : assembly(assembly) {}

  /// "[map, {x, y}]"
  static std::string box(const std::string &map, const SmallVector<std::string> &place) {
    return "[" + map + ", {" + joined(place) + "}]";
  }
  SmallVector<std::string> coordinates(ValueRange values) {
    SmallVector<std::string> place;
    for (Value value : values)
      place.push_back(assembly.operand(value));
    return place;
  }
  /// ", $5", or "" for null.
  std::string optional(Value value) { return value ? ", " + assembly.operand(value) : ""; }
  static std::string hint(Value policy) { return policy ? ".L2::cache_hint" : ""; }

private:
  Assembly &assembly;
};

/// The state space of a load's target in shared memory. Without other blocks it is the block's own
/// if the target has that form: ptxas for sm_120 calls the driver for addresses in the cluster, and
/// then ignores setmaxnreg.
std::string spaceOfTarget(Operation *load, bool ofBlocks) {
  bool isOwn = !ofBlocks && load->getParentOfType<gpu::GPUModuleOp>()->hasAttr(kLoadsIntoOwnBlock);
  return isOwn ? ".shared::cta" : ".shared::cluster";
}

std::string dimensionsOf(ValueRange coordinates) {
  return "." + std::to_string(coordinates.size()) + "d";
}

void lowerOp(ir::TensorLoadOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  CopyText text(assembly);
  std::string map = assembly.operand(op.getMap()), target = assembly.operand(op.getTarget());
  std::string barrier = assembly.operand(op.getBarrier());
  std::string blocks = text.optional(op.getBlocks());
  std::string box = CopyText::box(map, text.coordinates(op.getCoordinates()));
  std::string policy = text.optional(op.getPolicy());
  const std::string begin = "cp.async.bulk.tensor" + dimensionsOf(op.getCoordinates()) +
                            spaceOfTarget(op, op.getBlocks() || op.getOfPair()) +
                            ".global.mbarrier::complete_tx::bytes" +
                            (op.getBlocks() ? ".multicast::cluster" : "");
  const std::string rest = CopyText::hint(op.getPolicy()) + " [" + target + "], " + box + ", [";
  if (!op.getOfPair()) {
    assembly.emit(byOne(op, begin + rest + barrier + "]" + blocks + policy));
    return;
  }
  // The block's number in its cluster is the highest byte of an address.
  assembly.emit("{ .reg .b32 even; and.b32 even, " + barrier + ", 0xFEFFFFFF; " +
                byOne(op, begin + ".cta_group::2" + rest + "even]" + blocks + policy) + " }");
}

/// `instruction`: its name up to the cache hint, "cp.async.bulk.tensor.2d...".
template <typename Op>
void lowerBoxStore(Op op, const std::string &instruction, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  CopyText text(assembly);
  std::string map = assembly.operand(op.getMap()), source = assembly.operand(op.getSource());
  std::string box = CopyText::box(map, text.coordinates(op.getCoordinates()));
  std::string policy = text.optional(op.getPolicy());
  assembly.emit(byOne(op, instruction + CopyText::hint(op.getPolicy()) + " " + box + ", [" +
                              source + "]" + policy));
}

void lowerOp(ir::TensorStoreOp op, ImplicitLocOpBuilder &b) {
  lowerBoxStore(op,
                "cp.async.bulk.tensor" + dimensionsOf(op.getCoordinates()) +
                    ".global.shared::cta.bulk_group",
                b);
}

void lowerOp(ir::TensorReduceOp op, ImplicitLocOpBuilder &b) {
  lowerBoxStore(op,
                "cp.reduce.async.bulk.tensor" + dimensionsOf(op.getCoordinates()) +
                    ".global.shared::cta." + stringifyReduceKind(op.getKind()).str() +
                    ".bulk_group",
                b);
}

void lowerOp(ir::TensorPrefetchOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  CopyText text(assembly);
  std::string map = assembly.operand(op.getMap());
  std::string box = CopyText::box(map, text.coordinates(op.getCoordinates()));
  std::string policy = text.optional(op.getPolicy());
  assembly.emit(byOne(op, "cp.async.bulk.prefetch.tensor" + dimensionsOf(op.getCoordinates()) +
                              ".L2.global" + CopyText::hint(op.getPolicy()) + " " + box + policy));
}

/// `kind` is the rest of the name after "cp.async.bulk"; `barrier` and `blocks` may be null.
void lowerBulk(Operation *op, StringRef kind, ValueRange places, Value barrier, Value blocks,
               Value policy, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  CopyText text(assembly);
  std::string to = assembly.operand(places[0]), from = assembly.operand(places[1]);
  std::string bytes = assembly.operand(places[2]);
  std::string at = barrier ? ", [" + assembly.operand(barrier) + "]" : "";
  std::string mask = text.optional(blocks), hint = text.optional(policy);
  assembly.emit(byOne(op, "cp.async.bulk" + kind.str() + (blocks ? ".multicast::cluster" : "") +
                              CopyText::hint(policy) + " [" + to + "], [" + from + "], " + bytes +
                              at + mask + hint));
}

void lowerOp(ir::BulkLoadOp op, ImplicitLocOpBuilder &b) {
  lowerBulk(op, spaceOfTarget(op, bool(op.getBlocks())) + ".global.mbarrier::complete_tx::bytes",
            {op.getTarget(), op.getSource(), op.getBytes()}, op.getBarrier(), op.getBlocks(),
            op.getPolicy(), b);
}
void lowerOp(ir::BulkStoreOp op, ImplicitLocOpBuilder &b) {
  lowerBulk(op, ".global.shared::cta.bulk_group", {op.getTarget(), op.getSource(), op.getBytes()},
            {}, {}, op.getPolicy(), b);
}
void lowerOp(ir::BulkCopyToBlockOp op, ImplicitLocOpBuilder &b) {
  lowerBulk(op, ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
            {op.getTarget(), op.getSource(), op.getBytes()}, op.getBarrier(), {}, op.getPolicy(),
            b);
}

//===--- mbarriers -----------------------------------------------------------------------------===

/// An mbarrier of this block, or of another one of the cluster, whose address is computed first.
class BarrierText {
public:
  BarrierText(Assembly &assembly, Value barrier) : address(assembly.operand(barrier)) {}

  /// Call this after all other operands have been added.
  void moveTo(Assembly &assembly, Value block) {
    if (!block)
      return;
    begin = "{ .reg .b32 there; mapa.shared::cluster.u32 there, " + address + ", " +
            assembly.operand(block) + "; ";
    place = "there";
    space = "shared::cluster";
    end = "; }";
  }
  std::string at() const { return "[" + (place.empty() ? address : place) + "]"; }
  bool isRemote() const { return !place.empty(); }
  std::string whole(const std::string &instruction) const { return begin + instruction + end; }

  std::string address, space = "shared::cta";

private:
  std::string begin, place, end = ";";
};

/// `scope`: of the release, if the mbarrier is another block's.
template <typename Op>
void lowerArrive(Op op, Value number, const std::string &instruction, const std::string &scope,
                 ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  BarrierText barrier(assembly, op.getBarrier());
  std::string count = assembly.operand(number);
  barrier.moveTo(assembly, op.getBlock());
  assembly.emit(barrier.whole(instruction + (barrier.isRemote() ? scope : ".") + barrier.space +
                              ".b64 _, " + barrier.at() + ", " + count));
}

void lowerOp(ir::MbarrierArriveOp op, ImplicitLocOpBuilder &b) {
  lowerArrive(op, op.getCount(), "mbarrier.arrive",
              op.getAfterReading() ? "." : ".release.cluster.", b);
}
void lowerOp(ir::MbarrierArriveExpectOp op, ImplicitLocOpBuilder &b) {
  lowerArrive(op, op.getBytes(), "mbarrier.arrive.expect_tx", ".release.cluster.", b);
}

void lowerOp(ir::MbarrierExpectOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  BarrierText barrier(assembly, op.getBarrier());
  std::string bytes = assembly.operand(op.getBytes());
  barrier.moveTo(assembly, op.getBlock());
  assembly.emit(barrier.whole("mbarrier.expect_tx.relaxed." +
                              std::string(barrier.isRemote() ? "cluster." : "cta.") +
                              barrier.space + ".b64 " + barrier.at() + ", " + bytes));
}

void lowerOp(ir::MbarrierTestOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string flag = assembly.result(b.getI32Type());
  std::string address = assembly.operand(op.getBarrier());
  std::string parity = assembly.operand(op.getParity());
  Value word = assembly.emit("{ .reg .pred p; mbarrier." +
                             std::string(op.getMaySuspend() ? "try_wait" : "test_wait") +
                             ".parity.shared::cta.b64 p, [" + address + "], " + parity +
                             "; selp.b32 " + flag + ", 1, 0, p; }")[0];
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  op.getEnded().replaceAllUsesWith(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, word, zero).getResult());
}

void lowerOp(ir::StoreAsyncOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string barrier = assembly.operand(op.getBarrier());
  Value number = op.getValue();
  const unsigned bits = number.getType().getIntOrFloatBitWidth();
  // The instruction takes no registers of f64.
  if (!number.getType().isInteger(bits))
    number = arith::BitcastOp::create(b, b.getIntegerType(bits), number);
  std::string value = assembly.operand(number), target = assembly.operand(op.getTarget());
  const std::string store =
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b" + std::to_string(bits);
  if (!op.getBlock())
    return (void)assembly.emit(store + " [" + target + "], " + value + ", [" + barrier + "];");
  std::string block = assembly.operand(op.getBlock());
  assembly.emit("{ .reg .b32 at, there; mapa.shared::cluster.u32 at, " + target + ", " + block +
                "; mapa.shared::cluster.u32 there, " + barrier + ", " + block + "; " + store +
                " [at], " + value + ", [there]; }");
}

//===--- cluster launch control ----------------------------------------------------------------===

void lowerOp(ir::TryCancelOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string response = "[" + assembly.operand(op.getResponse()) + "]";
  std::string barrier = "[" + assembly.operand(op.getBarrier()) + "]";
  assembly.emit(byOne(op, std::string("clusterlaunchcontrol.try_cancel.async.shared::cta."
                                      "mbarrier::complete_tx::bytes") +
                              (op.getMulticast() ? ".multicast::cluster::all" : "") + ".b128 " +
                              response + ", " + barrier));
}

void lowerOp(ir::QueryCancelOp op, ImplicitLocOpBuilder &b) {
  constexpr int kWords = 4;
  Assembly assembly(b);
  SmallVector<std::string> results, words;
  for (int i = 0; i < kWords; ++i)
    results.push_back(assembly.result(b.getI32Type()));
  for (int i = 0; i < kWords; ++i) {
    Value at = arith::ConstantOp::create(b, b.getI32IntegerAttr(i));
    words.push_back(assembly.operand(LLVM::ExtractElementOp::create(b, op.getWords(), at)));
  }
  const std::string query = "clusterlaunchcontrol.query_cancel.";
  SmallVector<Value> values = assembly.emit(
      "{ .reg .b64 low, high; .reg .b128 answer; .reg .pred cancelled; mov.b64 low, {" + words[0] +
      ", " + words[1] + "}; mov.b64 high, {" + words[2] + ", " + words[3] +
      "}; mov.b128 answer, {low, high}; " + query + "is_canceled.pred.b128 cancelled, answer; " +
      "selp.b32 " + results[3] + ", 1, 0, cancelled; mov.b32 " + results[0] + ", 0; mov.b32 " +
      results[1] + ", 0; mov.b32 " + results[2] + ", 0; @cancelled " + query +
      "get_first_ctaid.v4.b32.b128 {" + results[0] + ", " + results[1] + ", " + results[2] +
      ", _}, answer; }");
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  values[3] = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, values[3], zero);
  op->replaceAllUsesWith(values);
}

//===--- tensor maps ---------------------------------------------------------------------------===

/// The field as the instruction names it.
const char *nameOf(ir::MapField field) {
  switch (field) {
  case ir::MapField::Address:
    return "global_address";
  case ir::MapField::Extent:
    return "global_dim";
  case ir::MapField::Stride:
    return "global_stride";
  }
  llvm_unreachable("a field of a tensor map");
}

void lowerOp(ir::MapReplaceOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  const bool extent = op.getField() == ir::MapField::Extent;
  std::string map = "[" + assembly.operand(op.getMap()) + "]";
  bool shared = cast<LLVM::LLVMPointerType>(op.getMap().getType()).getAddressSpace() != 0;
  Value number = op.getValue();
  if (extent)
    number = arith::TruncIOp::create(b, b.getI32Type(), number);
  std::string value = assembly.operand(number), dimension;
  // The strides of a map begin with that of dimension 1.
  if (op.getField() != ir::MapField::Address)
    dimension = std::to_string(op.getDimension() - (extent ? 0 : 1)) + ", ";
  assembly.emit(std::string("tensormap.replace.tile.") + nameOf(op.getField()) +
                (shared ? ".shared::cta" : ".global") + ".b1024" + (extent ? ".b32 " : ".b64 ") +
                map + ", " + dimension + value + ";");
}

//===--- others --------------------------------------------------------------------------------===

/// LLVM's intrinsics have no form with a prefetch.
void lowerOp(NVVM::CpAsyncOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  auto prefetched = op->getAttrOfType<IntegerAttr>(ir::kPrefetchedAttribute);
  bool all = op.getModifier() == NVVM::LoadCacheModifierKind::CA;
  std::string to = assembly.operand(op.getDst()), from = assembly.operand(op.getSrc());
  std::string read = op.getCpSize() ? ", " + assembly.operand(op.getCpSize()) : std::string();
  assembly.emit("cp.async." + std::string(all ? "ca" : "cg") +
                ".shared.global.L2::" + std::to_string(prefetched.getInt()) + "B [" + to + "], [" +
                from + "], " + std::to_string(op.getSize()) + read + ";");
}

void lowerOp(NVVM::BarrierArriveOp op, ImplicitLocOpBuilder &b) {
  Assembly assembly(b);
  std::string id = op.getBarrierId() ? assembly.operand(op.getBarrierId()) : "0";
  assembly.emit("bar.arrive " + id + ", " + assembly.operand(op.getNumberOfThreads()) + ";");
}

} // namespace

bool lowerAsyncOp(Operation *op, ImplicitLocOpBuilder &b) {
  return lowerOneOf<ir::WarpgroupMmaOp, ir::TensorLoadOp, ir::TensorStoreOp, ir::TensorReduceOp,
                    ir::TensorPrefetchOp, ir::BulkLoadOp, ir::BulkStoreOp, ir::BulkCopyToBlockOp,
                    ir::MbarrierArriveOp, ir::MbarrierArriveExpectOp, ir::MbarrierExpectOp,
                    ir::MbarrierTestOp, ir::StoreAsyncOp, ir::MapReplaceOp, ir::TryCancelOp,
                    ir::QueryCancelOp, NVVM::CpAsyncOp, NVVM::BarrierArriveOp>(
      op, [&](auto matched) { lowerOp(matched, b); });
}

} // namespace fairlead::lower
