// Assertions: __assertfail in PTX; on the CPU a call of the runtime, which the launch is told of; on the host an error.
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefix=PTX
// RUN: fairlead-lower %s --target=cpu --print=llvm | FileCheck %s --check-prefix=LLVM

// PTX: .entry device
// PTX: __assertfail
// LLVM-DAG: c"positive (/home/user/k.py:5)\00"
// LLVM-DAG: c"host side ({{.*}}assertions.mlir:{{[0-9]+}})\00"
// LLVM-LABEL: define void @host(
// LLVM: call void @FairleadRaise(
// LLVM: store i32 4, ptr
// LLVM: call void @FairleadCpuLaunch(
// LLVM-LABEL: define internal void @device(
// LLVM: call void @FairleadCpuAssert(ptr {{.*}}, i32 %2, i32 %3, i32 %4)
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device(%n: i32) kernel {
      %zero = arith.constant 0 : i32
      %good = arith.cmpi sgt, %n, %zero : i32
      cf.assert %good, "positive" loc("/home/user/k.py":5:0)
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %some = arith.cmpi ne, %n, %zero : i32
    cf.assert %some, "host side"
    gpu.launch_func @device::@device blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32 args(%n : i32)
    return
  }
}
