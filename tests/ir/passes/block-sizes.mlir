// A kernel knows the block extents that all its launches agree on, and so which operations of one lane its program has chosen
// the thread for. A kernel with launches of several extents, or of extents that only the call knows, knows none; what a program
// states itself stays.
// RUN: fairlead-opt %s --fairlead-block-sizes | FileCheck %s

// CHECK-LABEL: gpu.func @agreed
// CHECK-SAME: known_block_size = array<i32: 128, 2, 1>
// CHECK: scf.if
// CHECK: fairlead.bulk_store {{.*}} {fairlead.chosen_thread}
// CHECK: fairlead.bulk_store
// CHECK-NOT: fairlead.chosen_thread
// CHECK-LABEL: gpu.func @differs
// CHECK-NOT: known_block_size
// CHECK-LABEL: gpu.func @called
// CHECK-NOT: known_block_size
// CHECK-LABEL: gpu.func @stated
// CHECK-SAME: nvvm.maxntid = array<i32: 256>
// CHECK-NOT: known_block_size
// CHECK: func.func @host
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @agreed(%tile: !llvm.ptr<3>, %a: !llvm.ptr, %n: i32) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %zero = arith.constant 0 : index
      %first_x = arith.cmpi eq, %x, %zero : index
      %first_y = arith.cmpi eq, %y, %zero : index
      %first = arith.andi %first_x, %first_y : i1
      scf.if %first {
        fairlead.bulk_store %tile, %n to %a : !llvm.ptr<3>, !llvm.ptr
      }
      fairlead.bulk_store %tile, %n to %a : !llvm.ptr<3>, !llvm.ptr
      gpu.return
    }
    gpu.func @differs() kernel { gpu.return }
    gpu.func @called() kernel { gpu.return }
    gpu.func @stated() kernel attributes {nvvm.maxntid = array<i32: 256>} { gpu.return }
  }
  func.func @host(%context: !llvm.ptr, %tile: !llvm.ptr<3>, %a: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %threads = arith.constant 128 : i32
    gpu.launch_func @device::@agreed blocks in (%n, %one, %one) threads in (%threads, %two, %one) : i32
      args(%tile : !llvm.ptr<3>, %a : !llvm.ptr, %n : i32)
    gpu.launch_func @device::@agreed blocks in (%one, %one, %one) threads in (%threads, %two, %one) : i32
      args(%tile : !llvm.ptr<3>, %a : !llvm.ptr, %n : i32)
    gpu.launch_func @device::@differs blocks in (%one, %one, %one) threads in (%threads, %two, %one) : i32
    gpu.launch_func @device::@differs blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32
    gpu.launch_func @device::@called blocks in (%one, %one, %one) threads in (%n, %one, %one) : i32
    gpu.launch_func @device::@stated blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32
    return
  }
}
