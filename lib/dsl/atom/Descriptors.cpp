/// Descriptors of MMA operands in shared memory.
#include "dsl/atom/MmaInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/atom/TensorMemory.h"
#include "fairlead/dsl/atom/TiledMma.h"
#include "ir/Ops.h"

namespace fairlead::dsl {
namespace {

/// Bits of a unit: descriptors count in them.
constexpr int kUnitBits = 128;

/// A swizzle of addresses as descriptors encode it: its number, the units of its rows, and the rows
/// that it repeats after.
struct RowSwizzle {
  int bits, base, shift;
  int64_t number, units;
  int64_t rows = 8;
};
constexpr RowSwizzle kRowSwizzles[] = {
    {0, 4, 3, 0, 1}, {1, 4, 3, 3, 2}, {2, 4, 3, 2, 4}, {3, 4, 3, 1, 8}};
/// The swizzle of elements of 32 bits with K slowest, for tcgen05.mma.
constexpr RowSwizzle kWideSwizzle{2, 5, 2, 1, 8, 4};

/// The distances in a descriptor, in units; the rest is the operand's start.
struct Distances {
  int64_t leading = 1, stride = 0;
};

/// True if the tensor is in shared memory whose addresses alone may be swizzled.
bool isPlainShared(const Tensor &part) {
  return !part.isCoordinates() && part.space() == AddressSpace::Shared &&
         part.composed().isLayout();
}

class DescriptorBuilder {
public:
  /// `operation` and `user` name what asks for the descriptor, and its instruction, in errors.
  struct Use {
    std::string operation, user;
    bool transposed = false;
    int64_t highBits = 0;        ///< of all descriptors of the instruction
    std::optional<Pointer> next; ///< where rows go on
  };
  DescriptorBuilder(Use use, const Tensor &part)
      : use(std::move(use)), part(part), transposed(this->use.transposed) {}

  Tensor build() {
    const Pointer &pointer = part.pointer();
    const RowSwizzle &swizzle = rowSwizzle(pointer.swizzle());
    layout::Layout units = inUnits(part.layout(), bitWidth(part.dtype()));
    Distances distances = transposed ? ofColumns(*layout::get(units, {0}), swizzle)
                                     : ofRows(*layout::get(units, {0}), swizzle);
    // Low word: the start address and the leading distance; high word: the stride distance and the
    // swizzle.
    requireDescriptorWindow();
    constexpr int64_t kIsAddress = 1 << 20; // in place of the leading distance
    Scalar leading(distances.leading << 16);
    if (use.next)
      leading = unitOf(*use.next) << Scalar(16);
    Scalar low = unitOf(Pointer(part)) | leading;
    layout::Int high(distances.stride | use.highBits | (use.next ? kIsAddress : 0) |
                     numberOf(swizzle));
    // Steps of units are added to the low word.
    std::vector<layout::Layout> modes{*layout::Layout::make(1, 0)};
    for (int mode = 1; mode < layout::rank(units); ++mode)
      modes.push_back(*layout::get(units, {mode}));
    return Tensor(layout::tuple(toInt(low), high), layout::group(modes));
  }

private:
  [[noreturn]] void reject() const {
    throw makeError(Diagnostic::LayoutOperation,
                    {{"operation", use.operation},
                     {"layout", part.str()},
                     {"other", std::string(transposed ? "an MN-major" : "a K-major") +
                                   " operand of " + use.user}});
  }

  /// The place of an address in shared memory, in units.
  static Scalar unitOf(const Pointer &pointer) {
    return (cast(pointer.toInt(), DType::Int32) >> Scalar(4)) & Scalar(0x3fff);
  }

  const RowSwizzle &rowSwizzle(const Swizzle &swizzle) const {
    auto fits = [&](const RowSwizzle &row) {
      return row.bits == swizzle.bits &&
             (!row.bits || (swizzle.base == row.base && swizzle.shift == row.shift));
    };
    if (needsWideSwizzle() && fits(kWideSwizzle))
      return kWideSwizzle;
    for (const RowSwizzle &row : kRowSwizzles)
      if (!needsWideSwizzle() && fits(row))
        return row;
    reject();
  }
  /// True for the only operands that have it.
  bool needsWideSwizzle() const { return transposed && bitWidth(part.dtype()) == 32; }
  /// Return the swizzle's bits in the high word.
  static int64_t numberOf(const RowSwizzle &swizzle) {
    constexpr int64_t kWide = 1;
    return &swizzle == &kWideSwizzle ? kWide << 29 : swizzle.number << 30;
  }

  layout::Layout inUnits(const layout::Layout &layout, int bits) const {
    auto units = layout::recast(layout, kUnitBits, bits, arithmetic());
    if (!units || !layout::get(*units, {0})->isStatic())
      reject();
    return *units;
  }

  static int64_t at(const layout::Layout &layout, int64_t row, int64_t column) {
    return layout::crd2idx(layout::tuple(row, column), layout)->value();
  }
  static int64_t extent(const layout::Layout &layout, int mode) {
    return layout::size(*layout::get(layout, {mode})).value();
  }

