#include "ir/InlinePtx.h"

#include <algorithm>

namespace fairlead::ir {
namespace {

/// A part of an instruction that PTX ISA 8.0 lacks.
struct Need {
  llvm::StringLiteral text;
  int version;
};

constexpr Need kNeeds[] = {
    {"st.async", 81},
    {"red.async", 81},
    {"multimem.", 81},
    // Sums of vectors.
    {"add.v", 81},
    {"add.noftz.v", 81},
    {"add.L2::cache_hint.v", 81},
    {"add.noftz.L2::cache_hint.v", 81},
    {"max.noftz.v", 81},
    {"min.noftz.v", 81},
    {".satfinite.f16", 81},
    {".satfinite.bf16", 81},
    {".satfinite.relu", 81},
    {".satfinite.tf32", 81},
    {"%aggr_smem_size", 81},
    {".acc::f", 82},
    {"mmio", 82},
    {"lop3.and.", 82},
    {"lop3.or.", 82},
    {"lop3.xor.", 82},
    {".b128", 83},
    {"tensormap.", 83},
    {"fence.proxy.tensormap", 83},
    {"k32.row.col.f32.e", 84}, // products of floats of 8 bits by a warp
    {"k64.row.col.f32.e", 84},
    {"k32.s32.s8.u8", 84}, // products of integers with and without a sign by a warpgroup
    {"k32.s32.u8.s8", 84},
    {"ordered_metadata", 85},
    {"sync_restrict", 86},
    {"fence.proxy.async::generic", 86},
    {"mbarrier.arrive.relaxed", 86},
    {"mbarrier.arrive.expect_tx.relaxed", 86},
    {"mbarrier.arrive_drop.relaxed", 86},
    {"mbarrier.arrive_drop.expect_tx.relaxed", 86},
    {"wait.relaxed", 86},
    {"wait.parity.relaxed", 86},
    {"clusterlaunchcontrol.", 86},
    {"tcgen05.", 86},
    {"st.bulk", 86},
    {"f32x2", 86},
    {"e2m1", 86},
    {"e2m3", 86},
    {"e3m2", 86},
    {"ue8m0", 86},
    {".e4m3x4", 86},
    {".e5m2x4", 86},
    {"tile::gather4", 86},
    {"tile::scatter4", 86},
    {"shared::cta.global", 86},
    {"mma.sp.cta_group::1.kind::mxf4nvf4", 87},
    {"mma.sp.cta_group::2.kind::mxf4nvf4", 87},
    {"cvt.rs.", 87},
    {"k16.row.col.f32.e", 87},
    {"row.col.f16.e", 87},
    {".v8.b32", 88},
    {".v8.f32", 88},
    {".v4.b64", 88},
    {".v4.f64", 88},
};

} // namespace

int leastPtxOf(llvm::StringRef text) {
  int least = 0;
  for (const Need &need : kNeeds)
    if (text.contains(need.text))
      least = std::max(least, need.version);
  return least;
}

bool mayAccessShared(llvm::StringRef text) { return text.contains("shared"); }

} // namespace fairlead::ir
