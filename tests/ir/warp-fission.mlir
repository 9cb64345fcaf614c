// Warp collectives that whole warps come to together: a loop over warps, in which what lanes hold is a vector. What is no
// arithmetic is a loop over the lanes.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @warps(
// CHECK-NOT: FairleadCpuRunThreads
// CHECK: scf.for %[[WARP:.*]] = %{{.*}} to %{{.*}} step %c32_i32
// CHECK: scf.for
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<32xf32>
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [16, 17, 18, 19
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [8, 9, 10, 11
// The barrier: another loop over warps, in which one warp does something.
// CHECK: scf.for %[[NEXT:.*]] = %{{.*}} to %{{.*}} step %c32_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[NEXT]],
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [4, 5, 6, 7
// CHECK: llvm.bitcast %{{.*}} : vector<32xi1> to i32
// CHECK: llvm.return
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @warps(%a: !llvm.ptr, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %bx = gpu.block_id x
      %blk = arith.index_cast %bx : index to i32
      %c256 = arith.constant 256 : i32
      %c0 = arith.constant 0 : i32
      %c5 = arith.constant 5 : i32
      %c31 = arith.constant 31 : i32
      %c8 = arith.constant 8 : i32
      %c32 = arith.constant 32 : i32
      %full = arith.constant -1 : i32
      %zero = arith.constant 0.0 : f32
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %m = arith.muli %blk, %c256 : i32
      %i = arith.addi %m, %t : i32
      %i64 = arith.extsi %i : i32 to i64
      %p = llvm.getelementptr %a[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v0 = llvm.load %p : !llvm.ptr -> f32
      %o16 = arith.constant 16 : i32
      %w0 = arith.bitcast %v0 : f32 to i32
      %s0 = nvvm.shfl.sync bfly %full, %w0, %o16, %c31 : i32 -> i32
      %f0 = arith.bitcast %s0 : i32 to f32
      %v1 = arith.addf %v0, %f0 : f32
      %w1 = arith.bitcast %v1 : f32 to i32
      %s1 = nvvm.shfl.sync bfly %full, %w1, %c8, %c31 : i32 -> i32
      %f1 = arith.bitcast %s1 : i32 to f32
      %v2 = arith.addf %v1, %f1 : f32
      %lane = arith.andi %t, %c31 : i32
      %warp = arith.shrsi %t, %c5 : i32
      %is0 = arith.cmpi eq, %lane, %c0 : i32
      scf.if %is0 {
        %w64 = arith.extsi %warp : i32 to i64
        %sl = llvm.getelementptr %base[%w64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
        llvm.store %v2, %sl : f32, !llvm.ptr<3>
      }
      nvvm.barrier
      %isw0 = arith.cmpi slt, %t, %c32 : i32
      scf.if %isw0 {
        %lt8 = arith.cmpi slt, %t, %c8 : i32
        %val = scf.if %lt8 -> (f32) {
          %t64 = arith.extsi %t : i32 to i64
          %sl = llvm.getelementptr %base[%t64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
          %l = llvm.load %sl : !llvm.ptr<3> -> f32
          scf.yield %l : f32
        } else {
          scf.yield %zero : f32
        }
        %wv = arith.bitcast %val : f32 to i32
        %c4 = arith.constant 4 : i32
        %sv = nvvm.shfl.sync bfly %full, %wv, %c4, %c31 : i32 -> i32
        %fv = arith.bitcast %sv : i32 to f32
        %tot = arith.addf %val, %fv : f32
        %pos = arith.cmpf ogt, %tot, %zero : f32
        %any = nvvm.vote.sync any %full, %pos -> i1
        %o64 = arith.extsi %i : i32 to i64
        %op = llvm.getelementptr %out[%o64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %sel = arith.select %any, %tot, %zero : f32
        llvm.store %sel, %op : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
