// A kernel whose threads all come to its barriers together: loops over the block's threads between the barriers. The loop
// around a barrier stays outside, values that are cheap are computed again in each loop, and a bounds check around all
// that a loop does becomes its end. What one thread does alone is no loop.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @sums(
// CHECK-NOT: FairleadCpuRunThreads
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %c256_i32 step
// CHECK: llvm.load {{.*}} {access_groups = [#[[GROUP:.*]]]} : !llvm.ptr -> f32
// CHECK: llvm.store {{.*}} {access_groups = [#[[GROUP]]]} : f32, !llvm.ptr
// CHECK-NEXT: } {llvm.loop_annotation =
// CHECK-NEXT: scf.while (%[[STEP:.*]] = %c128_i32)
// CHECK: %[[LESS:.*]] = arith.minsi
// CHECK: %[[END:.*]] = arith.trunci %[[LESS]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step
// CHECK-NOT: scf.if
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: %[[FIRST:.*]] = arith.andi
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NOT: scf.for
// CHECK: llvm.return
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @sums(%a: !llvm.ptr, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %bx = gpu.block_id x
      %blk = arith.index_cast %bx : index to i32
      %c256 = arith.constant 256 : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c128 = arith.constant 128 : i32
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %m = arith.muli %blk, %c256 : i32
      %i = arith.addi %m, %t : i32
      %i64 = arith.extsi %i : i32 to i64
      %p = llvm.getelementptr %a[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %t64 = arith.extsi %t : i32 to i64
      %slot = llvm.getelementptr %base[%t64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      llvm.store %v, %slot : f32, !llvm.ptr<3>
      nvvm.barrier
      %r = scf.while (%step = %c128) : (i32) -> i32 {
        %c = arith.cmpi sgt, %step, %c0 : i32
        scf.condition(%c) %step : i32
      } do {
      ^bb0(%step: i32):
        %lt = arith.cmpi slt, %t, %step : i32
        scf.if %lt {
          %mine = llvm.load %slot : !llvm.ptr<3> -> f32
          %j = arith.addi %t, %step : i32
          %j64 = arith.extsi %j : i32 to i64
          %o = llvm.getelementptr %base[%j64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
          %other = llvm.load %o : !llvm.ptr<3> -> f32
          %s = arith.addf %mine, %other : f32
          llvm.store %s, %slot : f32, !llvm.ptr<3>
        }
        nvvm.barrier
        %n = arith.shrsi %step, %c1 : i32
        scf.yield %n : i32
      }
      %first = arith.cmpi eq, %t, %c0 : i32
      scf.if %first {
        %s0 = llvm.load %base : !llvm.ptr<3> -> f32
        %b64 = arith.extsi %blk : i32 to i64
        %op = llvm.getelementptr %out[%b64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %s0, %op : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
