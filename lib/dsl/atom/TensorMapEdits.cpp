/// Tensor maps that kernels change in memory.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/Need.h"
#include "dsl/trace/EmitOp.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/atom/TensorCopy.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr int kMapWords = 16;

void requireMapMemory(const Pointer &map, std::initializer_list<AddressSpace> spaces) {
  for (AddressSpace space : spaces)
    if (map.space() == space)
      return;
  throw makeError(Diagnostic::TensorMapMemory, {{"got", map.str()}});
}

Tensor wordsOf(const Pointer &map) {
  return map.recast(DType::Int64).tensor({Scalar(kMapWords)}, {Scalar(1)});
}

void replace(const Pointer &map, ir::MapField field, int dimension, const Scalar &value) {
  Program::Impl &impl = kernelImpl("a tensor map");
  mlir::Value address = known(impl, map.handle()), number = emitAs(impl, value, DType::Int64);
  emitOp<ir::MapReplaceOp>(impl, "changes of tensor maps", field, dimension, address, number);
}

} // namespace

void copyMap(const TensorAtom &atom, const Pointer &map, SourceLoc at) {
  AtSourceLoc placed(at);

  // A loop that stays one: all words at once would be 32 registers.
  forLoop(
      0, kMapWords, 2, {},
      [&](const Scalar &word, const Scalars &) {
        copyMapWord(atom, map, word, at);
        copyMapWord(atom, map, word + 1, at);
        return Scalars();
      },
      {.unroll = 1}, at);
  if (atom.described)
    updateMap(atom, *atom.described, map, at);
}

void copyMapWord(const TensorAtom &atom, const Pointer &map, const Scalar &word, SourceLoc at) {
  AtSourceLoc placed(at);

  requireMapMemory(map, {AddressSpace::Global, AddressSpace::Generic, AddressSpace::Shared});
  wordsOf(map).store({word}, wordsOf(atom.map).load({word}));
}

void updateMap(const TensorAtom &atom, const Tensor &tensor, const Pointer &map, SourceLoc at) {
  AtSourceLoc placed(at);

  requireMapMemory(map, {AddressSpace::Global, AddressSpace::Generic, AddressSpace::Shared});
  std::vector<layout::Int> shape = tensor.layout().shape().leaves(),
                           stride = tensor.layout().stride().leaves();
  for (const std::vector<int> &leaves : atom.leaves)
    for (int leaf : leaves)
      if (tensor.isCoordinates() || leaf >= static_cast<int>(shape.size()))
        throw makeError(Diagnostic::TensorMapUpdate, {{"got", tensor.str()}});
  replace(map, ir::MapField::Address, 0, tensor.pointer().toInt());
  for (size_t i = 0; i < atom.leaves.size(); ++i) {
    layout::Int extent = 1;
    for (int leaf : atom.leaves[i])
      extent = arithmetic().mul(extent, shape[leaf]);
    if (i == 0 && atom.elementsOfUnit > 1)
      extent = arithmetic().floorDiv(extent, atom.elementsOfUnit);
    replace(map, ir::MapField::Extent, static_cast<int>(i), toScalar(extent));
    if (i)
      replace(map, ir::MapField::Stride, static_cast<int>(i),
              cast(materialize(toScalar(stride[atom.leaves[i].front()])), DType::Int64) *
                      Scalar(bitWidth(tensor.dtype())) >>
                  Scalar(3));
  }
}

void releaseMap(SourceLoc at) {
  AtSourceLoc placed(at);
  OpBuilder &b = kernelImpl("a tensor map").builder;
  Program::current()->requireFeature(GpuFeature::Mbarrier, "a tensor map");
  NVVM::FenceProxyReleaseOp::create(b, b.getUnknownLoc(), NVVM::MemScopeKind::GPU);
}

void releaseMap(const Pointer &global, const Pointer &shared, SourceLoc at) {
  AtSourceLoc placed(at);

  requireMapMemory(global, {AddressSpace::Global, AddressSpace::Generic});
  requireMapMemory(shared, {AddressSpace::Shared});
  Program::Impl &impl = kernelImpl("a tensor map");
  emitOp<ir::MapPublishOp>(impl, "a tensor map", known(impl, global.handle()),
                           known(impl, shared.handle()));
}

void acquireMap(const Pointer &map, SourceLoc at) {
  AtSourceLoc placed(at);

  requireMapMemory(map, {AddressSpace::Global, AddressSpace::Generic});
  Program::Impl &impl = kernelImpl("a tensor map");
  emitOp<ir::MapAcquireOp>(impl, "a tensor map", known(impl, map.handle()));
}

} // namespace fairlead::dsl
