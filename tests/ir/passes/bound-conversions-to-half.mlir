// Integers of more than 16 bits are bounded before they become halves. Those of 16 bits, and those that become floats, are not.
// RUN: fairlead-opt %s --fairlead-bound-conversions-to-half | FileCheck %s

// CHECK-LABEL: llvm.func @conversions
// CHECK: %[[MOST:.*]] = llvm.mlir.constant(65535 : i32)
// CHECK: %[[BELOW:.*]] = llvm.intr.smin(%arg0, %[[MOST]])
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(-65535 : i32)
// CHECK: %[[BOUND:.*]] = llvm.intr.smax(%[[BELOW]], %[[LEAST]])
// CHECK: llvm.sitofp %[[BOUND]] : i32 to f16
// CHECK: %[[BOUND:.*]] = llvm.intr.umin(%arg1, %{{.*}}) : (vector<2xi64>, vector<2xi64>) -> vector<2xi64>
// CHECK: llvm.uitofp %[[BOUND]] : vector<2xi64> to vector<2xf16>
// CHECK-NOT: llvm.intr
// CHECK: llvm.sitofp %arg2 : i16 to f16
// CHECK: llvm.sitofp %arg0 : i32 to f32
llvm.func @conversions(%i: i32, %v: vector<2xi64>, %s: i16, %out: !llvm.ptr) {
  %0 = llvm.sitofp %i : i32 to f16
  %1 = llvm.uitofp %v : vector<2xi64> to vector<2xf16>
  %2 = llvm.sitofp %s : i16 to f16
  %3 = llvm.sitofp %i : i32 to f32
  llvm.store %0, %out : f16, !llvm.ptr
  llvm.store %1, %out : vector<2xf16>, !llvm.ptr
  llvm.store %2, %out : f16, !llvm.ptr
  llvm.store %3, %out : f32, !llvm.ptr
  llvm.return
}
