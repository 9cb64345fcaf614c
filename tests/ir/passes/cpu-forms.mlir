// An operation of a kernel that only GPUs have is an error that names it. Host functions, and operations that have a CPU form, are
// not looked at.
// RUN: fairlead-opt %s --fairlead-cpu-forms -split-input-file -verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @fine(%out: !llvm.ptr) kernel {
      %x = gpu.thread_id x
      %n = arith.index_cast %x : index to i32
      nvvm.barrier
      llvm.store %n, %out : i32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr) {
    llvm.inline_asm has_side_effects "nop;", "" : () -> ()
    return
  }
}

// -----

// expected-error@+1 {{compiling `sum` for the CPU failed: only GPUs run its operation `nvvm.redux.sync`}}
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @sum(%x: i32, %out: !llvm.ptr) kernel {
      %full = arith.constant -1 : i32
      %sum = nvvm.redux.sync add %x, %full : i32 -> i32
      llvm.store %sum, %out : i32, !llvm.ptr
      gpu.return
    }
  }
}

// -----

// expected-error@+1 {{compiling `ptx` for the CPU failed: only GPUs run its inline PTX `nop;`}}
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @ptx() kernel {
      llvm.inline_asm has_side_effects "nop;", "" : () -> ()
      gpu.return
    }
  }
}
