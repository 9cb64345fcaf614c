/// Tensor maps: the dimensions and the box of a map from the modes of a tensor and of its tile in
/// shared memory.
#include "dsl/atom/CopyInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/trace/Builder.h"
#include "dsl/trace/HostValues.h"
#include "fairlead/dsl/atom/TensorCopy.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

using layout::Layout;

constexpr int kMostDimensions = 5, kMostInBox = 256, kStrideBytes = 16;
constexpr int64_t kMapAlignment = 64;

/// A dimension of the tensor map: leaves of the tensor's layout that are contiguous one after the
/// other, and their part in a box.
struct Dimension {
  std::vector<int> leaves;
  int64_t box;

  /// The fastest leaf.
  int leaf() const { return leaves.front(); }
};

/// Returns the CUtensorMapDataType of an element type; nothing if it has none.
std::optional<int> mapType(DType type) {
  constexpr std::pair<DType, int> kTypes[] = {
      {DType::Int8, 0},         {DType::Uint8, 0},      {DType::Boolean, 0},
      {DType::Float8E4M3FN, 0}, {DType::Float8E5M2, 0}, {DType::Float8E8M0FNU, 0},
      {DType::Int16, 1},        {DType::Uint16, 1},     {DType::Uint32, 2},
      {DType::Int32, 3},        {DType::Uint64, 4},     {DType::Int64, 5},
      {DType::Float16, 6},      {DType::Float32, 7},    {DType::Float64, 8},
      {DType::BFloat16, 9},     {DType::TFloat32, 11}};
  for (auto [dtype, mapType] : kTypes)
    if (dtype == type)
      return mapType;
  return std::nullopt;
}

/// Returns an address modulo 16 bytes if it is certain: the address is a constant distance from an
/// aligned argument. Otherwise returns 0.
int64_t certainMisalignment(Program::Impl &impl, const Pointer &pointer) {
  const ir::MemoryRoot root = ir::MemoryRoot::of(fromHandle(pointer.handle()));
  auto argument = dyn_cast<BlockArgument>(root.base);
  if (!root.distance || !argument || argument.getOwner()->getParentOp() != impl.host.getOperation())
    return 0;
  // The first one is the call's context.
  auto index = static_cast<size_t>(argument.getArgNumber()) - 1;
  if (index >= impl.signature.params.size())
    return 0;
  const auto &type = impl.signature.params[index].type;
  const auto *tensor = std::get_if<TensorParam>(&type);
  const auto *given = std::get_if<PointerParam>(&type);
  int64_t alignment = tensor ? tensor->alignment : given ? given->alignment : 1;
  return alignment % kStrideBytes ? 0
                                  : ((*root.distance % kStrideBytes) + kStrideBytes) % kStrideBytes;
}

/// Emits the map of the host, of values of the host; the box and the kinds are those of `fields`.
mlir::Value createMap(Program::Impl &impl, mlir::Value address, ValueRange extents,
                      ValueRange strides, const TensorMapFields &fields) {
  OpBuilder &b = impl.builder;
  return ir::TensorMapOp::create(b, b.getUnknownLoc(), LLVM::LLVMPointerType::get(b.getContext()),
                                 address, extents, strides, fields.box, fields.type,
                                 fields.elementBytes, fields.swizzle);
}

/// Adds a parameter to the kernel for a tensor map of the host.
Pointer parameterOf(Program::Impl &impl, mlir::Value map) {
  gpu::GPUFuncOp function = impl.kernel->function;
  const unsigned index = function.getNumArguments();
  NamedAttribute mark(ir::kTensorMapParameter, UnitAttr::get(impl.context.get()));
  [[maybe_unused]] LogicalResult inserted = function.insertArgument(
      index, map.getType(), DictionaryAttr::get(impl.context.get(), mark), map.getLoc());
  assert(succeeded(inserted));
  impl.kernel->operands.push_back(toHandle(map));
  return Pointer(DType::Uint8, toHandle(function.getArgument(index)), AddressSpace::Generic,
                 kMapAlignment);
}

