// Accesses of a program with guards. The host proves before a launch what it can; such guards stay only in the copy of
// the kernel that other launches run.
// RUN: split-file %s %t
// RUN: fairlead-opt %t/affine.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=AFFINE
// RUN: fairlead-opt %t/loaded.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=LOADED
// RUN: fairlead-opt %t/known.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=KNOWN
// RUN: fairlead-opt %t/host.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=HOST

// A bound on the index of the access.
// AFFINE: gpu.func @kernel(%arg0: !llvm.ptr, %arg1: i32, %arg2: i64 {{.*}}, %arg3: i64 {{.*}}, %arg4: !llvm.ptr
// AFFINE-NOT: fairlead.guard
// AFFINE: gpu.func @kernel.guarded
// AFFINE: scf.if
// AFFINE: fairlead.guard %{{.*}} bytes at %{{.*}} in %arg2 to %arg3 of %arg4
// AFFINE-NEXT: llvm.store
// AFFINE: func.func @host
// AFFINE: arith.andi
// AFFINE: scf.if %{{[0-9]+}} {
// AFFINE: gpu.launch_func @device::@kernel blocks
// AFFINE: } else {
// AFFINE: gpu.launch_func @device::@kernel.guarded blocks

// An index from memory is guarded in every launch; that of its load is proven.
// LOADED: gpu.func @kernel(
// LOADED: llvm.load
// LOADED: fairlead.guard
// LOADED-NEXT: llvm.store
// LOADED-NOT: fairlead.guard
// LOADED: gpu.func @kernel.guarded
// LOADED: fairlead.guard
// LOADED-NEXT: llvm.load
// LOADED: fairlead.guard
// LOADED-NEXT: llvm.store

// Memory of known size: nothing is left to prove when the program runs.
// KNOWN-NOT: fairlead.guard
// KNOWN-NOT: guarded
// KNOWN: gpu.launch_func @device::@kernel blocks
// KNOWN-NOT: gpu.launch_func

// HOST: %[[INSIDE:.*]] = arith.andi
// HOST: scf.if %[[INSIDE]] {
// HOST: llvm.store
// HOST: } else {
// HOST: llvm.call @FairleadRaiseOutOfBounds(%arg0

//--- affine.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %n: i32) kernel {
      %one = arith.constant 1.0 : f32
      %c64 = arith.constant 64 : i32
      %bid = gpu.block_id x
      %bx = arith.index_cast %bid : index to i32
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %start = arith.muli %bx, %c64 : i32
      %i = arith.addi %start, %tx : i32
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %one, %p : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32, %grid: i32, %bytes: i64, %table: !llvm.ptr) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.memory %a from %zero to %bytes of "Float32 (?):(1)" at %table : !llvm.ptr : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%grid, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr, %n : i32)
    return
  }
}
//--- loaded.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) kernel {
      %one = arith.constant 1.0 : f32
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %p = llvm.getelementptr %a[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %i = llvm.load %p : !llvm.ptr -> i32
      %q = llvm.getelementptr %b[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      llvm.store %one, %q : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %bytes: i64, %table: !llvm.ptr) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.memory %a from %zero to %bytes of "Int32 (?):(1)" at %table : !llvm.ptr : !llvm.ptr
    fairlead.memory %b from %zero to %bytes of "Float32 (?):(1)" at %table : !llvm.ptr : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr, %b : !llvm.ptr)
    return
  }
}
//--- known.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel() kernel {
      %c8 = arith.constant 8 : i32
      %c7 = arith.constant 7 : i32
      %one = arith.constant 1.0 : f32
      %own = llvm.alloca %c8 x f32 : (i32) -> !llvm.ptr
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %i = arith.andi %tx, %c7 : i32
      %p = llvm.getelementptr %own[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      llvm.store %one, %p : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr) {
    %one = arith.constant 1 : i32
    %threads = arith.constant 64 : i32
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32
    return
  }
}
//--- host.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %i: i32, %x: f32, %bytes: i64, %table: !llvm.ptr) {
    %zero = arith.constant 0 : i64
    fairlead.memory %a from %zero to %bytes of "Float32 (?):(1)" at %table : !llvm.ptr : !llvm.ptr
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %p : f32, !llvm.ptr
    return
  }
}
