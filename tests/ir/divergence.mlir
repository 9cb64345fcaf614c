// How values differ from thread to thread: the same in a block, a warpgroup or a warp, or indices that count its threads or
// warps. Three warpgroups a block.
// RUN: fairlead-lower %s --print=divergence | FileCheck %s
module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK-LABEL: gpu.func @flat
    gpu.func @flat(%n: i32) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
      // CHECK: gpu.thread_id x {divergence = "warpgroup index"}
      %x = gpu.thread_id x
      // CHECK: gpu.block_id x {divergence = "block"}
      %b = gpu.block_id x
      // CHECK: %[[T:.*]] = arith.index_cast {{.*}} {divergence = "warpgroup index"}
      %t = arith.index_cast %x : index to i32
      %c2 = arith.constant 2 : i32
      %c4 = arith.constant 4 : i32
      %c5 = arith.constant 5 : i32
      %c6 = arith.constant 6 : i32
      %c7 = arith.constant 7 : i32
      %c31 = arith.constant 31 : i32
      %c64 = arith.constant 64 : i32
      %c128 = arith.constant 128 : i32
      %m64 = arith.constant -64 : i32
      %m128 = arith.constant -128 : i32
      // CHECK: %[[WARP:.*]] = arith.shrsi %[[T]], %{{.*}} {divergence = "warp index"}
      %warp = arith.shrsi %t, %c5 : i32
      // CHECK: arith.shrsi %[[T]], %{{.*}} {divergence = "warp"}
      %half = arith.shrsi %t, %c6 : i32
      // CHECK: %[[GROUP:.*]] = arith.shrsi %[[T]], %{{.*}} {divergence = "warpgroup"}
      %group = arith.shrsi %t, %c7 : i32
      // CHECK: arith.shrsi %[[WARP]], %{{.*}} {divergence = "warpgroup"}
      %same = arith.shrsi %warp, %c2 : i32
      // CHECK: arith.addi %[[WARP]], %{{.*}} {divergence = "warp index"}
      %next = arith.addi %warp, %c4 : i32
      // CHECK: arith.addi %[[WARP]], %{{.*}} {divergence = "warp"}
      %odd = arith.addi %warp, %c2 : i32
      // CHECK: arith.cmpi slt, %[[WARP]], %{{.*}} {divergence = "warpgroup"}
      %first = arith.cmpi slt, %warp, %c4 : i32
      // CHECK: arith.cmpi slt, %[[WARP]], %{{.*}} {divergence = "warp"}
      %some = arith.cmpi slt, %warp, %n : i32
      // CHECK: arith.andi %[[T]], %{{.*}} {divergence = "any"}
      %lane = arith.andi %t, %c31 : i32
      // CHECK: arith.andi %[[T]], %{{.*}} {divergence = "warp"}
      %down64 = arith.andi %t, %m64 : i32
      // CHECK: arith.andi %[[T]], %{{.*}} {divergence = "warpgroup"}
      %down128 = arith.andi %t, %m128 : i32
      // CHECK: arith.addi %[[T]], %{{.*}} {divergence = "warpgroup index"}
      %far = arith.addi %t, %c128 : i32
      // CHECK: arith.subi %[[T]], %{{.*}} {divergence = "lane"}
      %near = arith.subi %t, %c64 : i32
      // CHECK: arith.addi %[[T]], %{{.*}} {divergence = "any"}
      %anywhere = arith.addi %t, %n : i32
      // CHECK: arith.cmpi sge, %[[T]], %{{.*}} {divergence = "warpgroup"}
      %after = arith.cmpi sge, %t, %c128 : i32
      // CHECK: arith.cmpi sgt, %{{.*}}, %[[T]] {divergence = "warp"}
      %before = arith.cmpi sgt, %c64, %t : i32
      // CHECK: arith.cmpi slt, %[[T]], %{{.*}} {divergence = "any"}
      %below = arith.cmpi slt, %t, %n : i32
      // CHECK: arith.addi %[[GROUP]], %[[WARP]] {divergence = "warp"}
      %sum = arith.addi %group, %warp : i32
      // What a loop carries is no index: its rounds differ.
      // CHECK: scf.for
      // CHECK: divergence = "warpgroup"
      // CHECK: } {divergence = "warpgroup"}
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%g = %group, %w = %warp) -> (i32, i32) : i32 {
        %g1 = arith.addi %g, %i : i32
        scf.yield %g1, %w : i32, i32
      }
      // CHECK: nvvm.vote.sync {{.*}}divergence = "warp"
      %full = arith.constant -1 : i32
      %any = nvvm.vote.sync any %full, %below -> i1
      gpu.return
    }
    // Rows of one warpgroup, of one warp and of half a warp.
    // CHECK-LABEL: gpu.func @rows
    gpu.func @rows() kernel attributes {known_block_size = array<i32: 128, 2, 1>} {
      // CHECK: gpu.thread_id x {divergence = "warpgroup index"}
      %x = gpu.thread_id x
      // CHECK: gpu.thread_id y {divergence = "warpgroup"}
      %y = gpu.thread_id y
      // CHECK: gpu.thread_id z {divergence = "block"}
      %z = gpu.thread_id z
      gpu.return
    }
    // CHECK-LABEL: gpu.func @narrow
    gpu.func @narrow() kernel attributes {known_block_size = array<i32: 32, 4, 2>} {
      // CHECK: gpu.thread_id x {divergence = "lane"}
      %x = gpu.thread_id x
      // CHECK: gpu.thread_id y {divergence = "warp"}
      %y = gpu.thread_id y
      // CHECK: gpu.thread_id z {divergence = "warpgroup"}
      %z = gpu.thread_id z
      gpu.return
    }
    // CHECK-LABEL: gpu.func @halves
    gpu.func @halves() kernel attributes {known_block_size = array<i32: 16, 8, 1>} {
      // CHECK: gpu.thread_id x {divergence = "any"}
      %x = gpu.thread_id x
      // CHECK: gpu.thread_id y {divergence = "any"}
      %y = gpu.thread_id y
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
