/// Copies of boxes of tensors and of neighbouring bytes, which one thread of a warp issues.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/CopyInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/memory/ElementAccess.h"
#include "dsl/trace/EmitOp.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/atom/TensorCopy.h"

#include <numeric>

using namespace mlir;

namespace fairlead::dsl {
namespace {

using layout::Layout;

/// The number of elements of a tensor of a static shape.
int64_t sizeOf(const Tensor &tensor, const CopyAtom &atom) {
  layout::Int size = layout::size(tensor.layout());
  if (!size.isStatic())
    throw makeError(Diagnostic::BulkShape, {{"atom", atom.str()}, {"got", tensor.str()}});
  return size.value();
}

/// Returns the number of contiguous elements, in the order of coordinates, of each run.
int64_t neighbours(const Layout &layout) {
  Layout simple = layout::coalesce(layout, arithmetic());
  layout::Int extent = simple.shape().leaves().front(), step = simple.stride().leaves().front();
  return extent.isStatic() && step.is(1) ? extent.value() : 1;
}

/// Returns the address of a linear coordinate before the swizzle, which the instructions apply
/// themselves.
mlir::Value plainAddress(Program::Impl &impl, const Tensor &tensor, int64_t at) {
  return known(impl, moved(tensor.pointer(), offsetOf(tensor, layout::Int(at))).handle());
}

/// Returns the atom's map. An atom that the kernel made itself has only the box of a map.
const Pointer &mapOf(const TensorAtom &atom) {
  if (atom.described)
    throw makeError(Diagnostic::AtomUse,
                    {{"expected", "tma_desc_ptr, a map that copy_tensormap wrote, for an atom that "
                                  "make_tiled_tma_atom made inside the kernel"},
                     {"got", "none"}});
  return atom.map;
}

/// The parts of a bulk copy instruction that come from BulkOperands.
class BulkInstruction {
public:
  BulkInstruction(const CopyAtom &atom, const BulkOperands &given)
      : impl(kernelImpl("an asynchronous copy")), row(BulkCopy::of(atom).row), atom(atom),
        given(given) {
    Program::current()->requireFeature(GpuFeature::Tma, atom.str());
    if (atom.op().ofPair)
      Program::current()->requireFeature(GpuFeature::TensorMemory,
                                         atom.str() + " of a pair of blocks (CtaGroup.TWO)");
  }

  mlir::Value barrier() const {
    if (!given.barrier || given.barrier->space() != AddressSpace::Shared)
      throw makeError(Diagnostic::BulkBarrier,
                      {{"name", row.copiesBoxes ? "tma_bar_ptr" : "mbar_ptr"},
                       {"atom", atom.str()},
                       {"got", given.barrier ? given.barrier->str() : "none"}});
    return known(impl, given.barrier->handle());
  }
  /// The blocks that get a copy; null unless the atom is a multicast.
  mlir::Value mask() const {
    if (!row.isMulticast)
      return {};
    if (!given.mask)
      throw makeError(Diagnostic::BulkMask, {{"atom", atom.str()}, {"got", "none"}});
    return emitAs(impl, *given.mask, DType::Int16);
  }

  /// The cache policy, or null.
  mlir::Value policy() const {
    return given.policy ? emitAs(impl, *given.policy, DType::Int64) : mlir::Value();
  }
  mlir::Value map(const TensorAtom &atom) const {
    return known(impl, (given.map ? *given.map : mapOf(atom)).handle());
  }

  /// The address in the block of the cluster that gets the copy.
  mlir::Value inBlock(mlir::Value address) const {
    if (row.to != AddressSpace::Cluster)
      return address;
    if (!given.block)
      throw makeError(Diagnostic::BulkBlock, {{"atom", atom.str()}, {"got", "none"}});
    constexpr unsigned kClusterSpace = 7;
    OpBuilder &b = impl.builder;
    auto type = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
    return NVVM::MapaOp::create(b, b.getUnknownLoc(), type, address,
                                emitAs(impl, *given.block, DType::Int32));
  }

