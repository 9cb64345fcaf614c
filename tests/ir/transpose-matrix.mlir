// A warp transposes a matrix in its registers: one shuffle of the halves of its words where its lanes are a vector, two shuffles
// of a lane that is suspended, and an instruction of GPUs.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU
// RUN: fairlead-lower %s --target=cuda:sm_75 --print=ptx | FileCheck %s --check-prefix=PTX

// CPU-LABEL: llvm.func internal @whole(
// CPU-NOT: FairleadCpuRunThreads
// CPU: llvm.bitcast %{{.*}} : vector<32xi32> to vector<64xi16>
// CPU-NEXT: llvm.shufflevector %{{.*}}, %{{.*}} [0, 8, 16, 24, 32, 40, 48, 56, 1, 9, 17,
// CPU-NEXT: llvm.bitcast %{{.*}} : vector<64xi16> to vector<32xi32>
// CPU-LABEL: llvm.func internal @lanes_thread(
// CPU: llvm.call @fairlead_wait(
// CPU: llvm.call @fairlead_wait(
// CPU: llvm.call @fairlead_wait(
// CPU-NOT: fairlead.transpose_matrix

// PTX: .entry whole
// PTX: movmatrix.sync.aligned.m8n8.trans.b16 %r{{[0-9]+}}, %r{{[0-9]+}};
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @whole(%a: !llvm.ptr, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %i = arith.index_cast %x : index to i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %v = llvm.load %p : !llvm.ptr -> i32
      %t = fairlead.transpose_matrix %v
      llvm.store %t, %q : i32, !llvm.ptr
      gpu.return
    }
    // Some lanes of the warp have a barrier of their own, which no loop can express.
    gpu.func @lanes(%a: !llvm.ptr, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %x = gpu.thread_id x
      %i = arith.index_cast %x : index to i64
      %lane = arith.index_cast %x : index to i32
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %v = llvm.load %p : !llvm.ptr -> i32
      %some = arith.constant 255 : i32
      %c8 = arith.constant 8 : i32
      %few = arith.cmpi ult, %lane, %c8 : i32
      scf.if %few {
        nvvm.bar.warp.sync %some : i32
      }
      %t = fairlead.transpose_matrix %v
      llvm.store %t, %q : i32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
