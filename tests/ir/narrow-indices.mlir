// Index arithmetic in integers of several widths: LLVM 22 drops the check that the narrow recurrence does not wrap, so its
// index is frozen, and the loop gathers.
// RUN: fairlead-lower %s --target=cpu --print=lowered | fairlead-llvm-opt - --passes='function(fairlead-freeze-narrow-indices)' | FileCheck %s
// RUN: fairlead-lower %s --target=cpu:x86-64 --print=llvm | FileCheck %s --check-prefix=LLVM
// RUN: fairlead-lower %s --target=cuda:sm_90 --print=ptx | FileCheck %s --check-prefix=PTX

// Row of 32, rotated by 5: a recurrence of 5 bits within one of 34.
// CHECK-LABEL: define internal void @rotate(
// CHECK: %[[LANE:.*]] = and i64 %{{.*}}, 31
// CHECK-NEXT: %[[FROZEN:.*]] = freeze i64 %[[LANE]]
// CHECK-NEXT: or disjoint i64 %[[FROZEN]]
// CHECK-NOT: freeze
// LLVM-LABEL: define internal void @rotate(
// LLVM-NOT: load <
// LLVM: }

// One width, of 32 bits: LLVM's check is right, and nothing is frozen.
// CHECK-LABEL: define internal void @offset(
// CHECK-NOT: freeze

// An element is stored 1 behind the one that was loaded, in rows that wrap: LoopLoadElimination would add a second loop that
// reads no element which the previous iteration seems to have stored. The only loop is unrolled by 4.
// CHECK-LABEL: define internal void @update(
// CHECK: freeze i64
// PTX-LABEL: .entry update(
// PTX-COUNT-4: st.global
// PTX-NOT: st.global
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @rotate(%s: !llvm.ptr {llvm.noalias}, %o: !llvm.ptr {llvm.noalias}) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %five = arith.constant 5 : i64
      %mask = arith.constant 31 : i64
      %width = arith.constant 32 : i64
      %left = arith.constant 32 : i64
      %right = arith.constant 30 : i64
      %rows = arith.constant 64 : i64
      scf.for %b = %zero to %rows step %width : i64 {
        scf.for %i = %zero to %width step %one : i64 {
          %a = arith.addi %i, %five overflow<nsw, nuw> : i64
          %m = arith.andi %a, %mask : i64
          %y = llvm.or disjoint %m, %b : i64
          %shifted = arith.shli %y, %left : i64
          %z = arith.shrsi %shifted, %right : i64
          %p = llvm.getelementptr inbounds %s[%z] : (!llvm.ptr, i64) -> !llvm.ptr, i8
          %v = llvm.load %p : !llvm.ptr -> i32
          %j = arith.addi %i, %b overflow<nsw, nuw> : i64
          %q = llvm.getelementptr inbounds %o[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i32
          llvm.store %v, %q : i32, !llvm.ptr
        }
      }
      gpu.return
    }
    gpu.func @offset(%s: !llvm.ptr {llvm.noalias}, %o: !llvm.ptr {llvm.noalias}, %n: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      scf.for %i = %zero to %width step %one : i32 {
        %a = arith.addi %i, %n : i32
        %wide = arith.extsi %a : i32 to i64
        %p = llvm.getelementptr inbounds %s[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        %v = llvm.load %p : !llvm.ptr -> i32
        %j = arith.extui %i : i32 to i64
        %q = llvm.getelementptr inbounds %o[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        llvm.store %v, %q : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @update(%s: !llvm.ptr {llvm.noalias}, %rows: i64) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %three = arith.constant 3 : i32
      %mask = arith.constant 15 : i64
      %width = arith.constant 32 : i64
      %left = arith.constant 32 : i64
      %right = arith.constant 30 : i64
      scf.for %b = %zero to %rows step %width : i64 {
        scf.for %i = %zero to %width step %one : i64 {
          %j = arith.addi %i, %b overflow<nsw, nuw> : i64
          %q = llvm.getelementptr inbounds %s[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i32
          %v = llvm.load %q : !llvm.ptr -> i32
          %w = arith.muli %v, %three : i32
          %a = arith.addi %i, %one overflow<nsw, nuw> : i64
          %m = arith.andi %a, %mask : i64
          %y = llvm.or disjoint %m, %b : i64
          %shifted = arith.shli %y, %left : i64
          %z = arith.shrsi %shifted, %right : i64
          %p = llvm.getelementptr inbounds %s[%z] : (!llvm.ptr, i64) -> !llvm.ptr, i8
          llvm.store %w, %p : i32, !llvm.ptr
        }
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %s: !llvm.ptr, %o: !llvm.ptr, %n: i32, %rows: i64) {
    %one = arith.constant 1 : i32
    %shared = arith.constant 0 : i32
    gpu.launch_func @device::@rotate blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%s : !llvm.ptr, %o : !llvm.ptr)
    gpu.launch_func @device::@offset blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%s : !llvm.ptr, %o : !llvm.ptr, %n : i32)
    gpu.launch_func @device::@update blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%s : !llvm.ptr, %rows : i64)
    return
  }
}
