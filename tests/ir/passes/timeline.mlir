// Events of timelines become calls of the runtime on the CPU, with the thread and the block; on GPUs, assembly that writes to a
// buffer, and calls of the host that tell the names before each launch. Kernels without events stay as they are.
// RUN: fairlead-opt %s --fairlead-timeline-cpu | FileCheck %s --check-prefix=CPU
// RUN: fairlead-opt %s --fairlead-timeline-cuda | FileCheck %s --check-prefix=CUDA

// Two events of one name share its text, whose first 8 bytes are room for the runtime.
// CPU: llvm.mlir.global internal @timeline_name_[[LOAD:[0-9A-F]+]]("\00\00\00\00\00\00\00\00kernel\1Fload\00")
// CPU-NOT: @timeline_name_[[LOAD]](
// CPU: gpu.module @device
// CPU: gpu.func @kernel
// CPU: %[[NAME:.*]] = llvm.mlir.addressof @timeline_name_[[LOAD]]
// A beginning with an integer: 0 + 1 * 8.
// CPU: %[[WHAT:.*]] = arith.constant 8 : i32
// CPU: gpu.thread_id x
// CPU: gpu.block_id
// CPU: llvm.call @FairleadTimelineNote(%[[NAME]], %[[WHAT]], %arg0, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i64, i32, i64) -> ()
// An end: 1. Its payload is 0.
// CPU: %[[WHAT:.*]] = arith.constant 1 : i32
// CPU: %[[NONE:.*]] = arith.constant 0 : i64
// CPU: llvm.call @FairleadTimelineNote(%{{.*}}, %[[WHAT]], %[[NONE]],
// A mark with a float: 2 + 2 * 8. Its bits are passed.
// CPU: %[[WHAT:.*]] = arith.constant 18 : i32
// CPU: %[[BITS:.*]] = arith.bitcast %arg1 : f64 to i64
// CPU: llvm.call @FairleadTimelineNote(%{{.*}}, %[[WHAT]], %[[BITS]],
// CPU-NOT: fairlead.timeline
// CPU: gpu.func @without
// CPU-NEXT: gpu.printf "printed"
// CPU-NEXT: gpu.return
// CPU: func.func @host
// CPU-NOT: FairleadTimelineName

// CUDA-DAG: llvm.mlir.global internal constant @timeline_name_[[LOAD:[0-9A-F]+]]("kernel\1Fload\00")
// CUDA-DAG: llvm.mlir.global internal constant @timeline_name_[[HERE:[0-9A-F]+]]("kernel\1Fhere\00")
// CUDA: gpu.module @device
// CUDA: llvm.mlir.global external @fairlead_timeline(0 : i64) {addr_space = 1 : i32
// CUDA: llvm.mlir.global internal @fairlead_timeline_slots() {addr_space = 3 : i32
// CUDA: gpu.func @kernel
// CUDA: llvm.inline_asm has_side_effects "{{.*}}atom.global.add.u64 g, [b], 1;{{.*}}bar.warp.sync k;
// A range lasts from the clock after the work of its first event to the clock before the work of its second one.
// CUDA: llvm.inline_asm has_side_effects "{{.*}}atom.shared{{.*}}mov.u64 g, %globaltimer;{{.*}}", "l,l,l,~{memory}" %{{.*}}, %{{.*}}, %arg0 :
// CUDA: llvm.inline_asm has_side_effects "{{.*}}%globaltimer;{{.*}}atom.shared
// CUDA: llvm.inline_asm has_side_effects "{{.*}}%globaltimer;{{.*}}atom.shared
// CUDA-NOT: llvm.inline_asm
// CUDA-NOT: fairlead.timeline
// CUDA: gpu.func @without
// CUDA-NEXT: gpu.printf "printed"
// CUDA-NEXT: gpu.return
// CUDA: func.func @host
// CUDA: llvm.mlir.addressof @timeline_name_[[LOAD]]
// CUDA: llvm.call @FairleadTimelineName(%{{.*}}, %{{.*}}) : (i64, !llvm.ptr) -> ()
// CUDA: llvm.mlir.addressof @timeline_name_[[HERE]]
// CUDA: llvm.call @FairleadTimelineName
// CUDA: gpu.launch_func @device::@kernel
// CUDA-NOT: FairleadTimelineName
// CUDA: gpu.launch_func @device::@without
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%n: i64, %x: f64) kernel {
      gpu.printf "load" {fairlead.timeline = 0 : i32}, %n : i64
      gpu.printf "load" {fairlead.timeline = 1 : i32}
      gpu.printf "here" {fairlead.timeline = 2 : i32}, %x : f64
      gpu.return
    }
    gpu.func @without() kernel {
      gpu.printf "printed"
      gpu.return
    }
  }
  func.func @host(%n: i64, %x: f64) {
    %one = arith.constant 1 : index
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%n : i64, %x : f64)
    gpu.launch_func @device::@without blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}
