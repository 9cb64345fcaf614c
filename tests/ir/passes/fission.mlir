// A block function with a loop over threads between its barriers is added for a kernel whose threads reach all barriers together;
// values that threads keep over a barrier are in an array. None is added for a kernel whose threads may not come together.
// RUN: fairlead-opt %s --fairlead-fission | FileCheck %s

// CHECK: gpu.func @apart
// CHECK: llvm.func internal @together(
// CHECK: %[[KEPT:.*]] = llvm.alloca %c64_i32 x i32
// CHECK: scf.for
// CHECK: %[[LOADED:.*]] = llvm.load
// CHECK: llvm.store %[[LOADED]]
// CHECK: scf.for
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
// CHECK-NOT: llvm.func internal @apart(
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @together(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i64
      %p = llvm.getelementptr %out[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %y = llvm.load %p : !llvm.ptr -> i32
      nvvm.barrier
      llvm.store %y, %out : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @apart(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = llvm.load %out : !llvm.ptr -> i1
      scf.if %c {
        nvvm.barrier
      }
      gpu.return
    }
  }
}
