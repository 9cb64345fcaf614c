// Multiply-adds of neighbouring elements of private memory with a factor in common become one of vectors. A kernel of fewer than
// eight, which LLVM makes vectors of threads of, stays as it is. Dot products of pairs are packed as multiply-adds are.
// RUN: awk -f %S/../tools/repeat.awk %s | fairlead-opt --fairlead-pack-sums | FileCheck %s

// CHECK-LABEL: gpu.func @eight
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr, %[[Y:.*]]: f32)
// CHECK: %[[SUMS:.*]] = llvm.alloca
// CHECK-NOT: llvm.intr.fma({{.*}} : (f32, f32, f32)
// CHECK: %[[BEFORE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: %[[AFTER:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %[[BEFORE]]) : (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: llvm.store %[[AFTER]]
// CHECK-NOT: llvm.store
// CHECK-LABEL: gpu.func @pairs
// CHECK: %[[PAIRS:.*]] = llvm.insertelement %{{.*}} : vector<8xi32>
// CHECK: fairlead.dot_pairs %{{.*}}, %{{.*}} to %{{.*}} : vector<8xi32>, vector<8xf32>
// CHECK-NOT: dot_pairs
// CHECK-LABEL: gpu.func @four
// CHECK-NOT: vector
// CHECK-COUNT-4: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK: gpu.return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @eight(%x: !llvm.ptr, %y: f32) kernel {
      %count = arith.constant 8 : i32
      %sums = llvm.alloca %count x f32 : (i32) -> !llvm.ptr
      repeat 8 %p# = llvm.getelementptr %sums[#] : (!llvm.ptr) -> !llvm.ptr, f32
      repeat 8 %q# = llvm.getelementptr %x[#] : (!llvm.ptr) -> !llvm.ptr, f32
      repeat 8 %x# = llvm.load %q# : !llvm.ptr -> f32
      repeat 8 %s# = llvm.load %p# : !llvm.ptr -> f32
      repeat 8 %t# = llvm.intr.fma(%x#, %y, %s#) : (f32, f32, f32) -> f32
      repeat 8 llvm.store %t#, %p# : f32, !llvm.ptr
      gpu.return
    }
    gpu.func @pairs(%x: !llvm.ptr, %y: i32) kernel {
      %count = arith.constant 8 : i32
      %sums = llvm.alloca %count x f32 : (i32) -> !llvm.ptr
      repeat 8 %p# = llvm.getelementptr %sums[#] : (!llvm.ptr) -> !llvm.ptr, f32
      repeat 8 %q# = llvm.getelementptr %x[#] : (!llvm.ptr) -> !llvm.ptr, i32
      repeat 8 %x# = llvm.load %q# : !llvm.ptr -> i32
      repeat 8 %s# = llvm.load %p# : !llvm.ptr -> f32
      repeat 8 %t# = fairlead.dot_pairs %x#, %y to %s# : i32, f32
      repeat 8 llvm.store %t#, %p# : f32, !llvm.ptr
      gpu.return
    }
    gpu.func @four(%x: !llvm.ptr, %y: f32) kernel {
      %count = arith.constant 4 : i32
      %sums = llvm.alloca %count x f32 : (i32) -> !llvm.ptr
      repeat 4 %p# = llvm.getelementptr %sums[#] : (!llvm.ptr) -> !llvm.ptr, f32
      repeat 4 %q# = llvm.getelementptr %x[#] : (!llvm.ptr) -> !llvm.ptr, f32
      repeat 4 %x# = llvm.load %q# : !llvm.ptr -> f32
      repeat 4 %s# = llvm.load %p# : !llvm.ptr -> f32
      repeat 4 %t# = llvm.intr.fma(%x#, %y, %s#) : (f32, f32, f32) -> f32
      repeat 4 llvm.store %t#, %p# : f32, !llvm.ptr
      gpu.return
    }
  }
}
