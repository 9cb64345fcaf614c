/// tcgen05.cp: copies of rows from shared to tensor memory.
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/memory/ElementAccess.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/atom/TensorMemory.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

constexpr int64_t kUnitBytes = 16;

/// The rows of one copy, of 16 bytes each.
constexpr int64_t kCopiedRows = 32;

/// Throw LayoutOperation: no descriptor tells of these rows.
[[noreturn]] void rejectRows(const Tensor &part) {
  throw makeError(
      Diagnostic::LayoutOperation,
      {{"operation", "get_s2t_smem_desc_tensor"},
       {"layout", part.str()},
       {"other", "32 rows of 16 neighbouring bytes, 8 of which are 128 neighbouring bytes"}});
}

/// Return the bytes between groups of 8 rows of a copy's source: (byte of a row, row) in any order
/// of modes, rows first.
int64_t groupStride(const Tensor &part, const layout::Layout &rows) {
  auto at = [&](int64_t row, int64_t byte) {
    return layout::crd2idx(layout::IntTuple(row + kCopiedRows * byte), rows)->value();
  };
  const int64_t stride = at(8, 0);
  for (int64_t row = 0; row < kCopiedRows; ++row)
    for (int64_t byte = 0; byte < kUnitBytes; ++byte)
      if (at(row, byte) != row % 8 * kUnitBytes + row / 8 * stride + byte)
        rejectRows(part);
  return stride;
}

} // namespace

Tensor rowDescriptors(const CopyAtom &atom, const Tensor &part, SourceLoc at) {
  AtSourceLoc placed(at);
  if (part.isCoordinates() || part.space() != AddressSpace::Shared || part.pointer().swizzle() ||
      !part.composed().isLayout() || bitWidth(part.dtype()) != 8)
    throw makeError(Diagnostic::CopyMemory,
                    {{"memory", "shared memory of 8 bits without a swizzle"},
                     {"side", "the source"},
                     {"atom", atom.str()},
                     {"got", part.str()}});
  // ((values, copies), ...): a descriptor in place of the values.
  layout::Layout first = *layout::get(part.layout(), {0});
  auto values =
      layout::composition(first, layout::Layout(layout::IntTuple(kCopiedRows * kUnitBytes)));
  auto rest = layout::logicalDivide(first, layout::Layout(layout::IntTuple(atom.sourceValues())));
  if (!values || !rest || !values->isStatic())
    rejectRows(part);
  const int64_t stride = groupStride(part, *values);
  requireDescriptorWindow();
  Scalar address = cast(Pointer(part).toInt(), DType::Int32);
  Scalar low = ((address >> Scalar(4)) & Scalar(0x3fff)) | Scalar((stride / kUnitBytes) << 16);
  auto inUnits = [&](const layout::Layout &mode) {
    const std::vector<layout::Int> extents = mode.shape().leaves();
    std::vector<layout::Int> strides = mode.stride().leaves();
    for (size_t leaf = 0; leaf < strides.size(); ++leaf) {
      layout::Int &step = strides[leaf];
      if (extents[leaf].is(1))
        step = 0;
      if (!step.is(0) && step.divisibility() % kUnitBytes)
        rejectRows(part);
      step = arithmetic().floorDiv(step, kUnitBytes);
    }
    return *layout::Layout::make(mode.shape(), layout::unflatten(strides, mode.shape()));
  };
  std::vector<layout::Layout> modes{
      layout::group({*layout::Layout::make(1, 0), inUnits(*layout::get(*rest, {1}))})};
  for (int mode = 1; mode < layout::rank(part.layout()); ++mode)
    modes.push_back(inUnits(*layout::get(part.layout(), {mode})));
  return Tensor(
      layout::tuple(toInt(low), layout::Int(stride / kUnitBytes | kTensorDescriptorVersion)),
      layout::group(modes));
}

void copyRowsToTensorMemory(const CopyAtom &atom, const Tensor &descriptors,
                            const Tensor &destination, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = requireTensorMemory(atom.str());
  if (!descriptors.isCoordinates() || layout::rank(descriptors.origin()) != 2)
    throw makeError(Diagnostic::CopyMemory, {{"memory", "descriptors of get_s2t_smem_desc_tensor"},
                                             {"side", "the source"},
                                             {"atom", atom.str()},
                                             {"got", descriptors.str()}});
  if (destination.isCoordinates() || destination.space() != AddressSpace::Tensor)
    throw makeError(Diagnostic::CopyMemory, {{"memory", "tensor memory"},
                                             {"side", "the destination"},
                                             {"atom", atom.str()},
                                             {"got", destination.str()}});
  const layout::Int count = layout::size(descriptors.layout());
  const layout::Int size = layout::size(destination.layout());
  const int values = atom.destinationValues();
  if (!count.isStatic() || !size.isStatic() || size.value() != count.value() * values)
    throw makeError(
        Diagnostic::CopyPartitions,
        {{"atom", atom.str()}, {"source", descriptors.str()}, {"destination", destination.str()}});
  OpBuilder &b = impl.builder;
  for (int64_t index = 0; index < count.value(); ++index) {
    mlir::Value source = emitDescriptor(impl, descriptors.at(layout::IntTuple(index)));
    mlir::Value target = emitAddress(impl, destination.pointer(),
                                     offsetOf(destination, layout::Int(index * values)));
    ir::TensorMemoryCopyOp::create(b, b.getUnknownLoc(), source, target,
                                   ir::TensorMemoryCopyShape::Rows32x128,
                                   atom.op().ofPair ? ir::CtaGroup::Two : ir::CtaGroup::One);
  }
}

} // namespace fairlead::dsl
