// A function of one thread, which waits at barriers, and a block function that has the runtime run such threads are added. The
// kernel itself stays. The address of another lane's row of a matrix takes one shuffle.
// RUN: fairlead-opt %s --fairlead-thread-functions | FileCheck %s

// CHECK: gpu.func @kernel
// CHECK: nvvm.barrier
// CHECK: llvm.func internal @kernel_thread(
// CHECK-SAME: passthrough = ["fairlead-thread"]
// CHECK: llvm.store %arg5, %{{.*}} : i32, !llvm.ptr
// CHECK: llvm.call @fairlead_wait(%arg9,
// CHECK: llvm.func internal @kernel(
// CHECK: %[[THREAD:.*]] = llvm.mlir.addressof @kernel_thread
// CHECK: llvm.call @FairleadCpuRunThreads_2({{.*}}, %[[THREAD]])
// CHECK-LABEL: llvm.func internal @load_thread(
// CHECK: llvm.ptrtoint %arg8
// CHECK-COUNT-2: llvm.call @fairlead_wait(
// CHECK-NOT: llvm.call @fairlead_wait(
// CHECK: llvm.return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%out: !llvm.ptr) kernel {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      llvm.store %t, %out : i32, !llvm.ptr
      nvvm.barrier
      gpu.return
    }
    gpu.func @load(%row: i64, %out: !llvm.ptr) kernel {
      %m:2 = fairlead.load_matrix %row : i32, i32
      llvm.store %m#1, %out : i32, !llvm.ptr
      gpu.return
    }
  }
}
