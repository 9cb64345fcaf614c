// exp, exp2, log and log2 of Float32 that may be approximated are instructions. Those of other types, without the flag, and other
// functions stay.
// RUN: fairlead-opt %s --fairlead-fast-math | FileCheck %s

// CHECK: gpu.func @kernel(%[[X:.*]]: f32,
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[X]])
// CHECK: %[[E:.*]] = llvm.mlir.constant(1.442695{{.*}})
// CHECK: %[[SCALED:.*]] = llvm.fmul %[[X]], %[[E]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[SCALED]])
// CHECK: %[[LOG:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
// CHECK: llvm.fmul %[[LOG]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
// CHECK: math.exp %[[X]] : f32
// CHECK: math.exp %{{.*}} fastmath<afn> : f64
// CHECK: math.sin %[[X]] fastmath<afn> : f32
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: f32, %y: f64, %out: !llvm.ptr) kernel {
      %0 = math.exp2 %x fastmath<afn> : f32
      %1 = math.exp %x fastmath<fast> : f32
      %2 = math.log %x fastmath<afn> : f32
      %3 = math.log2 %x fastmath<afn> : f32
      %4 = math.exp %x : f32
      %5 = math.exp %y fastmath<afn> : f64
      %6 = math.sin %x fastmath<afn> : f32
      llvm.store %0, %out : f32, !llvm.ptr
      llvm.store %1, %out : f32, !llvm.ptr
      llvm.store %2, %out : f32, !llvm.ptr
      llvm.store %3, %out : f32, !llvm.ptr
      llvm.store %4, %out : f32, !llvm.ptr
      llvm.store %5, %out : f64, !llvm.ptr
      llvm.store %6, %out : f32, !llvm.ptr
      gpu.return
    }
  }
}
