// Runs the product of blackwell_gemm.h on the CPU, which executes tensor memory and pairs of
// blocks, with all checks and without, and compiles it for sm_100a.
#include "blackwell_gemm.h"

#include <cstdio>
#include <string>

#include "half_matrix.h"

int main() {
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  blackwell_gemm::Choice pairs;
  pairs.tileN = 64, pairs.stages = 2, pairs.clusters = 2;
  blackwell_gemm::Choice blocks = pairs;
  blocks.blocks = 1, blocks.tiles = 1;
  auto arguments = blackwell_gemm::arguments();
  for (const char *checks : {"all", ""}) {
    options.checks = checks;
    for (const blackwell_gemm::Choice &choice : {pairs, blocks}) {
      auto artifact = fairlead::compileArtifact(blackwell_gemm::gemm(choice), arguments, options);
      tvm::ffi::Function f = fairlead::makeFunction(artifact);
      // A cluster with one tile, whose second pair has no columns; clusters that have several
      // tiles, cut off at both sides.
      if (!multiplies(f, 256, 40, 64) || !multiplies(f, 1100, 72, 168))
        return 1;
    }
    std::printf("all products are right%s\n", *checks ? ", and checks report nothing" : "");
  }

  options.checks = "";
  options.target = fairlead::Target::parse("cuda:sm_100a", "this program");
  std::string ptx = fairlead::compileArtifact(blackwell_gemm::gemm({}), arguments, options)->ptx();
  if (!contains(ptx,
                {"tcgen05.alloc.cta_group::2", "tcgen05.mma.cta_group::2.kind::f16",
                 "tcgen05.commit.cta_group::2", "tcgen05.ld.sync.aligned.32x32b.x32",
                 ".multicast::cluster"},
                "BLACKWELL_GEMM_PTX"))
    return 1;
  std::printf("for sm_100a: multicast, tcgen05 of pairs\n");
  return 0;
}
