// ptxas obeys changes of the number of registers if it knows how many blocks share a multiprocessor. Blackwell's blocks
// of up to nine warps need no change, unless they say how many they are.
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefixes=PTX,HOPPER
// RUN: fairlead-lower %s --target=cuda:sm_120a --print=ptx | FileCheck %s --check-prefixes=PTX,BLACKWELL

module attributes {gpu.container_module} {
  gpu.module @device {
    // PTX-LABEL: .entry small(
    // PTX: .reqntid 288
    // HOPPER: .minnctapersm 1
    // BLACKWELL-NOT: .minnctapersm
    // PTX: setmaxnreg.inc.sync.aligned.u32 232;
    gpu.func @small() kernel attributes {known_block_size = array<i32: 288, 1, 1>} {
      nvvm.setmaxregister increase 232
      gpu.return
    }
    // PTX-LABEL: .entry large(
    // PTX: .minnctapersm 1
    gpu.func @large() kernel attributes {known_block_size = array<i32: 128, 3, 1>} {
      nvvm.setmaxregister increase 232
      gpu.return
    }
    // PTX-LABEL: .entry of_two_blocks(
    // PTX: .minnctapersm 2
    gpu.func @of_two_blocks() kernel attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32} {
      nvvm.setmaxregister increase 232
      gpu.return
    }
    // PTX-LABEL: .entry of_any_size(
    // PTX: .minnctapersm 1
    gpu.func @of_any_size() kernel {
      nvvm.setmaxregister increase 232
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
