// Functions whose result no standard gives to the last bit are calls of our own, for narrow floats in Float32. Square roots and
// arithmetic stay, without permission to approximate. Dot products of pairs are calls, too, by the length of vectors.
// RUN: fairlead-opt %s --fairlead-math-calls | FileCheck %s

// CHECK-LABEL: func.func @functions
// CHECK: llvm.call @FairleadMath_expf(%arg0) : (f32) -> f32
// CHECK: llvm.call @FairleadMath_pow(%arg1, %arg1) : (f64, f64) -> f64
// CHECK: %[[WIDE:.*]] = arith.extf %arg2 : f16 to f32
// CHECK: %[[SINE:.*]] = llvm.call @FairleadMath_sinf(%[[WIDE]])
// CHECK: arith.truncf %[[SINE]] : f32 to f16
// CHECK: %[[ROOT:.*]] = math.sqrt %arg0 : f32
// CHECK: arith.addf %{{.*}}, %[[ROOT]] : f32
func.func @functions(%x: f32, %y: f64, %z: f16, %out: !llvm.ptr) {
  %0 = math.exp %x fastmath<afn> : f32
  %1 = math.powf %y, %y : f64
  %2 = math.sin %z : f16
  %3 = math.sqrt %x fastmath<afn> : f32
  %4 = arith.addf %0, %3 fastmath<contract> : f32
  llvm.store %4, %out : f32, !llvm.ptr
  llvm.store %1, %out : f64, !llvm.ptr
  llvm.store %2, %out : f16, !llvm.ptr
  return
}

// CHECK-LABEL: func.func @pairs
// CHECK: llvm.call @FairleadDotPairs(%arg0, %arg0, %arg1) : (i32, i32, f32) -> f32
// CHECK: llvm.call @FairleadDotPairs.8(%arg2, %arg2, %arg3) : (vector<8xi32>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
func.func @pairs(%a: i32, %c: f32, %x: vector<8xi32>, %z: vector<8xf32>, %out: !llvm.ptr) {
  %0 = fairlead.dot_pairs %a, %a to %c : i32, f32
  %1 = fairlead.dot_pairs %x, %x to %z : vector<8xi32>, vector<8xf32>
  llvm.store %0, %out : f32, !llvm.ptr
  llvm.store %1, %out : vector<8xf32>, !llvm.ptr
  return
}
