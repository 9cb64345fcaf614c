// Loads and stores with a memory order: atomic or volatile ones, with the scope that GPUs have; the CPU's have no scope.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefix=PTX

// CPU-LABEL: llvm.func internal @orders(
// CPU: llvm.load %{{.*}} atomic acquire {{.*}} -> i32
// CPU: llvm.load %{{.*}} atomic monotonic {{.*}} -> i64
// CPU: llvm.load volatile %{{.*}} -> vector<4xf32>
// CPU: llvm.load volatile %{{.*}} atomic monotonic {{.*}} -> i32
// CPU: llvm.store %{{.*}} atomic release
// CPU: llvm.store %{{.*}} atomic seq_cst
// CPU: llvm.store volatile
// CPU-NOT: syncscope

// PTX: .version 8.2
// PTX: ld.acquire.gpu.global.b32
// PTX: ld.relaxed.cluster.global.b64
// PTX: ld.volatile.global.v4.b32
// PTX: ld.mmio.relaxed.sys.global.b32
// PTX: st.release.cta.global.b32
// PTX: fence.sc.sys;
// PTX-NEXT: st.release.sys.global.b64
// PTX: st.volatile.global.v4.b32
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @orders(%a: !llvm.ptr, %out: !llvm.ptr) kernel attributes {nvvm.minctasm = 1 : i32} {
      %w = llvm.load %a atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr -> i32
      %x = llvm.load %a atomic syncscope("cluster") monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
      %y = llvm.load volatile %a {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
      %z = llvm.load volatile %a atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
      %s = arith.addi %w, %z : i32
      llvm.store %s, %out atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr
      llvm.store %x, %out atomic seq_cst {alignment = 8 : i64} : i64, !llvm.ptr
      llvm.store volatile %y, %out {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
