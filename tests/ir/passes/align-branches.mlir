// Conditions around an operation that all lanes of a warp execute become votes if they may differ between the lanes; bounds of a
// loop become those of the first lane. Conditions that are the same in a warp, and those around other work, stay; so do kernels
// whose last warp is not whole.
// RUN: fairlead-opt %s --fairlead-align-branches | FileCheck %s

// CHECK-LABEL: gpu.func @kernel
// CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} -> i1
// CHECK: %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %[[LOADED]]
// CHECK: scf.if %[[ANY]]
// CHECK: %[[COUNT:.*]] = llvm.load %{{.*}} -> i32
// CHECK: %[[FIRST:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[COUNT]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[FIRST]]
// CHECK: scf.if %[[LOADED]]
// CHECK-NEXT: llvm.store
// CHECK: scf.if %arg2 {
// CHECK-NEXT: fairlead.load_matrix
// CHECK-LABEL: gpu.func @order_of_a_warpgroup
// CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} -> i1
// CHECK: %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %[[LOADED]]
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-LABEL: gpu.func @part_of_a_warp
// CHECK-NOT: nvvm.vote.sync
// CHECK: gpu.return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%row: i64, %a: !llvm.ptr, %same: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %c = llvm.load %a : !llvm.ptr -> i1
      scf.if %c {
        %word = fairlead.load_matrix %row : i32
      }
      %n = llvm.load %a : !llvm.ptr -> i32
      scf.for %i = %zero to %n step %one : i32 {
        %word = fairlead.load_matrix %row : i32
      }
      scf.if %c {
        llvm.store %one, %a : i32, !llvm.ptr
      }
      scf.if %same {
        %word = fairlead.load_matrix %row : i32
      }
      gpu.return
    }
    gpu.func @order_of_a_warpgroup(%a: !llvm.ptr) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c = llvm.load %a : !llvm.ptr -> i1
      scf.if %c {
        nvvm.wgmma.wait.group.sync.aligned 0
      }
      gpu.return
    }
    gpu.func @part_of_a_warp(%row: i64, %a: !llvm.ptr) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
      %c = llvm.load %a : !llvm.ptr -> i1
      scf.if %c {
        %word = fairlead.load_matrix %row : i32
      }
      gpu.return
    }
  }
}
