// An assertion of a host function raises an error by the runtime, one of a block function tells it the block. Those of kernels
// for GPUs stay.
// RUN: fairlead-opt %s --fairlead-assert-calls | FileCheck %s

// CHECK: llvm.func @FairleadCpuOutOfBounds(
// CHECK-SAME: memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = readwrite
// CHECK-SAME: passthrough = ["nonlazybind", "cold"]
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

// A guard that warns goes on, with zeros.
// CHECK-LABEL: llvm.func internal @reads
// CHECK: %[[OUTSIDE:.*]] = arith.ori
// CHECK: scf.if %[[OUTSIDE]] {
// CHECK: llvm.call @FairleadCpuWarnOfRead(
// CHECK: }
// CHECK: %[[ZEROS:.*]] = llvm.mlir.addressof @zeros_beyond_tensors
// CHECK: %[[READABLE:.*]] = arith.select %[[OUTSIDE]], %[[ZEROS]], %arg5
// CHECK: llvm.load %[[READABLE]]

// A guard that ends the launch is no exit of loops: LLVM is not told that the call never returns.
// CHECK-LABEL: llvm.func internal @ends
// CHECK: scf.if
// CHECK: llvm.call @FairleadCpuOutOfBounds({{.*}}, %arg2, %arg1, %arg2, %arg3, %arg4)
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
  llvm.mlir.global internal @site("0000place\00") {addr_space = 0 : i32}
  llvm.func internal @reads(%params: !llvm.ptr, %launch: !llvm.ptr, %x: i32, %y: i32, %z: i32, %shared: !llvm.ptr) -> f32 {
    %offset = llvm.load %params : !llvm.ptr -> i64
    %readable = fairlead.guard %offset bytes at %offset in %offset to %offset of %params : !llvm.ptr thread %x site @site reads %shared : !llvm.ptr as !llvm.ptr
    %value = llvm.load %readable : !llvm.ptr -> f32
    llvm.return %value : f32
  }
  llvm.func internal @ends(%params: !llvm.ptr, %launch: !llvm.ptr, %x: i32, %y: i32, %z: i32, %shared: !llvm.ptr) {
    %offset = llvm.load %params : !llvm.ptr -> i64
    fairlead.guard %offset bytes at %offset in %offset to %offset of %params : !llvm.ptr thread %x site @site
    llvm.return
  }
}
