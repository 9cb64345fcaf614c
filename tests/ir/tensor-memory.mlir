// PTX of instructions on tensor memory. The word of a product, bit by bit: saturation of integers (3), type of D from 4, of
// A from 7, of B from 10, K slowest in A (15) and B (16), N / 8 from 17, M / 16 from 24.
// On the CPU they are calls of the runtime: of the first lane, or of each thread for its registers.
// RUN: fairlead-lower %s --target=cuda:sm_100a --print=ptx | FileCheck %s
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU

// CPU-LABEL: llvm.func internal @device_columns
// CPU: scf.if
// CPU: llvm.call @FairleadCpuTensorMemoryAlloc(
// CPU: llvm.call @FairleadCpuTensorMemoryFree(
// CPU-LABEL: llvm.func internal @device_pair
// CPU: llvm.call @FairleadCpuTensorMemoryPair(
// CPU: llvm.call @FairleadCpuTensorMulticast(
// CPU: llvm.call @FairleadCpuTensorMemoryMma(%{{.*}}, %c256_i32{{.*}}, %c64_i32
// CPU: llvm.call @FairleadCpuMbarrier(
// CPU-LABEL: llvm.func internal @device_registers
// CPU: llvm.call @FairleadCpuTensorMemoryLoad(
// CPU-NOT: tcgen05