  Program::Impl &impl;
  const BulkCopy::Row &row;
  const CopyAtom &atom;
  const BulkOperands &given;
};

SmallVector<mlir::Value> coordinatesOf(Program::Impl &impl, const TensorAtom &atom,
                                       const Tensor &coordinates, int64_t at) {
  std::vector<layout::Int> place = coordinates.at(layout::IntTuple(at)).leaves();
  if (place.size() != atom.leaves.size())
    throw makeError(Diagnostic::BoxRank, {{"expected", std::to_string(atom.leaves.size())},
                                          {"atom", atom.str()},
                                          {"got", coordinates.str()}});
  if (atom.elementsOfUnit > 1)
    place.front() = arithmetic().floorDiv(place.front(), atom.elementsOfUnit);
  SmallVector<mlir::Value> values;
  for (const layout::Int &entry : place)
    values.push_back(emitAs(impl, toScalar(entry), DType::Int32));
  return values;
}

void requireSide(const TensorAtom &atom, const Tensor &memory, const Tensor &coordinates) {
  auto reject = [&](const std::string &expected) {
    throw makeError(Diagnostic::BoxMemory,
                    {{"expected", expected}, {"atom", atom.str()}, {"got", memory.str()}});
  };
  if (memory.isCoordinates() || memory.space() != AddressSpace::Shared)
    reject("shared memory");
  // Swizzles of no bits are all the same.
  const Swizzle &swizzle = memory.pointer().swizzle();
  if ((atom.swizzle || swizzle) && atom.swizzle != swizzle)
    reject(
        atom.swizzle
            ? "shared memory whose addresses " + atom.swizzle.str() +
                  " swizzles, as the layout of its tensor map,"
            : "shared memory whose addresses no swizzle moves, as the layout of its tensor map,");
  if (!coordinates.isCoordinates())
    throw makeError(Diagnostic::BoxCoordinates,
                    {{"use", "as one side of " + atom.str()}, {"got", coordinates.str()}});
  if (bitWidth(memory.dtype()) != bitWidth(atom.type()))
    throw makeError(Diagnostic::CopyElementWidth,
                    {{"expected", std::to_string(bitWidth(atom.type())) + " bits"},
                     {"copy", atom.str()},
                     {"got", memory.str()}});
}

} // namespace

std::pair<Tensor, Tensor> partitionBoxes(const TensorAtom &atom, const Scalar &block,
                                         const Layout &blocks, const Tensor &shared,
                                         const Tensor &coordinates, SourceLoc at) {
  AtSourceLoc placed(at);

  const char *operation = "tma_partition";
  Layout tile = *layout::get(shared.layout(), {0});
  layout::Int size = layout::size(tile, arithmetic());
  Layout coordinateTile = *layout::get(coordinates.layout(), {0});
  if (!tile.isStatic() || !layout::size(coordinateTile, arithmetic()).is(size.value()))
    throw makeError(Diagnostic::BoxTile, {{"got", shared.str() + " and " + coordinates.str()}});
  const int values = atom.sourceValues();
  Layout inverse = need(layout::rightInverse(tile), operation, tile, coordinateTile.str());
  // Modes without a stride repeat elements: each is copied once.
  const int64_t copied = layout::size(layout::filter(tile)).value();
  // Elements may lie apart in shared memory, each part a multiple of a box.
  if (!layout::size(inverse).is(copied) && layout::size(tile).is(copied) &&
      copied % layout::size(inverse).value() == 0 && layout::size(inverse).value() % values == 0)
    inverse = layout::group(
        {inverse, need(layout::complement(inverse, copied), operation, tile, atom.str())});
  if (!layout::size(inverse).is(copied) || copied % values)
    need(std::nullopt, operation, tile, atom.str());
  Layout boxes = need(layout::logicalDivide(inverse, Layout(layout::IntTuple(values))), operation,
                      inverse, atom.str());
  layout::Int shares = layout::cosize(blocks);
  if (!shares.isStatic() || shares.value() < 1 || values % shares.value())
    throw makeError(Diagnostic::BoxBlocks,
                    {{"number", std::to_string(values)}, {"got", blocks.str()}});
  auto part = [&](const Tensor &tensor) {
    std::vector<Layout> modes = modesOf(tensor.layout());
    Layout divided =
        need(layout::composition(modes[0], boxes, arithmetic()), operation, modes[0], boxes.str());
    Layout box = layout::coalesce(*layout::get(divided, {0}), arithmetic());
    Layout rest = layout::coalesce(*layout::get(divided, {1}), arithmetic());
    bool single = layout::size(rest, arithmetic()).is(1);
    modes[0] = single ? box : layout::group({box, rest});
    Tensor result = tensor.withLayout(layout::group(modes));
    if (shares.is(1))
      return result;
    auto place = layout::crd2idx(toIndex(block), blocks, arithmetic());
    layout::Int first = arithmetic().mul(*place, values / shares.value());
    using C = layout::Coordinate;
    std::vector<C> begin(modes.size(), C(layout::Int(0)));
    begin[0] = single ? C(first) : C(std::vector<C>{C(first), C(layout::Int(0))});
    return domainOffset(C(std::move(begin)), result);
  };
  return {part(shared), part(coordinates)};
}

void copyBoxes(const TensorAtom &atom, const Tensor &source, const Tensor &destination,
               const BulkOperands &given, SourceLoc at) {
  AtSourceLoc placed(at);

  BulkInstruction instruction(atom, given);
  Program::Impl &impl = instruction.impl;
  const bool loads = instruction.row.hasBarrier;
  const Tensor &coordinates = loads ? source : destination, &memory = loads ? destination : source;
  requireSide(atom, memory, coordinates);
  int64_t count = sizeOf(coordinates, atom);
  const int values = atom.sourceValues();
  if (count % values || sizeOf(memory, atom) != count)
    throw makeError(Diagnostic::BoxSize,
                    {{"atom", atom.str()}, {"got", source.str() + " and " + destination.str()}});
  BulkValues operands;
  operands.map = instruction.map(atom);
  for (int64_t at = 0; at < count; at += values) {
    operands.source = operands.target = plainAddress(impl, memory, at);
    operands.barrier = loads ? instruction.barrier() : mlir::Value();
    operands.blocks = instruction.mask();
    operands.coordinates = coordinatesOf(impl, atom, coordinates, at);
    operands.policy = instruction.policy();
    instruction.row.emit(impl.builder, atom.op(), operands);
  }
}

void prefetchBoxes(const TensorAtom &atom, const Tensor &coordinates, const BulkOperands &given,
                   SourceLoc at) {
  AtSourceLoc placed(at);

  BulkInstruction instruction(atom, given);
  Program::Impl &impl = instruction.impl;
  if (!coordinates.isCoordinates())
    throw makeError(Diagnostic::BoxCoordinates,
                    {{"use", "for prefetch"}, {"got", coordinates.str()}});
  int64_t count = sizeOf(coordinates, atom);
  for (int64_t at = 0; at < count; at += atom.sourceValues()) {
    mlir::Value map = instruction.map(atom);
    SmallVector<mlir::Value> place = coordinatesOf(impl, atom, coordinates, at);
    ir::TensorPrefetchOp::create(impl.builder, impl.builder.getUnknownLoc(), map, place,
                                 instruction.policy());
  }
}

void copyBulk(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
              const BulkOperands &given, SourceLoc at) {
  AtSourceLoc placed(at);

  BulkInstruction instruction(atom, given);
  Program::Impl &impl = instruction.impl;
  const BulkCopy::Row &row = instruction.row;
  auto isIn = [](const Tensor &tensor, AddressSpace space) {
    const bool any = space == AddressSpace::Global && tensor.space() == AddressSpace::Generic;
    return !tensor.isCoordinates() && (tensor.space() == space || any);
  };
  const AddressSpace to = row.to == AddressSpace::Cluster ? AddressSpace::Shared : row.to;
  // One instruction moves contiguous elements: all of them if the atom sets no number.
  constexpr int64_t kBulkBits = 128;
  int64_t count = sizeOf(source, atom);
  int64_t run = std::gcd(neighbours(source.layout()), neighbours(destination.layout()));
  int64_t values = atom.bits() ? atom.sourceValues() : run;
  if (!isIn(source, row.from) || !isIn(destination, to) || run % values ||
      values * bitWidth(atom.type()) % kBulkBits || sizeOf(destination, atom) != count)
    throw makeError(Diagnostic::BulkSize,
                    {{"atom", atom.str()}, {"got", source.str() + " and " + destination.str()}});
  BulkValues operands;
  operands.bytes = emitIntConstant(impl, DType::Int32, values * bitWidth(atom.type()) / 8);
  for (int64_t at = 0; at < count; at += values) {
    operands.target = instruction.inBlock(plainAddress(impl, destination, at));
    operands.source = plainAddress(impl, source, at);
    if (instruction.row.hasBarrier)
      operands.barrier = instruction.inBlock(instruction.barrier());
    operands.blocks = instruction.mask();
    operands.policy = instruction.policy();
    instruction.row.emit(impl.builder, atom.op(), operands);
  }
}

void prefetchMap(const TensorAtom &atom, SourceLoc at) {
  AtSourceLoc placed(at);

  Program::Impl &impl = kernelImpl("a tensor map");
  emitOp<ir::MapPrefetchOp>(impl, "a tensor map", known(impl, mapOf(atom).handle()));
}

/// Returns the builder for an instruction of bulk groups. `what` names it in errors.
static OpBuilder &groupBuilder(const char *what) {
  OpBuilder &b = kernelImpl(what).builder;
  Program::current()->requireFeature(GpuFeature::Mbarrier, what);
  return b;
}

void commitBulk(SourceLoc at) {
  AtSourceLoc placed(at);
  OpBuilder &b = groupBuilder("a group of stores");
  NVVM::CpAsyncBulkCommitGroupOp::create(b, b.getUnknownLoc());
}

void waitBulk(int groups, bool read, SourceLoc at) {
  AtSourceLoc placed(at);

  if (groups < 0)
    throw makeError(Diagnostic::WaitGroups, {{"expected", "a number of groups, not negative,"},
                                             {"function", "cp_async_bulk_wait_group"},
                                             {"got", std::to_string(groups)}});
  OpBuilder &b = groupBuilder("waiting for stores");
  NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getUnknownLoc(), groups,
                                       read ? b.getUnitAttr() : UnitAttr());
}

} // namespace fairlead::dsl