/// Returns the kernel's parameter for the tensor of `map`, a map of the host, with another box.
Pointer mapWithBox(Program::Impl &impl, ir::TensorMapOp map, ArrayRef<int32_t> box) {
  for (auto [index, operand] : llvm::enumerate(impl.kernel->operands))
    if (auto other = fromHandle(operand).getDefiningOp<ir::TensorMapOp>())
      if (other.getBox() == box && other.getOperands() == map.getOperands() &&
          other.getElementType() == map.getElementType() &&
          other.getElementBytes() == map.getElementBytes() &&
          other.getSwizzle() == map.getSwizzle())
        return Pointer(DType::Uint8, toHandle(impl.kernel->function.getArgument(index)),
                       AddressSpace::Generic, kMapAlignment);
  OpBuilder::InsertionGuard guard(impl.builder);
  impl.builder.restoreInsertionPoint(impl.kernel->hostPoint);
  auto copy = cast<ir::TensorMapOp>(impl.builder.clone(*map));
  copy.setBox(box);
  return parameterOf(impl, copy);
}

class MapBuilder {
public:
  MapBuilder(const CopyOp &op, const Tensor &tensor, const Layout &shared, const Swizzle &swizzle,
             const layout::Tiler &tiler, int multicast, DType type)
      : op(op), tensor(tensor), shared(shared), swizzle(swizzle), tiler(tiler),
        multicast(multicast), type(bitWidth(type) == 4 ? DType::Uint8 : type),
        isPadded(bitWidth(tensor.dtype()) < 8 && type == DType::Int8),
        shape(tensor.layout().shape().leaves()), stride(tensor.layout().stride().leaves()) {}

  TensorCopyParts build() {
    check();
    findDimensions();
    divideSwizzledRow();
    divideLongDimension();
    int64_t values = 1;
    for (const Dimension &dimension : dimensions)
      values *= dimension.box;
    divideBox();
    checkBox();
    const bool isInKernel = currentImpl("a tensor map").kernel.has_value();
    std::optional<Pointer> map = isInKernel ? emitOnHost() : makeTensorMap(fields());
    TensorAtom atom(op, unit() > 1 ? tensor.dtype() : type, static_cast<int>(values),
                    map ? *map : emitTemplate());
    atom.elementsOfUnit = unit();
    atom.swizzle = swizzle;
    for (const Dimension &dimension : dimensions)
      atom.leaves.push_back(dimension.leaves);
    if (!map)
      atom.described = tensor;
    return {atom, coordinates()};
  }

private:
  /// Elements of the tensor in one of the map's.
  int unit() const { return isPadded ? 1 : bitWidth(type) / bitWidth(tensor.dtype()); }
  /// Bits of shared memory that an element takes.
  int sharedBits() const { return isPadded ? 8 : bitWidth(tensor.dtype()); }
  /// The CUtensorMapDataType, or nothing if the elements have none.
  std::optional<int> typeOfMap() const {
    constexpr int kFourBitsPadded = 14, kSixBitsPadded = 15;
    if (isPadded)
      return bitWidth(tensor.dtype()) == 4 ? kFourBitsPadded : kSixBitsPadded;
    return mapType(type);
  }

  void requireFeatures(const Program &program) const {
    constexpr int kPadding = 100;
    program.requireFeature(GpuFeature::Tma, "a tensor map, of " + tensor.str() + ",");
    if (isPadded)
      program.requireCapability(kPadding, "a tensor map that pads " +
                                              std::string(className(tensor.dtype())) + ", of " +
                                              tensor.str() + ",");
  }

