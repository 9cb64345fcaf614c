// Fences, groups and hints: one instruction each for GPUs, with the PTX ISA that the latest of them needs; nothing for the CPU.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefix=PTX

// CPU-LABEL: llvm.func internal @orders(
// CPU-NOT: nvvm.
// CPU-NOT: fairlead.
// CPU: llvm.return

// PTX: .version 8.3
// PTX: fence.mbarrier_init.release.cluster;
// PTX: fence.proxy.alias;
// PTX: fence.proxy.async;
// PTX: fence.proxy.async.global;
// PTX: fence.proxy.async.shared::cta;
// PTX: fence.proxy.async.shared::cluster;
// PTX: fence.acq_rel.cluster;
// PTX: cp.async.bulk.commit_group;
// PTX: cp.async.bulk.wait_group 2;
// PTX: cp.async.bulk.wait_group.read 0;
// PTX: wgmma.fence.sync.aligned;
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX: setmaxnreg.dec.sync.aligned.u32 40;
// PTX: setmaxnreg.inc.sync.aligned.u32 232;
// PTX: fence.proxy.tensormap::generic.release.gpu;
// PTX: fence.proxy.tensormap::generic.acquire.gpu [%rd{{[0-9]+}}], 128;
// PTX: prefetch.tensormap [%rd{{[0-9]+}}];
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @orders(%map: !llvm.ptr) kernel attributes {nvvm.minctasm = 1 : i32} {
      nvvm.fence.mbarrier.init
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
      fairlead.cluster_fence
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 2
      nvvm.cp.async.bulk.wait_group 0 {read}
      nvvm.wgmma.fence.aligned
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 1
      nvvm.setmaxregister decrease 40
      nvvm.setmaxregister increase 232
      nvvm.fence.proxy.release #nvvm.mem_scope<gpu>
      fairlead.map_acquire %map : !llvm.ptr
      fairlead.map_prefetch %map : !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
