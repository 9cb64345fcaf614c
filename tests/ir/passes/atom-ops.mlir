// Operations of the dialect become intrinsics, or inline PTX if there is none. Other operations of kernels stay.
// RUN: fairlead-opt %s --fairlead-atom-ops | FileCheck %s

// CHECK: gpu.func @kernel
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"
// CHECK: nvvm.ldmatrix {{.*}}num = 2 : i32
// CHECK: nvvm.ldmatrix {{.*}}eltType = #nvvm.ld_st_matrix_elt_type<b8x16.b4x16_p64>{{.*}}num = 1 : i32{{.*}}m = 16, n = 16
// CHECK: llvm.inline_asm has_side_effects {{.*}}cp.async.bulk.global.shared::cta.bulk_group
// CHECK: nvvm.barrier
// CHECK: arith.addi
// CHECK: %[[HIGH:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
// CHECK: llvm.shl
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[HIGH]]) : (f32, f32, f32) -> f32
// CHECK: llvm.store
// CHECK: %[[GLOBAL:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK: llvm.addrspacecast %[[GLOBAL]] : !llvm.ptr<1> to !llvm.ptr
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr{{$}}
// CHECK-NOT: fairlead.
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: f64, %row: i64, %tile: !llvm.ptr<3>, %out: !llvm.ptr, %n: i32) kernel {
      %w:2 = fairlead.mma 8 x 8 x 4 f64 = f64 * f64(%x, %x, %x, %x) : (f64, f64, f64, f64) -> (f64, f64)
      %m:2 = fairlead.load_matrix %row : i32, i32
      %p:2 = fairlead.load_byte_matrix %row bits 4 transposed : i32, i32
      fairlead.bulk_store %tile, %n to %out : !llvm.ptr<3>, !llvm.ptr
      nvvm.barrier
      %sum = arith.addi %m#0, %p#1 : i32
      llvm.store %w#0, %out : f64, !llvm.ptr
      llvm.store %sum, %out : i32, !llvm.ptr
      %zero = llvm.mlir.constant(0.0 : f32) : f32
      %dot = fairlead.dot_pairs %sum, %n to %zero : i32, f32
      llvm.store %dot, %out : f32, !llvm.ptr
      %global = llvm.inttoptr %row {fairlead.global} : i64 to !llvm.ptr
      llvm.store %dot, %global : f32, !llvm.ptr
      %any = llvm.inttoptr %row : i64 to !llvm.ptr
      llvm.store %dot, %any : f32, !llvm.ptr
      gpu.return
    }
  }
}
