// Which bounds checks become the end of the thread loop, and which stay conditions.

// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// Two conditions, one of them the same for every thread of a row: both decide the loop's end.
// CHECK-LABEL: llvm.func internal @rows
// CHECK: arith.select
// CHECK: arith.minsi
// CHECK-NOT: scf.if
// CHECK: llvm.store
// CHECK: llvm.return

// A guard on the product of the thread index is no bound of it.
// CHECK-LABEL: llvm.func internal @strided
// CHECK-NOT: arith.minsi
// CHECK: scf.if
// CHECK: llvm.return

// Work outside the guard keeps its threads.
// CHECK-LABEL: llvm.func internal @outside
// CHECK: llvm.store
// CHECK: scf.if
// CHECK: llvm.return

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @rows(%a: !llvm.ptr, %n: i32, %m: i32) kernel {
      %tx = gpu.thread_id x
      %x = arith.index_cast %tx : index to i32
      %ty = gpu.thread_id y
      %y = arith.index_cast %ty : index to i32
      %inX = arith.cmpi slt, %x, %n : i32
      %inY = arith.cmpi slt, %y, %m : i32
      %in = arith.andi %inX, %inY : i1
      scf.if %in {
        %p = llvm.getelementptr inbounds %a[%x] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        llvm.store %y, %p : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @strided(%a: !llvm.ptr, %n: i32) kernel {
      %tx = gpu.thread_id x
      %x = arith.index_cast %tx : index to i32
      %two = arith.constant 2 : i32
      %i = arith.muli %x, %two : i32
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        %p = llvm.getelementptr inbounds %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        llvm.store %x, %p : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @outside(%a: !llvm.ptr, %n: i32) kernel {
      %tx = gpu.thread_id x
      %x = arith.index_cast %tx : index to i32
      llvm.store %n, %a : i32, !llvm.ptr
      %in = arith.cmpi slt, %x, %n : i32
      scf.if %in {
        %p = llvm.getelementptr inbounds %a[%x] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        llvm.store %x, %p : i32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32) {
    return
  }
}
