// Checks of accesses that are affine in the thread are made once before a loop over threads, which is there twice: without checks
// if all pass, with them otherwise. Accesses at loaded indices are checked one by one.
// RUN: fairlead-opt %s --fairlead-checks-cpu --fairlead-fission | FileCheck %s

// CHECK-LABEL: llvm.func internal @affine(
// CHECK: %[[PASS:.*]] = llvm.call @FairleadCheckSpans(
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: FairleadCheckTensorRange
// CHECK: llvm.store
// CHECK: } else {
// CHECK: scf.for
// CHECK: llvm.call @FairleadCheckTensorRange
// CHECK: llvm.return
// CHECK-LABEL: llvm.func internal @loaded(
// CHECK: llvm.call @FairleadCheckSpans(
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[INDEX:.*]] = llvm.load
// CHECK: %[[ADDRESS:.*]] = llvm.call @FairleadCheckTensorRange(
// CHECK: llvm.store %{{.*}}, %[[ADDRESS]]
// CHECK: } else {
module attributes {gpu.container_module, fairlead.checks = "bounds"} {
  gpu.module @device {
    gpu.func @affine(%a: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %one = arith.constant 1 : i32
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i64
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      llvm.store %one, %p : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @loaded(%a: !llvm.ptr, %b: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %one = arith.constant 1 : i32
      %t = llvm.load %b : !llvm.ptr -> i64
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      llvm.store %one, %p : i32, !llvm.ptr
      gpu.return
    }
  }
}
