// The least or greatest float of a warp, an instruction of GPUs.
// RUN: fairlead-lower %s --target=cuda:sm_100a --print=ptx | FileCheck %s --check-prefix=PTX

// PTX: .version 8.6
// PTX: .entry extremes
// PTX: redux.sync.min.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0xffffffff;
// PTX: redux.sync.max.NaN.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0xffffffff;
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @extremes(%a: !llvm.ptr, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %i = arith.index_cast %x : index to i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %least = fairlead.warp_extreme min %v
      %greatest = fairlead.warp_extreme max %v propagates_nan
      %sum = arith.addf %least, %greatest : f32
      llvm.store %sum, %q : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
