// An assertion of a host function raises an error by the runtime, one of a block function tells it the block. Those of kernels
// for GPUs stay.
// RUN: fairlead-opt %s --fairlead-assert-calls | FileCheck %s

// CHECK-DAG: llvm.mlir.global private constant @assertion_0("positive (k.py:5)\00")
// CHECK-DAG: llvm.mlir.global private constant @assertion_kind("AssertionError\00")
// CHECK-DAG: llvm.mlir.global private constant @assertion_1("an assertion failed ({{.*}})\00")
// CHECK: gpu.func @kernel
// CHECK-NEXT: cf.assert
// CHECK-LABEL: func.func @host
// CHECK: %[[WRONG:.*]] = arith.xori %arg1, %true
// CHECK: scf.if %[[WRONG]] {
// CHECK: llvm.call @FairleadRaise(%arg0,
// CHECK-LABEL: llvm.func internal @block
// CHECK: scf.if
// CHECK: llvm.call @FairleadCpuAssert(%{{.*}}, %arg2, %arg3, %arg4)
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%fine: i1) kernel {
      cf.assert %fine, "on a GPU"
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %fine: i1) {
    cf.assert %fine, "positive" loc("k.py":5:1)
    return
  }
  llvm.func internal @block(%params: !llvm.ptr, %launch: !llvm.ptr, %x: i32, %y: i32, %z: i32, %shared: !llvm.ptr) {
    %fine = llvm.load %params : !llvm.ptr -> i1
    cf.assert %fine, ""
    llvm.return
  }
}
