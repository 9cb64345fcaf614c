// A loop with a constant number of rounds that indexes an array in private memory is unrolled, so that the array is in
// registers. If the number is not constant, or the program forbids unrolling, it stays in memory.
// RUN: fairlead-lower %s --target=cuda:sm_90 --print=ptx | FileCheck %s

// CHECK-LABEL: .entry unrolled(
// CHECK-NOT: local
// CHECK: ret;

// CHECK-LABEL: .entry kept(
// CHECK: st.local
// CHECK: ret;

// CHECK-LABEL: .entry forbidden(
// CHECK: ld.volatile.global
// CHECK: st.local
// CHECK-NOT: ld.volatile.global
// CHECK: bra
// CHECK: st.volatile.global
// CHECK-NOT: st.volatile.global
// CHECK: ret;

// CHECK-LABEL: .entry by_four(
// CHECK-COUNT-4: ld.volatile.global
// CHECK-NOT: ld.volatile.global
// CHECK: ret;
#never = #llvm.loop_unroll<disable = true>
#once = #llvm.loop_annotation<unroll = #never>
#four = #llvm.loop_unroll<disable = false, count = 4 : i32>
#by_four = #llvm.loop_annotation<unroll = #four>
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @unrolled(%from: !llvm.ptr, %to: !llvm.ptr) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %n = arith.constant 128 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %array = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
      scf.for %i = %zero to %n step %one : i32 {
        %source = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %place = llvm.getelementptr inbounds %array[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load volatile %source : !llvm.ptr -> f32
        llvm.store %x, %place : f32, !llvm.ptr
      }
      scf.for %i = %zero to %n step %one : i32 {
        %place = llvm.getelementptr inbounds %array[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %target = llvm.getelementptr inbounds %to[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load %place : !llvm.ptr -> f32
        llvm.store volatile %x, %target : f32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @kept(%from: !llvm.ptr, %to: !llvm.ptr, %rounds: i32)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %n = arith.constant 128 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %array = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
      scf.for %i = %zero to %rounds step %one : i32 {
        %source = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %place = llvm.getelementptr inbounds %array[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load volatile %source : !llvm.ptr -> f32
        llvm.store %x, %place : f32, !llvm.ptr
      }
      scf.for %i = %zero to %rounds step %one : i32 {
        %place = llvm.getelementptr inbounds %array[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %target = llvm.getelementptr inbounds %to[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load %place : !llvm.ptr -> f32
        llvm.store volatile %x, %target : f32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @forbidden(%from: !llvm.ptr, %to: !llvm.ptr) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %n = arith.constant 8 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %array = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
      scf.for %i = %zero to %n step %one : i32 {
        %source = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %place = llvm.getelementptr inbounds %array[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load volatile %source : !llvm.ptr -> f32
        llvm.store %x, %place : f32, !llvm.ptr
      } {llvm.loop_annotation = #once}
      scf.for %i = %zero to %n step %one : i32 {
        %place = llvm.getelementptr inbounds %array[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %target = llvm.getelementptr inbounds %to[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load %place : !llvm.ptr -> f32
        llvm.store volatile %x, %target : f32, !llvm.ptr
      } {llvm.loop_annotation = #once}
      gpu.return
    }
    gpu.func @by_four(%from: !llvm.ptr, %to: !llvm.ptr) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %n = arith.constant 64 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %n step %one : i32 {
        %source = llvm.getelementptr inbounds %from[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %target = llvm.getelementptr inbounds %to[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load volatile %source : !llvm.ptr -> f32
        llvm.store volatile %x, %target : f32, !llvm.ptr
      } {llvm.loop_annotation = #by_four}
      gpu.return
    }
  }
}
