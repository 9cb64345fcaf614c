/// The copy instructions that one thread of a warp issues: of boxes of tensors (TMA), and of
/// neighbouring bytes.
#include "dsl/atom/CopyInstruction.h"
#include "dsl/atom/Need.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

using Values = BulkValues;

void loadBox(OpBuilder &b, const CopyOp &op, const Values &values) {
  ir::TensorLoadOp::create(b, b.getUnknownLoc(), values.map, values.target, values.barrier,
                           values.coordinates, values.blocks, values.policy, op.ofPair);
}
void storeBox(OpBuilder &b, const CopyOp &, const Values &values) {
  ir::TensorStoreOp::create(b, b.getUnknownLoc(), values.map, values.source, values.coordinates,
                            values.policy);
}
static_assert(static_cast<int>(ReduceKind::Xor) == static_cast<int>(ir::ReduceKind::Xor));
void reduceBox(OpBuilder &b, const CopyOp &op, const Values &values) {
  ir::TensorReduceOp::create(b, b.getUnknownLoc(), static_cast<ir::ReduceKind>(op.reduction),
                             values.map, values.source, values.coordinates, values.policy);
}
void loadBytes(OpBuilder &b, const CopyOp &, const Values &values) {
  ir::BulkLoadOp::create(b, b.getUnknownLoc(), values.target, values.source, values.bytes,
                         values.barrier, values.blocks, values.policy);
}
void storeBytes(OpBuilder &b, const CopyOp &, const Values &values) {
  ir::BulkStoreOp::create(b, b.getUnknownLoc(), values.target, values.source, values.bytes,
                          values.policy);
}
void copyBytesToBlock(OpBuilder &b, const CopyOp &, const Values &values) {
  ir::BulkCopyToBlockOp::create(b, b.getUnknownLoc(), values.target, values.source, values.bytes,
                                values.barrier, values.policy);
}

constexpr auto kGlobal = AddressSpace::Global, kShared = AddressSpace::Shared,
               kCluster = AddressSpace::Cluster;
// Kind, name; boxes, mbarrier, multicast; from, to; emit.
constexpr BulkCopy::Row kBulkRows[] = {
    {CopyKind::TensorLoad, "a TMA load", true, true, false, kGlobal, kShared, loadBox},
    {CopyKind::TensorMulticast, "a multicast TMA load", true, true, true, kGlobal, kShared,
     loadBox},
    {CopyKind::TensorStore, "a TMA store", true, false, false, kShared, kGlobal, storeBox},
    {CopyKind::TensorReduce, "a TMA reduction", true, false, false, kShared, kGlobal, reduceBox},
    {CopyKind::BulkLoad, "a bulk load", false, true, false, kGlobal, kShared, loadBytes},
    {CopyKind::BulkMulticast, "a multicast bulk load", false, true, true, kGlobal, kShared,
     loadBytes},
    {CopyKind::BulkStore, "a bulk store", false, false, false, kShared, kGlobal, storeBytes},
    {CopyKind::BulkToBlock, "a bulk copy to another block", false, true, false, kShared, kCluster,
     copyBytesToBlock}};

} // namespace

BulkCopy::BulkCopy(const Row &row) : CopyInstruction(row.name), row(row) {}

const BulkCopy *BulkCopy::find(CopyKind kind) {
  static const auto *copies = new std::vector<BulkCopy>(std::begin(kBulkRows), std::end(kBulkRows));
  for (const BulkCopy &copy : *copies)
    if (copy.row.kind == kind)
      return &copy;
  return nullptr;
}

const BulkCopy &BulkCopy::of(const CopyAtom &atom) {
  const BulkCopy *copy = find(atom.op().kind);
  if (!copy)
    throw makeError(Diagnostic::CopyAtomKind, {{"other", "of a bulk copy"}, {"got", atom.str()}});
  return *copy;
}

CopyAtom::Layouts BulkCopy::layouts(const CopyOp &, DType type, int bits) const {
  constexpr int kUnitBits = 128;
  CopyAtom::Layouts layouts = threadLayouts(type, bits);
  if (!row.copiesBoxes && bits % kUnitBits)
    throw makeError(Diagnostic::CopyBits, {{"expected", "in multiples of 128 for " + name},
                                           {"got", std::to_string(bits)}});
  return layouts;
}

} // namespace fairlead::dsl
