// A long computation on one value: casts to bits and back stand after every 16 operations while LLVM's loop vectorizer runs,
// which takes the square of what lies between two of them. None is left of them afterwards.
// RUN: fairlead-lower %s --target=cpu --fmad=0 --print=lowered | fairlead-llvm-opt - --passes='function(fairlead-break-long-chains)' | FileCheck %s
// RUN: fairlead-lower %s --target=cpu --fmad=0 --print=llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: define internal void @long(
// CHECK-COUNT-7: fadd
// CHECK: %[[M:.*]] = fmul float
// CHECK-NEXT: %[[A:.*]] = fadd float %[[M]]
// CHECK-NEXT: %[[BITS:.*]] = bitcast float %[[A]] to i32
// CHECK-NEXT: %[[SAME:.*]] = bitcast i32 %[[BITS]] to float
// CHECK-NEXT: fmul float %[[SAME]]
// CHECK-NOT: bitcast
// LLVM-LABEL: define internal void @long(
// LLVM-NOT: bitcast
// LLVM-COUNT-10: fadd <{{[0-9]+}} x float>
// LLVM-NOT: bitcast

// A sum that a loop carries is left to be seen.
// CHECK-LABEL: define internal void @carried(
// CHECK-NOT: bitcast
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @long(%p: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %c = arith.constant 1.5 : f32
      %d = arith.constant 2.0 : f32
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i64
      %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %at : !llvm.ptr -> f32
      %m0 = arith.mulf %x, %c : f32
      %a0 = arith.addf %m0, %d : f32
      %m1 = arith.mulf %a0, %c : f32
      %a1 = arith.addf %m1, %d : f32
      %m2 = arith.mulf %a1, %c : f32
      %a2 = arith.addf %m2, %d : f32
      %m3 = arith.mulf %a2, %c : f32
      %a3 = arith.addf %m3, %d : f32
      %m4 = arith.mulf %a3, %c : f32
      %a4 = arith.addf %m4, %d : f32
      %m5 = arith.mulf %a4, %c : f32
      %a5 = arith.addf %m5, %d : f32
      %m6 = arith.mulf %a5, %c : f32
      %a6 = arith.addf %m6, %d : f32
      %m7 = arith.mulf %a6, %c : f32
      %a7 = arith.addf %m7, %d : f32
      %m8 = arith.mulf %a7, %c : f32
      %a8 = arith.addf %m8, %d : f32
      %m9 = arith.mulf %a8, %c : f32
      %a9 = arith.addf %m9, %d : f32
      llvm.store %a9, %at : f32, !llvm.ptr
      gpu.return
    }
    gpu.func @carried(%p: !llvm.ptr, %n: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c = arith.constant 1.5 : f32
      %d = arith.constant 2.0 : f32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %first = llvm.load %p : !llvm.ptr -> f32
      %sum = scf.for %j = %zero to %n step %one iter_args(%x = %first) -> (f32) : i32 {
        %m0 = arith.mulf %x, %c : f32
        %a0 = arith.addf %m0, %d : f32
        %m1 = arith.mulf %a0, %c : f32
        %a1 = arith.addf %m1, %d : f32
        %m2 = arith.mulf %a1, %c : f32
        %a2 = arith.addf %m2, %d : f32
        %m3 = arith.mulf %a2, %c : f32
        %a3 = arith.addf %m3, %d : f32
        %m4 = arith.mulf %a3, %c : f32
        %a4 = arith.addf %m4, %d : f32
        %m5 = arith.mulf %a4, %c : f32
        %a5 = arith.addf %m5, %d : f32
        %m6 = arith.mulf %a5, %c : f32
        %a6 = arith.addf %m6, %d : f32
        %m7 = arith.mulf %a6, %c : f32
        %a7 = arith.addf %m7, %d : f32
        %m8 = arith.mulf %a7, %c : f32
        %a8 = arith.addf %m8, %d : f32
        %m9 = arith.mulf %a8, %c : f32
        %a9 = arith.addf %m9, %d : f32
        scf.yield %a9 : f32
      }
      llvm.store %sum, %p : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %p: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    %threads = arith.constant 256 : i32
    %shared = arith.constant 0 : i32
    gpu.launch_func @device::@long blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%p : !llvm.ptr)
    gpu.launch_func @device::@carried blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%p : !llvm.ptr, %n : i32)
    return
  }
}
