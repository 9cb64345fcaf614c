#include "fairlead/dsl/atom/CopyAtom.h"

#include "dsl/atom/Need.h"
#include "fairlead/layout/Text.h"

namespace fairlead::dsl {
namespace {

/// Where the bits of ldmatrix and stmatrix are, by (thread, bit of the thread): each matrix has 8
/// rows of 128 bits, which are one after the other in the message.
struct MatrixBits {
  int matrices;
  const char *memory, *registers, *transposed;
};
constexpr MatrixBits kMatrices[] = {
    {1, "((8,4),128):((128,0),1)", "(32,32):(32,1)", "((4,8),(16,2)):((256,16),(1,128))"},
    {2, "((16,2),128):((128,0),1)", "(32,(32,2)):(32,(1,1024))",
     "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    {4, "(32,128):(128,1)", "(32,(32,4)):(32,(1,1024))",
     "((4,8),(16,2,4)):((256,16),(1,128,1024))"}};

const char *nameOf(CopyKind kind) {
  constexpr const char *kNames[] = {"a copy",       "cp.async",
                                    "ldmatrix",     "stmatrix",
                                    "a TMA load",   "a multicast TMA load",
                                    "a TMA store",  "a TMA reduction",
                                    "a bulk load",  "a multicast bulk load",
                                    "a bulk store", "a bulk copy to another block",
                                    "tcgen05.ld",   "tcgen05.st"};
  return kNames[static_cast<int>(kind)];
}

int valuesOf(const layout::Layout &side) {
  return static_cast<int>(layout::size(*layout::get(side, {1})).value());
}

/// The layout of bits as one of elements.
layout::Layout elementsOf(const char *bits, DType type) {
  layout::Layout layout = *layout::parseLayout(bits);
  return need(layout::recast(layout, bitWidth(type), 1), "make_copy_atom", layout,
              std::string(className(type)));
}

} // namespace

CopyAtom::CopyAtom(const CopyOp &op, DType type, int bits) : op_(op), type_(type), bits_(bits) {
  const int width = type == DType::Boolean ? 8 : bitWidth(type);
  if (op.kind == CopyKind::LoadMatrix || op.kind == CopyKind::StoreMatrix) {
    const MatrixBits *found = nullptr;
    for (const MatrixBits &row : kMatrices)
      if (row.matrices == op.matrices)
        found = &row;
    if (!found)
      rejectUse(std::string("1, 2 or 4 matrices for ") + nameOf(op.kind),
                std::to_string(op.matrices));
    if (width > 32 || (op.transposed && width > 16 && op.kind == CopyKind::LoadMatrix))
      rejectUse(std::string("elements of up to 16 bits for ") + nameOf(op.kind),
                std::string(className(type)));
    threads_ = *layout::parseLayout("32:1");
    layout::Layout memory = elementsOf(found->memory, type);
    // Transposed matrices hold elements of 16 bits; of others only the tiling is asked for.
    bool transposed = op.transposed && width <= 16;
    reference_ = elementsOf(transposed ? found->transposed : found->registers,
                            transposed && width < 16 ? DType::Float16 : type);
    bool loads = op.kind == CopyKind::LoadMatrix;
    source_ = loads ? memory : reference_;
    destination_ = loads ? reference_ : memory;
    return;
  }
  if (op.kind >= CopyKind::TensorMemoryLoad) {
    const int columns = op.matrices;
    if (columns < 1 || columns > 128 || (columns & (columns - 1)))
      rejectUse(std::string("a power of two up to 128 as the columns of ") + nameOf(op.kind),
                std::to_string(columns));
    if (width != 32)
      rejectUse(std::string("elements of 32 bits for ") + nameOf(op.kind),
                std::string(className(type)));
    threads_ = *layout::parseLayout("32:1");
    // Column by column of a lane; the warp gives one address, and a thread gets its own lane.
    reference_ = *layout::Layout::make(layout::tuple(32, layout::tuple(columns, 32)),
                                       layout::tuple(0, layout::tuple(1, columns)));
    layout::Layout registers =
        *layout::Layout::make(layout::tuple(32, columns), layout::tuple(columns, 1));
    bool loads = op.kind == CopyKind::TensorMemoryLoad;
    source_ = loads ? reference_ : registers;
    destination_ = loads ? registers : reference_;
    return;
  }
  int moved = bits ? bits : width;
  if (moved < width || moved % width)
    rejectUse("num_bits_per_copy in multiples of the " + std::to_string(width) + " bits of " +
                  std::string(className(type)),
              std::to_string(bits));
  if (op.prefetched && op.prefetched != 64 && op.prefetched != 128 && op.prefetched != 256)
    rejectUse("0, 64, 128 or 256 bytes of L2 prefetch for cp.async", std::to_string(op.prefetched));
  if (op.kind == CopyKind::AsyncToShared) {
    if (moved != 32 && moved != 64 && moved != 128)
      rejectUse("num_bits_per_copy of 32, 64 or 128 for cp.async", std::to_string(moved));
    if (op.cache == CacheMode::Global && moved != 128)
      rejectUse("num_bits_per_copy of 128 for cp.async through the L2 cache alone",
                std::to_string(moved));
  }
  constexpr int kBulkBits = 128;
  if (op.kind >= CopyKind::BulkLoad && bits && moved % kBulkBits)
    rejectUse(std::string("num_bits_per_copy in multiples of 128 for ") + nameOf(op.kind),
              std::to_string(bits));
  threads_ = *layout::parseLayout("1:0");
  source_ = destination_ = reference_ =
      *layout::Layout::make(layout::tuple(1, moved / width), layout::tuple(0, bits ? 1 : 0));
}

int CopyAtom::numThreads() const { return static_cast<int>(layout::size(threads_).value()); }
int CopyAtom::sourceValues() const { return valuesOf(source_); }
int CopyAtom::destinationValues() const { return valuesOf(destination_); }
int CopyAtom::referenceValues() const { return valuesOf(reference_); }

std::string CopyAtom::str() const {
  std::string options;
  if (op_.kind == CopyKind::LoadMatrix || op_.kind == CopyKind::StoreMatrix)
    options =
        std::string(op_.transposed ? " transposed" : "") + " x" + std::to_string(op_.matrices);
  if (op_.kind >= CopyKind::TensorMemoryLoad)
    options = " 32x32b.x" + std::to_string(op_.matrices);
  return std::string(nameOf(op_.kind)) + options + " of " + std::to_string(sourceValues()) + " " +
         std::string(className(type_));
}

} // namespace fairlead::dsl
