#include "fairlead/dsl/atom/MmaAtom.h"

#include "dsl/atom/Need.h"
#include "fairlead/layout/Text.h"

namespace fairlead::dsl {
namespace {

/// Where the values of 32 threads lie: of PTX's mma with these extents and this many bits an
/// element of A and B. C's layout follows from M alone.
struct Fragments {
  int m, k, bits;
  const char *a, *b;
};
constexpr Fragments kFragments[] = {
    {16, 8, 16, "((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)"},
    {16, 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))"},
    {16, 4, 32, "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)"},
    {16, 8, 32, "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)"},
    {16, 16, 8, "((4,8),(4,2)):((64,1),(16,8))", "((4,8),4):((32,1),8)"},
    {16, 32, 8, "((4,8),(4,2,2)):((64,1),(16,8,256))", "((4,8),(4,2)):((32,1),(8,128))"},
    {16, 32, 4, "((4,8),(8,2)):((128,1),(16,8))", "((4,8),8):((64,1),8)"},
    {16, 64, 4, "((4,8),(8,2,2)):((128,1),(16,8,512))", "((4,8),(8,2)):((64,1),(8,256))"},
    {8, 4, 64, "((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)"},
    {16, 4, 64, "((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)"},
    {16, 8, 64, "((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)"},
    {16, 16, 64, "((4,8),(2,4)):((16,1),(8,64))", "((4,8),4):((8,1),32)"}};
constexpr const char *kAccumulator16x8 = "((4,8),(2,2)):((32,1),(16,8))";
constexpr const char *kAccumulator8x8 = "((4,8),2):((16,1),8)";

struct Row {
  int m, n, k;
  DType a, b, c;
  int arch, ptx;
  const char *intrinsic;
};
constexpr Row kRows[] = {
#define FAIRLEAD_MMA(m, n, k, a, b, c, arch, ptx, intrinsic)                                       \
  {m, n, k, DType::a, DType::b, DType::c, arch, ptx, intrinsic},
#include "dsl/atom/Mma.def"
};

std::string shapeName(int m, int n, int k) {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

MmaAtom atomOf(const Row &row) {
  const Fragments *found = nullptr;
  for (const Fragments &fragments : kFragments)
    if (fragments.m == row.m && fragments.k == row.k && fragments.bits == bitWidth(row.a))
      found = &fragments;
  std::string shape = shapeName(row.m, row.n, row.k);
  auto layout = [](const char *text) { return *layout::parseLayout(text); };
  return MmaAtom{shape + "." + elementName(row.c) + "." + elementName(row.a) + "." +
                     elementName(row.b),
                 {row.m, row.n, row.k},
                 row.a,
                 row.b,
                 row.c,
                 layout("32:1"),
                 layout(found->a),
                 layout(found->b),
                 layout(row.m == 16 ? kAccumulator16x8 : kAccumulator8x8),
                 row.arch,
                 row.ptx,
                 "llvm.nvvm.mma." + shape + ".row.col." + row.intrinsic};
}

} // namespace

const std::vector<MmaAtom> &MmaAtom::table() {
  static const auto *table = [] {
    auto *atoms = new std::vector<MmaAtom>;
    for (const Row &row : kRows)
      atoms->push_back(atomOf(row));
    return atoms;
  }();
  return *table;
}

MmaAtom MmaAtom::warp(DType a, DType b, DType accumulator, std::array<int, 3> shape, Place at) {
  AtPlace placed(at);
  std::string known;
  for (const MmaAtom &atom : table()) {
    if (atom.a == a && atom.b == b && atom.c == accumulator && atom.shape == shape)
      return atom;
    if (atom.a == a)
      known += (known.empty() ? "" : ", ") + atom.name;
  }
  rejectUse("one of the MMA instructions for " + std::string(className(a)) + " (" +
                (known.empty() ? "there are none" : known) + ")",
            shapeName(shape[0], shape[1], shape[2]) + "." + elementName(accumulator) + "." +
                elementName(a) + "." + elementName(b));
}

MmaAtom MmaAtom::universal(DType type, Place at) {
  AtPlace placed(at);
  layout::Layout one = *layout::parseLayout("(1,1):(0,0)");
  return MmaAtom{"universal." + elementName(type),
                 {1, 1, 1},
                 type,
                 type,
                 type,
                 *layout::parseLayout("1:0"),
                 one,
                 one,
                 one,
                 0,
                 0,
                 ""};
}

//===--- of a warpgroup ------------------------------------------------------------------------===

namespace {

/// PTX's name of a type, by what an element is.
const char *ptxName(DType type) {
  switch (type) {
  case DType::Float16:
    return "f16";
  case DType::BFloat16:
    return "bf16";
  case DType::TFloat32:
    return "tf32";
  case DType::Float8E4M3FN:
    return "e4m3";
  case DType::Float8E5M2:
    return "e5m2";
  case DType::Int8:
    return "s8";
  case DType::Uint8:
    return "u8";
  case DType::Float32:
    return "f32";
  case DType::Int32:
    return "s32";
  default:
    return nullptr;
  }
}

bool isNarrow(DType type) { return type == DType::Float8E4M3FN || type == DType::Float8E5M2; }
bool isByte(DType type) { return type == DType::Int8 || type == DType::Uint8; }

/// Whether wgmma has the types.
bool areWarpgroupTypes(DType a, DType b, DType c) {
  switch (a) {
  case DType::Float16:
    return b == a && (c == DType::Float16 || c == DType::Float32);
  case DType::BFloat16:
  case DType::TFloat32:
    return b == a && c == DType::Float32;
  default:
    return (isNarrow(a) && isNarrow(b) && (c == DType::Float16 || c == DType::Float32)) ||
           (isByte(a) && isByte(b) && c == DType::Int32);
  }
}

/// Where A's values are in the registers of a warpgroup, by the width of its elements.
const char *warpgroupRegisters(int bits) {
  return bits == 16  ? "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"
         : bits == 8 ? "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"
                     : "((4,8,4),(2,2)):((64,1,16),(8,256))";
}

} // namespace

MmaAtom MmaAtom::ofWarpgroup(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                             const Warpgroup &operands, Place at) {
  AtPlace placed(at);
  auto [m, n, k] = shape;
  std::string given = shapeName(m, n, k) + "." + elementName(accumulator) + "." + elementName(a) +
                      "." + elementName(b);
  if (!areWarpgroupTypes(a, b, accumulator))
    rejectUse("the types of a warpgroup's MMA: Float16 with Float16 or Float32 accumulators, "
              "BFloat16 or TFloat32 with Float32, floats of 8 bits with Float16 or Float32, Int8 "
              "and Uint8 with Int32",
              given);
  const int bits = bitWidth(a), least = 256 / bits;
  bool integers = isByte(a);
  bool hasN = n >= 8 && n <= 256 && n % 8 == 0 && (!integers || n == 8 || n == 24 || n % 16 == 0);
  if (m != 64 || k != least || !hasN)
    rejectUse("(64, N, " + std::to_string(least) + ") as the shape of a warpgroup's MMA of " +
                  std::string(className(a)) + ", N up to 256 in steps of " +
                  (integers ? "16 (or 8 or 24)" : "8"),
              given);
  auto major = [](bool transposed) { return transposed ? "an MN-major " : "a K-major "; };
  const std::string majors =
      given + " of " + major(operands.aTransposed) + "A and " + major(operands.bTransposed) + "B";
  if (bits != 16 && (operands.aTransposed || operands.bTransposed))
    rejectUse("K-major operands for a warpgroup's MMA of elements that are not of 16 bits", majors);
  if (operands.aInRegisters && operands.aTransposed)
    rejectUse("a K-major A in registers for a warpgroup's MMA", majors);
  auto flat = [](int rows, int columns) {
    return *layout::Layout::make(layout::tuple(128, layout::tuple(rows, columns)),
                                 layout::tuple(0, layout::tuple(1, rows)));
  };
  layout::Layout c =
      *layout::Layout::make(layout::tuple(layout::tuple(4, 8, 4), layout::tuple(2, 2, n / 8)),
                            layout::tuple(layout::tuple(128, 1, 16), layout::tuple(64, 8, 512)));
  MmaAtom atom{shapeName(m, n, k) + "." + ptxName(accumulator) + "." + ptxName(a) + "." +
                   ptxName(b),
               shape,
               a,
               b,
               accumulator,
               *layout::parseLayout("128:1"),
               operands.aInRegisters ? *layout::parseLayout(warpgroupRegisters(bits)) : flat(m, k),
               flat(n, k),
               c,
               90,
               80,
               ""};
  atom.warpgroup = operands;
  return atom;
}

} // namespace fairlead::dsl
