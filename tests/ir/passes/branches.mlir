// Structured control flow becomes blocks, the outer before the inner, in the order of the text.
// RUN: fairlead-opt %s --fairlead-branches | FileCheck %s

// CHECK-LABEL: gpu.func @nested
// CHECK: cf.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %{{.*}} : index, i32)
// CHECK: ^[[HEAD]](%{{.*}}: index, %[[SUM:.*]]: i32):
// CHECK: arith.cmpi slt
// CHECK: cf.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: cf.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
// CHECK: ^[[THEN]]:
// CHECK: arith.addi %[[SUM]]
// CHECK: cf.br ^[[AFTER:bb[0-9]+]](
// CHECK: ^[[ELSE]]:
// CHECK: cf.br ^[[WHILE:bb[0-9]+]](%[[SUM]] : i32)
// CHECK: ^[[WHILE]](
// CHECK: cf.cond_br
// CHECK: arith.shrsi
// CHECK: cf.br ^[[WHILE]](
// CHECK: ^[[AFTER]](
// CHECK: cf.br ^[[HEAD]](
// CHECK: ^[[END]]:
// CHECK-NEXT: llvm.store %[[SUM]]
// CHECK-NOT: scf.

// CHECK-LABEL: gpu.func @in_conditions
// CHECK-NOT: scf.
// CHECK: gpu.return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @nested(%n: index, %i: i32, %less: i1, %p: !llvm.ptr) kernel {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : i32
      %sum = scf.for %k = %zero to %n step %one iter_args(%x = %i) -> (i32) {
        %next = scf.if %less -> (i32) {
          %more = arith.addi %x, %two : i32
          scf.yield %more : i32
        } else {
          %halved = scf.while (%y = %x) : (i32) -> i32 {
            %big = arith.cmpi sgt, %y, %two : i32
            scf.condition(%big) %y : i32
          } do {
          ^bb0(%y: i32):
            %half = arith.shrsi %y, %two : i32
            scf.yield %half : i32
          }
          scf.yield %halved : i32
        }
        scf.yield %next : i32
      }
      llvm.store %sum, %p : i32, !llvm.ptr
      gpu.return
    }
    gpu.func @in_conditions(%i: i32, %j: i32, %other_side: i1, %p: !llvm.ptr) kernel {
      %two = arith.constant 2 : i32
      %result = scf.while (%x = %i) : (i32) -> i32 {
        %other = arith.cmpi ne, %x, %two : i32
        %goes = scf.if %other -> i1 {
          %less = arith.cmpi slt, %x, %j : i32
          scf.yield %less : i1
        } else {
          scf.yield %other : i1
        }
        scf.condition(%goes) %x : i32
      } do {
      ^bb0(%x: i32):
        %next = scf.if %other_side -> i32 {
          %half = arith.shrsi %x, %two : i32
          scf.yield %half : i32
        } else {
          scf.yield %x : i32
        }
        scf.yield %next : i32
      }
      llvm.store %result, %p : i32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr) {
    return
  }
}
