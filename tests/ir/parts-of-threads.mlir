// Private memory that outlives a barrier has a part for each thread. An access is aligned as these parts are: those of
// single bytes stand side by side, those of three floats follow each other.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @parts(
// CHECK: llvm.store {{.*}} {{{.*}}alignment = 1 : i64{{.*}}} : i8, !llvm.ptr
// CHECK: llvm.store {{.*}} {{{.*}}alignment = 4 : i64{{.*}}} : vector<2xf32>, !llvm.ptr
// CHECK: llvm.load {{.*}} {{{.*}}alignment = 1 : i64{{.*}}} : !llvm.ptr -> i8
// CHECK: llvm.load {{.*}} {{{.*}}alignment = 4 : i64{{.*}}} : !llvm.ptr -> vector<2xf32>
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @parts(%from: !llvm.ptr, %to: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %n16 = arith.constant 16 : i32
      %n3 = arith.constant 3 : i32
      %n1 = arith.constant 1 : i32
      %bytes = llvm.alloca %n16 x i8 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %floats = llvm.alloca %n3 x f32 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i64
      %third = llvm.getelementptr inbounds %floats[2] : (!llvm.ptr) -> !llvm.ptr, f32
      %place = llvm.getelementptr %from[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %byte = llvm.load %place : !llvm.ptr -> i8
      %single = llvm.load %place {alignment = 1 : i64} : !llvm.ptr -> f32
      %word = arith.extui %byte : i8 to i32
      %pair = llvm.load %place {alignment = 1 : i64} : !llvm.ptr -> vector<2xf32>
      llvm.store %byte, %bytes {alignment = 16 : i64} : i8, !llvm.ptr
      llvm.store %pair, %floats {alignment = 16 : i64} : vector<2xf32>, !llvm.ptr
      llvm.store %single, %third : f32, !llvm.ptr
      %full = arith.constant -1 : i32
      %c31 = arith.constant 31 : i32
      %other = nvvm.shfl.sync bfly %full, %word, %n16, %c31 : i32 -> i32
      nvvm.barrier
      %kept = llvm.load %bytes {alignment = 16 : i64} : !llvm.ptr -> i8
      %kept_pair = llvm.load %floats {alignment = 16 : i64} : !llvm.ptr -> vector<2xf32>
      %first = llvm.extractelement %kept_pair[%n1 : i32] : vector<2xf32>
      %last = llvm.load %third : !llvm.ptr -> f32
      %both = arith.addf %first, %last : f32
      %out = llvm.getelementptr %to[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %kept_word = arith.extui %kept : i8 to i32
      %sum = arith.addi %kept_word, %other : i32
      llvm.store %sum, %out : i32, !llvm.ptr
      %behind = llvm.getelementptr %out[64] : (!llvm.ptr) -> !llvm.ptr, f32
      llvm.store %both, %behind : f32, !llvm.ptr
      gpu.return
    }
  }
}
