// Register tensors of threads. Sums in neighbouring places with a factor in common are one multiply-add of a vector; a
// loop with one barrier in the middle becomes one whose rounds end and begin at it, so that what stands behind the
// barrier and what comes before the next one share a loop over threads; what is written over is not written.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @product(
// CHECK: llvm.alloca %c256_i32 x f32
// The first half of the first round stands before the loop over rounds.
// CHECK: scf.if
// CHECK: llvm.intr.fma({{.*}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK: } {llvm.loop_annotation
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK: scf.for %{{.*}} = %{{.*}} to %c64_i32 step
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: llvm.store
// CHECK: %[[FIRST:.*]] = llvm.intr.fma
// CHECK-NOT: llvm.store
// CHECK: %[[SECOND:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK-NEXT: llvm.store %[[SECOND]]
// CHECK-NEXT: } {llvm.loop_annotation
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @product(%a: !llvm.ptr, %rounds: i32, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %n4 = arith.constant 4 : i32
      %n1 = arith.constant 1 : i32
      %sums = llvm.alloca %n4 x f32 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %t64 = arith.extsi %t : i32 to i64
      %c0 = arith.constant 0 : i32
      %i1 = arith.constant 1 : i64
      %i2 = arith.constant 2 : i64
      %i3 = arith.constant 3 : i64
      %zero = arith.constant 0.0 : f32
      %s1 = llvm.getelementptr inbounds %sums[%i1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %s2 = llvm.getelementptr inbounds %sums[%i2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %s3 = llvm.getelementptr inbounds %sums[%i3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %zero, %sums : f32, !llvm.ptr
      llvm.store %zero, %s1 : f32, !llvm.ptr
      llvm.store %zero, %s2 : f32, !llvm.ptr
      llvm.store %zero, %s3 : f32, !llvm.ptr
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %place = llvm.getelementptr %base[%t64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %pa = llvm.getelementptr %a[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      scf.for %i = %c0 to %rounds step %n1 : i32 {
        %y = llvm.load %pa : !llvm.ptr -> f32
        %x0 = llvm.load %place : !llvm.ptr<3> -> f32
        %a0 = llvm.load %sums : !llvm.ptr -> f32
        %f0 = llvm.intr.fma(%x0, %y, %a0) : (f32, f32, f32) -> f32
        llvm.store %f0, %sums : f32, !llvm.ptr
        %a1 = llvm.load %s1 : !llvm.ptr -> f32
        %f1 = llvm.intr.fma(%y, %y, %a1) : (f32, f32, f32) -> f32
        llvm.store %f1, %s1 : f32, !llvm.ptr
        %a2 = llvm.load %s2 : !llvm.ptr -> f32
        %f2 = llvm.intr.fma(%x0, %y, %a2) : (f32, f32, f32) -> f32
        llvm.store %f2, %s2 : f32, !llvm.ptr
        %a3 = llvm.load %s3 : !llvm.ptr -> f32
        %f3 = llvm.intr.fma(%y, %y, %a3) : (f32, f32, f32) -> f32
        llvm.store %f3, %s3 : f32, !llvm.ptr
        nvvm.barrier
        %z = llvm.load %place : !llvm.ptr<3> -> f32
        %b0 = llvm.load %sums : !llvm.ptr -> f32
        %g0 = llvm.intr.fma(%z, %z, %b0) : (f32, f32, f32) -> f32
        llvm.store %g0, %sums : f32, !llvm.ptr
        %b1 = llvm.load %s1 : !llvm.ptr -> f32
        %g1 = llvm.intr.fma(%z, %z, %b1) : (f32, f32, f32) -> f32
        llvm.store %g1, %s1 : f32, !llvm.ptr
        %b2 = llvm.load %s2 : !llvm.ptr -> f32
        %g2 = llvm.intr.fma(%z, %z, %b2) : (f32, f32, f32) -> f32
        llvm.store %g2, %s2 : f32, !llvm.ptr
        %b3 = llvm.load %s3 : !llvm.ptr -> f32
        %g3 = llvm.intr.fma(%z, %z, %b3) : (f32, f32, f32) -> f32
        llvm.store %g3, %s3 : f32, !llvm.ptr
      }
      %r0 = llvm.load %sums : !llvm.ptr -> f32
      %r3 = llvm.load %s3 : !llvm.ptr -> f32
      %r = arith.addf %r0, %r3 : f32
      %po = llvm.getelementptr %out[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %r, %po : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
