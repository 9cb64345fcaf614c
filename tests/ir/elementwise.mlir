// A guarded elementwise kernel: on the CPU one function a block whose thread loop ends where the guard does and vectorizes without run-time
// checks or masks, on CUDA global loads and stores.

// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=BLOCK
// RUN: fairlead-lower %s --target=cpu --print=llvm | FileCheck %s --check-prefix=VECTOR
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefix=PTX
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=llvm | FileCheck %s --check-prefix=RUNTIME

// BLOCK: func.func @host
// BLOCK: %[[LAUNCH:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(array<12 x i32>, ptr)>
// BLOCK: llvm.mlir.addressof @add_one
// BLOCK: llvm.call @FairleadCpuLaunch
// BLOCK-NOT: gpu.
// BLOCK: llvm.func internal @add_one(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: !llvm.ptr)
// BLOCK: llvm.load %{{.*}} {access_groups = [#[[GROUP:.*]]]}
// BLOCK: llvm.cond_br %{{.*}} {loop_annotation

// VECTOR-LABEL: define internal void @add_one
// VECTOR-NOT: diff.check
// VECTOR-NOT: vector.memcheck
// VECTOR-NOT: masked
// VECTOR: call i64 @llvm.umin.i64
// VECTOR: load <{{8|16}} x float>
// VECTOR: store <{{8|16}} x float>
// VECTOR: ret void

// PTX: .version 8.0
// PTX: .target sm_90a
// PTX: .visible .entry add_one(
// PTX: .reqntid 128, 1, 1
// PTX: ld.global.b32
// PTX: add.{{(rn.)?}}f32
// PTX: st.global.b32

// RUNTIME: @fairlead_cuda_module = external global
// RUNTIME: call void @FairleadCudaLaunch(ptr {{.*}}, ptr {{.*}}@fairlead_cuda_module, i32 0,

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @add_one(%a: !llvm.ptr, %b: !llvm.ptr, %n: i32) kernel {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %block = gpu.block_id x
      %g = arith.index_cast %block : index to i32
      %width = arith.constant 128 : i32
      %base = arith.muli %g, %width : i32
      %i = arith.addi %base, %t : i32
      %inside = arith.cmpi slt, %i, %n : i32
      scf.if %inside {
        %wide = arith.extsi %i : i32 to i64
        %from = llvm.getelementptr inbounds %a[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %x = llvm.load %from : !llvm.ptr -> f32
        %one = arith.constant 1.0 : f32
        %y = arith.addf %x, %one : f32
        %to = llvm.getelementptr inbounds %b[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %y, %to : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    %threads = arith.constant 128 : i32
    %shared = arith.constant 0 : i32
    gpu.launch_func @device::@add_one blocks in (%n, %one, %one) threads in (%threads, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%a : !llvm.ptr, %b : !llvm.ptr, %n : i32)
    return
  }
}
