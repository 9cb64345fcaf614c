// Operations that only GPUs have are an error that names them: those without a model, and forms of others that theirs has not.
// RUN: split-file %s %t
// RUN: not fairlead-lower %t/no-model.mlir --target=cpu 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not fairlead-lower %t/no-form.mlir --target=cpu 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not fairlead-lower %t/gpu-op.mlir --target=cpu 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not fairlead-lower %t/intrinsic.mlir --target=cpu 2>&1 | FileCheck %s --check-prefix=INTRINSIC
// MODEL: compiling `device_sum` for the CPU failed: only GPUs run its operation `nvvm.redux.sync`
// FORM: compiling `device_find` for the CPU failed: only GPUs run its operation `nvvm.shfl.sync`
// GPU: compiling `device_wait` for the CPU failed: only GPUs run its operation `gpu.barrier`
// INTRINSIC: compiling `device_sleep` for the CPU failed: only GPUs run its operation `llvm.nvvm.nanosleep`

//--- no-model.mlir
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device_sum(%a: !llvm.ptr, %x: i32) kernel {
      %full = arith.constant -1 : i32
      %s = nvvm.redux.sync add %x, %full : i32 -> i32
      llvm.store %s, %a : i32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}

//--- no-form.mlir
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device_find(%a: !llvm.ptr, %x: i32) kernel {
      %full = arith.constant -1 : i32
      %s = nvvm.shfl.sync bfly %full, %x, %x, %x {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
      %v = llvm.extractvalue %s[0] : !llvm.struct<(i32, i1)>
      llvm.store %v, %a : i32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}

//--- gpu-op.mlir
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device_wait() kernel {
      gpu.barrier
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}

//--- intrinsic.mlir
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device_sleep(%n: i32) kernel {
      llvm.call_intrinsic "llvm.nvvm.nanosleep"(%n) : (i32) -> ()
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
