// Accesses of a program with guards. The host proves before a launch what no memory decides; if it cannot, a dry run of
// the kernel has these guards.
// RUN: split-file %s %t
// RUN: fairlead-opt %t/affine.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=AFFINE
// RUN: fairlead-opt %t/extent.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=EXTENT
// RUN: fairlead-opt %t/other-extent.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=OTHER-EXTENT
// RUN: fairlead-opt %t/loaded.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=LOADED
// RUN: fairlead-opt %t/known.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=KNOWN
// RUN: fairlead-opt %t/carried.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=CARRIED
// RUN: fairlead-opt %t/stages.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=STAGES
// RUN: fairlead-opt %t/remainder.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=REMAINDER
// RUN: fairlead-opt %t/neighbours.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: fairlead-opt %t/condition.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=CONDITION
// RUN: fairlead-opt %t/reads.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=READS
// RUN: fairlead-opt %t/host.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=HOST

// A bound on the index of the access.
// AFFINE: gpu.func @kernel(%arg0: !llvm.ptr, %arg1: i32, %arg2: i64 {{.*}}, %arg3: i64 {{.*}}, %arg4: !llvm.ptr
// AFFINE-NOT: fairlead.guard
// AFFINE: llvm.store
// AFFINE: gpu.func @kernel.dry_run
// AFFINE: scf.if
// AFFINE: fairlead.guard %{{.*}} bytes at %{{.*}} in %arg2 to %arg3 of %arg4
// AFFINE-NOT: llvm.store
// AFFINE: func.func @host
// AFFINE: %[[NONE:.*]] = llvm.mlir.poison : !llvm.ptr
// AFFINE: %[[TABLE:.*]] = llvm.alloca
// AFFINE: arith.ori
// AFFINE-NOT: llvm.store
// AFFINE: scf.if %{{[0-9]+}} {
// AFFINE: llvm.store
// AFFINE: gpu.launch_func @device::@kernel.dry_run blocks
// AFFINE-SAME: %[[TABLE]] : !llvm.ptr
// AFFINE: }
// AFFINE-NEXT: gpu.launch_func @device::@kernel blocks
// AFFINE-SAME: %[[NONE]] : !llvm.ptr

// The index is below the extent of the tensor, and 32 bits hold it: every launch passes.
// EXTENT: gpu.func @kernel(%arg0: !llvm.ptr, %arg1: i32) kernel
// EXTENT-NOT: fairlead.guard
// EXTENT-NOT: dry_run
// EXTENT: llvm.store
// EXTENT-NOT: dry_run
// EXTENT-NOT: arith.cmpi
// EXTENT: gpu.launch_func @device::@kernel blocks

// It is below another number.
// OTHER-EXTENT: gpu.func @kernel.dry_run
// OTHER-EXTENT: arith.cmpi sgt
// OTHER-EXTENT: gpu.launch_func @device::@kernel.dry_run blocks

// An index from memory is guarded in every launch; that of its load is proven.
// LOADED: gpu.func @kernel(
// LOADED-NOT: fairlead.guard
// LOADED: llvm.load
// LOADED: fairlead.guard
// LOADED-NEXT: llvm.store
// LOADED-NOT: fairlead.guard
// LOADED: gpu.func @kernel.dry_run
// LOADED: fairlead.guard
// LOADED-NOT: llvm.load
// LOADED-NOT: fairlead.guard
// LOADED: gpu.launch_func

// A dry run has what a loop carries as far as an address needs it, and no barrier, memory, or sum of elements.
// CARRIED: gpu.func @kernel.dry_run
// CARRIED: scf.for {{.*}} iter_args(%[[ZERO:.*]] = %{{.*}}, %[[PLACE:.*]] = %{{.*}}) -> (f32, i32)
// CARRIED: fairlead.guard
// CARRIED-NOT: llvm.load
// CARRIED-NOT: addf
// CARRIED: %[[NEXT:.*]] = arith.select
// CARRIED-NEXT: scf.yield %{{.*}}, %[[NEXT]] : f32, i32
// CARRIED-NOT: llvm.store
// CARRIED: func.func @host

// A remainder that a loop carries needs nothing at run time.
// REMAINDER: gpu.func @kernel
// REMAINDER-NOT: fairlead.guard
// REMAINDER-NOT: dry_run

// Four neighbours on one line: one guard of 16 bytes.
// NEIGHBOURS: gpu.func @kernel.dry_run
// NEIGHBOURS: %[[BYTES:.*]] = arith.constant 16 : i64
// NEIGHBOURS: fairlead.guard %[[BYTES]] bytes
// NEIGHBOURS-NOT: fairlead.guard
// NEIGHBOURS: func.func

// Memory of known size: nothing is left to prove when the program runs.
// KNOWN-NOT: fairlead.guard
// KNOWN-NOT: dry_run
// KNOWN: gpu.launch_func @device::@kernel blocks
// KNOWN-NOT: gpu.launch_func

