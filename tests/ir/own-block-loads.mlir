// On sm_120, loads into the shared memory of the running block alone name it. ptxas calls the driver for addresses in the cluster
// there, and then ignores setmaxnreg. Loads into several blocks name the cluster.
// RUN: fairlead-lower %s --target=cuda:sm_120a --print=ptx | FileCheck %s
// RUN: fairlead-lower %s --target=cuda:sm_100a --print=ptx | FileCheck %s --check-prefix=OTHER

// CHECK: cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [
// CHECK: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [
// OTHER: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [
// OTHER: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [
// OTHER: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @load(%map: !llvm.ptr {fairlead.tensor_map_parameter}, %from: !llvm.ptr<1>) kernel {
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %tile = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %zero = arith.constant 0 : i32
      %bytes = arith.constant 128 : i32
      %mask = arith.constant 3 : i16
      fairlead.tensor_load %map[%zero, %zero] to %tile at %base : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
      fairlead.tensor_load %map[%zero, %zero] to %tile at %base blocks %mask : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
      fairlead.bulk_load %from, %bytes to %tile at %base : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<3>
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
