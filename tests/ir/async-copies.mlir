// Asynchronous copies, their barriers and products of warpgroups: inline PTX for GPUs, by one thread of a warp where one does it;
// for the CPU calls of the runtime, by the first lane, and threads that are suspended while they wait for a phase.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefix=PTX

// CPU-LABEL: llvm.func internal @load_thread(
// CPU: llvm.call @FairleadCpuMbarrier(%{{.*}}, %c0_i32{{.*}}, %c1_i32
// CPU: llvm.call @FairleadCpuTensorCopy(
// CPU: llvm.call @fairlead_wait(%{{.*}}, %c11_i32
// CPU: llvm.call @FairleadCpuWarpgroupMma(
// CPU-NOT: nvvm.wgmma

// PTX: .param .align 64 .b8 load_param_0[128]
// PTX: mbarrier.init.shared::cta.b64
// PTX: elect.sync _|p, -1; @p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
// PTX: mbarrier.try_wait.parity.shared::cta.b64 p
// PTX: wgmma.fence.sync.aligned;
// PTX: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{.*}}, p, 1, 1, 0, 1;
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @load(%map: !llvm.ptr {fairlead.tensor_map_parameter}, %out: !llvm.ptr, %a: i64, %b: i64) kernel {
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %tile = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %true = arith.constant true
      %f = arith.constant 0.0 : f32
      fairlead.mbarrier.init %base, %one : !llvm.ptr<3>
      fairlead.tensor_load %map[%zero, %one] to %tile at %base : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
      fairlead.mbarrier.wait %base, %zero : !llvm.ptr<3>
      nvvm.wgmma.fence.aligned
      %s:4 = fairlead.warpgroup_mma 8 f32 = f16(%a : i64) * f16 transposed(%b) add %true to (%f, %f, %f, %f) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
      llvm.store %s#2, %out : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
