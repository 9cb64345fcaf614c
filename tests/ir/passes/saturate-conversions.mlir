// Conversions of floats to integers give the nearest integer that there is, to narrow ones by way of 16 bits. Conversions back stay.
// RUN: fairlead-opt %s --fairlead-saturate-conversions | FileCheck %s

// CHECK-LABEL: llvm.func @conversions
// CHECK-SAME: (%[[X:.*]]: f32, %[[V:.*]]: vector<4xf32>, %[[H:.*]]: f16, %[[I:.*]]: i32
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%[[X]]) : (f32) -> i32
// CHECK: llvm.call_intrinsic "llvm.fptoui.sat"(%[[V]]) : (vector<4xf32>) -> vector<4xi64>
// CHECK: %[[WIDE:.*]] = llvm.fpext %[[H]] : f16 to f32
// CHECK: %[[BOUND:.*]] = llvm.call_intrinsic "llvm.fptosi.sat"(%[[WIDE]]) : (f32) -> i16
// CHECK: %[[MOST:.*]] = llvm.mlir.constant(127 : i16)
// CHECK: llvm.intr.smin(%[[BOUND]], %[[MOST]])
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(-128 : i16)
// CHECK: %[[CLAMPED:.*]] = llvm.intr.smax(%{{.*}}, %[[LEAST]])
// CHECK: llvm.trunc %[[CLAMPED]] : i16 to i8
// CHECK: llvm.sitofp %[[I]] : i32 to f32
llvm.func @conversions(%x: f32, %v: vector<4xf32>, %h: f16, %i: i32, %out: !llvm.ptr) {
  %0 = llvm.fptosi %x : f32 to i32
  %1 = llvm.fptoui %v : vector<4xf32> to vector<4xi64>
  %2 = llvm.fptosi %h : f16 to i8
  %3 = llvm.sitofp %i : i32 to f32
  llvm.store %0, %out : i32, !llvm.ptr
  llvm.store %1, %out : vector<4xi64>, !llvm.ptr
  llvm.store %2, %out : i8, !llvm.ptr
  llvm.store %3, %out : f32, !llvm.ptr
  llvm.return
}
