// A loop with one barrier in the middle begins its rounds at the barrier: the first half of the first round stands before it, the
// second half of the last one behind it. A loop with two barriers, and one with no work before its barrier, stay.
// RUN: fairlead-opt %s --fairlead-rotate-barrier-loops | FileCheck %s

// CHECK-LABEL: gpu.func @rotated
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[N:.*]] : i32
// CHECK: scf.if %[[SOME]]
// CHECK: %[[LAST:.*]] = arith.subi %[[N]]
// CHECK: llvm.store %[[ZERO]], %[[TILE:.*]] : i32, !llvm.ptr<3>
// CHECK-NEXT: scf.for %[[I:.*]] = %[[ZERO]] to %[[LAST]]
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: llvm.load %[[TILE]]
// CHECK-NEXT: llvm.store
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK-NEXT: llvm.store %[[NEXT]], %[[TILE]] : i32, !llvm.ptr<3>
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: llvm.load %[[TILE]]
// CHECK-LABEL: gpu.func @two_barriers
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NEXT: llvm.store
// CHECK-NEXT: nvvm.barrier
// CHECK-LABEL: gpu.func @no_work_before
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NEXT: nvvm.barrier
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @rotated(%tile: !llvm.ptr<3>, %out: !llvm.ptr, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %n step %one : i32 {
        llvm.store %i, %tile : i32, !llvm.ptr<3>
        nvvm.barrier
        %x = llvm.load %tile : !llvm.ptr<3> -> i32
        llvm.store %x, %out : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @two_barriers(%tile: !llvm.ptr<3>, %out: !llvm.ptr, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %n step %one : i32 {
        llvm.store %i, %tile : i32, !llvm.ptr<3>
        nvvm.barrier
        %x = llvm.load %tile : !llvm.ptr<3> -> i32
        llvm.store %x, %out : i32, !llvm.ptr
        nvvm.barrier
      }
      gpu.return
    }
    gpu.func @no_work_before(%tile: !llvm.ptr<3>, %out: !llvm.ptr, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %n step %one : i32 {
        nvvm.barrier
        %x = llvm.load %tile : !llvm.ptr<3> -> i32
        llvm.store %x, %out : i32, !llvm.ptr
      }
      gpu.return
    }
  }
}
