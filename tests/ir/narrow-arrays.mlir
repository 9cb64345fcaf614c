// An array of eight 4-bit integers in private memory becomes a register, also if a loop writes it in some rounds. A
// place that is not constant keeps it in memory.
// RUN: fairlead-lower %s --target=cuda:sm_90 --print=ptx | FileCheck %s

// CHECK-LABEL: .entry words(
// CHECK-NOT: .local
// CHECK-NOT: sh{{[lr]}}.b
// CHECK: st.volatile.global.b32
// CHECK-NOT: sh{{[lr]}}.b
// CHECK: ret;

// CHECK-LABEL: .entry element(
// CHECK: st.local
// CHECK: ret;
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @words(%from: !llvm.ptr, %to: !llvm.ptr, %rounds: i32)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %n = arith.constant 8 : i32
      %p0 = llvm.alloca %n x i8 : (i32) -> !llvm.ptr
      %s0 = arith.constant 0 : i32
      %s1 = arith.constant 4 : i32
      %i1 = arith.constant 1 : i64
      %p1 = llvm.getelementptr inbounds %p0[%i1] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %s2 = arith.constant 8 : i32
      %i2 = arith.constant 2 : i64
      %p2 = llvm.getelementptr inbounds %p0[%i2] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %s3 = arith.constant 12 : i32
      %i3 = arith.constant 3 : i64
      %p3 = llvm.getelementptr inbounds %p0[%i3] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %s4 = arith.constant 16 : i32
      %i4 = arith.constant 4 : i64
      %p4 = llvm.getelementptr inbounds %p0[%i4] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %s5 = arith.constant 20 : i32
      %i5 = arith.constant 5 : i64
      %p5 = llvm.getelementptr inbounds %p0[%i5] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %s6 = arith.constant 24 : i32
      %i6 = arith.constant 6 : i64
      %p6 = llvm.getelementptr inbounds %p0[%i6] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %s7 = arith.constant 28 : i32
      %i7 = arith.constant 7 : i64
      %p7 = llvm.getelementptr inbounds %p0[%i7] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      scf.for %i = %zero to %rounds step %one : i32 {
        %word = llvm.load volatile %from : !llvm.ptr -> i32
        %new = arith.cmpi slt, %word, %zero : i32
        scf.if %new {
          %wordm0 = arith.shrui %word, %s0 : i32
          %wordn0 = arith.trunci %wordm0 : i32 to i4
          llvm.store %wordn0, %p0 : i4, !llvm.ptr
          %wordm1 = arith.shrui %word, %s1 : i32
          %wordn1 = arith.trunci %wordm1 : i32 to i4
          llvm.store %wordn1, %p1 : i4, !llvm.ptr
          %wordm2 = arith.shrui %word, %s2 : i32
          %wordn2 = arith.trunci %wordm2 : i32 to i4
          llvm.store %wordn2, %p2 : i4, !llvm.ptr
          %wordm3 = arith.shrui %word, %s3 : i32
          %wordn3 = arith.trunci %wordm3 : i32 to i4
          llvm.store %wordn3, %p3 : i4, !llvm.ptr
          %wordm4 = arith.shrui %word, %s4 : i32
          %wordn4 = arith.trunci %wordm4 : i32 to i4
          llvm.store %wordn4, %p4 : i4, !llvm.ptr
          %wordm5 = arith.shrui %word, %s5 : i32
          %wordn5 = arith.trunci %wordm5 : i32 to i4
          llvm.store %wordn5, %p5 : i4, !llvm.ptr
          %wordm6 = arith.shrui %word, %s6 : i32
          %wordn6 = arith.trunci %wordm6 : i32 to i4
          llvm.store %wordn6, %p6 : i4, !llvm.ptr
          %wordm7 = arith.shrui %word, %s7 : i32
          %wordn7 = arith.trunci %wordm7 : i32 to i4
          llvm.store %wordn7, %p7 : i4, !llvm.ptr
        }
        %l0 = llvm.load %p0 : !llvm.ptr -> i4
        %z0 = arith.extui %l0 : i4 to i32
        %h0 = arith.shli %z0, %s0 : i32
        %l1 = llvm.load %p1 : !llvm.ptr -> i4
        %z1 = arith.extui %l1 : i4 to i32
        %h1 = arith.shli %z1, %s1 : i32
        %o1 = arith.ori %h0, %h1 : i32
        %l2 = llvm.load %p2 : !llvm.ptr -> i4
        %z2 = arith.extui %l2 : i4 to i32
        %h2 = arith.shli %z2, %s2 : i32
        %o2 = arith.ori %o1, %h2 : i32
        %l3 = llvm.load %p3 : !llvm.ptr -> i4
        %z3 = arith.extui %l3 : i4 to i32
        %h3 = arith.shli %z3, %s3 : i32
        %o3 = arith.ori %o2, %h3 : i32
        %l4 = llvm.load %p4 : !llvm.ptr -> i4
        %z4 = arith.extui %l4 : i4 to i32
        %h4 = arith.shli %z4, %s4 : i32
        %o4 = arith.ori %o3, %h4 : i32
        %l5 = llvm.load %p5 : !llvm.ptr -> i4
        %z5 = arith.extui %l5 : i4 to i32
        %h5 = arith.shli %z5, %s5 : i32
        %o5 = arith.ori %o4, %h5 : i32
        %l6 = llvm.load %p6 : !llvm.ptr -> i4
        %z6 = arith.extui %l6 : i4 to i32
        %h6 = arith.shli %z6, %s6 : i32
        %o6 = arith.ori %o5, %h6 : i32
        %l7 = llvm.load %p7 : !llvm.ptr -> i4
        %z7 = arith.extui %l7 : i4 to i32
        %h7 = arith.shli %z7, %s7 : i32
        %o7 = arith.ori %o6, %h7 : i32
        llvm.store volatile %o7, %to : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @element(%from: !llvm.ptr, %place: i64, %to: !llvm.ptr)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %n = arith.constant 16 : i32
      %array = llvm.alloca %n x i8 : (i32) -> !llvm.ptr
      %word = llvm.load %from : !llvm.ptr -> i32
      %low = arith.trunci %word : i32 to i4
      %there = llvm.getelementptr inbounds %array[%place] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      llvm.store %low, %there : i4, !llvm.ptr
      %first = llvm.load %array : !llvm.ptr -> i4
      %a = arith.extui %first : i4 to i32
      llvm.store %a, %to : i32, !llvm.ptr
      gpu.return
    }
  }
}