module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK: .version 8.6
    // CHECK: .target sm_100a
    // ptxas unrolls no loops of kernels that read tensor memory.
    // CHECK: .pragma "nounroll";
    // CHECK-LABEL: .entry device_columns
    gpu.func @device_columns(%to: !llvm.ptr<3>, %n: i32, %at: !llvm.ptr<6>) kernel {
      // CHECK: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r{{[0-9]+}}], %r{{[0-9]+}};
      fairlead.tcgen05.alloc %n to %to : !llvm.ptr<3>
      // CHECK: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
      fairlead.tcgen05.relinquish_alloc_permit
      // CHECK: tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r{{[0-9]+}}, %r{{[0-9]+}};
      fairlead.tcgen05.dealloc %n at %at : !llvm.ptr<6>
      gpu.return
    }

    // CHECK-LABEL: .entry device_pair
    gpu.func @device_pair(%to: !llvm.ptr<3>, %n: i32, %at: !llvm.ptr<6>, %a: i64, %b: i64, %added: i1, %map: !llvm.ptr) kernel {
      // CHECK: tcgen05.alloc.cta_group::2.sync
      fairlead.tcgen05.alloc %n to %to group two : !llvm.ptr<3>
      // CHECK: and.b32 even, %r{{[0-9]+}}, 0xFEFFFFFF; { .reg .pred p; elect.sync _|p, -1; @p cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [%r{{[0-9]+}}], [%rd{{[0-9]+}}, {%r{{[0-9]+}}}], [even]; } }
      fairlead.tensor_load %map[%n] to %to at %to of_pair : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
      // CHECK: tcgen05.relinquish_alloc_permit.cta_group::2.sync
      fairlead.tcgen05.relinquish_alloc_permit group two
      // 256 / 16 << 24 | 64 / 8 << 17 | 1 << 4
      // CHECK: 269484048
      // CHECK: tcgen05.mma.cta_group::2.kind::f16 [
      fairlead.tcgen05.mma 256 x 64 f32(%at) = f16(%a : i64) * f16(%b) add %added group two : !llvm.ptr<6>
      // CHECK: tcgen05.commit.cta_group::2.mbarrier
      fairlead.tcgen05.commit %to group two : !llvm.ptr<3>
      // CHECK: tcgen05.dealloc.cta_group::2.sync
      fairlead.tcgen05.dealloc %n at %at group two : !llvm.ptr<6>
      gpu.return
    }

    // CHECK-LABEL: .entry device_registers
    gpu.func @device_registers(%at: !llvm.ptr<6>) kernel {
      // CHECK: tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r{{[0-9]+}}, %r{{[0-9]+}}}, [%r{{[0-9]+}}];
      %a:2 = fairlead.tcgen05.ld %at shape 32 x 32 : !llvm.ptr<6> -> i32, i32
      // CHECK: tcgen05.ld.sync.aligned.16x256b.x1.b32
      %b:4 = fairlead.tcgen05.ld %at shape 16 x 256 : !llvm.ptr<6> -> i32, i32, i32, i32
      // CHECK: tcgen05.wait::ld.sync.aligned;
      // CHECK: tcgen05.st.sync.aligned.32x32b.x1.b32 [%r{{[0-9]+}}], {%r{{[0-9]+}}};
      fairlead.tcgen05.st %a#0 to %at shape 32 x 32 : !llvm.ptr<6>
      // CHECK: tcgen05.st.sync.aligned.16x64b.x2.b32
      fairlead.tcgen05.st %a#0, %a#1 to %at shape 16 x 64 : !llvm.ptr<6>
      // CHECK: tcgen05.st.sync.aligned.16x128b.x2.b32
      fairlead.tcgen05.st %b#0, %b#1, %b#2, %b#3 to %at shape 16 x 128 : !llvm.ptr<6>
      // CHECK: tcgen05.ld.sync.aligned.16x32bx2.x2.pack::16b.b32 {%r{{[0-9]+}}, %r{{[0-9]+}}}, [%r{{[0-9]+}}], 4;
      %c:2 = fairlead.tcgen05.ld %at shape 16 x 32 halves : !llvm.ptr<6> -> i32, i32
      // CHECK: tcgen05.st.sync.aligned.16x32bx2.x1.b32 [%r{{[0-9]+}}], 1, {%r{{[0-9]+}}};
      fairlead.tcgen05.st %c#0 to %at shape 16 x 32 : !llvm.ptr<6>
      // CHECK: tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%r{{[0-9]+}}], {%r{{[0-9]+}}};
      fairlead.tcgen05.st %c#1 to %at shape 32 x 32 halves : !llvm.ptr<6>
      // CHECK: tcgen05.wait::st.sync.aligned;
      fairlead.tcgen05.wait st
      // CHECK: tcgen05.wait::ld.sync.aligned;
      fairlead.tcgen05.wait ld
      // CHECK: tcgen05.fence::before_thread_sync;
      fairlead.tcgen05.fence before
      // CHECK: tcgen05.fence::after_thread_sync;
      fairlead.tcgen05.fence after
      gpu.return
    }

    // CHECK-LABEL: .entry device_products
    gpu.func @device_products(%d: !llvm.ptr<6>, %a: i64, %b: i64, %added: i1, %bar: !llvm.ptr<3>, %blocks: i16) kernel {
      // 128 / 16 << 24 | 256 / 8 << 17 | 1 << 4
      // CHECK: 138412048
      // CHECK: { .reg .pred added; setp.ne.b32 added, %r{{[0-9]+}}, 0; { .reg .pred p; elect.sync _|p, -1; @p tcgen05.mma.cta_group::1.kind::f16 [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, added; } }
      fairlead.tcgen05.mma 128 x 256 f32(%d) = f16(%a : i64) * f16(%b) add %added : !llvm.ptr<6>
      // 128 / 16 << 24 | 16 / 8 << 17 | 1 << 15 | 1 << 10 | 1 << 7 | 1 << 4
      // CHECK: 134513808
      // CHECK: kind::f16
      fairlead.tcgen05.mma 128 x 16 f32(%d) = bf16 transposed(%a : i64) * bf16(%b) add %added : !llvm.ptr<6>
      // 128 / 16 << 24 | 64 / 8 << 17 | 1 << 16
      // CHECK: 135331840
      // CHECK: kind::f16
      fairlead.tcgen05.mma 128 x 64 f16(%d) = f16(%a : i64) * f16 transposed(%b) add %added : !llvm.ptr<6>
      // 128 / 16 << 24 | 128 / 8 << 17 | 2 << 10 | 2 << 7 | 1 << 4
      // CHECK: 136317200
      // CHECK: kind::tf32
      fairlead.tcgen05.mma 128 x 128 f32(%d) = tf32(%a : i64) * tf32(%b) add %added : !llvm.ptr<6>
      // 128 / 16 << 24 | 128 / 8 << 17 | 1 << 10 | 1 << 4
      // CHECK: 136315920
      // CHECK: kind::f8f6f4
      fairlead.tcgen05.mma 128 x 128 f32(%d) = e4m3(%a : i64) * e5m2(%b) add %added : !llvm.ptr<6>
      // 128 / 16 << 24 | 32 / 8 << 17 | 1 << 10 | 2 << 4
      // CHECK: 134743072
      // CHECK: kind::i8
      fairlead.tcgen05.mma 128 x 32 s32(%d) = u8(%a : i64) * s8(%b) add %added : !llvm.ptr<6>
      // CHECK: @p tcgen05.mma.cta_group::1.kind::f16 [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd{{[0-9]+}}, %r{{[0-9]+}}, added;
      fairlead.tcgen05.mma 128 x 64 f32(%d) = f16(%d : !llvm.ptr<6>) * f16(%b) add %added : !llvm.ptr<6>
      // CHECK: {{^[[:space:]]*}}tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r{{[0-9]+}}];
      fairlead.tcgen05.commit %bar {fairlead.chosen_thread} : !llvm.ptr<3>
      // CHECK: @p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r{{[0-9]+}}], %rs{{[0-9]+}}; }
      fairlead.tcgen05.commit %bar blocks %blocks : !llvm.ptr<3>
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