  /// K fastest: rows of units along K, in groups of 8.
  Distances ofRows(const layout::Layout &tile, const RowSwizzle &swizzle) const {
    int64_t rows = extent(tile, 0), columns = extent(tile, 1);
    Distances distances;
    distances.stride = rows > 8 ? at(tile, 8, 0) : 0;
    int64_t step = columns > 1 ? at(tile, 0, 1) : 1;
    if (swizzle.bits == 0)
      distances.leading = step;
    else if (step != 1)
      reject();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        if (at(tile, row, column) !=
            row % 8 * swizzle.units + row / 8 * distances.stride + column * step)
          reject();
    return distances;
  }

  /// M or N fastest: units along it, for each of K, in groups of 8 or 4 of these.
  Distances ofColumns(const layout::Layout &tile, const RowSwizzle &swizzle) const {
    int64_t across = extent(tile, 0), depth = extent(tile, 1), width = swizzle.units;
    int64_t chunk = across > width ? at(tile, width, 0) : 0;
    const int64_t rows = swizzle.rows;
    int64_t group = depth > rows ? at(tile, 0, rows) : 0;
    for (int64_t unit = 0; unit < across; ++unit)
      for (int64_t k = 0; k < depth; ++k)
        if (at(tile, unit, k) !=
            unit % width + unit / width * chunk + k % rows * width + k / rows * group)
          reject();
    return swizzle.bits == 0 ? Distances{group, chunk} : Distances{chunk, group};
  }

  const Use use;
  const Tensor &part;
  bool transposed;
};

/// The rows that a block's shared memory has of operand A or B of one product of blocks; 0 for
/// products of threads.
int64_t rowsOfBlock(const MmaAtom &atom, MmaOperand operand) {
  if (atom.memoryOf(MmaOperand::C) != MmaMemory::Tensor)
    return 0;
  return atom.shape[operand == MmaOperand::A ? 0 : 1] / layout::size(atom.threads).value();
}
/// True if memory of a type may hold elements of an operand. Integers may be bits of any type.
bool holds(DType memory, DType element) {
  if (!isFloat(memory))
    return true;
  return memory == element || (bitWidth(memory) == 32 && bitWidth(element) == 32);
}

/// The rows of a partition ((rows, K), ...) in shared memory, if they are known.
std::optional<int64_t> rowsOf(const Tensor &partition) {
  const auto first = layout::get(partition.layout(), {0, 0});
  const layout::Int rows = first ? layout::size(*first) : layout::Int(0);
  return first && rows.isStatic() ? std::optional(rows.value()) : std::nullopt;
}

} // namespace

Tensor operandFragment(const MmaAtom &atom, MmaOperand operand, const Tensor &partition,
                       SourceLoc at) {
  AtSourceLoc placed(at);
  if (atom.memoryOf(operand) == MmaMemory::Registers)
    return fragmentLike(partition, operand == MmaOperand::A ? atom.a : atom.b);
  if (atom.memoryOf(operand) == MmaMemory::Tensor)
    return fragmentOfShape(atom, operand, partition.layout().shape());
  const bool isA = operand == MmaOperand::A;
  auto require = [&](bool fits, const std::string &memory) {
    if (!fits)
      throw makeError(Diagnostic::MmaOperandMemory, {{"memory", memory},
                                                     {"operand", isA ? "A" : "B"},
                                                     {"atom", atom.name},
                                                     {"got", partition.str()}});
  };
  require(isPlainShared(partition) &&
              bitWidth(partition.dtype()) == atom.instruction->elementBits(atom, operand) &&
              holds(partition.dtype(), isA ? atom.a : atom.b),
          "shared memory of " + std::string(className(isA ? atom.a : atom.b)) +
              ", swizzled by its addresses,");
  const int64_t rows = rowsOfBlock(atom, operand);
  require(rowsOf(partition).value_or(rows) >= rows,
          "shared memory of " + std::to_string(rows) + " rows");
  return DescriptorBuilder({isA ? "make_fragment_A" : "make_fragment_B",
                            "the MMA atom " + atom.name, atom.instruction->isTransposed(operand),
                            atom.instruction->descriptorBits(), std::nullopt},
                           partition)
      .build();
}

Tensor operandDescriptor(const Tensor &part, bool transposed, const std::optional<Pointer> &next,
                         SourceLoc at) {
  AtSourceLoc placed(at);
  const std::string name = "make_umma_smem_desc";
  if (!isPlainShared(part) || (next && next->space() != AddressSpace::Shared))
    throw makeError(Diagnostic::CopyMemory,
                    {{"memory", "shared memory, swizzled by its addresses,"},
                     {"side", next && isPlainShared(part) ? "the next source" : "the source"},
                     {"atom", name},
                     {"got", next && isPlainShared(part) ? next->str() : part.str()}});
  // All of it is one operand, (rows, K).
  const layout::Layout &layout = part.layout();
  const Tensor operand =
      part.withLayout(layout::rank(layout) == 1 ? layout : layout::group({layout}));
  if (layout::rank(*layout::get(operand.layout(), {0})) != 2)
    throw makeError(Diagnostic::LayoutOperation,
                    {{"operation", name}, {"layout", part.str()}, {"other", "(rows, K)"}});
  return DescriptorBuilder({name, instructionName<ir::TensorMemoryMmaOp>(), transposed,
                            kTensorDescriptorVersion, next},
                           operand)
      .build();
}

} // namespace fairlead::dsl
