// A kernel becomes a function that runs a block: without barriers loops over its threads, with barriers that all threads reach
// several loops; if threads reach them under conditions of their own, a function of one thread that the runtime runs. The device
// module is gone; host functions stay.
// RUN: fairlead-opt %s --fairlead-block-functions | FileCheck %s

// CHECK-NOT: gpu.module
// CHECK-LABEL: func.func @host
// CHECK-NEXT: llvm.store %arg1, %arg0
// CHECK-LABEL: llvm.func internal @plain(
// CHECK-SAME: %arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: !llvm.ptr)
// CHECK: ^[[LOOP:bb[0-9]+]](%[[T:.*]]: i32):
// CHECK: llvm.store %[[T]], %{{.*}} {access_groups
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]]
// CHECK: llvm.cond_br %{{.*}}, ^[[LOOP]](%[[NEXT]] : i32)
// CHECK: llvm.return
// CHECK-LABEL: llvm.func internal @together(
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.return
// CHECK-LABEL: llvm.func internal @apart_thread(
// CHECK: llvm.call @fairlead_wait(
// CHECK-LABEL: llvm.func internal @apart(
// CHECK: llvm.mlir.addressof @apart_thread
// CHECK: llvm.call @FairleadCpuRunThreads_2(
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @plain(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      llvm.store %t, %out : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @together(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      llvm.store %t, %out : i32, !llvm.ptr
      nvvm.barrier
      %y = llvm.load %out : !llvm.ptr -> i32
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
  func.func @host(%context: !llvm.ptr, %x: f32) {
    llvm.store %x, %context : f32, !llvm.ptr
    return
  }
}