  void check() const {
    if (Program *program = Program::current())
      requireFeatures(*program);
    if (tensor.isCoordinates() || !tensor.hasData() || !tensor.composed().isLayout() ||
        (tensor.space() != AddressSpace::Global && tensor.space() != AddressSpace::Generic))
      throw makeError(Diagnostic::TensorMapTensor,
                      {{"tensor", tensor.str()}, {"got", tensor.str()}});
    if (int64_t past = certainMisalignment(currentImpl("a tensor map"), tensor.pointer()))
      throw makeError(Diagnostic::TensorMapAddress,
                      {{"tensor", tensor.str()},
                       {"got", "one that is " + std::to_string(past) + " bytes past it"}});
    if (!isPadded && bitWidth(type) % bitWidth(tensor.dtype()))
      throw makeError(Diagnostic::TensorMapInternalType,
                      {{"tensor", tensor.str()},
                       {"bits", std::to_string(bitWidth(tensor.dtype()))},
                       {"got", std::string(className(type))}});
    if (!typeOfMap())
      throw makeError(Diagnostic::TensorMapElementType,
                      {{"tensor", tensor.str()}, {"got", std::string(className(type))}});
    if (isPadded && (op.kind == CopyKind::TensorStore || op.kind == CopyKind::TensorReduce))
      throw makeError(Diagnostic::TensorMapElementType,
                      {{"tensor", tensor.str()},
                       {"got", std::string(className(tensor.dtype())) +
                                   " in bytes (Int8), which maps only load"}});
    if (!shared.isStatic())
      throw makeError(Diagnostic::TensorMapShared,
                      {{"tensor", tensor.str()}, {"got", shared.str()}});
    bool isSupported = !swizzle || (swizzle.base == 4 && swizzle.shift == 3 && swizzle.bits <= 3);
    if (!isSupported && !isWideSwizzle())
      throw makeError(Diagnostic::TensorMapSwizzle,
                      {{"tensor", tensor.str()}, {"got", swizzle.str()}});
    if (multicast < 1)
      throw makeError(Diagnostic::TensorMapMulticast,
                      {{"tensor", tensor.str()}, {"got", std::to_string(multicast)}});
    checkKind();
  }

  void checkKind() const {
    const BulkCopy *copy = BulkCopy::find(op.kind);
    const std::string name = copy ? copy->name : "another copy";
    if (!copy || !copy->row.copiesBoxes)
      throw makeError(
          Diagnostic::AtomUse,
          {{"expected", "a TMA load, store or reduction for a tensor map"}, {"got", name}});
    if (multicast > 1 && !copy->row.hasBarrier)
      throw makeError(Diagnostic::AtomUse, {{"expected", "a tile of one block for " + name},
                                            {"got", std::to_string(multicast) + " blocks"}});
  }

  /// The tile of a tiler that is a layout of coordinates; nothing for other tilers. Its last modes
  /// may be modes of the tensor that are not tiled: the tile is what fills shared memory.
  std::optional<layout::Tiler> tileOfCoordinates() const {
    if (tiler.isTuple() || tiler.isOpen() || !layout::yieldsCoordinates(tiler.layout()))
      return std::nullopt;
    std::vector<Layout> tile;
    int64_t elements = 1;
    for (const Layout &mode : modesOf(tiler.layout())) {
      layout::Int extent = layout::size(mode, arithmetic());
      if (!extent.isStatic() || elements == layout::size(shared).value())
        break;
      elements *= extent.value();
      tile.push_back(mode);
    }
    return layout::Tiler(layout::group(tile));
  }

