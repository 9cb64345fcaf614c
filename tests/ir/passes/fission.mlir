// A block function with a loop over threads between its barriers is added for a kernel whose threads reach all barriers together;
// values that threads keep over a barrier are in an array. None is added for a kernel whose threads may not come together.
// A branch or loop whose results all threads of a warp or block share runs once for them, and its results are kept in no array,
// unless it reads memory.
// RUN: fairlead-opt %s --fairlead-fission | FileCheck %s

// CHECK: gpu.func @apart
// CHECK: llvm.func internal @together(
// CHECK: %[[KEPT:.*]] = llvm.alloca %c64_i32 x i32
// CHECK: scf.for
// CHECK: %[[LOADED:.*]] = llvm.load
// CHECK: llvm.store %[[LOADED]]
// CHECK: scf.for
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
// CHECK-NOT: llvm.func internal @apart(
// CHECK-LABEL: llvm.func internal @shared_by_warp(
// CHECK-NOT: llvm.alloca
// CHECK: %[[VOTES:.*]] = arith.andi
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[VOTES]]
// CHECK: %[[CHOSEN:.*]] = scf.if %[[SOME]] -> (i32) {
// CHECK: scf.yield %[[VOTES]]
// CHECK: %[[LANES:.*]] = llvm.shufflevector
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : vector<32xi32>
// CHECK-LABEL: llvm.func internal @shared_by_block(
// CHECK-NOT: scf.for
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: scf.for
// CHECK: llvm.store %[[SUM]]
// CHECK-LABEL: llvm.func internal @read(
// CHECK: %[[KEPT:.*]] = llvm.alloca %c64_i32 x i32
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = scf.if
// CHECK: llvm.load
// CHECK: llvm.store %[[FIRST]]
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @together(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i64
      %p = llvm.getelementptr %out[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %y = llvm.load %p : !llvm.ptr -> i32
      nvvm.barrier
      llvm.store %y, %out : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @apart(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = llvm.load %out : !llvm.ptr -> i1
      scf.if %c {
        nvvm.barrier
      }
      gpu.return
    }
    gpu.func @shared_by_warp(%out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %all = arith.constant -1 : i32
      %zero = arith.constant 0 : i32
      %odd = arith.trunci %t : i32 to i1
      %votes = nvvm.vote.sync ballot %all, %odd -> i32
      %some = arith.cmpi ne, %votes, %zero : i32
      %chosen = scf.if %some -> (i32) {
        scf.yield %votes : i32
      } else {
        scf.yield %all : i32
      }
      %is = arith.cmpi eq, %chosen, %t : i32
      %again = nvvm.vote.sync ballot %all, %is -> i32
      llvm.store %again, %out : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @shared_by_block(%out: !llvm.ptr, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      nvvm.barrier
      %sum = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
        %next = arith.addi %s, %i : i32
        scf.yield %next : i32
      }
      llvm.store %sum, %out : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @read(%out: !llvm.ptr, %c: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : i32
      %first = scf.if %c -> (i32) {
        %loaded = llvm.load %out : !llvm.ptr -> i32
        scf.yield %loaded : i32
      } else {
        scf.yield %zero : i32
      }
      nvvm.barrier
      llvm.store %first, %out : i32, !llvm.ptr
      gpu.return
    }
  }
}
