// Coverage becomes calls of the runtime: with the thread's number in kernels, with 0 in host functions. Each traced call of a
// function has one text.
// RUN: fairlead-opt %s --fairlead-coverage | FileCheck %s

// CHECK: llvm.mlir.global internal @covered_frame_1("{{.*}}k.py
// CHECK-NOT: @covered_frame_1("
// CHECK: gpu.module @device
// CHECK: llvm.mlir.global internal @covered_frame_2("{{.*}}k.py
// CHECK: gpu.func @kernel
// CHECK: %[[X:.*]] = gpu.thread_id x
// CHECK: llvm.call @FairleadCover(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i32, i32) -> ()
// CHECK: func.func @host
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: llvm.call @FairleadCover(%{{.*}}, %[[ZERO]]
// CHECK: llvm.call @FairleadCover
// CHECK-NOT: fairlead.cover
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel() kernel {
      fairlead.cover line line 3 frame 2 of "k.py"
      gpu.return
    }
  }
  func.func @host() {
    fairlead.cover enter line 7 frame 1 of "k.py"
    fairlead.cover line line 8 frame 1 of "k.py"
    return
  }
}
