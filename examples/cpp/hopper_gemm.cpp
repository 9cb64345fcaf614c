// Runs the product of hopper_gemm.h on the CPU, where its warps wait for each other as on a GPU and
// its results are checked, and compiles it for sm_90a.
#include "hopper_gemm.h"

#include <cstdio>
#include <string>

#include "half_matrix.h"

int main() {
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  hopper_gemm::Choice small;
  small.tileN = 64, small.stages = 2, small.blocks = 2;
  auto arguments = hopper_gemm::arguments();
  for (const char *checks : {"all", ""}) {
    options.checks = checks;
    auto artifact = fairlead::compileArtifact(hopper_gemm::gemm(small), arguments, options);
    tvm::ffi::Function f = fairlead::makeFunction(artifact);
    if (!multiplies(f, 128, 64, 64) || !multiplies(f, 200, 136, 168))
      return 1;
    std::printf("all products are right%s\n", *checks ? ", and checks report nothing" : "");
  }

  options.checks = "";
  options.target = fairlead::Target::parse("cuda:sm_90a", "this program");
  std::string ptx = fairlead::compileArtifact(hopper_gemm::gemm({}), arguments, options)->ptx();
  if (!contains(ptx,
                {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16",
                 "setmaxnreg.inc.sync.aligned.u32",
                 "cp.async.bulk.tensor.2d.shared::cluster.global", "stmatrix.sync.aligned.m8n8.x4"},
                "HOPPER_GEMM_PTX"))
    return 1;
  std::printf("for sm_90a: TMA, wgmma, stmatrix\n");
  return 0;
}