  /// Shared memory in the order of its addresses, as steps along the tensor's leaves.
  Layout walk() const {
    std::vector<Layout> modes;
    int leaf = 0;
    for (const Layout &mode : modesOf(tensor.layout())) {
      std::vector<layout::Int> steps = mode.shape().leaves();
      for (layout::Int &step : steps)
        step = layout::Int::along({leaf++});
      modes.push_back(*Layout::make(mode.shape(), layout::unflatten(steps, mode.shape())));
    }
    layout::Tiler tileModes = tiler;
    if (auto tile = tileOfCoordinates()) {
      tileModes = *tile;
    } else {
      if (!tiler.isTuple())
        tileModes = layout::Tiler(std::vector<layout::Tiler>{tiler});
      size_t tiled = tileModes.modes().size();
      if (tiled > modes.size())
        throw makeError(Diagnostic::TensorMapTile, {{"tensor", tensor.str()},
                                                    {"most", std::to_string(modes.size())},
                                                    {"got", std::to_string(tiled) + " modes"}});
      modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(tiled), modes.end());
    }
    Layout tensorModes = layout::group(modes);
    Layout tile = need(layout::composition(tensorModes, tileModes, arithmetic()),
                       "make_tiled_tma_atom", tensorModes, shared.str());
    layout::Int elements = layout::size(tile, arithmetic());
    if (!elements.is(layout::size(shared).value()))
      throw makeError(
          Diagnostic::TensorMapSharedSize,
          {{"tensor", tensor.str()}, {"elements", elements.str()}, {"got", shared.str()}});
    Layout order = need(layout::rightInverse(shared), "make_tiled_tma_atom", shared, tile.str());
    return layout::coalesce(need(layout::composition(tile, order, arithmetic()),
                                 "make_tiled_tma_atom", tile, order.str()),
                            arithmetic());
  }

  /// Leaves join the first dimension for maps of wider elements than the tensor's, and where each
  /// would be a dimension too many.
  void findDimensions() {
    collectDimensions(/*joins=*/unit() > 1);
    if (dimensions.size() > kMostDimensions && unit() == 1)
      collectDimensions(/*joins=*/true);
    if (dimensions.size() > kMostDimensions)
      throw makeError(Diagnostic::TensorMapDimensions,
                      {{"tensor", tensor.str()}, {"got", std::to_string(dimensions.size())}});
    for (size_t i = 1; i < dimensions.size(); ++i) {
      const layout::Int &step = stride[dimensions[i].leaf()];
      if (step.isStatic() && step.value() * bitWidth(tensor.dtype()) / 8 % kStrideBytes)
        throw makeError(Diagnostic::TensorMapStrides,
                        {{"tensor", tensor.str()}, {"got", step.str() + " elements"}});
    }
  }

  void collectDimensions(bool joins) {
    dimensions.clear();
    Layout order = walk();
    std::vector<layout::Int> extents = order.shape().leaves(), steps = order.stride().leaves();
    std::vector<bool> taken(shape.size());
    for (size_t i = 0; i < extents.size(); ++i) {
      // A box begins at the start of a tile, and continues along a leaf step by step.
      bool single = steps[i].isStep() && steps[i].steps().is(1) && extents[i].isStatic();
      int leaf = single ? steps[i].path().front() : -1;
      if (!single || taken[leaf])
        break;
      taken[leaf] = true;
      if (joins && continues(leaf, extents[i].value())) {
        dimensions.back().leaves.push_back(leaf);
        dimensions.back().box *= extents[i].value();
      } else {
        dimensions.push_back({{leaf}, extents[i].value()});
      }
    }
    bool contiguous = !dimensions.empty() && stride[dimensions.front().leaf()].is(1);
    if (!contiguous)
      throw makeError(Diagnostic::TensorMapContiguous,
                      {{"tensor", tensor.str()}, {"got", shared.str()}});
    for (size_t leaf = 0; leaf < shape.size(); ++leaf)
      if (!taken[leaf] && !shape[leaf].is(1) && !stride[leaf].is(0))
        dimensions.push_back({{static_cast<int>(leaf)}, 1});
  }

  /// True if a leaf is contiguous to the first dimension, and both fit a box.
  bool continues(int leaf, int64_t box) const {
    if (dimensions.size() != 1)
      return false;
    int64_t extent = 1;
    for (int part : dimensions.front().leaves) {
      if (!shape[part].isStatic())
        return false;
      extent *= shape[part].value();
    }
    return dimensions.front().box == extent && stride[leaf].is(extent) &&
           extent * box <= int64_t{kMostInBox} * unit();
  }

  /// Cuts the box to 128 bytes of one row if rows in shared memory are longer than those of the
  /// swizzle. The addresses that boxes go to are multiples of 128 bytes; parts of such a box, which
  /// the blocks of a multicast would load, are not.
  void divideSwizzledRow() {
    constexpr int kWidestSwizzle = 3;
    const int64_t most = int64_t{16} << swizzle.bits;
    const int64_t row = dimensions.front().box * sharedBits() / 8;
    if (multicast > 1 || swizzle.bits != kWidestSwizzle || row <= most || row % most)
      return;
    for (Dimension &dimension : dimensions)
      dimension.box = 1;
    dimensions.front().box = most * 8 / sharedBits();
  }

  /// Cuts the box along the first dimension that has more elements than a box can have.
  void divideLongDimension() {
    for (size_t i = 0; i < dimensions.size() && multicast == 1; ++i) {
      const int64_t most = int64_t{kMostInBox} * (i == 0 ? unit() : 1);
      if (dimensions[i].box <= most)
        continue;
      if (dimensions[i].box % most == 0) {
        dimensions[i].box = most;
        for (Dimension &slower : llvm::drop_begin(dimensions, i + 1))
          slower.box = 1;
      }
      return;
    }
  }

  /// Divides the box among the blocks of a multicast, which each load a part.
  void divideBox() {
    int64_t parts = multicast;
    for (size_t i = dimensions.size(); i-- > 0 && parts > 1;) {
      int64_t &box = dimensions[i].box;
      int64_t left = (parts + box - 1) / box;
      if (box % std::min(parts, box) && joinToFaster(i))
        continue;
      if (box % std::min(parts, box))
        throw makeError(Diagnostic::TensorMapShare, {{"tensor", tensor.str()},
                                                     {"blocks", std::to_string(multicast)},
                                                     {"got", std::to_string(box) + " elements"}});
      box = (box + parts - 1) / parts;
      parts = left;
    }
  }

  /// Joins a dimension to the faster one if the box has all of that and the dimension's elements
  /// follow it. Returns false otherwise.
  bool joinToFaster(size_t i) {
    if (i < 2)
      return false;
    Dimension &faster = dimensions[i - 1];
    layout::Int extent = 1;
    for (int leaf : faster.leaves)
      extent = arithmetic().mul(extent, shape[leaf]);
    if (!extent.is(faster.box) || faster.box * dimensions[i].box > kMostInBox ||
        !(arithmetic().mul(stride[faster.leaf()], extent) == stride[dimensions[i].leaf()]))
      return false;
    llvm::append_range(faster.leaves, dimensions[i].leaves);
    faster.box *= dimensions[i].box;
    dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }

  void checkBox() const {
    for (const Dimension &dimension : dimensions) {
      const int64_t box = dimension.box / (&dimension == &dimensions.front() ? unit() : 1);
      if (box > kMostInBox)
        throw makeError(Diagnostic::TensorMapBox,
                        {{"tensor", tensor.str()}, {"got", std::to_string(box)}});
    }
    int64_t row = dimensions.front().box * sharedBits() / 8;
    constexpr int64_t kPaddedBox = 128;
    if (row % kStrideBytes || (isPadded && row != kPaddedBox))
      throw makeError(Diagnostic::TensorMapRow,
                      {{"tensor", tensor.str()}, {"got", std::to_string(row) + " bytes"}});
    const int64_t most = isWideSwizzle() ? 128 : int64_t{16} << swizzle.bits;
    if (swizzle && row > most)
      throw makeError(Diagnostic::TensorMapSwizzledRow, {{"tensor", tensor.str()},
                                                         {"most", std::to_string(most)},
                                                         {"got", std::to_string(row) + " bytes"}});
  }

  /// True for rows of 128 bytes in units of 32.
  bool isWideSwizzle() const {
    return swizzle.bits == 2 && swizzle.base == 5 && swizzle.shift == 2;
  }

  int swizzleOfMap() const { return isWideSwizzle() ? 4 : swizzle.bits; }

  TensorMapFields fields() const {
    TensorMapFields fields{tensor.pointer(), {}, {}, {}, *typeOfMap(), bitWidth(type) / 8,
                           swizzleOfMap()};
    for (const Dimension &dimension : dimensions) {
      const int elements = &dimension == &dimensions.front() ? unit() : 1;
      layout::Int extent = 1;
      for (int leaf : dimension.leaves)
        extent = arithmetic().mul(extent, shape[leaf]);
      fields.extents.push_back(toScalar(arithmetic().floorDiv(extent, elements)));
      fields.box.push_back(static_cast<int32_t>(dimension.box / elements));
    }
    for (size_t i = 1; i < dimensions.size(); ++i) {
      Scalar elements = cast(materialize(toScalar(stride[dimensions[i].leaf()])), DType::Int64);
      const int bits = bitWidth(tensor.dtype());
      fields.strides.push_back(bits < 8 ? elements * Scalar(bits) >> Scalar(3)
                                        : elements * Scalar(bits / 8));
    }
    return fields;
  }

  /// Has the host make the map of a kernel's tensor, whose fields come from the kernel's arguments
  /// alone. Returns nothing for other tensors.
  std::optional<Pointer> emitOnHost() const {
    Program::Impl &impl = currentImpl("a tensor map");
    const TensorMapFields inKernel = fields();
    HostValues host(impl);
    mlir::Value address = host.of(known(impl, inKernel.address.handle()));
    SmallVector<mlir::Value> extents, strides;
    for (const Scalar &extent : inKernel.extents)
      extents.push_back(host.of(emitIndex(impl, extent)));
    for (const Scalar &stride : inKernel.strides)
      strides.push_back(host.of(emitIndex(impl, stride)));
    if (!address || llvm::is_contained(extents, mlir::Value()) ||
        llvm::is_contained(strides, mlir::Value()))
      return std::nullopt;
    OpBuilder::InsertionGuard guard(impl.builder);
    impl.builder.restoreInsertionPoint(impl.kernel->hostPoint);
    return parameterOf(impl, createMap(impl, address, extents, strides, inKernel));
  }

  /// Returns a map with this box that the host makes and the kernel gets as a parameter. Its
  /// address, extents and strides are any that a map may have.
  Pointer emitTemplate() const {
    Program::Impl &impl = currentImpl("a tensor map");
    constexpr int64_t kAddress = int64_t{1} << 32, kAlignment = 32;
    OpBuilder &b = impl.builder;
    Location loc = b.getUnknownLoc();
    OpBuilder::InsertionGuard inKernel(b);
    b.restoreInsertionPoint(impl.kernel->hostPoint);
    auto number = [&](int64_t value) -> mlir::Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    SmallVector<mlir::Value> extents, strides;
    std::vector<int32_t> box;
    int64_t bytes =
        llvm::alignTo(dimensions.front().box * bitWidth(tensor.dtype()) / 8, kAlignment);
    for (const Dimension &dimension : dimensions) {
      if (&dimension != &dimensions.front()) {
        strides.push_back(number(bytes));
        bytes *= dimension.box;
      }
      const int64_t elements = &dimension == &dimensions.front() ? unit() : 1;
      box.push_back(static_cast<int32_t>(dimension.box / elements));
      extents.push_back(number(box.back()));
    }
    mlir::Value address = LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), number(kAddress));
    TensorMapFields fields{tensor.pointer(), {}, {}, box, *typeOfMap(), bitWidth(type) / 8,
                           swizzleOfMap()};
    return parameterOf(impl, createMap(impl, address, extents, strides, fields));
  }

  Tensor coordinates() const {
    std::vector<layout::Int> steps(shape.size(), layout::Int(0));
    for (size_t i = 0; i < dimensions.size(); ++i) {
      layout::Int extent = 1;
      for (int leaf : dimensions[i].leaves) {
        steps[leaf] = layout::Int::along({static_cast<int>(i)}, extent);
        extent = arithmetic().mul(extent, shape[leaf]);
      }
    }
    Layout layout =
        *Layout::make(tensor.layout().shape(), layout::unflatten(steps, tensor.layout().stride()));
    std::vector<layout::IntTuple> origin(dimensions.size(), layout::IntTuple(0));
    return Tensor(layout::IntTuple(std::move(origin)), layout);
  }

  const CopyOp &op;
  const Tensor &tensor;
  const Layout &shared;
  const Swizzle &swizzle;
  const layout::Tiler &tiler;
  int multicast;
  DType type;
  /// True for elements of 4 or 6 bits if 16 elements take 16 bytes of shared memory.
  bool isPadded;
  std::vector<layout::Int> shape, stride; ///< of the leaves
  std::vector<Dimension> dimensions;
};

} // namespace

