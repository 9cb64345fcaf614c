// Kernels of which parts of a warp wait for each other: a function for one thread, and a block function that has the runtime run
// them. Shared memory is a plain pointer there.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @exchange_thread(
// CHECK-SAME: -> !llvm.ptr attributes {passthrough = ["fairlead-thread"]}
// CHECK: llvm.getelementptr %arg8[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.call @fairlead_wait(%arg9, %c1_i32,
// CHECK: llvm.call @fairlead_wait(%arg9, %c6_i32, %c255_i32, %arg5, %c9_i32, %c31_i32, %{{.*}})
// CHECK-NOT: nvvm.
// CHECK: llvm.return
// CHECK-LABEL: llvm.func internal @exchange(
// CHECK: %[[FUNCTION:.*]] = llvm.mlir.addressof @exchange_thread
// CHECK: llvm.call @FairleadCpuRunThreads_2({{.*}}, %[[FUNCTION]])
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @exchange(%out: !llvm.ptr) kernel {
      %x = gpu.thread_id x
      %i = arith.index_cast %x : index to i64
      %i32 = arith.index_cast %x : index to i32
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %slot = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %one = arith.constant 1.0 : f32
      llvm.store %one, %slot : f32, !llvm.ptr<3>
      nvvm.barrier
      %some = arith.constant 255 : i32
      %c31 = arith.constant 31 : i32
      %c9 = arith.constant 9 : i32
      %other = nvvm.shfl.sync bfly %some, %i32, %c9, %c31 : i32 -> i32
      llvm.store %other, %out : i32, !llvm.ptr
      gpu.return
    }
  }
}
