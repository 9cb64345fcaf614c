// A product that no instruction of a warp has is an error that names it.
// RUN: not fairlead-lower %s --target=cuda:sm_90a --print=ptx 2>&1 | FileCheck %s
// RUN: not fairlead-lower %s --target=cpu 2>&1 | FileCheck %s
// CHECK: no MMA instruction m8n8k16.f32.bf16.bf16

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device_product(%to: !llvm.ptr, %a: i32, %c: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %d:2 = fairlead.mma 8 x 8 x 16 f32 = bf16 * bf16(%a, %a, %a, %a, %c, %c) : (i32, i32, i32, i32, f32, f32) -> (f32, f32)
      llvm.store %d#0, %to : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
