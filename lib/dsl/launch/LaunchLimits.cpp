#include "dsl/launch/LaunchLimits.h"

#include "dsl/verify/PairCheck.h"

namespace fairlead::dsl {
namespace {

using Extents = std::array<std::optional<int64_t>, 3>;

/// Returns the constant extents; extents that the caller left out are 1.
Extents knownOf(const std::array<Scalar, 3> &extents) {
  Extents result;
  for (int d = 0; d < 3; ++d)
    result[d] = extents[d].defined() ? extents[d].staticInt() : 1;
  return result;
}

/// "(2, ?, 1)"
std::string textOf(const Extents &extents) {
  std::string text;
  for (const auto &extent : extents)
    text += (text.empty() ? "(" : ", ") + (extent ? std::to_string(*extent) : "?");
  return text + ")";
}

} // namespace

void requireSharedCapacity(const Program::Impl &impl, int64_t bytes, const std::string &asker) {
  for (const Target &target : impl.targets)
    if (int64_t most = target.sharedBytes(); most && bytes > most)
      throw makeError(Diagnostic::SharedSize,
                      {{"expected", std::to_string(most)},
                       {"got", std::to_string(bytes) + " on " + target.str() + asker}});
}

void requireCluster(const std::array<Scalar, 3> &cluster, const std::array<Scalar, 3> &grid,
                    const std::string &kernel) {
  // Every GPU with clusters has them of 8 blocks, some of 16.
  constexpr int64_t kMostBlocks = 16;
  Extents blocks = knownOf(cluster), whole = knownOf(grid);
  auto reject = [&](const std::string &expected) {
    throw makeError(Diagnostic::LaunchCluster,
                    {{"kernel", kernel}, {"expected", expected}, {"cluster", textOf(blocks)}});
  };
  int64_t count = 1;
  for (const auto &extent : blocks) {
    if (extent && *extent < 0)
      reject("extents of 1 or more");
    // 0 is no cluster, as at launches.
    count = std::min(count * std::clamp<int64_t>(extent.value_or(1), 1, kMostBlocks + 1),
                     kMostBlocks + 1);
  }
  if (count > 1)
    Program::current()->requireFeature(GpuFeature::Clusters,
                                       "the cluster " + textOf(blocks) + " of `" + kernel + "`");
  if (count > kMostBlocks)
    reject("at most " + std::to_string(kMostBlocks) + " blocks");
  for (int d = 0; d < 3; ++d)
    if (blocks[d] && whole[d] && *blocks[d] > 1 && *whole[d] % *blocks[d])
      reject("extents that divide those of the grid, " + textOf(whole));
}

void requirePairs(const Program::Impl &impl, const std::string &kernel,
                  const std::array<Scalar, 3> &cluster) {
  checkPairs(mlir::gpu::GPUModuleOp(impl.device).lookupSymbol<mlir::gpu::GPUFuncOp>(kernel),
             knownOf(cluster));
}

} // namespace fairlead::dsl
