// Products and copies of matrices: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @warp
func.func @warp(%a: i32, %c: f32, %row: i64, %x: f64) {
  // CHECK: fairlead.mma 16 x 8 x 8 f32 = bf16 * bf16(%arg0, %arg0, %arg0, %arg1, %arg1, %arg1, %arg1) : (i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  %d:4 = fairlead.mma 16 x 8 x 8 f32 = bf16 * bf16(%a, %a, %a, %c, %c, %c, %c) : (i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // CHECK: fairlead.mma 8 x 8 x 4 f64 = f64 * f64(%arg3, %arg3, %arg3, %arg3) : (f64, f64, f64, f64) -> (f64, f64)
  %w:2 = fairlead.mma 8 x 8 x 4 f64 = f64 * f64(%x, %x, %x, %x) : (f64, f64, f64, f64) -> (f64, f64)
  // CHECK: fairlead.mma 16 x 8 x 32 s32 = s4 * s4(
  %i:4 = fairlead.mma 16 x 8 x 32 s32 = s4 * s4(%a, %a, %a, %a, %a, %a, %a) : (i32, i32, i32, i32, i32, i32, i32) -> (i32, i32, i32, i32)
  // CHECK: fairlead.mma.block_scale mxf4nvf4 e2m1 * e2m1 scales ue4m3 per 16(%arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg1, %arg1, %arg1, %arg1, %arg0, %arg0) :
  %s:4 = fairlead.mma.block_scale mxf4nvf4 e2m1 * e2m1 scales ue4m3 per 16 (%a, %a, %a, %a, %a, %a, %c, %c, %c, %c, %a, %a) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  // CHECK: fairlead.load_matrix %arg2 : i32, i32
  %m:2 = fairlead.load_matrix %row : i32, i32
  // CHECK: fairlead.load_matrix %arg2 transposed : i32
  %y = fairlead.load_matrix %row transposed : i32
  // CHECK: fairlead.load_byte_matrix %arg2 bits 8 transposed : i32, i32
  %bytes:2 = fairlead.load_byte_matrix %row bits 8 transposed : i32, i32
  // CHECK: fairlead.load_byte_matrix %arg2 bits 6 : i32
  %packed = fairlead.load_byte_matrix %row bits 6 : i32
  // CHECK: fairlead.store_matrix %{{.*}}, %{{.*}} to %arg2{{$}}
  fairlead.store_matrix %m#0, %m#1 to %row
  // CHECK: fairlead.store_matrix %{{.*}} to %arg2 transposed
  fairlead.store_matrix %y to %row transposed
  // CHECK: fairlead.transpose_matrix %arg0
  %t = fairlead.transpose_matrix %a
  // CHECK: fairlead.warp_extreme min %arg1
  %least = fairlead.warp_extreme min %c
  // CHECK: fairlead.warp_extreme max %arg1 propagates_nan
  %greatest = fairlead.warp_extreme max %c propagates_nan
  return
}

// CHECK-LABEL: func.func @pairs
func.func @pairs(%a: i32, %c: f32, %x: vector<16xi32>, %z: vector<16xf32>) {
  // CHECK: fairlead.dot_pairs %arg0, %arg0 to %arg1 : i32, f32
  %d = fairlead.dot_pairs %a, %a to %c : i32, f32
  // CHECK: fairlead.dot_pairs %arg2, %arg2 to %arg3 : vector<16xi32>, vector<16xf32>
  %v = fairlead.dot_pairs %x, %x to %z : vector<16xi32>, vector<16xf32>
  return
}

// CHECK-LABEL: func.func @warpgroup
func.func @warpgroup(%c: f32, %h: i32, %a: i64, %b: i64, %r: i32, %added: i1) {
  // CHECK: fairlead.warpgroup_mma 8 f32 = f16(%arg2 : i64) * f16 transposed(%arg3) add %arg5 to(%arg0, %arg0, %arg0, %arg0) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  %0:4 = fairlead.warpgroup_mma 8 f32 = f16(%a : i64) * f16 transposed(%b) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // CHECK: fairlead.warpgroup_mma 8 f16 = f16 transposed(%arg2 : i64) * f16(%arg3) add %arg5 to(%arg1, %arg1) : (i32, i32) -> (i32, i32)
  %1:2 = fairlead.warpgroup_mma 8 f16 = f16 transposed(%a : i64) * f16(%b) add %added to (%h, %h) : (i32, i32) -> (i32, i32)
  // CHECK: fairlead.warpgroup_mma 8 s32 = s8(%arg4, %arg4, %arg4, %arg4 : i32, i32, i32, i32) * u8(%arg3) add
  %2:4 = fairlead.warpgroup_mma 8 s32 = s8(%r, %r, %r, %r : i32, i32, i32, i32) * u8(%b) add %added to (%h, %h, %h, %h) : (i32, i32, i32, i32) -> (i32, i32, i32, i32)
  return
}