// Memory decides whether the second access happens: the host looks at its address, and a copy of the kernel has the
// guard.
// CONDITION: gpu.func @kernel(
// CONDITION-NOT: fairlead.guard
// CONDITION: gpu.func @kernel.guarded
// CONDITION: fairlead.guard
// CONDITION-NEXT: llvm.store
// CONDITION: gpu.func @kernel.dry_run
// CONDITION: fairlead.guard
// CONDITION-NOT: fairlead.guard
// CONDITION: func.func @host
// CONDITION: gpu.launch_func @device::@kernel.dry_run blocks
// CONDITION-NEXT: }
// CONDITION-NEXT: scf.if
// CONDITION: gpu.launch_func @device::@kernel.guarded blocks
// CONDITION-NEXT: } else {
// CONDITION-NEXT: gpu.launch_func @device::@kernel blocks

// Loads beyond tensors are only warned of: the kernel has no guard, its copy reads at the guard's result, a dry run has
// the guard of the store.
// READS: gpu.func @kernel(
// READS-NOT: fairlead.guard
// READS: gpu.func @kernel.guarded
// READS: %[[READABLE:.*]] = fairlead.guard {{.*}} reads %[[ADDRESS:.*]] : !llvm.ptr as !llvm.ptr
// READS: llvm.load %[[READABLE]]
// READS-NOT: fairlead.guard
// READS: gpu.func @kernel.dry_run
// READS: fairlead.guard
// READS-NOT: reads
// READS: func.func @host
// READS: gpu.launch_func @device::@kernel.dry_run blocks
// READS: gpu.launch_func @device::@kernel.guarded blocks
// READS-NEXT: } else {
// READS-NEXT: gpu.launch_func @device::@kernel blocks

// HOST: llvm.mlir.global private constant @tensor_0("a\00")
// HOST: %[[MORE:.*]] = arith.subi %arg4, %{{.*}} : i64
// HOST: arith.muli %[[MORE]], %c4_i64{{.*}} : i64
// HOST: %[[SOME:.*]] = arith.cmpi sgt, %arg4
// HOST: arith.select %[[SOME]]
// HOST: %[[TABLE:.*]] = llvm.alloca %c7_i32
// HOST: %[[NAME:.*]] = llvm.mlir.addressof @tensor_0
// HOST: %[[INSIDE:.*]] = arith.andi
// HOST: %[[FAILS:.*]] = arith.xori %[[INSIDE]]
// HOST: scf.if %[[FAILS]] {
// HOST: %[[FIRST:.*]] = llvm.getelementptr %[[TABLE]][0]
// HOST: llvm.store %[[NAME]], %[[FIRST]]
// HOST: llvm.store %arg4
// HOST: llvm.call @FairleadRaiseOutOfBounds(%arg0
// HOST: }
// HOST: %[[ADDRESS:.*]] = arith.select %[[INSIDE]]
// HOST: llvm.store %arg3, %[[ADDRESS]]

