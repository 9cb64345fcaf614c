module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @store_past_the_end(%arg0: !llvm.ptr, %arg1: i32) kernel {
      %thread_id_x = gpu.thread_id  x
      %0 = arith.index_cast %thread_id_x : index to i32
      %thread_id_y = gpu.thread_id  y
      %1 = arith.index_cast %thread_id_y : index to i32
      %thread_id_z = gpu.thread_id  z
      %2 = arith.index_cast %thread_id_z : index to i32
      %block_id_x = gpu.block_id  x
      %3 = arith.index_cast %block_id_x : index to i32
      %block_id_y = gpu.block_id  y
      %4 = arith.index_cast %block_id_y : index to i32
      %block_id_z = gpu.block_id  z
      %5 = arith.index_cast %block_id_z : index to i32
      %cst = arith.constant 1.000000e+00 : f32
      %c32_i32 = arith.constant 32 : i32
      %6 = arith.muli %3, %c32_i32 : i32
      %7 = arith.addi %6, %0 : i32
      %8 = arith.extsi %7 : i32 to i64
      %9 = llvm.getelementptr inbounds %arg0[%8] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %cst, %9 : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i32, %arg3: i32) {
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_0 = arith.constant 1 : i32
    %c32_i32 = arith.constant 32 : i32
    %c1_i32_1 = arith.constant 1 : i32
    %c1_i32_2 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    gpu.launch_func  @device::@store_past_the_end blocks in (%arg2, %c1_i32, %c1_i32_0) threads in (%c32_i32, %c1_i32_1, %c1_i32_2) : i32 dynamic_shared_memory_size %c0_i32 args(%arg1 : !llvm.ptr, %arg3 : i32)
    return
  }
}