Pointer makeTensorMap(const TensorMapFields &fields, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("a tensor map");
  if (impl.kernel)
    throw makeError(Diagnostic::TensorMapInKernel);
  Program::current()->requireFeature(GpuFeature::Tma, "a tensor map");
  auto indices = [&](const Scalars &numbers) {
    SmallVector<mlir::Value> values;
    for (const Scalar &number : numbers)
      values.push_back(emitIndex(impl, number));
    return values;
  };
  mlir::Value address = known(impl, fields.address.handle());
  SmallVector<mlir::Value> extents = indices(fields.extents), strides = indices(fields.strides);
  mlir::Value map = createMap(impl, address, extents, strides, fields);
  return Pointer(DType::Uint8, toHandle(map), AddressSpace::Generic, kMapAlignment);
}

std::optional<TensorAtom> shareTile(const TensorAtom &atom, const CopyOp &op, int blocks,
                                    SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("a tensor map");
  mlir::Value wholeTileMap = known(impl, atom.map.handle());
  mlir::Value onHost = HostValues(impl).of(wholeTileMap);
  auto map = onHost ? onHost.getDefiningOp<ir::TensorMapOp>() : ir::TensorMapOp();
  if (!map)
    return std::nullopt;
  // The slowest dimensions are divided first, as those of an atom that is made for several blocks.
  SmallVector<int32_t> box(map.getBox());
  int32_t parts = blocks;
  for (int32_t &extent : llvm::reverse(box)) {
    const int32_t divisor = std::min(parts, extent);
    if (extent % divisor || parts % divisor)
      return std::nullopt;
    extent /= divisor;
    parts /= divisor;
  }
  TensorAtom result(op, atom.type(), atom.sourceValues(), mapWithBox(impl, map, box));
  // Prefetches are meant for the map of the copies.
  wholeTileMap.replaceUsesWithIf(fromHandle(result.map.handle()), [](OpOperand &use) {
    return isa<ir::MapPrefetchOp>(use.getOwner());
  });
  result.leaves = atom.leaves;
  result.elementsOfUnit = atom.elementsOfUnit;
  result.swizzle = atom.swizzle;
  return result;
}

TensorCopyParts makeTensorAtom(const CopyOp &op, const Tensor &tensor, const Layout &shared,
                               const Swizzle &swizzle, const layout::Tiler &tiler, int multicast,
                               std::optional<DType> internal, SourceLoc at) {
  AtSourceLoc placed(at);

  return MapBuilder(op, tensor, shared, swizzle, tiler, multicast,
                    internal.value_or(tensor.dtype()))
      .build();
}

} // namespace fairlead::dsl