// Counters of stages that start again at a constant, one of them from the result of another loop: the host proves them.
// STAGES: gpu.func @kernel(
// STAGES-NOT: fairlead.guard
// STAGES: gpu.func @kernel.dry_run
// STAGES: func.func @host
// STAGES: gpu.launch_func  @device::@kernel.dry_run blocks

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
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32, %grid: i32, %bytes: i64) {
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%grid, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr, %n : i32)
    return
  }
}
//--- extent.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %n: i32) kernel {
      %one = arith.constant 1.0 : f32
      %c128 = arith.constant 128 : i32
      %bid = gpu.block_id x
      %bx = arith.index_cast %bid : index to i32
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %start = arith.muli %bx, %c128 : i32
      %i = arith.addi %start, %tx : i32
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %one, %p : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32, %m: i32) {
    %one = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %sum = arith.addi %n, %c127 : i32
    %grid = arith.floordivsi %sum, %c128 : i32
    %extent = arith.extsi %n : i32 to i64
    fairlead.tensor %a has [%extent, 6, 1, %extent] of 32 bits "a" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%grid, %one, %one) threads in (%c128, %one, %one) : i32 args(%a : !llvm.ptr, %n : i32)
    return
  }
}
//--- other-extent.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %n: i32) kernel {
      %one = arith.constant 1.0 : f32
      %c128 = arith.constant 128 : i32
      %bid = gpu.block_id x
      %bx = arith.index_cast %bid : index to i32
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %start = arith.muli %bx, %c128 : i32
      %i = arith.addi %start, %tx : i32
      %in = arith.cmpi slt, %i, %n : i32
      scf.if %in {
        %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %one, %p : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32, %m: i32) {
    %one = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %sum = arith.addi %n, %c127 : i32
    %grid = arith.floordivsi %sum, %c128 : i32
    %extent = arith.extsi %m : i32 to i64
    fairlead.tensor %a has [%extent, 6, 1, %extent] of 32 bits "a" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%grid, %one, %one) threads in (%c128, %one, %one) : i32 args(%a : !llvm.ptr, %n : i32)
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
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %bytes: i64) {
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    fairlead.tensor %b has [%bytes, 1] of 8 bits "b" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr, %b : !llvm.ptr)
    return
  }
}
//--- carried.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %c9 = arith.constant 9 : i32
      %none = arith.constant 0.0 : f32
      %sum, %last = scf.for %k = %zero to %c9 step %one iter_args(%part = %none, %i = %zero) -> (f32, i32) : i32 {
        gpu.barrier
        %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load %p : !llvm.ptr -> f32
        %more = arith.addf %part, %x : f32
        %j = arith.addi %i, %one : i32
        %in = arith.cmpi slt, %j, %n : i32
        %next = arith.select %in, %j, %zero : i32
        scf.yield %more, %next : f32, i32
      }
      llvm.store %sum, %a : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32, %bytes: i64) {
    %one = arith.constant 1 : i32
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32 args(%a : !llvm.ptr, %n : i32)
    return
  }
}
//--- stages.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %c9 = arith.constant 9 : i32
      %first = scf.for %k = %zero to %c9 step %one iter_args(%i = %one) -> (i32) : i32 {
        %j = arith.addi %i, %one : i32
        %in = arith.cmpi slt, %j, %c3 : i32
        %next = arith.select %in, %j, %zero : i32
        scf.yield %next : i32
      }
      %reads, %writes = scf.for %k = %zero to %c9 step %one iter_args(%read = %first, %write = %zero) -> (i32, i32) : i32 {
        %from = llvm.getelementptr %a[%read] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %x = llvm.load %from : !llvm.ptr -> f32
        %to = llvm.getelementptr %a[%write] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %x, %to : f32, !llvm.ptr
        %after = arith.addi %read, %one : i32
        %last = arith.cmpi eq, %after, %c3 : i32
        %next = arith.select %last, %zero, %after : i32
        %behind = arith.addi %write, %one : i32
        %ends = arith.cmpi eq, %behind, %c3 : i32
        %stage = scf.if %ends -> (i32) {
          scf.yield %zero : i32
        } else {
          scf.yield %behind : i32
        }
        scf.yield %next, %stage : i32, i32
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr) {
    %one = arith.constant 1 : i32
    %bytes = arith.constant 12 : i64
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32 args(%a : !llvm.ptr)
    return
  }
}
//--- remainder.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%n: i32) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %x = arith.constant 1.0 : f32
      %own = llvm.alloca %c3 x f32 : (i32) -> !llvm.ptr
      %last = scf.for %k = %zero to %n step %one iter_args(%i = %zero) -> (i32) : i32 {
        %p = llvm.getelementptr %own[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %x, %p : f32, !llvm.ptr
        %j = arith.addi %i, %one : i32
        %next = arith.remsi %j, %c3 : i32
        scf.yield %next : i32
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32 args(%n : i32)
    return
  }
}
//--- neighbours.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr) kernel {
      %x = arith.constant 1.0 : f32
      %c4 = arith.constant 4 : i32
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %i = arith.muli %tx, %c4 : i32
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %p2 = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, f32
      %p1 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
      %p3 = llvm.getelementptr %p2[1] : (!llvm.ptr) -> !llvm.ptr, f32
      llvm.store %x, %p2 : f32, !llvm.ptr loc("k.py":3:0)
      llvm.store %x, %p : f32, !llvm.ptr loc("k.py":3:0)
      llvm.store %x, %p1 : f32, !llvm.ptr loc("k.py":3:0)
      llvm.store %x, %p3 : f32, !llvm.ptr loc("k.py":3:0)
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %bytes: i64) {
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr)
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
//--- condition.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) kernel {
      %one = arith.constant 1.0 : f32
      %zero = arith.constant 0 : i32
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %p = llvm.getelementptr %a[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %i = llvm.load %p : !llvm.ptr -> i32
      %some = arith.cmpi sgt, %i, %zero : i32
      scf.if %some {
        %q = llvm.getelementptr %b[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        llvm.store %one, %q : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %bytes: i64) {
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    fairlead.tensor %b has [%bytes, 1] of 8 bits "b" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr, %b : !llvm.ptr)
    return
  }
}
//--- reads.mlir
module attributes {gpu.container_module, fairlead.checks = "guards", fairlead.warns_of_reads} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) kernel {
      %tid = gpu.thread_id x
      %tx = arith.index_cast %tid : index to i32
      %p = llvm.getelementptr %a[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %q = llvm.getelementptr %b[%tx] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      llvm.store %x, %q : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %bytes: i64) {
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    fairlead.tensor %a has [%bytes, 1] of 8 bits "a" : !llvm.ptr
    fairlead.tensor %b has [%bytes, 1] of 8 bits "b" : !llvm.ptr
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%c64, %one, %one) : i32 args(%a : !llvm.ptr, %b : !llvm.ptr)
    return
  }
}
//--- host.mlir
module attributes {gpu.container_module, fairlead.checks = "guards"} {
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %i: i32, %x: f32, %n: i64) {
    fairlead.tensor %a has [%n, 4, 4, 1] of 32 bits "a" : !llvm.ptr
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %p : f32, !llvm.ptr
    return
  }
}
