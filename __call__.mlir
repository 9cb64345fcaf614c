#loop_unroll = #llvm.loop_unroll<disable = true>
#loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
module attributes {gpu.container_module} {
  llvm.mlir.global private constant @text_1("Invalid grid[2] when launching `kernel`, expected an integer of 32 bits, but got {got}\00") {addr_space = 0 : i32}
  llvm.mlir.global private constant @text_0("ValueError\00") {addr_space = 0 : i32}
  llvm.func @FairleadRaise(!llvm.ptr, !llvm.ptr, i64, i64)
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @kernel(%arg0: !llvm.ptr {fairlead.tensor_map_parameter}, %arg1: i32, %arg2: i32, %arg3: i32, %arg4: !llvm.ptr {fairlead.tensor_map_parameter}, %arg5: i32, %arg6: !llvm.ptr {fairlead.tensor_map_parameter}, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: i32, %arg11: i64, %arg12: i32, %arg13: i32, %arg14: i32, %arg15: i32) kernel attributes {nvvm.minctasm = 1 : i32} {
      %c16_i32 = arith.constant 16 : i32
      %0 = llvm.alloca %c16_i32 x bf16 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %c16_i32_0 = arith.constant 16 : i32
      %1 = llvm.alloca %c16_i32_0 x bf16 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %c16_i32_1 = arith.constant 16 : i32
      %2 = llvm.alloca %c16_i32_1 x bf16 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %c16_i32_2 = arith.constant 16 : i32
      %3 = llvm.alloca %c16_i32_2 x bf16 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %c16_i32_3 = arith.constant 16 : i32
      %4 = llvm.alloca %c16_i32_3 x f32 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %c64_i32 = arith.constant 64 : i32
      %5 = llvm.alloca %c64_i32 x f32 {alignment = 32 : i64} : (i32) -> !llvm.ptr
      %true = arith.constant true
      %thread_id_x = gpu.thread_id  x
      %6 = arith.index_cast %thread_id_x : index to i32
      %thread_id_y = gpu.thread_id  y
      %7 = arith.index_cast %thread_id_y : index to i32
      %thread_id_z = gpu.thread_id  z
      %8 = arith.index_cast %thread_id_z : index to i32
      %block_dim_x = gpu.block_dim  x
      %9 = arith.index_cast %block_dim_x : index to i32
      %block_dim_y = gpu.block_dim  y
      %10 = arith.index_cast %block_dim_y : index to i32
      %block_dim_z = gpu.block_dim  z
      %11 = arith.index_cast %block_dim_z : index to i32
      %12 = arith.muli %10, %8 : i32
      %13 = arith.addi %7, %12 : i32
      %14 = arith.muli %9, %13 : i32
      %15 = arith.addi %6, %14 : i32
      %c5_i32 = arith.constant 5 : i32
      %c31_i32 = arith.constant 31 : i32
      %c5_i32_4 = arith.constant 5 : i32
      %16 = arith.shrsi %15, %c5_i32_4 : i32
      %c0_i32 = arith.constant 0 : i32
      %c-1_i32 = arith.constant -1 : i32
      %c31_i32_5 = arith.constant 31 : i32
      %17 = nvvm.shfl.sync  idx %c-1_i32, %16, %c0_i32, %c31_i32_5 : i32 -> i32
      %c8_i32 = arith.constant 8 : i32
      %18 = arith.cmpi eq, %17, %c8_i32 : i32
      scf.if %18 {
        %89 = llvm.ptrtoint %arg0 : !llvm.ptr to i64
        "fairlead.order"(%89) {ptx = "prefetch.tensormap [$0];"} : (i64) -> ()
        %90 = llvm.ptrtoint %arg4 : !llvm.ptr to i64
        "fairlead.order"(%90) {ptx = "prefetch.tensormap [$0];"} : (i64) -> ()
        %91 = llvm.ptrtoint %arg6 : !llvm.ptr to i64
        "fairlead.order"(%91) {ptx = "prefetch.tensormap [$0];"} : (i64) -> ()
      } else {
      }
      %19 = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %c6_i64 = arith.constant 6 : i64
      %20 = llvm.getelementptr inbounds %19[%c6_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %thread_id_x_6 = gpu.thread_id  x
      %21 = arith.index_cast %thread_id_x_6 : index to i32
      %thread_id_y_7 = gpu.thread_id  y
      %22 = arith.index_cast %thread_id_y_7 : index to i32
      %thread_id_z_8 = gpu.thread_id  z
      %23 = arith.index_cast %thread_id_z_8 : index to i32
      %block_dim_x_9 = gpu.block_dim  x
      %24 = arith.index_cast %block_dim_x_9 : index to i32
      %block_dim_y_10 = gpu.block_dim  y
      %25 = arith.index_cast %block_dim_y_10 : index to i32
      %block_dim_z_11 = gpu.block_dim  z
      %26 = arith.index_cast %block_dim_z_11 : index to i32
      %27 = arith.muli %25, %23 : i32
      %28 = arith.addi %22, %27 : i32
      %29 = arith.muli %24, %28 : i32
      %30 = arith.addi %21, %29 : i32
      %c0_i32_12 = arith.constant 0 : i32
      %31 = arith.cmpi eq, %30, %c0_i32_12 : i32
      scf.if %31 {
        %c1_i32 = arith.constant 1 : i32
        "fairlead.mbarrier"(%19, %c1_i32) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c1_i64_48 = arith.constant 1 : i64
        %89 = llvm.getelementptr inbounds %19[%c1_i64_48] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c1_i32_49 = arith.constant 1 : i32
        "fairlead.mbarrier"(%89, %c1_i32_49) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c2_i64 = arith.constant 2 : i64
        %90 = llvm.getelementptr inbounds %19[%c2_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c1_i32_50 = arith.constant 1 : i32
        "fairlead.mbarrier"(%90, %c1_i32_50) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c3_i64 = arith.constant 3 : i64
        %91 = llvm.getelementptr inbounds %19[%c3_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c1_i32_51 = arith.constant 1 : i32
        "fairlead.mbarrier"(%91, %c1_i32_51) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c4_i64 = arith.constant 4 : i64
        %92 = llvm.getelementptr inbounds %19[%c4_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c1_i32_52 = arith.constant 1 : i32
        "fairlead.mbarrier"(%92, %c1_i32_52) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c5_i64 = arith.constant 5 : i64
        %93 = llvm.getelementptr inbounds %19[%c5_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c1_i32_53 = arith.constant 1 : i32
        "fairlead.mbarrier"(%93, %c1_i32_53) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
      } else {
      }
      %thread_id_x_13 = gpu.thread_id  x
      %32 = arith.index_cast %thread_id_x_13 : index to i32
      %thread_id_y_14 = gpu.thread_id  y
      %33 = arith.index_cast %thread_id_y_14 : index to i32
      %thread_id_z_15 = gpu.thread_id  z
      %34 = arith.index_cast %thread_id_z_15 : index to i32
      %block_dim_x_16 = gpu.block_dim  x
      %35 = arith.index_cast %block_dim_x_16 : index to i32
      %block_dim_y_17 = gpu.block_dim  y
      %36 = arith.index_cast %block_dim_y_17 : index to i32
      %block_dim_z_18 = gpu.block_dim  z
      %37 = arith.index_cast %block_dim_z_18 : index to i32
      %38 = arith.muli %36, %34 : i32
      %39 = arith.addi %33, %38 : i32
      %40 = arith.muli %35, %39 : i32
      %41 = arith.addi %32, %40 : i32
      %c0_i32_19 = arith.constant 0 : i32
      %42 = arith.cmpi eq, %41, %c0_i32_19 : i32
      scf.if %42 {
        %c8_i32_48 = arith.constant 8 : i32
        "fairlead.mbarrier"(%20, %c8_i32_48) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c1_i64_49 = arith.constant 1 : i64
        %89 = llvm.getelementptr inbounds %20[%c1_i64_49] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c8_i32_50 = arith.constant 8 : i32
        "fairlead.mbarrier"(%89, %c8_i32_50) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c2_i64 = arith.constant 2 : i64
        %90 = llvm.getelementptr inbounds %20[%c2_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c8_i32_51 = arith.constant 8 : i32
        "fairlead.mbarrier"(%90, %c8_i32_51) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c3_i64 = arith.constant 3 : i64
        %91 = llvm.getelementptr inbounds %20[%c3_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c8_i32_52 = arith.constant 8 : i32
        "fairlead.mbarrier"(%91, %c8_i32_52) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c4_i64 = arith.constant 4 : i64
        %92 = llvm.getelementptr inbounds %20[%c4_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c8_i32_53 = arith.constant 8 : i32
        "fairlead.mbarrier"(%92, %c8_i32_53) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
        %c5_i64 = arith.constant 5 : i64
        %93 = llvm.getelementptr inbounds %20[%c5_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        %c8_i32_54 = arith.constant 8 : i32
        "fairlead.mbarrier"(%93, %c8_i32_54) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
      } else {
      }
      %thread_id_x_20 = gpu.thread_id  x
      %43 = arith.index_cast %thread_id_x_20 : index to i32
      %thread_id_y_21 = gpu.thread_id  y
      %44 = arith.index_cast %thread_id_y_21 : index to i32
      %thread_id_z_22 = gpu.thread_id  z
      %45 = arith.index_cast %thread_id_z_22 : index to i32
      %block_dim_x_23 = gpu.block_dim  x
      %46 = arith.index_cast %block_dim_x_23 : index to i32
      %block_dim_y_24 = gpu.block_dim  y
      %47 = arith.index_cast %block_dim_y_24 : index to i32
      %block_dim_z_25 = gpu.block_dim  z
      %48 = arith.index_cast %block_dim_z_25 : index to i32
      %49 = arith.muli %47, %45 : i32
      %50 = arith.addi %44, %49 : i32
      %51 = arith.muli %46, %50 : i32
      %52 = arith.addi %43, %51 : i32
      %c32_i32 = arith.constant 32 : i32
      %c31_i32_26 = arith.constant 31 : i32
      %53 = arith.andi %52, %c31_i32_26 : i32
      %c0_i32_27 = arith.constant 0 : i32
      %54 = arith.cmpi eq, %53, %c0_i32_27 : i32
      %c96_i64 = arith.constant 96 : i64
      %55 = llvm.getelementptr inbounds %19[%c96_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      %c1_i64 = arith.constant 1 : i64
      %56 = llvm.getelementptr inbounds %55[%c1_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
      %thread_id_x_28 = gpu.thread_id  x
      %57 = arith.index_cast %thread_id_x_28 : index to i32
      %thread_id_y_29 = gpu.thread_id  y
      %58 = arith.index_cast %thread_id_y_29 : index to i32
      %thread_id_z_30 = gpu.thread_id  z
      %59 = arith.index_cast %thread_id_z_30 : index to i32
      %block_dim_x_31 = gpu.block_dim  x
      %60 = arith.index_cast %block_dim_x_31 : index to i32
      %block_dim_y_32 = gpu.block_dim  y
      %61 = arith.index_cast %block_dim_y_32 : index to i32
      %block_dim_z_33 = gpu.block_dim  z
      %62 = arith.index_cast %block_dim_z_33 : index to i32
      %63 = arith.muli %61, %59 : i32
      %64 = arith.addi %58, %63 : i32
      %65 = arith.muli %60, %64 : i32
      %66 = arith.addi %57, %65 : i32
      %c0_i32_34 = arith.constant 0 : i32
      %67 = arith.cmpi eq, %66, %c0_i32_34 : i32
      scf.if %67 {
        %c1_i32 = arith.constant 1 : i32
        "fairlead.mbarrier"(%55, %c1_i32) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
      } else {
      }
      %thread_id_x_35 = gpu.thread_id  x
      %68 = arith.index_cast %thread_id_x_35 : index to i32
      %thread_id_y_36 = gpu.thread_id  y
      %69 = arith.index_cast %thread_id_y_36 : index to i32
      %thread_id_z_37 = gpu.thread_id  z
      %70 = arith.index_cast %thread_id_z_37 : index to i32
      %block_dim_x_38 = gpu.block_dim  x
      %71 = arith.index_cast %block_dim_x_38 : index to i32
      %block_dim_y_39 = gpu.block_dim  y
      %72 = arith.index_cast %block_dim_y_39 : index to i32
      %block_dim_z_40 = gpu.block_dim  z
      %73 = arith.index_cast %block_dim_z_40 : index to i32
      %74 = arith.muli %72, %70 : i32
      %75 = arith.addi %69, %74 : i32
      %76 = arith.muli %71, %75 : i32
      %77 = arith.addi %68, %76 : i32
      %c0_i32_41 = arith.constant 0 : i32
      %78 = arith.cmpi eq, %77, %c0_i32_41 : i32
      scf.if %78 {
        %c9_i32 = arith.constant 9 : i32
        "fairlead.mbarrier"(%56, %c9_i32) {what = "init"} : (!llvm.ptr<3>, i32) -> ()
      } else {
      }
      %c112_i64 = arith.constant 112 : i64
      %79 = llvm.getelementptr inbounds %19[%c112_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      "fairlead.order"() {ptx = "fence.mbarrier_init.release.cluster;"} : () -> ()
      %c33792_i64 = arith.constant 33792 : i64
      %80 = llvm.getelementptr inbounds %19[%c33792_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      %c132096_i64 = arith.constant 132096 : i64
      %81 = llvm.getelementptr inbounds %19[%c132096_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      %c1024_i64 = arith.constant 1024 : i64
      %82 = llvm.getelementptr inbounds %19[%c1024_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      %c33792_i64_42 = arith.constant 33792 : i64
      %83 = llvm.getelementptr inbounds %19[%c33792_i64_42] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      %c33792_i64_43 = arith.constant 33792 : i64
      %84 = llvm.getelementptr inbounds %19[%c33792_i64_43] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      nvvm.barrier
      %c8_i32_44 = arith.constant 8 : i32
      %85 = arith.cmpi sge, %17, %c8_i32_44 : i32
      %c-1_i32_45 = arith.constant -1 : i32
      %true_46 = arith.constant true
      %86:14 = scf.if %85 -> (i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
        "fairlead.order"() {ptx = "setmaxnreg.dec.sync.aligned.u32 40;"} : () -> ()
        %c8_i32_48 = arith.constant 8 : i32
        %89 = arith.cmpi sge, %17, %c8_i32_48 : i32
        %c9_i32 = arith.constant 9 : i32
        %90 = arith.cmpi slt, %17, %c9_i32 : i32
        %false = arith.constant false
        %91 = arith.select %89, %90, %false : i1
        %c-1_i32_49 = arith.constant -1 : i32
        %true_50 = arith.constant true
        %92:14 = scf.if %91 -> (i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
          %93 = nvvm.read.ptx.sreg.cluster.ctarank : i32
          %c0_i32_51 = arith.constant 0 : i32
          %c-1_i32_52 = arith.constant -1 : i32
          %c31_i32_53 = arith.constant 31 : i32
          %94 = nvvm.shfl.sync  idx %c-1_i32_52, %93, %c0_i32_51, %c31_i32_53 : i32 -> i32
          %95 = nvvm.read.ptx.sreg.clusterid.x : i32
          %96 = nvvm.read.ptx.sreg.clusterid.y : i32
          %97 = nvvm.read.ptx.sreg.clusterid.z : i32
          %c0_i32_54 = arith.constant 0 : i32
          %c0_i32_55 = arith.constant 0 : i32
          %c0_i32_56 = arith.constant 0 : i32
          %c0_i32_57 = arith.constant 0 : i32
          %c0_i32_58 = arith.constant 0 : i32
          %c0_i32_59 = arith.constant 0 : i32
          %98 = arith.extsi %arg7 : i32 to i64
          %99 = arith.extsi %arg8 : i32 to i64
          %100 = arith.muli %98, %99 : i64
          %101 = arith.extsi %arg3 : i32 to i64
          %102 = arith.muli %100, %101 : i64
          %103 = arith.extsi %97 : i32 to i64
          %104 = arith.cmpi slt, %103, %102 : i64
          %c0_i32_60 = arith.constant 0 : i32
          %c0_i32_61 = arith.constant 0 : i32
          %c0_i32_62 = arith.constant 0 : i32
          %105:34 = scf.if %104 -> (i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
            %c0_i32_102 = arith.constant 0 : i32
            %164 = arith.cmpi eq, %arg10, %c0_i32_102 : i32
            %c-2147483648_i32 = arith.constant -2147483648 : i32
            %165 = arith.cmpi eq, %97, %c-2147483648_i32 : i32
            %c-1_i32_103 = arith.constant -1 : i32
            %166 = arith.cmpi eq, %arg10, %c-1_i32_103 : i32
            %167 = arith.andi %165, %166 : i1
            %168 = arith.ori %164, %167 : i1
            %c1_i32_104 = arith.constant 1 : i32
            %169 = arith.select %168, %c1_i32_104, %arg10 : i32
            %170 = arith.divsi %97, %169 : i32
            %171 = arith.remsi %97, %169 : i32
            %c0_i32_105 = arith.constant 0 : i32
            %172 = arith.cmpi ne, %171, %c0_i32_105 : i32
            %173 = arith.xori %171, %169 : i32
            %174 = arith.cmpi slt, %173, %c0_i32_105 : i32
            %175 = arith.andi %172, %174 : i1
            %c1_i32_106 = arith.constant 1 : i32
            %176 = arith.subi %170, %c1_i32_106 : i32
            %177 = arith.select %175, %176, %170 : i32
            %c0_i32_107 = arith.constant 0 : i32
            %178 = arith.cmpi eq, %arg10, %c0_i32_107 : i32
            %c-2147483648_i32_108 = arith.constant -2147483648 : i32
            %179 = arith.cmpi eq, %97, %c-2147483648_i32_108 : i32
            %c-1_i32_109 = arith.constant -1 : i32
            %180 = arith.cmpi eq, %arg10, %c-1_i32_109 : i32
            %181 = arith.andi %179, %180 : i1
            %182 = arith.ori %178, %181 : i1
            %c1_i32_110 = arith.constant 1 : i32
            %183 = arith.select %182, %c1_i32_110, %arg10 : i32
            %184 = arith.remsi %97, %183 : i32
            %c0_i32_111 = arith.constant 0 : i32
            %185 = arith.cmpi ne, %184, %c0_i32_111 : i32
            %186 = arith.xori %184, %183 : i32
            %187 = arith.cmpi slt, %186, %c0_i32_111 : i32
            %188 = arith.andi %185, %187 : i1
            %189 = arith.addi %184, %183 : i32
            %190 = arith.select %188, %189, %184 : i32
            %c0_i32_112 = arith.constant 0 : i32
            %191 = arith.cmpi eq, %arg15, %c0_i32_112 : i32
            %c-2147483648_i32_113 = arith.constant -2147483648 : i32
            %192 = arith.cmpi eq, %190, %c-2147483648_i32_113 : i32
            %c-1_i32_114 = arith.constant -1 : i32
            %193 = arith.cmpi eq, %arg15, %c-1_i32_114 : i32
            %194 = arith.andi %192, %193 : i1
            %195 = arith.ori %191, %194 : i1
            %c1_i32_115 = arith.constant 1 : i32
            %196 = arith.select %195, %c1_i32_115, %arg15 : i32
            %197 = arith.divsi %190, %196 : i32
            %198 = arith.remsi %190, %196 : i32
            %c0_i32_116 = arith.constant 0 : i32
            %199 = arith.cmpi ne, %198, %c0_i32_116 : i32
            %200 = arith.xori %198, %196 : i32
            %201 = arith.cmpi slt, %200, %c0_i32_116 : i32
            %202 = arith.andi %199, %201 : i1
            %c1_i32_117 = arith.constant 1 : i32
            %203 = arith.subi %197, %c1_i32_117 : i32
            %204 = arith.select %202, %203, %197 : i32
            %c0_i32_118 = arith.constant 0 : i32
            %205 = arith.cmpi eq, %arg15, %c0_i32_118 : i32
            %c-2147483648_i32_119 = arith.constant -2147483648 : i32
            %206 = arith.cmpi eq, %190, %c-2147483648_i32_119 : i32
            %c-1_i32_120 = arith.constant -1 : i32
            %207 = arith.cmpi eq, %arg15, %c-1_i32_120 : i32
            %208 = arith.andi %206, %207 : i1
            %209 = arith.ori %205, %208 : i1
            %c1_i32_121 = arith.constant 1 : i32
            %210 = arith.select %209, %c1_i32_121, %arg15 : i32
            %211 = arith.remsi %190, %210 : i32
            %c0_i32_122 = arith.constant 0 : i32
            %212 = arith.cmpi ne, %211, %c0_i32_122 : i32
            %213 = arith.xori %211, %210 : i32
            %214 = arith.cmpi slt, %213, %c0_i32_122 : i32
            %215 = arith.andi %212, %214 : i1
            %216 = arith.addi %211, %210 : i32
            %217 = arith.select %215, %216, %211 : i32
            %c0_i32_123 = arith.constant 0 : i32
            %c0_i32_124 = arith.constant 0 : i32
            %218 = arith.cmpi slt, %204, %arg12 : i32
            %219:12 = scf.if %218 -> (i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
              %c0_i32_130 = arith.constant 0 : i32
              %232 = arith.cmpi eq, %arg13, %c0_i32_130 : i32
              %c-2147483648_i32_131 = arith.constant -2147483648 : i32
              %233 = arith.cmpi eq, %217, %c-2147483648_i32_131 : i32
              %c-1_i32_132 = arith.constant -1 : i32
              %234 = arith.cmpi eq, %arg13, %c-1_i32_132 : i32
              %235 = arith.andi %233, %234 : i1
              %236 = arith.ori %232, %235 : i1
              %c1_i32_133 = arith.constant 1 : i32
              %237 = arith.select %236, %c1_i32_133, %arg13 : i32
              %238 = arith.divsi %217, %237 : i32
              %239 = arith.remsi %217, %237 : i32
              %c0_i32_134 = arith.constant 0 : i32
              %240 = arith.cmpi ne, %239, %c0_i32_134 : i32
              %241 = arith.xori %239, %237 : i32
              %242 = arith.cmpi slt, %241, %c0_i32_134 : i32
              %243 = arith.andi %240, %242 : i1
              %c1_i32_135 = arith.constant 1 : i32
              %244 = arith.subi %238, %c1_i32_135 : i32
              %245 = arith.select %243, %244, %238 : i32
              %c0_i32_136 = arith.constant 0 : i32
              %246 = arith.cmpi eq, %arg13, %c0_i32_136 : i32
              %c-2147483648_i32_137 = arith.constant -2147483648 : i32
              %247 = arith.cmpi eq, %217, %c-2147483648_i32_137 : i32
              %c-1_i32_138 = arith.constant -1 : i32
              %248 = arith.cmpi eq, %arg13, %c-1_i32_138 : i32
              %249 = arith.andi %247, %248 : i1
              %250 = arith.ori %246, %249 : i1
              %c1_i32_139 = arith.constant 1 : i32
              %251 = arith.select %250, %c1_i32_139, %arg13 : i32
              %252 = arith.remsi %217, %251 : i32
              %c0_i32_140 = arith.constant 0 : i32
              %253 = arith.cmpi ne, %252, %c0_i32_140 : i32
              %254 = arith.xori %252, %251 : i32
              %255 = arith.cmpi slt, %254, %c0_i32_140 : i32
              %256 = arith.andi %253, %255 : i1
              %257 = arith.addi %252, %251 : i32
              %258 = arith.select %256, %257, %252 : i32
              scf.yield %258, %245, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15 : i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            } else {
              %c0_i32_130 = arith.constant 0 : i32
              %232 = arith.cmpi eq, %arg14, %c0_i32_130 : i32
              %c-2147483648_i32_131 = arith.constant -2147483648 : i32
              %233 = arith.cmpi eq, %217, %c-2147483648_i32_131 : i32
              %c-1_i32_132 = arith.constant -1 : i32
              %234 = arith.cmpi eq, %arg14, %c-1_i32_132 : i32
              %235 = arith.andi %233, %234 : i1
              %236 = arith.ori %232, %235 : i1
              %c1_i32_133 = arith.constant 1 : i32
              %237 = arith.select %236, %c1_i32_133, %arg14 : i32
              %238 = arith.divsi %217, %237 : i32
              %239 = arith.remsi %217, %237 : i32
              %c0_i32_134 = arith.constant 0 : i32
              %240 = arith.cmpi ne, %239, %c0_i32_134 : i32
              %241 = arith.xori %239, %237 : i32
              %242 = arith.cmpi slt, %241, %c0_i32_134 : i32
              %243 = arith.andi %240, %242 : i1
              %c1_i32_135 = arith.constant 1 : i32
              %244 = arith.subi %238, %c1_i32_135 : i32
              %245 = arith.select %243, %244, %238 : i32
              %c0_i32_136 = arith.constant 0 : i32
              %246 = arith.cmpi eq, %arg14, %c0_i32_136 : i32
              %c-2147483648_i32_137 = arith.constant -2147483648 : i32
              %247 = arith.cmpi eq, %217, %c-2147483648_i32_137 : i32
              %c-1_i32_138 = arith.constant -1 : i32
              %248 = arith.cmpi eq, %arg14, %c-1_i32_138 : i32
              %249 = arith.andi %247, %248 : i1
              %250 = arith.ori %246, %249 : i1
              %c1_i32_139 = arith.constant 1 : i32
              %251 = arith.select %250, %c1_i32_139, %arg14 : i32
              %252 = arith.remsi %217, %251 : i32
              %c0_i32_140 = arith.constant 0 : i32
              %253 = arith.cmpi ne, %252, %c0_i32_140 : i32
              %254 = arith.xori %252, %251 : i32
              %255 = arith.cmpi slt, %254, %c0_i32_140 : i32
              %256 = arith.andi %253, %255 : i1
              %257 = arith.addi %252, %251 : i32
              %258 = arith.select %256, %257, %252 : i32
              scf.yield %258, %245, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15 : i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            }
            %c2_i32 = arith.constant 2 : i32
            %c1_i32_125 = arith.constant 1 : i32
            %220 = arith.andi %204, %c1_i32_125 : i32
            %c1_i32_126 = arith.constant 1 : i32
            %221 = arith.cmpi eq, %220, %c1_i32_126 : i32
            %222 = scf.if %221 -> (i32) {
              %c0_i32_130 = arith.constant 0 : i32
              %232 = arith.cmpi eq, %219#2, %c0_i32_130 : i32
              %233 = arith.select %232, %arg8, %arg7 : i32
              %c1_i32_131 = arith.constant 1 : i32
              %234 = arith.subi %233, %c1_i32_131 : i32
              %235 = arith.subi %234, %219#1 : i32
              scf.yield %235 : i32
            } else {
              scf.yield %219#1 : i32
            }
            %223 = arith.muli %204, %219#7 : i32
            %224 = arith.addi %223, %219#0 : i32
            %c1_i32_127 = arith.constant 1 : i32
            %225 = arith.cmpi eq, %219#2, %c1_i32_127 : i32
            %226:2 = scf.if %225 -> (i32, i32) {
              scf.yield %222, %224 : i32, i32
            } else {
              scf.yield %224, %222 : i32, i32
            }
            %227 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
            %228 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
            %229 = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
            %c1_i32_128 = arith.constant 1 : i32
            %230 = arith.addi %226#0, %227 : i32
            %c1_i32_129 = arith.constant 1 : i32
            %231 = arith.addi %226#1, %228 : i32
            scf.yield %177, %230, %231, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15, %97, %c0_i32_54, %c0_i32_55, %c0_i32_56, %79, %c0_i32_57, %c0_i32_58, %c0_i32_59, %arg7, %arg8, %arg3, %219#2, %219#3, %219#4, %219#5, %219#6, %219#7, %219#8, %219#9, %219#10, %219#11 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
          } else {
            scf.yield %c0_i32_62, %c0_i32_60, %c0_i32_61, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15, %97, %c0_i32_54, %c0_i32_55, %c0_i32_56, %79, %c0_i32_57, %c0_i32_58, %c0_i32_59, %arg7, %arg8, %arg3, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
          }
          %c0_i32_63 = arith.constant 0 : i32
          %c0_i32_64 = arith.constant 0 : i32
          %c1_i32 = arith.constant 1 : i32
          %c-1_i32_65 = arith.constant -1 : i32
          %true_66 = arith.constant true
          %106:32 = scf.while (%arg16 = %c0_i32_63, %arg17 = %c0_i32_64, %arg18 = %c1_i32, %arg19 = %105#1, %arg20 = %105#2, %arg21 = %105#0, %arg22 = %104, %arg23 = %105#13, %arg24 = %105#14, %arg25 = %105#15, %arg26 = %105#16, %arg27 = %105#17, %arg28 = %105#18, %arg29 = %105#19, %arg30 = %105#20, %arg31 = %105#21, %arg32 = %105#22, %arg33 = %105#23, %arg34 = %105#24, %arg35 = %105#25, %arg36 = %105#26, %arg37 = %105#27, %arg38 = %105#28, %arg39 = %105#29, %arg40 = %105#30, %arg41 = %105#31, %arg42 = %105#32, %arg43 = %105#33, %arg44 = %arg1, %arg45 = %arg2, %arg46 = %c-1_i32_65, %arg47 = %true_66) : (i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1) -> (i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1) {
            scf.condition(%arg22) %arg16, %arg17, %arg18, %arg19, %arg20, %arg21, %arg22, %arg23, %arg24, %arg25, %arg26, %arg27, %arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %arg44, %arg45, %arg46, %arg47 : i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1
          } do {
          ^bb0(%arg16: i32, %arg17: i32, %arg18: i32, %arg19: i32, %arg20: i32, %arg21: i32, %arg22: i1, %arg23: i32, %arg24: i32, %arg25: i32, %arg26: i32, %arg27: !llvm.ptr<3>, %arg28: i32, %arg29: i32, %arg30: i32, %arg31: i32, %arg32: i32, %arg33: i32, %arg34: i32, %arg35: i32, %arg36: i64, %arg37: i32, %arg38: i32, %arg39: i32, %arg40: i32, %arg41: i32, %arg42: i32, %arg43: i32, %arg44: i32, %arg45: i32, %arg46: i32, %arg47: i1):
            %c127_i32 = arith.constant 127 : i32
            %164 = arith.addi %arg1, %c127_i32 : i32
            %c128_i32 = arith.constant 128 : i32
            %165 = arith.divsi %164, %c128_i32 : i32
            %c63_i32 = arith.constant 63 : i32
            %166 = arith.addi %arg2, %c63_i32 : i32
            %c64_i32_102 = arith.constant 64 : i32
            %167 = arith.divsi %166, %c64_i32_102 : i32
            %c128_i32_103 = arith.constant 128 : i32
            %168 = arith.muli %arg19, %c128_i32_103 : i32
            %c127_i32_104 = arith.constant 127 : i32
            %169 = arith.addi %arg5, %c127_i32_104 : i32
            %c128_i32_105 = arith.constant 128 : i32
            %170 = arith.divsi %169, %c128_i32_105 : i32
            %c63_i32_106 = arith.constant 63 : i32
            %171 = arith.addi %arg2, %c63_i32_106 : i32
            %c64_i32_107 = arith.constant 64 : i32
            %172 = arith.divsi %171, %c64_i32_107 : i32
            %c128_i32_108 = arith.constant 128 : i32
            %173 = arith.muli %arg20, %c128_i32_108 : i32
            %c64_i32_109 = arith.constant 64 : i32
            %c1_i32_110 = arith.constant 1 : i32
            %c63_i32_111 = arith.constant 63 : i32
            %174 = arith.addi %arg45, %c63_i32_111 : i32
            %c64_i32_112 = arith.constant 64 : i32
            %c6_i32_113 = arith.constant 6 : i32
            %175 = arith.shrsi %174, %c6_i32_113 : i32
            %true_114 = arith.constant true
            %c0_i32_115 = arith.constant 0 : i32
            %176 = arith.cmpi sgt, %175, %c0_i32_115 : i32
            %177:4 = scf.if %176 -> (i1, i32, i32, i32) {
              %239 = arith.extsi %arg17 : i32 to i64
              %240 = llvm.getelementptr inbounds %20[%239] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %241 = "fairlead.mbarrier"(%240, %arg18) {what = "try_wait"} : (!llvm.ptr<3>, i32) -> i1
              scf.yield %241, %arg16, %arg17, %arg18 : i1, i32, i32, i32
            } else {
              scf.yield %true_114, %arg16, %arg17, %arg18 : i1, i32, i32, i32
            }
            %c1_i32_116 = arith.constant 1 : i32
            %c0_i32_117 = arith.constant 0 : i32
            %178:4 = scf.for %arg48 = %c0_i32_117 to %175 step %c1_i32_116 iter_args(%arg49 = %177#0, %arg50 = %177#1, %arg51 = %177#2, %arg52 = %177#3) -> (i1, i32, i32, i32)  : i32 {
              %false_150 = arith.constant false
              %239 = arith.cmpi eq, %arg49, %false_150 : i1
              scf.if %239 {
                %262 = arith.extsi %arg51 : i32 to i64
                %263 = llvm.getelementptr inbounds %20[%262] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
                "fairlead.mbarrier"(%263, %arg52) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
              } else {
              }
              %240 = arith.extsi %arg51 : i32 to i64
              %241 = llvm.getelementptr inbounds %19[%240] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %242 = nvvm.elect.sync -> i1
              scf.if %242 {
                %c32768_i32 = arith.constant 32768 : i32
                "fairlead.mbarrier"(%241, %c32768_i32) {what = "arrive_expect"} : (!llvm.ptr<3>, i32) -> ()
              } else {
              }
              %243 = arith.extsi %arg51 : i32 to i64
              %244 = llvm.getelementptr inbounds %19[%243] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %c64_i32_151 = arith.constant 64 : i32
              %245 = arith.muli %arg48, %c64_i32_151 : i32
              %c8192_i32 = arith.constant 8192 : i32
              %c8192_i64 = arith.constant 8192 : i64
              %246 = arith.extsi %arg51 : i32 to i64
              %247 = arith.muli %246, %c8192_i64 : i64
              %248 = llvm.getelementptr inbounds %80[%247] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
              "fairlead.tensor_copy"(%arg0, %248, %244, %245, %168, %arg21) {kind = "load"} : (!llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>, i32, i32, i32) -> ()
              %c64_i32_152 = arith.constant 64 : i32
              %249 = arith.muli %arg48, %c64_i32_152 : i32
              %c8192_i32_153 = arith.constant 8192 : i32
              %c8192_i64_154 = arith.constant 8192 : i64
              %250 = arith.extsi %arg51 : i32 to i64
              %251 = arith.muli %250, %c8192_i64_154 : i64
              %252 = llvm.getelementptr inbounds %81[%251] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
              "fairlead.tensor_copy"(%arg4, %252, %244, %249, %173, %arg21) {kind = "load"} : (!llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>, i32, i32, i32) -> ()
              %c1_i32_155 = arith.constant 1 : i32
              %253 = arith.addi %arg50, %c1_i32_155 : i32
              %c1_i32_156 = arith.constant 1 : i32
              %254 = arith.addi %arg51, %c1_i32_156 : i32
              %c6_i32_157 = arith.constant 6 : i32
              %255 = arith.cmpi eq, %254, %c6_i32_157 : i32
              %c0_i32_158 = arith.constant 0 : i32
              %256 = arith.select %255, %c0_i32_158, %254 : i32
              %c1_i32_159 = arith.constant 1 : i32
              %257 = arith.xori %arg52, %c1_i32_159 : i32
              %258 = arith.select %255, %257, %arg52 : i32
              %true_160 = arith.constant true
              %c1_i32_161 = arith.constant 1 : i32
              %259 = arith.addi %arg48, %c1_i32_161 : i32
              %260 = arith.cmpi slt, %259, %175 : i32
              %261:4 = scf.if %260 -> (i1, i32, i32, i32) {
                %262 = arith.extsi %256 : i32 to i64
                %263 = llvm.getelementptr inbounds %20[%262] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
                %264 = "fairlead.mbarrier"(%263, %258) {what = "try_wait"} : (!llvm.ptr<3>, i32) -> i1
                scf.yield %264, %253, %256, %258 : i1, i32, i32, i32
              } else {
                scf.yield %true_160, %253, %256, %258 : i1, i32, i32, i32
              }
              scf.yield %261#0, %261#1, %261#2, %261#3 : i1, i32, i32, i32
            } {llvm.loop_annotation = #loop_annotation}
            %c1_i32_118 = arith.constant 1 : i32
            %179 = arith.addi %arg24, %c1_i32_118 : i32
            %grid_dim_x = gpu.grid_dim  x
            %180 = arith.index_cast %grid_dim_x : index to i32
            %grid_dim_y = gpu.grid_dim  y
            %181 = arith.index_cast %grid_dim_y : index to i32
            %grid_dim_z = gpu.grid_dim  z
            %182 = arith.index_cast %grid_dim_z : index to i32
            %183 = arith.addi %arg23, %182 : i32
            %184 = arith.extsi %arg31 : i32 to i64
            %185 = arith.extsi %arg32 : i32 to i64
            %186 = arith.muli %184, %185 : i64
            %187 = arith.extsi %arg33 : i32 to i64
            %188 = arith.muli %186, %187 : i64
            %189 = arith.extsi %183 : i32 to i64
            %190 = arith.cmpi slt, %189, %188 : i64
            %c0_i32_119 = arith.constant 0 : i32
            %c0_i32_120 = arith.constant 0 : i32
            %c0_i32_121 = arith.constant 0 : i32
            %191:34 = scf.if %190 -> (i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
              %c0_i32_150 = arith.constant 0 : i32
              %239 = arith.cmpi eq, %arg35, %c0_i32_150 : i32
              %c-2147483648_i32 = arith.constant -2147483648 : i32
              %240 = arith.cmpi eq, %183, %c-2147483648_i32 : i32
              %c-1_i32_151 = arith.constant -1 : i32
              %241 = arith.cmpi eq, %arg35, %c-1_i32_151 : i32
              %242 = arith.andi %240, %241 : i1
              %243 = arith.ori %239, %242 : i1
              %c1_i32_152 = arith.constant 1 : i32
              %244 = arith.select %243, %c1_i32_152, %arg35 : i32
              %245 = arith.divsi %183, %244 : i32
              %246 = arith.remsi %183, %244 : i32
              %c0_i32_153 = arith.constant 0 : i32
              %247 = arith.cmpi ne, %246, %c0_i32_153 : i32
              %248 = arith.xori %246, %244 : i32
              %249 = arith.cmpi slt, %248, %c0_i32_153 : i32
              %250 = arith.andi %247, %249 : i1
              %c1_i32_154 = arith.constant 1 : i32
              %251 = arith.subi %245, %c1_i32_154 : i32
              %252 = arith.select %250, %251, %245 : i32
              %c0_i32_155 = arith.constant 0 : i32
              %253 = arith.cmpi eq, %arg35, %c0_i32_155 : i32
              %c-2147483648_i32_156 = arith.constant -2147483648 : i32
              %254 = arith.cmpi eq, %183, %c-2147483648_i32_156 : i32
              %c-1_i32_157 = arith.constant -1 : i32
              %255 = arith.cmpi eq, %arg35, %c-1_i32_157 : i32
              %256 = arith.andi %254, %255 : i1
              %257 = arith.ori %253, %256 : i1
              %c1_i32_158 = arith.constant 1 : i32
              %258 = arith.select %257, %c1_i32_158, %arg35 : i32
              %259 = arith.remsi %183, %258 : i32
              %c0_i32_159 = arith.constant 0 : i32
              %260 = arith.cmpi ne, %259, %c0_i32_159 : i32
              %261 = arith.xori %259, %258 : i32
              %262 = arith.cmpi slt, %261, %c0_i32_159 : i32
              %263 = arith.andi %260, %262 : i1
              %264 = arith.addi %259, %258 : i32
              %265 = arith.select %263, %264, %259 : i32
              %c0_i32_160 = arith.constant 0 : i32
              %266 = arith.cmpi eq, %arg42, %c0_i32_160 : i32
              %c-2147483648_i32_161 = arith.constant -2147483648 : i32
              %267 = arith.cmpi eq, %265, %c-2147483648_i32_161 : i32
              %c-1_i32_162 = arith.constant -1 : i32
              %268 = arith.cmpi eq, %arg42, %c-1_i32_162 : i32
              %269 = arith.andi %267, %268 : i1
              %270 = arith.ori %266, %269 : i1
              %c1_i32_163 = arith.constant 1 : i32
              %271 = arith.select %270, %c1_i32_163, %arg42 : i32
              %272 = arith.divsi %265, %271 : i32
              %273 = arith.remsi %265, %271 : i32
              %c0_i32_164 = arith.constant 0 : i32
              %274 = arith.cmpi ne, %273, %c0_i32_164 : i32
              %275 = arith.xori %273, %271 : i32
              %276 = arith.cmpi slt, %275, %c0_i32_164 : i32
              %277 = arith.andi %274, %276 : i1
              %c1_i32_165 = arith.constant 1 : i32
              %278 = arith.subi %272, %c1_i32_165 : i32
              %279 = arith.select %277, %278, %272 : i32
              %c0_i32_166 = arith.constant 0 : i32
              %280 = arith.cmpi eq, %arg42, %c0_i32_166 : i32
              %c-2147483648_i32_167 = arith.constant -2147483648 : i32
              %281 = arith.cmpi eq, %265, %c-2147483648_i32_167 : i32
              %c-1_i32_168 = arith.constant -1 : i32
              %282 = arith.cmpi eq, %arg42, %c-1_i32_168 : i32
              %283 = arith.andi %281, %282 : i1
              %284 = arith.ori %280, %283 : i1
              %c1_i32_169 = arith.constant 1 : i32
              %285 = arith.select %284, %c1_i32_169, %arg42 : i32
              %286 = arith.remsi %265, %285 : i32
              %c0_i32_170 = arith.constant 0 : i32
              %287 = arith.cmpi ne, %286, %c0_i32_170 : i32
              %288 = arith.xori %286, %285 : i32
              %289 = arith.cmpi slt, %288, %c0_i32_170 : i32
              %290 = arith.andi %287, %289 : i1
              %291 = arith.addi %286, %285 : i32
              %292 = arith.select %290, %291, %286 : i32
              %c0_i32_171 = arith.constant 0 : i32
              %c0_i32_172 = arith.constant 0 : i32
              %293 = arith.cmpi slt, %279, %arg37 : i32
              %294:12 = scf.if %293 -> (i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
                %c0_i32_181 = arith.constant 0 : i32
                %302 = arith.cmpi eq, %arg38, %c0_i32_181 : i32
                %c-2147483648_i32_182 = arith.constant -2147483648 : i32
                %303 = arith.cmpi eq, %292, %c-2147483648_i32_182 : i32
                %c-1_i32_183 = arith.constant -1 : i32
                %304 = arith.cmpi eq, %arg38, %c-1_i32_183 : i32
                %305 = arith.andi %303, %304 : i1
                %306 = arith.ori %302, %305 : i1
                %c1_i32_184 = arith.constant 1 : i32
                %307 = arith.select %306, %c1_i32_184, %arg38 : i32
                %308 = arith.divsi %292, %307 : i32
                %309 = arith.remsi %292, %307 : i32
                %c0_i32_185 = arith.constant 0 : i32
                %310 = arith.cmpi ne, %309, %c0_i32_185 : i32
                %311 = arith.xori %309, %307 : i32
                %312 = arith.cmpi slt, %311, %c0_i32_185 : i32
                %313 = arith.andi %310, %312 : i1
                %c1_i32_186 = arith.constant 1 : i32
                %314 = arith.subi %308, %c1_i32_186 : i32
                %315 = arith.select %313, %314, %308 : i32
                %c0_i32_187 = arith.constant 0 : i32
                %316 = arith.cmpi eq, %arg38, %c0_i32_187 : i32
                %c-2147483648_i32_188 = arith.constant -2147483648 : i32
                %317 = arith.cmpi eq, %292, %c-2147483648_i32_188 : i32
                %c-1_i32_189 = arith.constant -1 : i32
                %318 = arith.cmpi eq, %arg38, %c-1_i32_189 : i32
                %319 = arith.andi %317, %318 : i1
                %320 = arith.ori %316, %319 : i1
                %c1_i32_190 = arith.constant 1 : i32
                %321 = arith.select %320, %c1_i32_190, %arg38 : i32
                %322 = arith.remsi %292, %321 : i32
                %c0_i32_191 = arith.constant 0 : i32
                %323 = arith.cmpi ne, %322, %c0_i32_191 : i32
                %324 = arith.xori %322, %321 : i32
                %325 = arith.cmpi slt, %324, %c0_i32_191 : i32
                %326 = arith.andi %323, %325 : i1
                %327 = arith.addi %322, %321 : i32
                %328 = arith.select %326, %327, %322 : i32
                scf.yield %328, %315, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43 : i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
              } else {
                %c0_i32_181 = arith.constant 0 : i32
                %302 = arith.cmpi eq, %arg40, %c0_i32_181 : i32
                %c-2147483648_i32_182 = arith.constant -2147483648 : i32
                %303 = arith.cmpi eq, %292, %c-2147483648_i32_182 : i32
                %c-1_i32_183 = arith.constant -1 : i32
                %304 = arith.cmpi eq, %arg40, %c-1_i32_183 : i32
                %305 = arith.andi %303, %304 : i1
                %306 = arith.ori %302, %305 : i1
                %c1_i32_184 = arith.constant 1 : i32
                %307 = arith.select %306, %c1_i32_184, %arg40 : i32
                %308 = arith.divsi %292, %307 : i32
                %309 = arith.remsi %292, %307 : i32
                %c0_i32_185 = arith.constant 0 : i32
                %310 = arith.cmpi ne, %309, %c0_i32_185 : i32
                %311 = arith.xori %309, %307 : i32
                %312 = arith.cmpi slt, %311, %c0_i32_185 : i32
                %313 = arith.andi %310, %312 : i1
                %c1_i32_186 = arith.constant 1 : i32
                %314 = arith.subi %308, %c1_i32_186 : i32
                %315 = arith.select %313, %314, %308 : i32
                %c0_i32_187 = arith.constant 0 : i32
                %316 = arith.cmpi eq, %arg40, %c0_i32_187 : i32
                %c-2147483648_i32_188 = arith.constant -2147483648 : i32
                %317 = arith.cmpi eq, %292, %c-2147483648_i32_188 : i32
                %c-1_i32_189 = arith.constant -1 : i32
                %318 = arith.cmpi eq, %arg40, %c-1_i32_189 : i32
                %319 = arith.andi %317, %318 : i1
                %320 = arith.ori %316, %319 : i1
                %c1_i32_190 = arith.constant 1 : i32
                %321 = arith.select %320, %c1_i32_190, %arg40 : i32
                %322 = arith.remsi %292, %321 : i32
                %c0_i32_191 = arith.constant 0 : i32
                %323 = arith.cmpi ne, %322, %c0_i32_191 : i32
                %324 = arith.xori %322, %321 : i32
                %325 = arith.cmpi slt, %324, %c0_i32_191 : i32
                %326 = arith.andi %323, %325 : i1
                %327 = arith.addi %322, %321 : i32
                %328 = arith.select %326, %327, %322 : i32
                scf.yield %328, %315, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43 : i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
              }
              %c2_i32_173 = arith.constant 2 : i32
              %c1_i32_174 = arith.constant 1 : i32
              %295 = arith.andi %279, %c1_i32_174 : i32
              %c1_i32_175 = arith.constant 1 : i32
              %296 = arith.cmpi eq, %295, %c1_i32_175 : i32
              %297 = scf.if %296 -> (i32) {
                %c0_i32_181 = arith.constant 0 : i32
                %302 = arith.cmpi eq, %294#2, %c0_i32_181 : i32
                %303 = arith.select %302, %arg32, %arg31 : i32
                %c1_i32_182 = arith.constant 1 : i32
                %304 = arith.subi %303, %c1_i32_182 : i32
                %305 = arith.subi %304, %294#1 : i32
                scf.yield %305 : i32
              } else {
                scf.yield %294#1 : i32
              }
              %298 = arith.muli %279, %294#7 : i32
              %299 = arith.addi %298, %294#0 : i32
              %c1_i32_176 = arith.constant 1 : i32
              %300 = arith.cmpi eq, %294#2, %c1_i32_176 : i32
              %301:2 = scf.if %300 -> (i32, i32) {
                scf.yield %297, %299 : i32, i32
              } else {
                scf.yield %299, %297 : i32, i32
              }
              %c0_i32_177 = arith.constant 0 : i32
              %c0_i32_178 = arith.constant 0 : i32
              %c1_i32_179 = arith.constant 1 : i32
              %c1_i32_180 = arith.constant 1 : i32
              scf.yield %252, %301#0, %301#1, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %183, %179, %arg25, %arg26, %arg27, %arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %294#2, %294#3, %294#4, %294#5, %294#6, %294#7, %294#8, %294#9, %294#10, %294#11 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            } else {
              scf.yield %c0_i32_121, %c0_i32_119, %c0_i32_120, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %183, %179, %arg25, %arg26, %arg27, %arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            }
            %c1_i32_122 = arith.constant 1 : i32
            %192 = arith.xori %191#20, %c1_i32_122 : i32
            %193 = arith.extsi %191#19 : i32 to i64
            %194 = llvm.getelementptr inbounds %56[%193] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
            "fairlead.mbarrier"(%194, %192) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
            %195 = arith.extui %190 : i1 to i32
            %thread_id_x_123 = gpu.thread_id  x
            %196 = arith.index_cast %thread_id_x_123 : index to i32
            %thread_id_y_124 = gpu.thread_id  y
            %197 = arith.index_cast %thread_id_y_124 : index to i32
            %thread_id_z_125 = gpu.thread_id  z
            %198 = arith.index_cast %thread_id_z_125 : index to i32
            %block_dim_x_126 = gpu.block_dim  x
            %199 = arith.index_cast %block_dim_x_126 : index to i32
            %block_dim_y_127 = gpu.block_dim  y
            %200 = arith.index_cast %block_dim_y_127 : index to i32
            %block_dim_z_128 = gpu.block_dim  z
            %201 = arith.index_cast %block_dim_z_128 : index to i32
            %202 = arith.muli %200, %198 : i32
            %203 = arith.addi %197, %202 : i32
            %204 = arith.muli %199, %203 : i32
            %205 = arith.addi %196, %204 : i32
            %c31_i32_129 = arith.constant 31 : i32
            %206 = arith.andi %205, %c31_i32_129 : i32
            %c1_i32_130 = arith.constant 1 : i32
            %207 = arith.cmpi slt, %206, %c1_i32_130 : i32
            %208:35 = scf.if %207 -> (i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
              %c4_i32_150 = arith.constant 4 : i32
              %c4_i64_151 = arith.constant 4 : i64
              %239 = arith.extsi %191#19 : i32 to i64
              %240 = arith.muli %239, %c4_i64_151 : i64
              %241 = llvm.getelementptr inbounds %191#17[%240] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
              llvm.store %191#1, %241 {alignment = 16 : i64} : i32, !llvm.ptr<3>
              %c4_i32_152 = arith.constant 4 : i32
              %c4_i64_153 = arith.constant 4 : i64
              %242 = arith.extsi %191#19 : i32 to i64
              %243 = arith.muli %242, %c4_i64_153 : i64
              %c1_i32_154 = arith.constant 1 : i32
              %c1_i64_155 = arith.constant 1 : i64
              %244 = arith.addi %243, %c1_i64_155 : i64
              %245 = llvm.getelementptr inbounds %191#17[%244] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
              llvm.store %191#2, %245 : i32, !llvm.ptr<3>
              %c4_i32_156 = arith.constant 4 : i32
              %c4_i64_157 = arith.constant 4 : i64
              %246 = arith.extsi %191#19 : i32 to i64
              %247 = arith.muli %246, %c4_i64_157 : i64
              %c2_i32_158 = arith.constant 2 : i32
              %c2_i64_159 = arith.constant 2 : i64
              %248 = arith.addi %247, %c2_i64_159 : i64
              %249 = llvm.getelementptr inbounds %191#17[%248] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
              llvm.store %191#0, %249 {alignment = 8 : i64} : i32, !llvm.ptr<3>
              %c4_i32_160 = arith.constant 4 : i32
              %c4_i64_161 = arith.constant 4 : i64
              %250 = arith.extsi %191#19 : i32 to i64
              %251 = arith.muli %250, %c4_i64_161 : i64
              %c3_i32_162 = arith.constant 3 : i32
              %c3_i64_163 = arith.constant 3 : i64
              %252 = arith.addi %251, %c3_i64_163 : i64
              %253 = llvm.getelementptr inbounds %191#17[%252] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
              llvm.store %195, %253 : i32, !llvm.ptr<3>
              %254 = arith.extsi %191#19 : i32 to i64
              %255 = llvm.getelementptr inbounds %55[%254] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %c1_i32_164 = arith.constant 1 : i32
              "fairlead.mbarrier"(%255, %c1_i32_164) {what = "arrive"} : (!llvm.ptr<3>, i32) -> ()
              scf.yield %191#1, %191#2, %191#0, %195, %191#24, %191#25, %191#26, %191#27, %191#28, %191#29, %191#30, %191#31, %191#32, %191#33, %191#13, %191#14, %191#15, %191#16, %191#17, %191#18, %191#19, %191#20, %191#21, %191#22, %191#23, %191#24, %191#25, %191#26, %191#27, %191#28, %191#29, %191#30, %191#31, %191#32, %191#33 : i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            } else {
              scf.yield %191#1, %191#2, %191#0, %195, %191#24, %191#25, %191#26, %191#27, %191#28, %191#29, %191#30, %191#31, %191#32, %191#33, %191#13, %191#14, %191#15, %191#16, %191#17, %191#18, %191#19, %191#20, %191#21, %191#22, %191#23, %191#24, %191#25, %191#26, %191#27, %191#28, %191#29, %191#30, %191#31, %191#32, %191#33 : i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            }
            %c0_i32_131 = arith.constant 0 : i32
            %c0_i32_132 = arith.constant 0 : i32
            %c0_i32_133 = arith.constant 0 : i32
            %false_134 = arith.constant false
            %209 = arith.extsi %208#20 : i32 to i64
            %210 = llvm.getelementptr inbounds %55[%209] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
            "fairlead.mbarrier"(%210, %208#21) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
            %c4_i32 = arith.constant 4 : i32
            %c4_i64 = arith.constant 4 : i64
            %211 = arith.extsi %208#20 : i32 to i64
            %212 = arith.muli %211, %c4_i64 : i64
            %213 = llvm.getelementptr inbounds %208#18[%212] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
            %214 = llvm.load %213 {alignment = 16 : i64} : !llvm.ptr<3> -> i32
            %c4_i32_135 = arith.constant 4 : i32
            %c4_i64_136 = arith.constant 4 : i64
            %215 = arith.extsi %208#20 : i32 to i64
            %216 = arith.muli %215, %c4_i64_136 : i64
            %c1_i32_137 = arith.constant 1 : i32
            %c1_i64_138 = arith.constant 1 : i64
            %217 = arith.addi %216, %c1_i64_138 : i64
            %218 = llvm.getelementptr inbounds %208#18[%217] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
            %219 = llvm.load %218 : !llvm.ptr<3> -> i32
            %c4_i32_139 = arith.constant 4 : i32
            %c4_i64_140 = arith.constant 4 : i64
            %220 = arith.extsi %208#20 : i32 to i64
            %221 = arith.muli %220, %c4_i64_140 : i64
            %c2_i32 = arith.constant 2 : i32
            %c2_i64 = arith.constant 2 : i64
            %222 = arith.addi %221, %c2_i64 : i64
            %223 = llvm.getelementptr inbounds %208#18[%222] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
            %224 = llvm.load %223 {alignment = 8 : i64} : !llvm.ptr<3> -> i32
            %c4_i32_141 = arith.constant 4 : i32
            %c4_i64_142 = arith.constant 4 : i64
            %225 = arith.extsi %208#20 : i32 to i64
            %226 = arith.muli %225, %c4_i64_142 : i64
            %c3_i32 = arith.constant 3 : i32
            %c3_i64 = arith.constant 3 : i64
            %227 = arith.addi %226, %c3_i64 : i64
            %228 = llvm.getelementptr inbounds %208#18[%227] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
            %229 = llvm.load %228 : !llvm.ptr<3> -> i32
            %c-1_i32_143 = arith.constant -1 : i32
            nvvm.bar.warp.sync %c-1_i32_143 : i32
            %230 = nvvm.elect.sync -> i1
            %231:21 = scf.if %230 -> (i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
              %239 = arith.extsi %208#20 : i32 to i64
              %240 = llvm.getelementptr inbounds %56[%239] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %c1_i32_150 = arith.constant 1 : i32
              "fairlead.mbarrier"(%240, %c1_i32_150) {what = "arrive"} : (!llvm.ptr<3>, i32) -> ()
              scf.yield %208#14, %208#15, %208#16, %208#17, %208#18, %208#19, %208#20, %208#21, %208#22, %208#23, %208#24, %208#25, %208#26, %208#27, %208#28, %208#29, %208#30, %208#31, %208#32, %208#33, %208#34 : i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            } else {
              scf.yield %208#14, %208#15, %208#16, %208#17, %208#18, %208#19, %208#20, %208#21, %208#22, %208#23, %208#24, %208#25, %208#26, %208#27, %208#28, %208#29, %208#30, %208#31, %208#32, %208#33, %208#34 : i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
            }
            %c1_i32_144 = arith.constant 1 : i32
            %232 = arith.addi %231#5, %c1_i32_144 : i32
            %c1_i32_145 = arith.constant 1 : i32
            %233 = arith.addi %231#6, %c1_i32_145 : i32
            %c1_i32_146 = arith.constant 1 : i32
            %234 = arith.cmpi eq, %233, %c1_i32_146 : i32
            %c0_i32_147 = arith.constant 0 : i32
            %235 = arith.select %234, %c0_i32_147, %233 : i32
            %c1_i32_148 = arith.constant 1 : i32
            %236 = arith.xori %231#7, %c1_i32_148 : i32
            %237 = arith.select %234, %236, %231#7 : i32
            %c0_i32_149 = arith.constant 0 : i32
            %238 = arith.cmpi ne, %229, %c0_i32_149 : i32
            scf.yield %178#1, %178#2, %178#3, %214, %219, %224, %238, %231#0, %231#1, %231#2, %231#3, %231#4, %232, %235, %237, %231#8, %231#9, %231#10, %231#11, %231#12, %231#13, %231#14, %231#15, %231#16, %231#17, %231#18, %231#19, %231#20, %arg44, %arg45, %arg46, %arg47 : i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1
          }
          %107 = arith.extsi %106#1 : i32 to i64
          %108 = llvm.getelementptr inbounds %20[%107] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%108, %106#2) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_67 = arith.constant 1 : i32
          %109 = arith.addi %106#0, %c1_i32_67 : i32
          %c1_i32_68 = arith.constant 1 : i32
          %110 = arith.addi %106#1, %c1_i32_68 : i32
          %c6_i32 = arith.constant 6 : i32
          %111 = arith.cmpi eq, %110, %c6_i32 : i32
          %c0_i32_69 = arith.constant 0 : i32
          %112 = arith.select %111, %c0_i32_69, %110 : i32
          %c1_i32_70 = arith.constant 1 : i32
          %113 = arith.xori %106#2, %c1_i32_70 : i32
          %114 = arith.select %111, %113, %106#2 : i32
          %115 = arith.extsi %112 : i32 to i64
          %116 = llvm.getelementptr inbounds %20[%115] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%116, %114) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_71 = arith.constant 1 : i32
          %117 = arith.addi %109, %c1_i32_71 : i32
          %c1_i32_72 = arith.constant 1 : i32
          %118 = arith.addi %112, %c1_i32_72 : i32
          %c6_i32_73 = arith.constant 6 : i32
          %119 = arith.cmpi eq, %118, %c6_i32_73 : i32
          %c0_i32_74 = arith.constant 0 : i32
          %120 = arith.select %119, %c0_i32_74, %118 : i32
          %c1_i32_75 = arith.constant 1 : i32
          %121 = arith.xori %114, %c1_i32_75 : i32
          %122 = arith.select %119, %121, %114 : i32
          %123 = arith.extsi %120 : i32 to i64
          %124 = llvm.getelementptr inbounds %20[%123] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%124, %122) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_76 = arith.constant 1 : i32
          %125 = arith.addi %117, %c1_i32_76 : i32
          %c1_i32_77 = arith.constant 1 : i32
          %126 = arith.addi %120, %c1_i32_77 : i32
          %c6_i32_78 = arith.constant 6 : i32
          %127 = arith.cmpi eq, %126, %c6_i32_78 : i32
          %c0_i32_79 = arith.constant 0 : i32
          %128 = arith.select %127, %c0_i32_79, %126 : i32
          %c1_i32_80 = arith.constant 1 : i32
          %129 = arith.xori %122, %c1_i32_80 : i32
          %130 = arith.select %127, %129, %122 : i32
          %131 = arith.extsi %128 : i32 to i64
          %132 = llvm.getelementptr inbounds %20[%131] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%132, %130) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_81 = arith.constant 1 : i32
          %133 = arith.addi %125, %c1_i32_81 : i32
          %c1_i32_82 = arith.constant 1 : i32
          %134 = arith.addi %128, %c1_i32_82 : i32
          %c6_i32_83 = arith.constant 6 : i32
          %135 = arith.cmpi eq, %134, %c6_i32_83 : i32
          %c0_i32_84 = arith.constant 0 : i32
          %136 = arith.select %135, %c0_i32_84, %134 : i32
          %c1_i32_85 = arith.constant 1 : i32
          %137 = arith.xori %130, %c1_i32_85 : i32
          %138 = arith.select %135, %137, %130 : i32
          %139 = arith.extsi %136 : i32 to i64
          %140 = llvm.getelementptr inbounds %20[%139] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%140, %138) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_86 = arith.constant 1 : i32
          %141 = arith.addi %133, %c1_i32_86 : i32
          %c1_i32_87 = arith.constant 1 : i32
          %142 = arith.addi %136, %c1_i32_87 : i32
          %c6_i32_88 = arith.constant 6 : i32
          %143 = arith.cmpi eq, %142, %c6_i32_88 : i32
          %c0_i32_89 = arith.constant 0 : i32
          %144 = arith.select %143, %c0_i32_89, %142 : i32
          %c1_i32_90 = arith.constant 1 : i32
          %145 = arith.xori %138, %c1_i32_90 : i32
          %146 = arith.select %143, %145, %138 : i32
          %147 = arith.extsi %144 : i32 to i64
          %148 = llvm.getelementptr inbounds %20[%147] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%148, %146) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_91 = arith.constant 1 : i32
          %149 = arith.addi %141, %c1_i32_91 : i32
          %c1_i32_92 = arith.constant 1 : i32
          %150 = arith.addi %144, %c1_i32_92 : i32
          %c6_i32_93 = arith.constant 6 : i32
          %151 = arith.cmpi eq, %150, %c6_i32_93 : i32
          %c0_i32_94 = arith.constant 0 : i32
          %152 = arith.select %151, %c0_i32_94, %150 : i32
          %c1_i32_95 = arith.constant 1 : i32
          %153 = arith.xori %146, %c1_i32_95 : i32
          %154 = arith.select %151, %153, %146 : i32
          %c1_i32_96 = arith.constant 1 : i32
          %155 = arith.xori %106#14, %c1_i32_96 : i32
          %156 = arith.extsi %106#13 : i32 to i64
          %157 = llvm.getelementptr inbounds %56[%156] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%157, %155) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c1_i32_97 = arith.constant 1 : i32
          %158 = arith.addi %106#12, %c1_i32_97 : i32
          %c1_i32_98 = arith.constant 1 : i32
          %159 = arith.addi %106#13, %c1_i32_98 : i32
          %c1_i32_99 = arith.constant 1 : i32
          %160 = arith.cmpi eq, %159, %c1_i32_99 : i32
          %c0_i32_100 = arith.constant 0 : i32
          %161 = arith.select %160, %c0_i32_100, %159 : i32
          %c1_i32_101 = arith.constant 1 : i32
          %162 = arith.xori %155, %c1_i32_101 : i32
          %163 = arith.select %160, %162, %155 : i32
          scf.yield %106#28, %106#29, %106#30, %106#31, %105#3, %105#4, %105#5, %105#6, %105#7, %105#8, %105#9, %105#10, %105#11, %105#12 : i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
        } else {
          %c-1_i32_51 = arith.constant -1 : i32
          %true_52 = arith.constant true
          scf.yield %arg1, %arg2, %c-1_i32_51, %true_52, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15 : i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
        }
        scf.yield %92#0, %92#1, %92#2, %92#3, %92#4, %92#5, %92#6, %92#7, %92#8, %92#9, %92#10, %92#11, %92#12, %92#13 : i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
      } else {
        %c-1_i32_48 = arith.constant -1 : i32
        %true_49 = arith.constant true
        scf.yield %arg1, %arg2, %c-1_i32_48, %true_49, %arg9, %arg10, %arg11, %arg12, %arg13, %arg13, %arg14, %arg14, %arg15, %arg15 : i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
      }
      %c8_i32_47 = arith.constant 8 : i32
      %87 = arith.cmpi slt, %17, %c8_i32_47 : i32
      %88:15 = scf.if %87 -> (i1, i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
        "fairlead.order"() {ptx = "setmaxnreg.inc.sync.aligned.u32 232;"} : () -> ()
        %c0_i32_48 = arith.constant 0 : i32
        %89 = arith.cmpi eq, %17, %c0_i32_48 : i32
        %false = arith.constant false
        %90 = arith.select %89, %89, %false : i1
        %thread_id_x_49 = gpu.thread_id  x
        %91 = arith.index_cast %thread_id_x_49 : index to i32
        %thread_id_y_50 = gpu.thread_id  y
        %92 = arith.index_cast %thread_id_y_50 : index to i32
        %thread_id_z_51 = gpu.thread_id  z
        %93 = arith.index_cast %thread_id_z_51 : index to i32
        %c128_i32 = arith.constant 128 : i32
        %c7_i32 = arith.constant 7 : i32
        %94 = arith.shrsi %91, %c7_i32 : i32
        %c0_i32_52 = arith.constant 0 : i32
        %c-1_i32_53 = arith.constant -1 : i32
        %c31_i32_54 = arith.constant 31 : i32
        %95 = nvvm.shfl.sync  idx %c-1_i32_53, %94, %c0_i32_52, %c31_i32_54 : i32 -> i32
        %c128_i32_55 = arith.constant 128 : i32
        %96 = arith.muli %95, %c128_i32_55 : i32
        %c128_i32_56 = arith.constant 128 : i32
        %97 = arith.divsi %96, %c128_i32_56 : i32
        %c2_i32 = arith.constant 2 : i32
        %98 = arith.remsi %97, %c2_i32 : i32
        %c4096_i32 = arith.constant 4096 : i32
        %c4096_i64 = arith.constant 4096 : i64
        %99 = arith.extsi %98 : i32 to i64
        %100 = arith.muli %99, %c4096_i64 : i64
        %101 = llvm.getelementptr inbounds %80[%100] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
        %102 = llvm.ptrtoint %101 : !llvm.ptr<3> to i64
        %103 = arith.trunci %102 : i64 to i32
        %c4_i32 = arith.constant 4 : i32
        %c31_i32_57 = arith.constant 31 : i32
        %c4_i32_58 = arith.constant 4 : i32
        %104 = arith.shrsi %103, %c4_i32_58 : i32
        %c16383_i32 = arith.constant 16383 : i32
        %105 = arith.andi %104, %c16383_i32 : i32
        %c65536_i32 = arith.constant 65536 : i32
        %106 = arith.ori %105, %c65536_i32 : i32
        %c128_i32_59 = arith.constant 128 : i32
        %107 = arith.divsi %96, %c128_i32_59 : i32
        %c2_i32_60 = arith.constant 2 : i32
        %108 = arith.remsi %107, %c2_i32_60 : i32
        %109 = llvm.ptrtoint %81 : !llvm.ptr<3> to i64
        %110 = arith.trunci %109 : i64 to i32
        %c4_i32_61 = arith.constant 4 : i32
        %c31_i32_62 = arith.constant 31 : i32
        %c4_i32_63 = arith.constant 4 : i32
        %111 = arith.shrsi %110, %c4_i32_63 : i32
        %c16383_i32_64 = arith.constant 16383 : i32
        %112 = arith.andi %111, %c16383_i32_64 : i32
        %c65536_i32_65 = arith.constant 65536 : i32
        %113 = arith.ori %112, %c65536_i32_65 : i32
        %c64_i32_66 = arith.constant 64 : i32
        %c1_i32 = arith.constant 1 : i32
        %c63_i32 = arith.constant 63 : i32
        %114 = arith.addi %arg2, %c63_i32 : i32
        %c64_i32_67 = arith.constant 64 : i32
        %c6_i32 = arith.constant 6 : i32
        %115 = arith.shrsi %114, %c6_i32 : i32
        %c0_i32_68 = arith.constant 0 : i32
        %c0_i32_69 = arith.constant 0 : i32
        %c0_i32_70 = arith.constant 0 : i32
        %c0_i32_71 = arith.constant 0 : i32
        %c0_i32_72 = arith.constant 0 : i32
        %c0_i32_73 = arith.constant 0 : i32
        %c0_i32_74 = arith.constant 0 : i32
        %c0_i32_75 = arith.constant 0 : i32
        %c1_i32_76 = arith.constant 1 : i32
        %116 = nvvm.read.ptx.sreg.clusterid.x : i32
        %117 = nvvm.read.ptx.sreg.clusterid.y : i32
        %118 = nvvm.read.ptx.sreg.clusterid.z : i32
        %c0_i32_77 = arith.constant 0 : i32
        %c0_i32_78 = arith.constant 0 : i32
        %c0_i32_79 = arith.constant 0 : i32
        %c0_i32_80 = arith.constant 0 : i32
        %c0_i32_81 = arith.constant 0 : i32
        %c0_i32_82 = arith.constant 0 : i32
        %119 = arith.extsi %arg7 : i32 to i64
        %120 = arith.extsi %arg8 : i32 to i64
        %121 = arith.muli %119, %120 : i64
        %122 = arith.extsi %arg3 : i32 to i64
        %123 = arith.muli %121, %122 : i64
        %124 = arith.extsi %118 : i32 to i64
        %125 = arith.cmpi slt, %124, %123 : i64
        %c0_i32_83 = arith.constant 0 : i32
        %c0_i32_84 = arith.constant 0 : i32
        %c0_i32_85 = arith.constant 0 : i32
        %126:34 = scf.if %125 -> (i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
          %c0_i32_86 = arith.constant 0 : i32
          %128 = arith.cmpi eq, %86#5, %c0_i32_86 : i32
          %c-2147483648_i32 = arith.constant -2147483648 : i32
          %129 = arith.cmpi eq, %118, %c-2147483648_i32 : i32
          %c-1_i32_87 = arith.constant -1 : i32
          %130 = arith.cmpi eq, %86#5, %c-1_i32_87 : i32
          %131 = arith.andi %129, %130 : i1
          %132 = arith.ori %128, %131 : i1
          %c1_i32_88 = arith.constant 1 : i32
          %133 = arith.select %132, %c1_i32_88, %86#5 : i32
          %134 = arith.divsi %118, %133 : i32
          %135 = arith.remsi %118, %133 : i32
          %c0_i32_89 = arith.constant 0 : i32
          %136 = arith.cmpi ne, %135, %c0_i32_89 : i32
          %137 = arith.xori %135, %133 : i32
          %138 = arith.cmpi slt, %137, %c0_i32_89 : i32
          %139 = arith.andi %136, %138 : i1
          %c1_i32_90 = arith.constant 1 : i32
          %140 = arith.subi %134, %c1_i32_90 : i32
          %141 = arith.select %139, %140, %134 : i32
          %c0_i32_91 = arith.constant 0 : i32
          %142 = arith.cmpi eq, %86#5, %c0_i32_91 : i32
          %c-2147483648_i32_92 = arith.constant -2147483648 : i32
          %143 = arith.cmpi eq, %118, %c-2147483648_i32_92 : i32
          %c-1_i32_93 = arith.constant -1 : i32
          %144 = arith.cmpi eq, %86#5, %c-1_i32_93 : i32
          %145 = arith.andi %143, %144 : i1
          %146 = arith.ori %142, %145 : i1
          %c1_i32_94 = arith.constant 1 : i32
          %147 = arith.select %146, %c1_i32_94, %86#5 : i32
          %148 = arith.remsi %118, %147 : i32
          %c0_i32_95 = arith.constant 0 : i32
          %149 = arith.cmpi ne, %148, %c0_i32_95 : i32
          %150 = arith.xori %148, %147 : i32
          %151 = arith.cmpi slt, %150, %c0_i32_95 : i32
          %152 = arith.andi %149, %151 : i1
          %153 = arith.addi %148, %147 : i32
          %154 = arith.select %152, %153, %148 : i32
          %c0_i32_96 = arith.constant 0 : i32
          %155 = arith.cmpi eq, %86#12, %c0_i32_96 : i32
          %c-2147483648_i32_97 = arith.constant -2147483648 : i32
          %156 = arith.cmpi eq, %154, %c-2147483648_i32_97 : i32
          %c-1_i32_98 = arith.constant -1 : i32
          %157 = arith.cmpi eq, %86#12, %c-1_i32_98 : i32
          %158 = arith.andi %156, %157 : i1
          %159 = arith.ori %155, %158 : i1
          %c1_i32_99 = arith.constant 1 : i32
          %160 = arith.select %159, %c1_i32_99, %86#12 : i32
          %161 = arith.divsi %154, %160 : i32
          %162 = arith.remsi %154, %160 : i32
          %c0_i32_100 = arith.constant 0 : i32
          %163 = arith.cmpi ne, %162, %c0_i32_100 : i32
          %164 = arith.xori %162, %160 : i32
          %165 = arith.cmpi slt, %164, %c0_i32_100 : i32
          %166 = arith.andi %163, %165 : i1
          %c1_i32_101 = arith.constant 1 : i32
          %167 = arith.subi %161, %c1_i32_101 : i32
          %168 = arith.select %166, %167, %161 : i32
          %c0_i32_102 = arith.constant 0 : i32
          %169 = arith.cmpi eq, %86#12, %c0_i32_102 : i32
          %c-2147483648_i32_103 = arith.constant -2147483648 : i32
          %170 = arith.cmpi eq, %154, %c-2147483648_i32_103 : i32
          %c-1_i32_104 = arith.constant -1 : i32
          %171 = arith.cmpi eq, %86#12, %c-1_i32_104 : i32
          %172 = arith.andi %170, %171 : i1
          %173 = arith.ori %169, %172 : i1
          %c1_i32_105 = arith.constant 1 : i32
          %174 = arith.select %173, %c1_i32_105, %86#12 : i32
          %175 = arith.remsi %154, %174 : i32
          %c0_i32_106 = arith.constant 0 : i32
          %176 = arith.cmpi ne, %175, %c0_i32_106 : i32
          %177 = arith.xori %175, %174 : i32
          %178 = arith.cmpi slt, %177, %c0_i32_106 : i32
          %179 = arith.andi %176, %178 : i1
          %180 = arith.addi %175, %174 : i32
          %181 = arith.select %179, %180, %175 : i32
          %c0_i32_107 = arith.constant 0 : i32
          %c0_i32_108 = arith.constant 0 : i32
          %182 = arith.cmpi slt, %168, %86#7 : i32
          %183:12 = scf.if %182 -> (i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
            %c0_i32_115 = arith.constant 0 : i32
            %196 = arith.cmpi eq, %86#8, %c0_i32_115 : i32
            %c-2147483648_i32_116 = arith.constant -2147483648 : i32
            %197 = arith.cmpi eq, %181, %c-2147483648_i32_116 : i32
            %c-1_i32_117 = arith.constant -1 : i32
            %198 = arith.cmpi eq, %86#8, %c-1_i32_117 : i32
            %199 = arith.andi %197, %198 : i1
            %200 = arith.ori %196, %199 : i1
            %c1_i32_118 = arith.constant 1 : i32
            %201 = arith.select %200, %c1_i32_118, %86#8 : i32
            %202 = arith.divsi %181, %201 : i32
            %203 = arith.remsi %181, %201 : i32
            %c0_i32_119 = arith.constant 0 : i32
            %204 = arith.cmpi ne, %203, %c0_i32_119 : i32
            %205 = arith.xori %203, %201 : i32
            %206 = arith.cmpi slt, %205, %c0_i32_119 : i32
            %207 = arith.andi %204, %206 : i1
            %c1_i32_120 = arith.constant 1 : i32
            %208 = arith.subi %202, %c1_i32_120 : i32
            %209 = arith.select %207, %208, %202 : i32
            %c0_i32_121 = arith.constant 0 : i32
            %210 = arith.cmpi eq, %86#8, %c0_i32_121 : i32
            %c-2147483648_i32_122 = arith.constant -2147483648 : i32
            %211 = arith.cmpi eq, %181, %c-2147483648_i32_122 : i32
            %c-1_i32_123 = arith.constant -1 : i32
            %212 = arith.cmpi eq, %86#8, %c-1_i32_123 : i32
            %213 = arith.andi %211, %212 : i1
            %214 = arith.ori %210, %213 : i1
            %c1_i32_124 = arith.constant 1 : i32
            %215 = arith.select %214, %c1_i32_124, %86#8 : i32
            %216 = arith.remsi %181, %215 : i32
            %c0_i32_125 = arith.constant 0 : i32
            %217 = arith.cmpi ne, %216, %c0_i32_125 : i32
            %218 = arith.xori %216, %215 : i32
            %219 = arith.cmpi slt, %218, %c0_i32_125 : i32
            %220 = arith.andi %217, %219 : i1
            %221 = arith.addi %216, %215 : i32
            %222 = arith.select %220, %221, %216 : i32
            scf.yield %222, %209, %86#4, %86#5, %86#6, %86#7, %86#8, %86#9, %86#10, %86#11, %86#12, %86#13 : i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
          } else {
            %c0_i32_115 = arith.constant 0 : i32
            %196 = arith.cmpi eq, %86#10, %c0_i32_115 : i32
            %c-2147483648_i32_116 = arith.constant -2147483648 : i32
            %197 = arith.cmpi eq, %181, %c-2147483648_i32_116 : i32
            %c-1_i32_117 = arith.constant -1 : i32
            %198 = arith.cmpi eq, %86#10, %c-1_i32_117 : i32
            %199 = arith.andi %197, %198 : i1
            %200 = arith.ori %196, %199 : i1
            %c1_i32_118 = arith.constant 1 : i32
            %201 = arith.select %200, %c1_i32_118, %86#10 : i32
            %202 = arith.divsi %181, %201 : i32
            %203 = arith.remsi %181, %201 : i32
            %c0_i32_119 = arith.constant 0 : i32
            %204 = arith.cmpi ne, %203, %c0_i32_119 : i32
            %205 = arith.xori %203, %201 : i32
            %206 = arith.cmpi slt, %205, %c0_i32_119 : i32
            %207 = arith.andi %204, %206 : i1
            %c1_i32_120 = arith.constant 1 : i32
            %208 = arith.subi %202, %c1_i32_120 : i32
            %209 = arith.select %207, %208, %202 : i32
            %c0_i32_121 = arith.constant 0 : i32
            %210 = arith.cmpi eq, %86#10, %c0_i32_121 : i32
            %c-2147483648_i32_122 = arith.constant -2147483648 : i32
            %211 = arith.cmpi eq, %181, %c-2147483648_i32_122 : i32
            %c-1_i32_123 = arith.constant -1 : i32
            %212 = arith.cmpi eq, %86#10, %c-1_i32_123 : i32
            %213 = arith.andi %211, %212 : i1
            %214 = arith.ori %210, %213 : i1
            %c1_i32_124 = arith.constant 1 : i32
            %215 = arith.select %214, %c1_i32_124, %86#10 : i32
            %216 = arith.remsi %181, %215 : i32
            %c0_i32_125 = arith.constant 0 : i32
            %217 = arith.cmpi ne, %216, %c0_i32_125 : i32
            %218 = arith.xori %216, %215 : i32
            %219 = arith.cmpi slt, %218, %c0_i32_125 : i32
            %220 = arith.andi %217, %219 : i1
            %221 = arith.addi %216, %215 : i32
            %222 = arith.select %220, %221, %216 : i32
            scf.yield %222, %209, %86#4, %86#5, %86#6, %86#7, %86#8, %86#9, %86#10, %86#11, %86#12, %86#13 : i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
          }
          %c2_i32_109 = arith.constant 2 : i32
          %c1_i32_110 = arith.constant 1 : i32
          %184 = arith.andi %168, %c1_i32_110 : i32
          %c1_i32_111 = arith.constant 1 : i32
          %185 = arith.cmpi eq, %184, %c1_i32_111 : i32
          %186 = scf.if %185 -> (i32) {
            %c0_i32_115 = arith.constant 0 : i32
            %196 = arith.cmpi eq, %183#2, %c0_i32_115 : i32
            %197 = arith.select %196, %arg8, %arg7 : i32
            %c1_i32_116 = arith.constant 1 : i32
            %198 = arith.subi %197, %c1_i32_116 : i32
            %199 = arith.subi %198, %183#1 : i32
            scf.yield %199 : i32
          } else {
            scf.yield %183#1 : i32
          }
          %187 = arith.muli %168, %183#7 : i32
          %188 = arith.addi %187, %183#0 : i32
          %c1_i32_112 = arith.constant 1 : i32
          %189 = arith.cmpi eq, %183#2, %c1_i32_112 : i32
          %190:2 = scf.if %189 -> (i32, i32) {
            scf.yield %186, %188 : i32, i32
          } else {
            scf.yield %188, %186 : i32, i32
          }
          %191 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
          %192 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
          %193 = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
          %c1_i32_113 = arith.constant 1 : i32
          %194 = arith.addi %190#0, %191 : i32
          %c1_i32_114 = arith.constant 1 : i32
          %195 = arith.addi %190#1, %192 : i32
          scf.yield %141, %194, %195, %86#4, %86#5, %86#6, %86#7, %86#8, %86#9, %86#10, %86#11, %86#12, %86#13, %118, %c0_i32_77, %c0_i32_78, %c0_i32_79, %79, %c0_i32_80, %c0_i32_81, %c0_i32_82, %arg7, %arg8, %arg3, %183#2, %183#3, %183#4, %183#5, %183#6, %183#7, %183#8, %183#9, %183#10, %183#11 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
        } else {
          scf.yield %c0_i32_85, %c0_i32_83, %c0_i32_84, %86#4, %86#5, %86#6, %86#7, %86#8, %86#9, %86#10, %86#11, %86#12, %86#13, %118, %c0_i32_77, %c0_i32_78, %c0_i32_79, %79, %c0_i32_80, %c0_i32_81, %c0_i32_82, %arg7, %arg8, %arg3, %86#4, %86#5, %86#6, %86#7, %86#8, %86#9, %86#10, %86#11, %86#12, %86#13 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
        }
        %127:39 = scf.while (%arg16 = %c0_i32_68, %arg17 = %c0_i32_69, %arg18 = %c0_i32_70, %arg19 = %c0_i32_74, %arg20 = %c0_i32_75, %arg21 = %c1_i32_76, %arg22 = %c0_i32_71, %arg23 = %c0_i32_72, %arg24 = %c0_i32_73, %arg25 = %126#1, %arg26 = %126#2, %arg27 = %126#0, %arg28 = %125, %arg29 = %126#13, %arg30 = %126#14, %arg31 = %126#15, %arg32 = %126#16, %arg33 = %126#17, %arg34 = %126#18, %arg35 = %126#19, %arg36 = %126#20, %arg37 = %126#21, %arg38 = %126#22, %arg39 = %126#23, %arg40 = %126#24, %arg41 = %126#25, %arg42 = %126#26, %arg43 = %126#27, %arg44 = %126#28, %arg45 = %126#29, %arg46 = %126#30, %arg47 = %126#31, %arg48 = %126#32, %arg49 = %126#33, %arg50 = %true, %arg51 = %86#0, %arg52 = %86#1, %arg53 = %86#2, %arg54 = %86#3) : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i1) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i1) {
          scf.condition(%arg28) %arg16, %arg17, %arg18, %arg19, %arg20, %arg21, %arg22, %arg23, %arg24, %arg25, %arg26, %arg27, %arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %arg44, %arg45, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51, %arg52, %arg53, %arg54 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i1
        } do {
        ^bb0(%arg16: i32, %arg17: i32, %arg18: i32, %arg19: i32, %arg20: i32, %arg21: i32, %arg22: i32, %arg23: i32, %arg24: i32, %arg25: i32, %arg26: i32, %arg27: i32, %arg28: i1, %arg29: i32, %arg30: i32, %arg31: i32, %arg32: i32, %arg33: !llvm.ptr<3>, %arg34: i32, %arg35: i32, %arg36: i32, %arg37: i32, %arg38: i32, %arg39: i32, %arg40: i32, %arg41: i32, %arg42: i64, %arg43: i32, %arg44: i32, %arg45: i32, %arg46: i32, %arg47: i32, %arg48: i32, %arg49: i32, %arg50: i1, %arg51: i32, %arg52: i32, %arg53: i32, %arg54: i1):
          %c64_i32_86 = arith.constant 64 : i32
          %c1_i32_87 = arith.constant 1 : i32
          %c63_i32_88 = arith.constant 63 : i32
          %128 = arith.addi %arg52, %c63_i32_88 : i32
          %c64_i32_89 = arith.constant 64 : i32
          %c6_i32_90 = arith.constant 6 : i32
          %129 = arith.shrsi %128, %c6_i32_90 : i32
          %c1_i32_91 = arith.constant 1 : i32
          %130 = arith.minsi %129, %c1_i32_91 : i32
          %true_92 = arith.constant true
          %c0_i32_93 = arith.constant 0 : i32
          %131 = arith.cmpi sgt, %129, %c0_i32_93 : i32
          %132:4 = scf.if %131 -> (i1, i32, i32, i32) {
            %959 = arith.extsi %arg17 : i32 to i64
            %960 = llvm.getelementptr inbounds %19[%959] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
            %961 = "fairlead.mbarrier"(%960, %arg18) {what = "try_wait"} : (!llvm.ptr<3>, i32) -> i1
            scf.yield %961, %arg16, %arg17, %arg18 : i1, i32, i32, i32
          } else {
            scf.yield %true_92, %arg16, %arg17, %arg18 : i1, i32, i32, i32
          }
          %true_94 = arith.constant true
          %133 = arith.extui %arg50 : i1 to i32
          %c1_i32_95 = arith.constant 1 : i32
          %c0_i32_96 = arith.constant 0 : i32
          %134:6 = scf.for %arg55 = %c0_i32_96 to %130 step %c1_i32_95 iter_args(%arg56 = %132#0, %arg57 = %true_94, %arg58 = %132#1, %arg59 = %132#2, %arg60 = %132#3, %arg61 = %arg50) -> (i1, i1, i32, i32, i32, i1)  : i32 {
            %false_607 = arith.constant false
            %959 = arith.cmpi eq, %arg56, %false_607 : i1
            scf.if %959 {
              %1760 = arith.extsi %arg59 : i32 to i64
              %1761 = llvm.getelementptr inbounds %19[%1760] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              "fairlead.mbarrier"(%1761, %arg60) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
            } else {
            }
            %c1024_i32 = arith.constant 1024 : i32
            %960 = arith.muli %arg59, %c1024_i32 : i32
            %961 = arith.addi %106, %960 : i32
            %c1024_i32_608 = arith.constant 1024 : i32
            %962 = arith.muli %arg59, %c1024_i32_608 : i32
            %963 = arith.addi %113, %962 : i32
            "fairlead.order"() {ptx = "wgmma.fence.sync.aligned;"} : () -> ()
            %true_609 = arith.constant true
            %true_610 = arith.constant true
            %964 = arith.xori %arg57, %true_610 : i1
            %c32_i64_611 = arith.constant 32 : i64
            %c1073741888_i64 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64 = arith.constant 4611686293305294848 : i64
            %965 = arith.extui %961 : i32 to i64
            %966 = arith.ori %965, %c4611686293305294848_i64 : i64
            %c32_i64_612 = arith.constant 32 : i64
            %c1073741888_i64_613 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_614 = arith.constant 4611686293305294848 : i64
            %967 = arith.extui %963 : i32 to i64
            %968 = arith.ori %967, %c4611686293305294848_i64_614 : i64
            %969 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_615 = arith.constant 1 : i64
            %970 = llvm.getelementptr inbounds %5[%c1_i64_615] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %971 = llvm.load %970 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_616 = arith.constant 2 : i64
            %972 = llvm.getelementptr inbounds %5[%c2_i64_616] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %973 = llvm.load %972 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_617 = arith.constant 3 : i64
            %974 = llvm.getelementptr inbounds %5[%c3_i64_617] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %975 = llvm.load %974 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_618 = arith.constant 4 : i64
            %976 = llvm.getelementptr inbounds %5[%c4_i64_618] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %977 = llvm.load %976 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_619 = arith.constant 5 : i64
            %978 = llvm.getelementptr inbounds %5[%c5_i64_619] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %979 = llvm.load %978 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_620 = arith.constant 6 : i64
            %980 = llvm.getelementptr inbounds %5[%c6_i64_620] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %981 = llvm.load %980 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_621 = arith.constant 7 : i64
            %982 = llvm.getelementptr inbounds %5[%c7_i64_621] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %983 = llvm.load %982 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_622 = arith.constant 8 : i64
            %984 = llvm.getelementptr inbounds %5[%c8_i64_622] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %985 = llvm.load %984 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_623 = arith.constant 9 : i64
            %986 = llvm.getelementptr inbounds %5[%c9_i64_623] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %987 = llvm.load %986 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_624 = arith.constant 10 : i64
            %988 = llvm.getelementptr inbounds %5[%c10_i64_624] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %989 = llvm.load %988 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_625 = arith.constant 11 : i64
            %990 = llvm.getelementptr inbounds %5[%c11_i64_625] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %991 = llvm.load %990 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_626 = arith.constant 12 : i64
            %992 = llvm.getelementptr inbounds %5[%c12_i64_626] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %993 = llvm.load %992 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_627 = arith.constant 13 : i64
            %994 = llvm.getelementptr inbounds %5[%c13_i64_627] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %995 = llvm.load %994 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_628 = arith.constant 14 : i64
            %996 = llvm.getelementptr inbounds %5[%c14_i64_628] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %997 = llvm.load %996 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_629 = arith.constant 15 : i64
            %998 = llvm.getelementptr inbounds %5[%c15_i64_629] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %999 = llvm.load %998 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_630 = arith.constant 16 : i64
            %1000 = llvm.getelementptr inbounds %5[%c16_i64_630] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1001 = llvm.load %1000 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64 = arith.constant 17 : i64
            %1002 = llvm.getelementptr inbounds %5[%c17_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1003 = llvm.load %1002 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64 = arith.constant 18 : i64
            %1004 = llvm.getelementptr inbounds %5[%c18_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1005 = llvm.load %1004 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64 = arith.constant 19 : i64
            %1006 = llvm.getelementptr inbounds %5[%c19_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1007 = llvm.load %1006 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64 = arith.constant 20 : i64
            %1008 = llvm.getelementptr inbounds %5[%c20_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1009 = llvm.load %1008 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64 = arith.constant 21 : i64
            %1010 = llvm.getelementptr inbounds %5[%c21_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1011 = llvm.load %1010 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64 = arith.constant 22 : i64
            %1012 = llvm.getelementptr inbounds %5[%c22_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1013 = llvm.load %1012 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64 = arith.constant 23 : i64
            %1014 = llvm.getelementptr inbounds %5[%c23_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1015 = llvm.load %1014 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64 = arith.constant 24 : i64
            %1016 = llvm.getelementptr inbounds %5[%c24_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1017 = llvm.load %1016 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64 = arith.constant 25 : i64
            %1018 = llvm.getelementptr inbounds %5[%c25_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1019 = llvm.load %1018 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64 = arith.constant 26 : i64
            %1020 = llvm.getelementptr inbounds %5[%c26_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1021 = llvm.load %1020 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64 = arith.constant 27 : i64
            %1022 = llvm.getelementptr inbounds %5[%c27_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1023 = llvm.load %1022 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64 = arith.constant 28 : i64
            %1024 = llvm.getelementptr inbounds %5[%c28_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1025 = llvm.load %1024 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64 = arith.constant 29 : i64
            %1026 = llvm.getelementptr inbounds %5[%c29_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1027 = llvm.load %1026 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64 = arith.constant 30 : i64
            %1028 = llvm.getelementptr inbounds %5[%c30_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1029 = llvm.load %1028 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64 = arith.constant 31 : i64
            %1030 = llvm.getelementptr inbounds %5[%c31_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1031 = llvm.load %1030 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_631 = arith.constant 32 : i64
            %1032 = llvm.getelementptr inbounds %5[%c32_i64_631] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1033 = llvm.load %1032 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64 = arith.constant 33 : i64
            %1034 = llvm.getelementptr inbounds %5[%c33_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1035 = llvm.load %1034 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64 = arith.constant 34 : i64
            %1036 = llvm.getelementptr inbounds %5[%c34_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1037 = llvm.load %1036 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64 = arith.constant 35 : i64
            %1038 = llvm.getelementptr inbounds %5[%c35_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1039 = llvm.load %1038 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64 = arith.constant 36 : i64
            %1040 = llvm.getelementptr inbounds %5[%c36_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1041 = llvm.load %1040 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64 = arith.constant 37 : i64
            %1042 = llvm.getelementptr inbounds %5[%c37_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1043 = llvm.load %1042 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64 = arith.constant 38 : i64
            %1044 = llvm.getelementptr inbounds %5[%c38_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1045 = llvm.load %1044 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64 = arith.constant 39 : i64
            %1046 = llvm.getelementptr inbounds %5[%c39_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1047 = llvm.load %1046 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64 = arith.constant 40 : i64
            %1048 = llvm.getelementptr inbounds %5[%c40_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1049 = llvm.load %1048 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64 = arith.constant 41 : i64
            %1050 = llvm.getelementptr inbounds %5[%c41_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1051 = llvm.load %1050 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64 = arith.constant 42 : i64
            %1052 = llvm.getelementptr inbounds %5[%c42_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1053 = llvm.load %1052 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64 = arith.constant 43 : i64
            %1054 = llvm.getelementptr inbounds %5[%c43_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1055 = llvm.load %1054 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64 = arith.constant 44 : i64
            %1056 = llvm.getelementptr inbounds %5[%c44_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1057 = llvm.load %1056 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64 = arith.constant 45 : i64
            %1058 = llvm.getelementptr inbounds %5[%c45_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1059 = llvm.load %1058 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64 = arith.constant 46 : i64
            %1060 = llvm.getelementptr inbounds %5[%c46_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1061 = llvm.load %1060 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64 = arith.constant 47 : i64
            %1062 = llvm.getelementptr inbounds %5[%c47_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1063 = llvm.load %1062 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_632 = arith.constant 48 : i64
            %1064 = llvm.getelementptr inbounds %5[%c48_i64_632] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1065 = llvm.load %1064 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64 = arith.constant 49 : i64
            %1066 = llvm.getelementptr inbounds %5[%c49_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1067 = llvm.load %1066 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64 = arith.constant 50 : i64
            %1068 = llvm.getelementptr inbounds %5[%c50_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1069 = llvm.load %1068 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64 = arith.constant 51 : i64
            %1070 = llvm.getelementptr inbounds %5[%c51_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1071 = llvm.load %1070 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64 = arith.constant 52 : i64
            %1072 = llvm.getelementptr inbounds %5[%c52_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1073 = llvm.load %1072 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64 = arith.constant 53 : i64
            %1074 = llvm.getelementptr inbounds %5[%c53_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1075 = llvm.load %1074 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64 = arith.constant 54 : i64
            %1076 = llvm.getelementptr inbounds %5[%c54_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1077 = llvm.load %1076 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64 = arith.constant 55 : i64
            %1078 = llvm.getelementptr inbounds %5[%c55_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1079 = llvm.load %1078 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64 = arith.constant 56 : i64
            %1080 = llvm.getelementptr inbounds %5[%c56_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1081 = llvm.load %1080 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64 = arith.constant 57 : i64
            %1082 = llvm.getelementptr inbounds %5[%c57_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1083 = llvm.load %1082 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64 = arith.constant 58 : i64
            %1084 = llvm.getelementptr inbounds %5[%c58_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1085 = llvm.load %1084 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64 = arith.constant 59 : i64
            %1086 = llvm.getelementptr inbounds %5[%c59_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1087 = llvm.load %1086 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64 = arith.constant 60 : i64
            %1088 = llvm.getelementptr inbounds %5[%c60_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1089 = llvm.load %1088 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64 = arith.constant 61 : i64
            %1090 = llvm.getelementptr inbounds %5[%c61_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1091 = llvm.load %1090 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64 = arith.constant 62 : i64
            %1092 = llvm.getelementptr inbounds %5[%c62_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1093 = llvm.load %1092 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_633 = arith.constant 63 : i64
            %1094 = llvm.getelementptr inbounds %5[%c63_i64_633] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1095 = llvm.load %1094 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1096:64 = "fairlead.warpgroup_mma"(%969, %971, %973, %975, %977, %979, %981, %983, %985, %987, %989, %991, %993, %995, %997, %999, %1001, %1003, %1005, %1007, %1009, %1011, %1013, %1015, %1017, %1019, %1021, %1023, %1025, %1027, %1029, %1031, %1033, %1035, %1037, %1039, %1041, %1043, %1045, %1047, %1049, %1051, %1053, %1055, %1057, %1059, %1061, %1063, %1065, %1067, %1069, %1071, %1073, %1075, %1077, %1079, %1081, %1083, %1085, %1087, %1089, %1091, %1093, %1095, %966, %968, %964) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1096#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_634 = arith.constant 1 : i64
            %1097 = llvm.getelementptr inbounds %5[%c1_i64_634] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#1, %1097 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_635 = arith.constant 2 : i64
            %1098 = llvm.getelementptr inbounds %5[%c2_i64_635] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#2, %1098 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_636 = arith.constant 3 : i64
            %1099 = llvm.getelementptr inbounds %5[%c3_i64_636] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#3, %1099 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_637 = arith.constant 4 : i64
            %1100 = llvm.getelementptr inbounds %5[%c4_i64_637] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#4, %1100 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_638 = arith.constant 5 : i64
            %1101 = llvm.getelementptr inbounds %5[%c5_i64_638] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#5, %1101 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_639 = arith.constant 6 : i64
            %1102 = llvm.getelementptr inbounds %5[%c6_i64_639] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#6, %1102 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_640 = arith.constant 7 : i64
            %1103 = llvm.getelementptr inbounds %5[%c7_i64_640] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#7, %1103 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_641 = arith.constant 8 : i64
            %1104 = llvm.getelementptr inbounds %5[%c8_i64_641] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#8, %1104 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_642 = arith.constant 9 : i64
            %1105 = llvm.getelementptr inbounds %5[%c9_i64_642] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#9, %1105 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_643 = arith.constant 10 : i64
            %1106 = llvm.getelementptr inbounds %5[%c10_i64_643] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#10, %1106 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_644 = arith.constant 11 : i64
            %1107 = llvm.getelementptr inbounds %5[%c11_i64_644] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#11, %1107 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_645 = arith.constant 12 : i64
            %1108 = llvm.getelementptr inbounds %5[%c12_i64_645] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#12, %1108 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_646 = arith.constant 13 : i64
            %1109 = llvm.getelementptr inbounds %5[%c13_i64_646] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#13, %1109 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_647 = arith.constant 14 : i64
            %1110 = llvm.getelementptr inbounds %5[%c14_i64_647] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#14, %1110 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_648 = arith.constant 15 : i64
            %1111 = llvm.getelementptr inbounds %5[%c15_i64_648] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#15, %1111 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_649 = arith.constant 16 : i64
            %1112 = llvm.getelementptr inbounds %5[%c16_i64_649] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#16, %1112 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_650 = arith.constant 17 : i64
            %1113 = llvm.getelementptr inbounds %5[%c17_i64_650] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#17, %1113 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_651 = arith.constant 18 : i64
            %1114 = llvm.getelementptr inbounds %5[%c18_i64_651] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#18, %1114 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_652 = arith.constant 19 : i64
            %1115 = llvm.getelementptr inbounds %5[%c19_i64_652] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#19, %1115 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_653 = arith.constant 20 : i64
            %1116 = llvm.getelementptr inbounds %5[%c20_i64_653] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#20, %1116 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_654 = arith.constant 21 : i64
            %1117 = llvm.getelementptr inbounds %5[%c21_i64_654] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#21, %1117 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_655 = arith.constant 22 : i64
            %1118 = llvm.getelementptr inbounds %5[%c22_i64_655] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#22, %1118 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_656 = arith.constant 23 : i64
            %1119 = llvm.getelementptr inbounds %5[%c23_i64_656] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#23, %1119 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_657 = arith.constant 24 : i64
            %1120 = llvm.getelementptr inbounds %5[%c24_i64_657] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#24, %1120 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_658 = arith.constant 25 : i64
            %1121 = llvm.getelementptr inbounds %5[%c25_i64_658] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#25, %1121 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_659 = arith.constant 26 : i64
            %1122 = llvm.getelementptr inbounds %5[%c26_i64_659] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#26, %1122 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_660 = arith.constant 27 : i64
            %1123 = llvm.getelementptr inbounds %5[%c27_i64_660] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#27, %1123 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_661 = arith.constant 28 : i64
            %1124 = llvm.getelementptr inbounds %5[%c28_i64_661] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#28, %1124 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_662 = arith.constant 29 : i64
            %1125 = llvm.getelementptr inbounds %5[%c29_i64_662] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#29, %1125 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_663 = arith.constant 30 : i64
            %1126 = llvm.getelementptr inbounds %5[%c30_i64_663] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#30, %1126 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_664 = arith.constant 31 : i64
            %1127 = llvm.getelementptr inbounds %5[%c31_i64_664] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#31, %1127 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_665 = arith.constant 32 : i64
            %1128 = llvm.getelementptr inbounds %5[%c32_i64_665] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#32, %1128 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_666 = arith.constant 33 : i64
            %1129 = llvm.getelementptr inbounds %5[%c33_i64_666] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#33, %1129 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_667 = arith.constant 34 : i64
            %1130 = llvm.getelementptr inbounds %5[%c34_i64_667] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#34, %1130 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_668 = arith.constant 35 : i64
            %1131 = llvm.getelementptr inbounds %5[%c35_i64_668] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#35, %1131 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_669 = arith.constant 36 : i64
            %1132 = llvm.getelementptr inbounds %5[%c36_i64_669] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#36, %1132 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_670 = arith.constant 37 : i64
            %1133 = llvm.getelementptr inbounds %5[%c37_i64_670] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#37, %1133 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_671 = arith.constant 38 : i64
            %1134 = llvm.getelementptr inbounds %5[%c38_i64_671] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#38, %1134 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_672 = arith.constant 39 : i64
            %1135 = llvm.getelementptr inbounds %5[%c39_i64_672] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#39, %1135 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_673 = arith.constant 40 : i64
            %1136 = llvm.getelementptr inbounds %5[%c40_i64_673] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#40, %1136 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_674 = arith.constant 41 : i64
            %1137 = llvm.getelementptr inbounds %5[%c41_i64_674] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#41, %1137 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_675 = arith.constant 42 : i64
            %1138 = llvm.getelementptr inbounds %5[%c42_i64_675] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#42, %1138 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_676 = arith.constant 43 : i64
            %1139 = llvm.getelementptr inbounds %5[%c43_i64_676] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#43, %1139 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_677 = arith.constant 44 : i64
            %1140 = llvm.getelementptr inbounds %5[%c44_i64_677] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#44, %1140 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_678 = arith.constant 45 : i64
            %1141 = llvm.getelementptr inbounds %5[%c45_i64_678] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#45, %1141 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_679 = arith.constant 46 : i64
            %1142 = llvm.getelementptr inbounds %5[%c46_i64_679] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#46, %1142 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_680 = arith.constant 47 : i64
            %1143 = llvm.getelementptr inbounds %5[%c47_i64_680] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#47, %1143 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_681 = arith.constant 48 : i64
            %1144 = llvm.getelementptr inbounds %5[%c48_i64_681] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#48, %1144 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_682 = arith.constant 49 : i64
            %1145 = llvm.getelementptr inbounds %5[%c49_i64_682] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#49, %1145 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_683 = arith.constant 50 : i64
            %1146 = llvm.getelementptr inbounds %5[%c50_i64_683] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#50, %1146 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_684 = arith.constant 51 : i64
            %1147 = llvm.getelementptr inbounds %5[%c51_i64_684] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#51, %1147 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_685 = arith.constant 52 : i64
            %1148 = llvm.getelementptr inbounds %5[%c52_i64_685] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#52, %1148 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_686 = arith.constant 53 : i64
            %1149 = llvm.getelementptr inbounds %5[%c53_i64_686] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#53, %1149 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_687 = arith.constant 54 : i64
            %1150 = llvm.getelementptr inbounds %5[%c54_i64_687] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#54, %1150 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_688 = arith.constant 55 : i64
            %1151 = llvm.getelementptr inbounds %5[%c55_i64_688] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#55, %1151 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_689 = arith.constant 56 : i64
            %1152 = llvm.getelementptr inbounds %5[%c56_i64_689] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#56, %1152 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_690 = arith.constant 57 : i64
            %1153 = llvm.getelementptr inbounds %5[%c57_i64_690] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#57, %1153 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_691 = arith.constant 58 : i64
            %1154 = llvm.getelementptr inbounds %5[%c58_i64_691] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#58, %1154 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_692 = arith.constant 59 : i64
            %1155 = llvm.getelementptr inbounds %5[%c59_i64_692] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#59, %1155 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_693 = arith.constant 60 : i64
            %1156 = llvm.getelementptr inbounds %5[%c60_i64_693] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#60, %1156 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_694 = arith.constant 61 : i64
            %1157 = llvm.getelementptr inbounds %5[%c61_i64_694] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#61, %1157 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_695 = arith.constant 62 : i64
            %1158 = llvm.getelementptr inbounds %5[%c62_i64_695] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#62, %1158 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_696 = arith.constant 63 : i64
            %1159 = llvm.getelementptr inbounds %5[%c63_i64_696] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#63, %1159 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_697 = arith.constant true
            %c2_i32_698 = arith.constant 2 : i32
            %1160 = arith.addi %961, %c2_i32_698 : i32
            %c2_i32_699 = arith.constant 2 : i32
            %1161 = arith.addi %963, %c2_i32_699 : i32
            %c32_i64_700 = arith.constant 32 : i64
            %c1073741888_i64_701 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_702 = arith.constant 4611686293305294848 : i64
            %1162 = arith.extui %1160 : i32 to i64
            %1163 = arith.ori %1162, %c4611686293305294848_i64_702 : i64
            %c32_i64_703 = arith.constant 32 : i64
            %c1073741888_i64_704 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_705 = arith.constant 4611686293305294848 : i64
            %1164 = arith.extui %1161 : i32 to i64
            %1165 = arith.ori %1164, %c4611686293305294848_i64_705 : i64
            %1166 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_706 = arith.constant 1 : i64
            %1167 = llvm.getelementptr inbounds %5[%c1_i64_706] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1168 = llvm.load %1167 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_707 = arith.constant 2 : i64
            %1169 = llvm.getelementptr inbounds %5[%c2_i64_707] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1170 = llvm.load %1169 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_708 = arith.constant 3 : i64
            %1171 = llvm.getelementptr inbounds %5[%c3_i64_708] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1172 = llvm.load %1171 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_709 = arith.constant 4 : i64
            %1173 = llvm.getelementptr inbounds %5[%c4_i64_709] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1174 = llvm.load %1173 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_710 = arith.constant 5 : i64
            %1175 = llvm.getelementptr inbounds %5[%c5_i64_710] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1176 = llvm.load %1175 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_711 = arith.constant 6 : i64
            %1177 = llvm.getelementptr inbounds %5[%c6_i64_711] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1178 = llvm.load %1177 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_712 = arith.constant 7 : i64
            %1179 = llvm.getelementptr inbounds %5[%c7_i64_712] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1180 = llvm.load %1179 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_713 = arith.constant 8 : i64
            %1181 = llvm.getelementptr inbounds %5[%c8_i64_713] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1182 = llvm.load %1181 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_714 = arith.constant 9 : i64
            %1183 = llvm.getelementptr inbounds %5[%c9_i64_714] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1184 = llvm.load %1183 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_715 = arith.constant 10 : i64
            %1185 = llvm.getelementptr inbounds %5[%c10_i64_715] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1186 = llvm.load %1185 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_716 = arith.constant 11 : i64
            %1187 = llvm.getelementptr inbounds %5[%c11_i64_716] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1188 = llvm.load %1187 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_717 = arith.constant 12 : i64
            %1189 = llvm.getelementptr inbounds %5[%c12_i64_717] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1190 = llvm.load %1189 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_718 = arith.constant 13 : i64
            %1191 = llvm.getelementptr inbounds %5[%c13_i64_718] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1192 = llvm.load %1191 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_719 = arith.constant 14 : i64
            %1193 = llvm.getelementptr inbounds %5[%c14_i64_719] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1194 = llvm.load %1193 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_720 = arith.constant 15 : i64
            %1195 = llvm.getelementptr inbounds %5[%c15_i64_720] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1196 = llvm.load %1195 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_721 = arith.constant 16 : i64
            %1197 = llvm.getelementptr inbounds %5[%c16_i64_721] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1198 = llvm.load %1197 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64_722 = arith.constant 17 : i64
            %1199 = llvm.getelementptr inbounds %5[%c17_i64_722] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1200 = llvm.load %1199 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64_723 = arith.constant 18 : i64
            %1201 = llvm.getelementptr inbounds %5[%c18_i64_723] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1202 = llvm.load %1201 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64_724 = arith.constant 19 : i64
            %1203 = llvm.getelementptr inbounds %5[%c19_i64_724] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1204 = llvm.load %1203 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64_725 = arith.constant 20 : i64
            %1205 = llvm.getelementptr inbounds %5[%c20_i64_725] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1206 = llvm.load %1205 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64_726 = arith.constant 21 : i64
            %1207 = llvm.getelementptr inbounds %5[%c21_i64_726] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1208 = llvm.load %1207 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64_727 = arith.constant 22 : i64
            %1209 = llvm.getelementptr inbounds %5[%c22_i64_727] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1210 = llvm.load %1209 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64_728 = arith.constant 23 : i64
            %1211 = llvm.getelementptr inbounds %5[%c23_i64_728] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1212 = llvm.load %1211 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64_729 = arith.constant 24 : i64
            %1213 = llvm.getelementptr inbounds %5[%c24_i64_729] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1214 = llvm.load %1213 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64_730 = arith.constant 25 : i64
            %1215 = llvm.getelementptr inbounds %5[%c25_i64_730] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1216 = llvm.load %1215 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64_731 = arith.constant 26 : i64
            %1217 = llvm.getelementptr inbounds %5[%c26_i64_731] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1218 = llvm.load %1217 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64_732 = arith.constant 27 : i64
            %1219 = llvm.getelementptr inbounds %5[%c27_i64_732] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1220 = llvm.load %1219 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64_733 = arith.constant 28 : i64
            %1221 = llvm.getelementptr inbounds %5[%c28_i64_733] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1222 = llvm.load %1221 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64_734 = arith.constant 29 : i64
            %1223 = llvm.getelementptr inbounds %5[%c29_i64_734] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1224 = llvm.load %1223 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64_735 = arith.constant 30 : i64
            %1225 = llvm.getelementptr inbounds %5[%c30_i64_735] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1226 = llvm.load %1225 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64_736 = arith.constant 31 : i64
            %1227 = llvm.getelementptr inbounds %5[%c31_i64_736] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1228 = llvm.load %1227 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_737 = arith.constant 32 : i64
            %1229 = llvm.getelementptr inbounds %5[%c32_i64_737] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1230 = llvm.load %1229 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64_738 = arith.constant 33 : i64
            %1231 = llvm.getelementptr inbounds %5[%c33_i64_738] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1232 = llvm.load %1231 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64_739 = arith.constant 34 : i64
            %1233 = llvm.getelementptr inbounds %5[%c34_i64_739] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1234 = llvm.load %1233 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64_740 = arith.constant 35 : i64
            %1235 = llvm.getelementptr inbounds %5[%c35_i64_740] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1236 = llvm.load %1235 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64_741 = arith.constant 36 : i64
            %1237 = llvm.getelementptr inbounds %5[%c36_i64_741] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1238 = llvm.load %1237 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64_742 = arith.constant 37 : i64
            %1239 = llvm.getelementptr inbounds %5[%c37_i64_742] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1240 = llvm.load %1239 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64_743 = arith.constant 38 : i64
            %1241 = llvm.getelementptr inbounds %5[%c38_i64_743] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1242 = llvm.load %1241 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64_744 = arith.constant 39 : i64
            %1243 = llvm.getelementptr inbounds %5[%c39_i64_744] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1244 = llvm.load %1243 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64_745 = arith.constant 40 : i64
            %1245 = llvm.getelementptr inbounds %5[%c40_i64_745] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1246 = llvm.load %1245 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64_746 = arith.constant 41 : i64
            %1247 = llvm.getelementptr inbounds %5[%c41_i64_746] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1248 = llvm.load %1247 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64_747 = arith.constant 42 : i64
            %1249 = llvm.getelementptr inbounds %5[%c42_i64_747] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1250 = llvm.load %1249 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64_748 = arith.constant 43 : i64
            %1251 = llvm.getelementptr inbounds %5[%c43_i64_748] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1252 = llvm.load %1251 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64_749 = arith.constant 44 : i64
            %1253 = llvm.getelementptr inbounds %5[%c44_i64_749] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1254 = llvm.load %1253 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64_750 = arith.constant 45 : i64
            %1255 = llvm.getelementptr inbounds %5[%c45_i64_750] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1256 = llvm.load %1255 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64_751 = arith.constant 46 : i64
            %1257 = llvm.getelementptr inbounds %5[%c46_i64_751] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1258 = llvm.load %1257 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64_752 = arith.constant 47 : i64
            %1259 = llvm.getelementptr inbounds %5[%c47_i64_752] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1260 = llvm.load %1259 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_753 = arith.constant 48 : i64
            %1261 = llvm.getelementptr inbounds %5[%c48_i64_753] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1262 = llvm.load %1261 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64_754 = arith.constant 49 : i64
            %1263 = llvm.getelementptr inbounds %5[%c49_i64_754] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1264 = llvm.load %1263 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64_755 = arith.constant 50 : i64
            %1265 = llvm.getelementptr inbounds %5[%c50_i64_755] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1266 = llvm.load %1265 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64_756 = arith.constant 51 : i64
            %1267 = llvm.getelementptr inbounds %5[%c51_i64_756] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1268 = llvm.load %1267 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64_757 = arith.constant 52 : i64
            %1269 = llvm.getelementptr inbounds %5[%c52_i64_757] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1270 = llvm.load %1269 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64_758 = arith.constant 53 : i64
            %1271 = llvm.getelementptr inbounds %5[%c53_i64_758] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1272 = llvm.load %1271 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64_759 = arith.constant 54 : i64
            %1273 = llvm.getelementptr inbounds %5[%c54_i64_759] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1274 = llvm.load %1273 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64_760 = arith.constant 55 : i64
            %1275 = llvm.getelementptr inbounds %5[%c55_i64_760] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1276 = llvm.load %1275 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64_761 = arith.constant 56 : i64
            %1277 = llvm.getelementptr inbounds %5[%c56_i64_761] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1278 = llvm.load %1277 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64_762 = arith.constant 57 : i64
            %1279 = llvm.getelementptr inbounds %5[%c57_i64_762] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1280 = llvm.load %1279 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64_763 = arith.constant 58 : i64
            %1281 = llvm.getelementptr inbounds %5[%c58_i64_763] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1282 = llvm.load %1281 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64_764 = arith.constant 59 : i64
            %1283 = llvm.getelementptr inbounds %5[%c59_i64_764] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1284 = llvm.load %1283 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64_765 = arith.constant 60 : i64
            %1285 = llvm.getelementptr inbounds %5[%c60_i64_765] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1286 = llvm.load %1285 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64_766 = arith.constant 61 : i64
            %1287 = llvm.getelementptr inbounds %5[%c61_i64_766] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1288 = llvm.load %1287 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64_767 = arith.constant 62 : i64
            %1289 = llvm.getelementptr inbounds %5[%c62_i64_767] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1290 = llvm.load %1289 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_768 = arith.constant 63 : i64
            %1291 = llvm.getelementptr inbounds %5[%c63_i64_768] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1292 = llvm.load %1291 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1293:64 = "fairlead.warpgroup_mma"(%1166, %1168, %1170, %1172, %1174, %1176, %1178, %1180, %1182, %1184, %1186, %1188, %1190, %1192, %1194, %1196, %1198, %1200, %1202, %1204, %1206, %1208, %1210, %1212, %1214, %1216, %1218, %1220, %1222, %1224, %1226, %1228, %1230, %1232, %1234, %1236, %1238, %1240, %1242, %1244, %1246, %1248, %1250, %1252, %1254, %1256, %1258, %1260, %1262, %1264, %1266, %1268, %1270, %1272, %1274, %1276, %1278, %1280, %1282, %1284, %1286, %1288, %1290, %1292, %1163, %1165, %true_697) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1293#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_769 = arith.constant 1 : i64
            %1294 = llvm.getelementptr inbounds %5[%c1_i64_769] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#1, %1294 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_770 = arith.constant 2 : i64
            %1295 = llvm.getelementptr inbounds %5[%c2_i64_770] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#2, %1295 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_771 = arith.constant 3 : i64
            %1296 = llvm.getelementptr inbounds %5[%c3_i64_771] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#3, %1296 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_772 = arith.constant 4 : i64
            %1297 = llvm.getelementptr inbounds %5[%c4_i64_772] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#4, %1297 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_773 = arith.constant 5 : i64
            %1298 = llvm.getelementptr inbounds %5[%c5_i64_773] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#5, %1298 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_774 = arith.constant 6 : i64
            %1299 = llvm.getelementptr inbounds %5[%c6_i64_774] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#6, %1299 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_775 = arith.constant 7 : i64
            %1300 = llvm.getelementptr inbounds %5[%c7_i64_775] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#7, %1300 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_776 = arith.constant 8 : i64
            %1301 = llvm.getelementptr inbounds %5[%c8_i64_776] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#8, %1301 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_777 = arith.constant 9 : i64
            %1302 = llvm.getelementptr inbounds %5[%c9_i64_777] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#9, %1302 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_778 = arith.constant 10 : i64
            %1303 = llvm.getelementptr inbounds %5[%c10_i64_778] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#10, %1303 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_779 = arith.constant 11 : i64
            %1304 = llvm.getelementptr inbounds %5[%c11_i64_779] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#11, %1304 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_780 = arith.constant 12 : i64
            %1305 = llvm.getelementptr inbounds %5[%c12_i64_780] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#12, %1305 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_781 = arith.constant 13 : i64
            %1306 = llvm.getelementptr inbounds %5[%c13_i64_781] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#13, %1306 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_782 = arith.constant 14 : i64
            %1307 = llvm.getelementptr inbounds %5[%c14_i64_782] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#14, %1307 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_783 = arith.constant 15 : i64
            %1308 = llvm.getelementptr inbounds %5[%c15_i64_783] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#15, %1308 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_784 = arith.constant 16 : i64
            %1309 = llvm.getelementptr inbounds %5[%c16_i64_784] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#16, %1309 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_785 = arith.constant 17 : i64
            %1310 = llvm.getelementptr inbounds %5[%c17_i64_785] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#17, %1310 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_786 = arith.constant 18 : i64
            %1311 = llvm.getelementptr inbounds %5[%c18_i64_786] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#18, %1311 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_787 = arith.constant 19 : i64
            %1312 = llvm.getelementptr inbounds %5[%c19_i64_787] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#19, %1312 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_788 = arith.constant 20 : i64
            %1313 = llvm.getelementptr inbounds %5[%c20_i64_788] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#20, %1313 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_789 = arith.constant 21 : i64
            %1314 = llvm.getelementptr inbounds %5[%c21_i64_789] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#21, %1314 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_790 = arith.constant 22 : i64
            %1315 = llvm.getelementptr inbounds %5[%c22_i64_790] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#22, %1315 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_791 = arith.constant 23 : i64
            %1316 = llvm.getelementptr inbounds %5[%c23_i64_791] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#23, %1316 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_792 = arith.constant 24 : i64
            %1317 = llvm.getelementptr inbounds %5[%c24_i64_792] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#24, %1317 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_793 = arith.constant 25 : i64
            %1318 = llvm.getelementptr inbounds %5[%c25_i64_793] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#25, %1318 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_794 = arith.constant 26 : i64
            %1319 = llvm.getelementptr inbounds %5[%c26_i64_794] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#26, %1319 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_795 = arith.constant 27 : i64
            %1320 = llvm.getelementptr inbounds %5[%c27_i64_795] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#27, %1320 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_796 = arith.constant 28 : i64
            %1321 = llvm.getelementptr inbounds %5[%c28_i64_796] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#28, %1321 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_797 = arith.constant 29 : i64
            %1322 = llvm.getelementptr inbounds %5[%c29_i64_797] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#29, %1322 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_798 = arith.constant 30 : i64
            %1323 = llvm.getelementptr inbounds %5[%c30_i64_798] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#30, %1323 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_799 = arith.constant 31 : i64
            %1324 = llvm.getelementptr inbounds %5[%c31_i64_799] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#31, %1324 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_800 = arith.constant 32 : i64
            %1325 = llvm.getelementptr inbounds %5[%c32_i64_800] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#32, %1325 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_801 = arith.constant 33 : i64
            %1326 = llvm.getelementptr inbounds %5[%c33_i64_801] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#33, %1326 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_802 = arith.constant 34 : i64
            %1327 = llvm.getelementptr inbounds %5[%c34_i64_802] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#34, %1327 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_803 = arith.constant 35 : i64
            %1328 = llvm.getelementptr inbounds %5[%c35_i64_803] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#35, %1328 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_804 = arith.constant 36 : i64
            %1329 = llvm.getelementptr inbounds %5[%c36_i64_804] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#36, %1329 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_805 = arith.constant 37 : i64
            %1330 = llvm.getelementptr inbounds %5[%c37_i64_805] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#37, %1330 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_806 = arith.constant 38 : i64
            %1331 = llvm.getelementptr inbounds %5[%c38_i64_806] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#38, %1331 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_807 = arith.constant 39 : i64
            %1332 = llvm.getelementptr inbounds %5[%c39_i64_807] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#39, %1332 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_808 = arith.constant 40 : i64
            %1333 = llvm.getelementptr inbounds %5[%c40_i64_808] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#40, %1333 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_809 = arith.constant 41 : i64
            %1334 = llvm.getelementptr inbounds %5[%c41_i64_809] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#41, %1334 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_810 = arith.constant 42 : i64
            %1335 = llvm.getelementptr inbounds %5[%c42_i64_810] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#42, %1335 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_811 = arith.constant 43 : i64
            %1336 = llvm.getelementptr inbounds %5[%c43_i64_811] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#43, %1336 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_812 = arith.constant 44 : i64
            %1337 = llvm.getelementptr inbounds %5[%c44_i64_812] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#44, %1337 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_813 = arith.constant 45 : i64
            %1338 = llvm.getelementptr inbounds %5[%c45_i64_813] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#45, %1338 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_814 = arith.constant 46 : i64
            %1339 = llvm.getelementptr inbounds %5[%c46_i64_814] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#46, %1339 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_815 = arith.constant 47 : i64
            %1340 = llvm.getelementptr inbounds %5[%c47_i64_815] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#47, %1340 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_816 = arith.constant 48 : i64
            %1341 = llvm.getelementptr inbounds %5[%c48_i64_816] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#48, %1341 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_817 = arith.constant 49 : i64
            %1342 = llvm.getelementptr inbounds %5[%c49_i64_817] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#49, %1342 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_818 = arith.constant 50 : i64
            %1343 = llvm.getelementptr inbounds %5[%c50_i64_818] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#50, %1343 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_819 = arith.constant 51 : i64
            %1344 = llvm.getelementptr inbounds %5[%c51_i64_819] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#51, %1344 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_820 = arith.constant 52 : i64
            %1345 = llvm.getelementptr inbounds %5[%c52_i64_820] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#52, %1345 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_821 = arith.constant 53 : i64
            %1346 = llvm.getelementptr inbounds %5[%c53_i64_821] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#53, %1346 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_822 = arith.constant 54 : i64
            %1347 = llvm.getelementptr inbounds %5[%c54_i64_822] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#54, %1347 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_823 = arith.constant 55 : i64
            %1348 = llvm.getelementptr inbounds %5[%c55_i64_823] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#55, %1348 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_824 = arith.constant 56 : i64
            %1349 = llvm.getelementptr inbounds %5[%c56_i64_824] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#56, %1349 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_825 = arith.constant 57 : i64
            %1350 = llvm.getelementptr inbounds %5[%c57_i64_825] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#57, %1350 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_826 = arith.constant 58 : i64
            %1351 = llvm.getelementptr inbounds %5[%c58_i64_826] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#58, %1351 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_827 = arith.constant 59 : i64
            %1352 = llvm.getelementptr inbounds %5[%c59_i64_827] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#59, %1352 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_828 = arith.constant 60 : i64
            %1353 = llvm.getelementptr inbounds %5[%c60_i64_828] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#60, %1353 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_829 = arith.constant 61 : i64
            %1354 = llvm.getelementptr inbounds %5[%c61_i64_829] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#61, %1354 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_830 = arith.constant 62 : i64
            %1355 = llvm.getelementptr inbounds %5[%c62_i64_830] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#62, %1355 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_831 = arith.constant 63 : i64
            %1356 = llvm.getelementptr inbounds %5[%c63_i64_831] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#63, %1356 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_832 = arith.constant true
            %c4_i32_833 = arith.constant 4 : i32
            %1357 = arith.addi %961, %c4_i32_833 : i32
            %c4_i32_834 = arith.constant 4 : i32
            %1358 = arith.addi %963, %c4_i32_834 : i32
            %c32_i64_835 = arith.constant 32 : i64
            %c1073741888_i64_836 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_837 = arith.constant 4611686293305294848 : i64
            %1359 = arith.extui %1357 : i32 to i64
            %1360 = arith.ori %1359, %c4611686293305294848_i64_837 : i64
            %c32_i64_838 = arith.constant 32 : i64
            %c1073741888_i64_839 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_840 = arith.constant 4611686293305294848 : i64
            %1361 = arith.extui %1358 : i32 to i64
            %1362 = arith.ori %1361, %c4611686293305294848_i64_840 : i64
            %1363 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_841 = arith.constant 1 : i64
            %1364 = llvm.getelementptr inbounds %5[%c1_i64_841] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1365 = llvm.load %1364 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_842 = arith.constant 2 : i64
            %1366 = llvm.getelementptr inbounds %5[%c2_i64_842] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1367 = llvm.load %1366 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_843 = arith.constant 3 : i64
            %1368 = llvm.getelementptr inbounds %5[%c3_i64_843] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1369 = llvm.load %1368 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_844 = arith.constant 4 : i64
            %1370 = llvm.getelementptr inbounds %5[%c4_i64_844] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1371 = llvm.load %1370 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_845 = arith.constant 5 : i64
            %1372 = llvm.getelementptr inbounds %5[%c5_i64_845] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1373 = llvm.load %1372 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_846 = arith.constant 6 : i64
            %1374 = llvm.getelementptr inbounds %5[%c6_i64_846] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1375 = llvm.load %1374 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_847 = arith.constant 7 : i64
            %1376 = llvm.getelementptr inbounds %5[%c7_i64_847] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1377 = llvm.load %1376 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_848 = arith.constant 8 : i64
            %1378 = llvm.getelementptr inbounds %5[%c8_i64_848] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1379 = llvm.load %1378 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_849 = arith.constant 9 : i64
            %1380 = llvm.getelementptr inbounds %5[%c9_i64_849] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1381 = llvm.load %1380 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_850 = arith.constant 10 : i64
            %1382 = llvm.getelementptr inbounds %5[%c10_i64_850] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1383 = llvm.load %1382 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_851 = arith.constant 11 : i64
            %1384 = llvm.getelementptr inbounds %5[%c11_i64_851] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1385 = llvm.load %1384 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_852 = arith.constant 12 : i64
            %1386 = llvm.getelementptr inbounds %5[%c12_i64_852] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1387 = llvm.load %1386 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_853 = arith.constant 13 : i64
            %1388 = llvm.getelementptr inbounds %5[%c13_i64_853] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1389 = llvm.load %1388 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_854 = arith.constant 14 : i64
            %1390 = llvm.getelementptr inbounds %5[%c14_i64_854] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1391 = llvm.load %1390 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_855 = arith.constant 15 : i64
            %1392 = llvm.getelementptr inbounds %5[%c15_i64_855] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1393 = llvm.load %1392 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_856 = arith.constant 16 : i64
            %1394 = llvm.getelementptr inbounds %5[%c16_i64_856] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1395 = llvm.load %1394 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64_857 = arith.constant 17 : i64
            %1396 = llvm.getelementptr inbounds %5[%c17_i64_857] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1397 = llvm.load %1396 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64_858 = arith.constant 18 : i64
            %1398 = llvm.getelementptr inbounds %5[%c18_i64_858] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1399 = llvm.load %1398 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64_859 = arith.constant 19 : i64
            %1400 = llvm.getelementptr inbounds %5[%c19_i64_859] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1401 = llvm.load %1400 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64_860 = arith.constant 20 : i64
            %1402 = llvm.getelementptr inbounds %5[%c20_i64_860] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1403 = llvm.load %1402 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64_861 = arith.constant 21 : i64
            %1404 = llvm.getelementptr inbounds %5[%c21_i64_861] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1405 = llvm.load %1404 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64_862 = arith.constant 22 : i64
            %1406 = llvm.getelementptr inbounds %5[%c22_i64_862] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1407 = llvm.load %1406 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64_863 = arith.constant 23 : i64
            %1408 = llvm.getelementptr inbounds %5[%c23_i64_863] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1409 = llvm.load %1408 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64_864 = arith.constant 24 : i64
            %1410 = llvm.getelementptr inbounds %5[%c24_i64_864] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1411 = llvm.load %1410 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64_865 = arith.constant 25 : i64
            %1412 = llvm.getelementptr inbounds %5[%c25_i64_865] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1413 = llvm.load %1412 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64_866 = arith.constant 26 : i64
            %1414 = llvm.getelementptr inbounds %5[%c26_i64_866] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1415 = llvm.load %1414 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64_867 = arith.constant 27 : i64
            %1416 = llvm.getelementptr inbounds %5[%c27_i64_867] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1417 = llvm.load %1416 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64_868 = arith.constant 28 : i64
            %1418 = llvm.getelementptr inbounds %5[%c28_i64_868] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1419 = llvm.load %1418 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64_869 = arith.constant 29 : i64
            %1420 = llvm.getelementptr inbounds %5[%c29_i64_869] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1421 = llvm.load %1420 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64_870 = arith.constant 30 : i64
            %1422 = llvm.getelementptr inbounds %5[%c30_i64_870] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1423 = llvm.load %1422 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64_871 = arith.constant 31 : i64
            %1424 = llvm.getelementptr inbounds %5[%c31_i64_871] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1425 = llvm.load %1424 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_872 = arith.constant 32 : i64
            %1426 = llvm.getelementptr inbounds %5[%c32_i64_872] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1427 = llvm.load %1426 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64_873 = arith.constant 33 : i64
            %1428 = llvm.getelementptr inbounds %5[%c33_i64_873] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1429 = llvm.load %1428 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64_874 = arith.constant 34 : i64
            %1430 = llvm.getelementptr inbounds %5[%c34_i64_874] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1431 = llvm.load %1430 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64_875 = arith.constant 35 : i64
            %1432 = llvm.getelementptr inbounds %5[%c35_i64_875] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1433 = llvm.load %1432 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64_876 = arith.constant 36 : i64
            %1434 = llvm.getelementptr inbounds %5[%c36_i64_876] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1435 = llvm.load %1434 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64_877 = arith.constant 37 : i64
            %1436 = llvm.getelementptr inbounds %5[%c37_i64_877] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1437 = llvm.load %1436 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64_878 = arith.constant 38 : i64
            %1438 = llvm.getelementptr inbounds %5[%c38_i64_878] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1439 = llvm.load %1438 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64_879 = arith.constant 39 : i64
            %1440 = llvm.getelementptr inbounds %5[%c39_i64_879] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1441 = llvm.load %1440 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64_880 = arith.constant 40 : i64
            %1442 = llvm.getelementptr inbounds %5[%c40_i64_880] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1443 = llvm.load %1442 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64_881 = arith.constant 41 : i64
            %1444 = llvm.getelementptr inbounds %5[%c41_i64_881] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1445 = llvm.load %1444 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64_882 = arith.constant 42 : i64
            %1446 = llvm.getelementptr inbounds %5[%c42_i64_882] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1447 = llvm.load %1446 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64_883 = arith.constant 43 : i64
            %1448 = llvm.getelementptr inbounds %5[%c43_i64_883] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1449 = llvm.load %1448 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64_884 = arith.constant 44 : i64
            %1450 = llvm.getelementptr inbounds %5[%c44_i64_884] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1451 = llvm.load %1450 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64_885 = arith.constant 45 : i64
            %1452 = llvm.getelementptr inbounds %5[%c45_i64_885] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1453 = llvm.load %1452 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64_886 = arith.constant 46 : i64
            %1454 = llvm.getelementptr inbounds %5[%c46_i64_886] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1455 = llvm.load %1454 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64_887 = arith.constant 47 : i64
            %1456 = llvm.getelementptr inbounds %5[%c47_i64_887] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1457 = llvm.load %1456 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_888 = arith.constant 48 : i64
            %1458 = llvm.getelementptr inbounds %5[%c48_i64_888] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1459 = llvm.load %1458 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64_889 = arith.constant 49 : i64
            %1460 = llvm.getelementptr inbounds %5[%c49_i64_889] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1461 = llvm.load %1460 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64_890 = arith.constant 50 : i64
            %1462 = llvm.getelementptr inbounds %5[%c50_i64_890] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1463 = llvm.load %1462 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64_891 = arith.constant 51 : i64
            %1464 = llvm.getelementptr inbounds %5[%c51_i64_891] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1465 = llvm.load %1464 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64_892 = arith.constant 52 : i64
            %1466 = llvm.getelementptr inbounds %5[%c52_i64_892] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1467 = llvm.load %1466 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64_893 = arith.constant 53 : i64
            %1468 = llvm.getelementptr inbounds %5[%c53_i64_893] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1469 = llvm.load %1468 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64_894 = arith.constant 54 : i64
            %1470 = llvm.getelementptr inbounds %5[%c54_i64_894] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1471 = llvm.load %1470 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64_895 = arith.constant 55 : i64
            %1472 = llvm.getelementptr inbounds %5[%c55_i64_895] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1473 = llvm.load %1472 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64_896 = arith.constant 56 : i64
            %1474 = llvm.getelementptr inbounds %5[%c56_i64_896] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1475 = llvm.load %1474 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64_897 = arith.constant 57 : i64
            %1476 = llvm.getelementptr inbounds %5[%c57_i64_897] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1477 = llvm.load %1476 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64_898 = arith.constant 58 : i64
            %1478 = llvm.getelementptr inbounds %5[%c58_i64_898] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1479 = llvm.load %1478 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64_899 = arith.constant 59 : i64
            %1480 = llvm.getelementptr inbounds %5[%c59_i64_899] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1481 = llvm.load %1480 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64_900 = arith.constant 60 : i64
            %1482 = llvm.getelementptr inbounds %5[%c60_i64_900] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1483 = llvm.load %1482 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64_901 = arith.constant 61 : i64
            %1484 = llvm.getelementptr inbounds %5[%c61_i64_901] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1485 = llvm.load %1484 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64_902 = arith.constant 62 : i64
            %1486 = llvm.getelementptr inbounds %5[%c62_i64_902] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1487 = llvm.load %1486 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_903 = arith.constant 63 : i64
            %1488 = llvm.getelementptr inbounds %5[%c63_i64_903] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1489 = llvm.load %1488 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1490:64 = "fairlead.warpgroup_mma"(%1363, %1365, %1367, %1369, %1371, %1373, %1375, %1377, %1379, %1381, %1383, %1385, %1387, %1389, %1391, %1393, %1395, %1397, %1399, %1401, %1403, %1405, %1407, %1409, %1411, %1413, %1415, %1417, %1419, %1421, %1423, %1425, %1427, %1429, %1431, %1433, %1435, %1437, %1439, %1441, %1443, %1445, %1447, %1449, %1451, %1453, %1455, %1457, %1459, %1461, %1463, %1465, %1467, %1469, %1471, %1473, %1475, %1477, %1479, %1481, %1483, %1485, %1487, %1489, %1360, %1362, %true_832) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1490#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_904 = arith.constant 1 : i64
            %1491 = llvm.getelementptr inbounds %5[%c1_i64_904] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#1, %1491 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_905 = arith.constant 2 : i64
            %1492 = llvm.getelementptr inbounds %5[%c2_i64_905] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#2, %1492 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_906 = arith.constant 3 : i64
            %1493 = llvm.getelementptr inbounds %5[%c3_i64_906] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#3, %1493 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_907 = arith.constant 4 : i64
            %1494 = llvm.getelementptr inbounds %5[%c4_i64_907] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#4, %1494 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_908 = arith.constant 5 : i64
            %1495 = llvm.getelementptr inbounds %5[%c5_i64_908] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#5, %1495 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_909 = arith.constant 6 : i64
            %1496 = llvm.getelementptr inbounds %5[%c6_i64_909] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#6, %1496 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_910 = arith.constant 7 : i64
            %1497 = llvm.getelementptr inbounds %5[%c7_i64_910] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#7, %1497 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_911 = arith.constant 8 : i64
            %1498 = llvm.getelementptr inbounds %5[%c8_i64_911] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#8, %1498 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_912 = arith.constant 9 : i64
            %1499 = llvm.getelementptr inbounds %5[%c9_i64_912] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#9, %1499 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_913 = arith.constant 10 : i64
            %1500 = llvm.getelementptr inbounds %5[%c10_i64_913] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#10, %1500 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_914 = arith.constant 11 : i64
            %1501 = llvm.getelementptr inbounds %5[%c11_i64_914] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#11, %1501 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_915 = arith.constant 12 : i64
            %1502 = llvm.getelementptr inbounds %5[%c12_i64_915] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#12, %1502 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_916 = arith.constant 13 : i64
            %1503 = llvm.getelementptr inbounds %5[%c13_i64_916] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#13, %1503 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_917 = arith.constant 14 : i64
            %1504 = llvm.getelementptr inbounds %5[%c14_i64_917] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#14, %1504 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_918 = arith.constant 15 : i64
            %1505 = llvm.getelementptr inbounds %5[%c15_i64_918] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#15, %1505 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_919 = arith.constant 16 : i64
            %1506 = llvm.getelementptr inbounds %5[%c16_i64_919] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#16, %1506 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_920 = arith.constant 17 : i64
            %1507 = llvm.getelementptr inbounds %5[%c17_i64_920] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#17, %1507 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_921 = arith.constant 18 : i64
            %1508 = llvm.getelementptr inbounds %5[%c18_i64_921] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#18, %1508 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_922 = arith.constant 19 : i64
            %1509 = llvm.getelementptr inbounds %5[%c19_i64_922] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#19, %1509 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_923 = arith.constant 20 : i64
            %1510 = llvm.getelementptr inbounds %5[%c20_i64_923] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#20, %1510 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_924 = arith.constant 21 : i64
            %1511 = llvm.getelementptr inbounds %5[%c21_i64_924] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#21, %1511 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_925 = arith.constant 22 : i64
            %1512 = llvm.getelementptr inbounds %5[%c22_i64_925] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#22, %1512 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_926 = arith.constant 23 : i64
            %1513 = llvm.getelementptr inbounds %5[%c23_i64_926] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#23, %1513 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_927 = arith.constant 24 : i64
            %1514 = llvm.getelementptr inbounds %5[%c24_i64_927] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#24, %1514 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_928 = arith.constant 25 : i64
            %1515 = llvm.getelementptr inbounds %5[%c25_i64_928] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#25, %1515 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_929 = arith.constant 26 : i64
            %1516 = llvm.getelementptr inbounds %5[%c26_i64_929] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#26, %1516 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_930 = arith.constant 27 : i64
            %1517 = llvm.getelementptr inbounds %5[%c27_i64_930] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#27, %1517 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_931 = arith.constant 28 : i64
            %1518 = llvm.getelementptr inbounds %5[%c28_i64_931] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#28, %1518 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_932 = arith.constant 29 : i64
            %1519 = llvm.getelementptr inbounds %5[%c29_i64_932] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#29, %1519 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_933 = arith.constant 30 : i64
            %1520 = llvm.getelementptr inbounds %5[%c30_i64_933] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#30, %1520 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_934 = arith.constant 31 : i64
            %1521 = llvm.getelementptr inbounds %5[%c31_i64_934] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#31, %1521 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_935 = arith.constant 32 : i64
            %1522 = llvm.getelementptr inbounds %5[%c32_i64_935] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#32, %1522 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_936 = arith.constant 33 : i64
            %1523 = llvm.getelementptr inbounds %5[%c33_i64_936] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#33, %1523 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_937 = arith.constant 34 : i64
            %1524 = llvm.getelementptr inbounds %5[%c34_i64_937] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#34, %1524 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_938 = arith.constant 35 : i64
            %1525 = llvm.getelementptr inbounds %5[%c35_i64_938] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#35, %1525 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_939 = arith.constant 36 : i64
            %1526 = llvm.getelementptr inbounds %5[%c36_i64_939] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#36, %1526 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_940 = arith.constant 37 : i64
            %1527 = llvm.getelementptr inbounds %5[%c37_i64_940] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#37, %1527 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_941 = arith.constant 38 : i64
            %1528 = llvm.getelementptr inbounds %5[%c38_i64_941] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#38, %1528 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_942 = arith.constant 39 : i64
            %1529 = llvm.getelementptr inbounds %5[%c39_i64_942] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#39, %1529 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_943 = arith.constant 40 : i64
            %1530 = llvm.getelementptr inbounds %5[%c40_i64_943] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#40, %1530 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_944 = arith.constant 41 : i64
            %1531 = llvm.getelementptr inbounds %5[%c41_i64_944] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#41, %1531 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_945 = arith.constant 42 : i64
            %1532 = llvm.getelementptr inbounds %5[%c42_i64_945] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#42, %1532 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_946 = arith.constant 43 : i64
            %1533 = llvm.getelementptr inbounds %5[%c43_i64_946] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#43, %1533 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_947 = arith.constant 44 : i64
            %1534 = llvm.getelementptr inbounds %5[%c44_i64_947] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#44, %1534 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_948 = arith.constant 45 : i64
            %1535 = llvm.getelementptr inbounds %5[%c45_i64_948] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#45, %1535 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_949 = arith.constant 46 : i64
            %1536 = llvm.getelementptr inbounds %5[%c46_i64_949] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#46, %1536 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_950 = arith.constant 47 : i64
            %1537 = llvm.getelementptr inbounds %5[%c47_i64_950] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#47, %1537 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_951 = arith.constant 48 : i64
            %1538 = llvm.getelementptr inbounds %5[%c48_i64_951] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#48, %1538 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_952 = arith.constant 49 : i64
            %1539 = llvm.getelementptr inbounds %5[%c49_i64_952] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#49, %1539 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_953 = arith.constant 50 : i64
            %1540 = llvm.getelementptr inbounds %5[%c50_i64_953] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#50, %1540 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_954 = arith.constant 51 : i64
            %1541 = llvm.getelementptr inbounds %5[%c51_i64_954] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#51, %1541 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_955 = arith.constant 52 : i64
            %1542 = llvm.getelementptr inbounds %5[%c52_i64_955] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#52, %1542 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_956 = arith.constant 53 : i64
            %1543 = llvm.getelementptr inbounds %5[%c53_i64_956] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#53, %1543 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_957 = arith.constant 54 : i64
            %1544 = llvm.getelementptr inbounds %5[%c54_i64_957] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#54, %1544 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_958 = arith.constant 55 : i64
            %1545 = llvm.getelementptr inbounds %5[%c55_i64_958] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#55, %1545 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_959 = arith.constant 56 : i64
            %1546 = llvm.getelementptr inbounds %5[%c56_i64_959] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#56, %1546 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_960 = arith.constant 57 : i64
            %1547 = llvm.getelementptr inbounds %5[%c57_i64_960] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#57, %1547 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_961 = arith.constant 58 : i64
            %1548 = llvm.getelementptr inbounds %5[%c58_i64_961] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#58, %1548 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_962 = arith.constant 59 : i64
            %1549 = llvm.getelementptr inbounds %5[%c59_i64_962] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#59, %1549 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_963 = arith.constant 60 : i64
            %1550 = llvm.getelementptr inbounds %5[%c60_i64_963] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#60, %1550 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_964 = arith.constant 61 : i64
            %1551 = llvm.getelementptr inbounds %5[%c61_i64_964] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#61, %1551 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_965 = arith.constant 62 : i64
            %1552 = llvm.getelementptr inbounds %5[%c62_i64_965] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#62, %1552 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_966 = arith.constant 63 : i64
            %1553 = llvm.getelementptr inbounds %5[%c63_i64_966] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#63, %1553 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_967 = arith.constant true
            %c6_i32_968 = arith.constant 6 : i32
            %1554 = arith.addi %961, %c6_i32_968 : i32
            %c6_i32_969 = arith.constant 6 : i32
            %1555 = arith.addi %963, %c6_i32_969 : i32
            %c32_i64_970 = arith.constant 32 : i64
            %c1073741888_i64_971 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_972 = arith.constant 4611686293305294848 : i64
            %1556 = arith.extui %1554 : i32 to i64
            %1557 = arith.ori %1556, %c4611686293305294848_i64_972 : i64
            %c32_i64_973 = arith.constant 32 : i64
            %c1073741888_i64_974 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_975 = arith.constant 4611686293305294848 : i64
            %1558 = arith.extui %1555 : i32 to i64
            %1559 = arith.ori %1558, %c4611686293305294848_i64_975 : i64
            %1560 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_976 = arith.constant 1 : i64
            %1561 = llvm.getelementptr inbounds %5[%c1_i64_976] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1562 = llvm.load %1561 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_977 = arith.constant 2 : i64
            %1563 = llvm.getelementptr inbounds %5[%c2_i64_977] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1564 = llvm.load %1563 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_978 = arith.constant 3 : i64
            %1565 = llvm.getelementptr inbounds %5[%c3_i64_978] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1566 = llvm.load %1565 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_979 = arith.constant 4 : i64
            %1567 = llvm.getelementptr inbounds %5[%c4_i64_979] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1568 = llvm.load %1567 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_980 = arith.constant 5 : i64
            %1569 = llvm.getelementptr inbounds %5[%c5_i64_980] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1570 = llvm.load %1569 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_981 = arith.constant 6 : i64
            %1571 = llvm.getelementptr inbounds %5[%c6_i64_981] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1572 = llvm.load %1571 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_982 = arith.constant 7 : i64
            %1573 = llvm.getelementptr inbounds %5[%c7_i64_982] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1574 = llvm.load %1573 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_983 = arith.constant 8 : i64
            %1575 = llvm.getelementptr inbounds %5[%c8_i64_983] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1576 = llvm.load %1575 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_984 = arith.constant 9 : i64
            %1577 = llvm.getelementptr inbounds %5[%c9_i64_984] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1578 = llvm.load %1577 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_985 = arith.constant 10 : i64
            %1579 = llvm.getelementptr inbounds %5[%c10_i64_985] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1580 = llvm.load %1579 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_986 = arith.constant 11 : i64
            %1581 = llvm.getelementptr inbounds %5[%c11_i64_986] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1582 = llvm.load %1581 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_987 = arith.constant 12 : i64
            %1583 = llvm.getelementptr inbounds %5[%c12_i64_987] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1584 = llvm.load %1583 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_988 = arith.constant 13 : i64
            %1585 = llvm.getelementptr inbounds %5[%c13_i64_988] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1586 = llvm.load %1585 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_989 = arith.constant 14 : i64
            %1587 = llvm.getelementptr inbounds %5[%c14_i64_989] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1588 = llvm.load %1587 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_990 = arith.constant 15 : i64
            %1589 = llvm.getelementptr inbounds %5[%c15_i64_990] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1590 = llvm.load %1589 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_991 = arith.constant 16 : i64
            %1591 = llvm.getelementptr inbounds %5[%c16_i64_991] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1592 = llvm.load %1591 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64_992 = arith.constant 17 : i64
            %1593 = llvm.getelementptr inbounds %5[%c17_i64_992] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1594 = llvm.load %1593 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64_993 = arith.constant 18 : i64
            %1595 = llvm.getelementptr inbounds %5[%c18_i64_993] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1596 = llvm.load %1595 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64_994 = arith.constant 19 : i64
            %1597 = llvm.getelementptr inbounds %5[%c19_i64_994] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1598 = llvm.load %1597 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64_995 = arith.constant 20 : i64
            %1599 = llvm.getelementptr inbounds %5[%c20_i64_995] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1600 = llvm.load %1599 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64_996 = arith.constant 21 : i64
            %1601 = llvm.getelementptr inbounds %5[%c21_i64_996] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1602 = llvm.load %1601 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64_997 = arith.constant 22 : i64
            %1603 = llvm.getelementptr inbounds %5[%c22_i64_997] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1604 = llvm.load %1603 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64_998 = arith.constant 23 : i64
            %1605 = llvm.getelementptr inbounds %5[%c23_i64_998] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1606 = llvm.load %1605 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64_999 = arith.constant 24 : i64
            %1607 = llvm.getelementptr inbounds %5[%c24_i64_999] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1608 = llvm.load %1607 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64_1000 = arith.constant 25 : i64
            %1609 = llvm.getelementptr inbounds %5[%c25_i64_1000] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1610 = llvm.load %1609 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64_1001 = arith.constant 26 : i64
            %1611 = llvm.getelementptr inbounds %5[%c26_i64_1001] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1612 = llvm.load %1611 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64_1002 = arith.constant 27 : i64
            %1613 = llvm.getelementptr inbounds %5[%c27_i64_1002] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1614 = llvm.load %1613 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64_1003 = arith.constant 28 : i64
            %1615 = llvm.getelementptr inbounds %5[%c28_i64_1003] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1616 = llvm.load %1615 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64_1004 = arith.constant 29 : i64
            %1617 = llvm.getelementptr inbounds %5[%c29_i64_1004] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1618 = llvm.load %1617 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64_1005 = arith.constant 30 : i64
            %1619 = llvm.getelementptr inbounds %5[%c30_i64_1005] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1620 = llvm.load %1619 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64_1006 = arith.constant 31 : i64
            %1621 = llvm.getelementptr inbounds %5[%c31_i64_1006] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1622 = llvm.load %1621 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_1007 = arith.constant 32 : i64
            %1623 = llvm.getelementptr inbounds %5[%c32_i64_1007] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1624 = llvm.load %1623 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64_1008 = arith.constant 33 : i64
            %1625 = llvm.getelementptr inbounds %5[%c33_i64_1008] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1626 = llvm.load %1625 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64_1009 = arith.constant 34 : i64
            %1627 = llvm.getelementptr inbounds %5[%c34_i64_1009] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1628 = llvm.load %1627 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64_1010 = arith.constant 35 : i64
            %1629 = llvm.getelementptr inbounds %5[%c35_i64_1010] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1630 = llvm.load %1629 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64_1011 = arith.constant 36 : i64
            %1631 = llvm.getelementptr inbounds %5[%c36_i64_1011] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1632 = llvm.load %1631 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64_1012 = arith.constant 37 : i64
            %1633 = llvm.getelementptr inbounds %5[%c37_i64_1012] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1634 = llvm.load %1633 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64_1013 = arith.constant 38 : i64
            %1635 = llvm.getelementptr inbounds %5[%c38_i64_1013] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1636 = llvm.load %1635 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64_1014 = arith.constant 39 : i64
            %1637 = llvm.getelementptr inbounds %5[%c39_i64_1014] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1638 = llvm.load %1637 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64_1015 = arith.constant 40 : i64
            %1639 = llvm.getelementptr inbounds %5[%c40_i64_1015] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1640 = llvm.load %1639 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64_1016 = arith.constant 41 : i64
            %1641 = llvm.getelementptr inbounds %5[%c41_i64_1016] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1642 = llvm.load %1641 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64_1017 = arith.constant 42 : i64
            %1643 = llvm.getelementptr inbounds %5[%c42_i64_1017] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1644 = llvm.load %1643 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64_1018 = arith.constant 43 : i64
            %1645 = llvm.getelementptr inbounds %5[%c43_i64_1018] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1646 = llvm.load %1645 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64_1019 = arith.constant 44 : i64
            %1647 = llvm.getelementptr inbounds %5[%c44_i64_1019] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1648 = llvm.load %1647 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64_1020 = arith.constant 45 : i64
            %1649 = llvm.getelementptr inbounds %5[%c45_i64_1020] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1650 = llvm.load %1649 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64_1021 = arith.constant 46 : i64
            %1651 = llvm.getelementptr inbounds %5[%c46_i64_1021] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1652 = llvm.load %1651 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64_1022 = arith.constant 47 : i64
            %1653 = llvm.getelementptr inbounds %5[%c47_i64_1022] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1654 = llvm.load %1653 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_1023 = arith.constant 48 : i64
            %1655 = llvm.getelementptr inbounds %5[%c48_i64_1023] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1656 = llvm.load %1655 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64_1024 = arith.constant 49 : i64
            %1657 = llvm.getelementptr inbounds %5[%c49_i64_1024] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1658 = llvm.load %1657 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64_1025 = arith.constant 50 : i64
            %1659 = llvm.getelementptr inbounds %5[%c50_i64_1025] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1660 = llvm.load %1659 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64_1026 = arith.constant 51 : i64
            %1661 = llvm.getelementptr inbounds %5[%c51_i64_1026] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1662 = llvm.load %1661 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64_1027 = arith.constant 52 : i64
            %1663 = llvm.getelementptr inbounds %5[%c52_i64_1027] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1664 = llvm.load %1663 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64_1028 = arith.constant 53 : i64
            %1665 = llvm.getelementptr inbounds %5[%c53_i64_1028] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1666 = llvm.load %1665 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64_1029 = arith.constant 54 : i64
            %1667 = llvm.getelementptr inbounds %5[%c54_i64_1029] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1668 = llvm.load %1667 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64_1030 = arith.constant 55 : i64
            %1669 = llvm.getelementptr inbounds %5[%c55_i64_1030] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1670 = llvm.load %1669 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64_1031 = arith.constant 56 : i64
            %1671 = llvm.getelementptr inbounds %5[%c56_i64_1031] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1672 = llvm.load %1671 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64_1032 = arith.constant 57 : i64
            %1673 = llvm.getelementptr inbounds %5[%c57_i64_1032] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1674 = llvm.load %1673 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64_1033 = arith.constant 58 : i64
            %1675 = llvm.getelementptr inbounds %5[%c58_i64_1033] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1676 = llvm.load %1675 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64_1034 = arith.constant 59 : i64
            %1677 = llvm.getelementptr inbounds %5[%c59_i64_1034] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1678 = llvm.load %1677 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64_1035 = arith.constant 60 : i64
            %1679 = llvm.getelementptr inbounds %5[%c60_i64_1035] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1680 = llvm.load %1679 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64_1036 = arith.constant 61 : i64
            %1681 = llvm.getelementptr inbounds %5[%c61_i64_1036] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1682 = llvm.load %1681 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64_1037 = arith.constant 62 : i64
            %1683 = llvm.getelementptr inbounds %5[%c62_i64_1037] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1684 = llvm.load %1683 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_1038 = arith.constant 63 : i64
            %1685 = llvm.getelementptr inbounds %5[%c63_i64_1038] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1686 = llvm.load %1685 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1687:64 = "fairlead.warpgroup_mma"(%1560, %1562, %1564, %1566, %1568, %1570, %1572, %1574, %1576, %1578, %1580, %1582, %1584, %1586, %1588, %1590, %1592, %1594, %1596, %1598, %1600, %1602, %1604, %1606, %1608, %1610, %1612, %1614, %1616, %1618, %1620, %1622, %1624, %1626, %1628, %1630, %1632, %1634, %1636, %1638, %1640, %1642, %1644, %1646, %1648, %1650, %1652, %1654, %1656, %1658, %1660, %1662, %1664, %1666, %1668, %1670, %1672, %1674, %1676, %1678, %1680, %1682, %1684, %1686, %1557, %1559, %true_967) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1687#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_1039 = arith.constant 1 : i64
            %1688 = llvm.getelementptr inbounds %5[%c1_i64_1039] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#1, %1688 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_1040 = arith.constant 2 : i64
            %1689 = llvm.getelementptr inbounds %5[%c2_i64_1040] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#2, %1689 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_1041 = arith.constant 3 : i64
            %1690 = llvm.getelementptr inbounds %5[%c3_i64_1041] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#3, %1690 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_1042 = arith.constant 4 : i64
            %1691 = llvm.getelementptr inbounds %5[%c4_i64_1042] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#4, %1691 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_1043 = arith.constant 5 : i64
            %1692 = llvm.getelementptr inbounds %5[%c5_i64_1043] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#5, %1692 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_1044 = arith.constant 6 : i64
            %1693 = llvm.getelementptr inbounds %5[%c6_i64_1044] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#6, %1693 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_1045 = arith.constant 7 : i64
            %1694 = llvm.getelementptr inbounds %5[%c7_i64_1045] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#7, %1694 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_1046 = arith.constant 8 : i64
            %1695 = llvm.getelementptr inbounds %5[%c8_i64_1046] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#8, %1695 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_1047 = arith.constant 9 : i64
            %1696 = llvm.getelementptr inbounds %5[%c9_i64_1047] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#9, %1696 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_1048 = arith.constant 10 : i64
            %1697 = llvm.getelementptr inbounds %5[%c10_i64_1048] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#10, %1697 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_1049 = arith.constant 11 : i64
            %1698 = llvm.getelementptr inbounds %5[%c11_i64_1049] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#11, %1698 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_1050 = arith.constant 12 : i64
            %1699 = llvm.getelementptr inbounds %5[%c12_i64_1050] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#12, %1699 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_1051 = arith.constant 13 : i64
            %1700 = llvm.getelementptr inbounds %5[%c13_i64_1051] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#13, %1700 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_1052 = arith.constant 14 : i64
            %1701 = llvm.getelementptr inbounds %5[%c14_i64_1052] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#14, %1701 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_1053 = arith.constant 15 : i64
            %1702 = llvm.getelementptr inbounds %5[%c15_i64_1053] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#15, %1702 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_1054 = arith.constant 16 : i64
            %1703 = llvm.getelementptr inbounds %5[%c16_i64_1054] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#16, %1703 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_1055 = arith.constant 17 : i64
            %1704 = llvm.getelementptr inbounds %5[%c17_i64_1055] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#17, %1704 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_1056 = arith.constant 18 : i64
            %1705 = llvm.getelementptr inbounds %5[%c18_i64_1056] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#18, %1705 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_1057 = arith.constant 19 : i64
            %1706 = llvm.getelementptr inbounds %5[%c19_i64_1057] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#19, %1706 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_1058 = arith.constant 20 : i64
            %1707 = llvm.getelementptr inbounds %5[%c20_i64_1058] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#20, %1707 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_1059 = arith.constant 21 : i64
            %1708 = llvm.getelementptr inbounds %5[%c21_i64_1059] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#21, %1708 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_1060 = arith.constant 22 : i64
            %1709 = llvm.getelementptr inbounds %5[%c22_i64_1060] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#22, %1709 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_1061 = arith.constant 23 : i64
            %1710 = llvm.getelementptr inbounds %5[%c23_i64_1061] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#23, %1710 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_1062 = arith.constant 24 : i64
            %1711 = llvm.getelementptr inbounds %5[%c24_i64_1062] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#24, %1711 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_1063 = arith.constant 25 : i64
            %1712 = llvm.getelementptr inbounds %5[%c25_i64_1063] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#25, %1712 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_1064 = arith.constant 26 : i64
            %1713 = llvm.getelementptr inbounds %5[%c26_i64_1064] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#26, %1713 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_1065 = arith.constant 27 : i64
            %1714 = llvm.getelementptr inbounds %5[%c27_i64_1065] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#27, %1714 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_1066 = arith.constant 28 : i64
            %1715 = llvm.getelementptr inbounds %5[%c28_i64_1066] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#28, %1715 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_1067 = arith.constant 29 : i64
            %1716 = llvm.getelementptr inbounds %5[%c29_i64_1067] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#29, %1716 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_1068 = arith.constant 30 : i64
            %1717 = llvm.getelementptr inbounds %5[%c30_i64_1068] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#30, %1717 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_1069 = arith.constant 31 : i64
            %1718 = llvm.getelementptr inbounds %5[%c31_i64_1069] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#31, %1718 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_1070 = arith.constant 32 : i64
            %1719 = llvm.getelementptr inbounds %5[%c32_i64_1070] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#32, %1719 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_1071 = arith.constant 33 : i64
            %1720 = llvm.getelementptr inbounds %5[%c33_i64_1071] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#33, %1720 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_1072 = arith.constant 34 : i64
            %1721 = llvm.getelementptr inbounds %5[%c34_i64_1072] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#34, %1721 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_1073 = arith.constant 35 : i64
            %1722 = llvm.getelementptr inbounds %5[%c35_i64_1073] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#35, %1722 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_1074 = arith.constant 36 : i64
            %1723 = llvm.getelementptr inbounds %5[%c36_i64_1074] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#36, %1723 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_1075 = arith.constant 37 : i64
            %1724 = llvm.getelementptr inbounds %5[%c37_i64_1075] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#37, %1724 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_1076 = arith.constant 38 : i64
            %1725 = llvm.getelementptr inbounds %5[%c38_i64_1076] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#38, %1725 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_1077 = arith.constant 39 : i64
            %1726 = llvm.getelementptr inbounds %5[%c39_i64_1077] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#39, %1726 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_1078 = arith.constant 40 : i64
            %1727 = llvm.getelementptr inbounds %5[%c40_i64_1078] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#40, %1727 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_1079 = arith.constant 41 : i64
            %1728 = llvm.getelementptr inbounds %5[%c41_i64_1079] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#41, %1728 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_1080 = arith.constant 42 : i64
            %1729 = llvm.getelementptr inbounds %5[%c42_i64_1080] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#42, %1729 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_1081 = arith.constant 43 : i64
            %1730 = llvm.getelementptr inbounds %5[%c43_i64_1081] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#43, %1730 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_1082 = arith.constant 44 : i64
            %1731 = llvm.getelementptr inbounds %5[%c44_i64_1082] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#44, %1731 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_1083 = arith.constant 45 : i64
            %1732 = llvm.getelementptr inbounds %5[%c45_i64_1083] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#45, %1732 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_1084 = arith.constant 46 : i64
            %1733 = llvm.getelementptr inbounds %5[%c46_i64_1084] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#46, %1733 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_1085 = arith.constant 47 : i64
            %1734 = llvm.getelementptr inbounds %5[%c47_i64_1085] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#47, %1734 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_1086 = arith.constant 48 : i64
            %1735 = llvm.getelementptr inbounds %5[%c48_i64_1086] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#48, %1735 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_1087 = arith.constant 49 : i64
            %1736 = llvm.getelementptr inbounds %5[%c49_i64_1087] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#49, %1736 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_1088 = arith.constant 50 : i64
            %1737 = llvm.getelementptr inbounds %5[%c50_i64_1088] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#50, %1737 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_1089 = arith.constant 51 : i64
            %1738 = llvm.getelementptr inbounds %5[%c51_i64_1089] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#51, %1738 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_1090 = arith.constant 52 : i64
            %1739 = llvm.getelementptr inbounds %5[%c52_i64_1090] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#52, %1739 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_1091 = arith.constant 53 : i64
            %1740 = llvm.getelementptr inbounds %5[%c53_i64_1091] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#53, %1740 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_1092 = arith.constant 54 : i64
            %1741 = llvm.getelementptr inbounds %5[%c54_i64_1092] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#54, %1741 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_1093 = arith.constant 55 : i64
            %1742 = llvm.getelementptr inbounds %5[%c55_i64_1093] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#55, %1742 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_1094 = arith.constant 56 : i64
            %1743 = llvm.getelementptr inbounds %5[%c56_i64_1094] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#56, %1743 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_1095 = arith.constant 57 : i64
            %1744 = llvm.getelementptr inbounds %5[%c57_i64_1095] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#57, %1744 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_1096 = arith.constant 58 : i64
            %1745 = llvm.getelementptr inbounds %5[%c58_i64_1096] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#58, %1745 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_1097 = arith.constant 59 : i64
            %1746 = llvm.getelementptr inbounds %5[%c59_i64_1097] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#59, %1746 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_1098 = arith.constant 60 : i64
            %1747 = llvm.getelementptr inbounds %5[%c60_i64_1098] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#60, %1747 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_1099 = arith.constant 61 : i64
            %1748 = llvm.getelementptr inbounds %5[%c61_i64_1099] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#61, %1748 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_1100 = arith.constant 62 : i64
            %1749 = llvm.getelementptr inbounds %5[%c62_i64_1100] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#62, %1749 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_1101 = arith.constant 63 : i64
            %1750 = llvm.getelementptr inbounds %5[%c63_i64_1101] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#63, %1750 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_1102 = arith.constant true
            "fairlead.order"() {ptx = "wgmma.commit_group.sync.aligned;"} : () -> ()
            %false_1103 = arith.constant false
            %c1_i32_1104 = arith.constant 1 : i32
            %1751 = arith.addi %arg58, %c1_i32_1104 : i32
            %c1_i32_1105 = arith.constant 1 : i32
            %1752 = arith.addi %arg59, %c1_i32_1105 : i32
            %c6_i32_1106 = arith.constant 6 : i32
            %1753 = arith.cmpi eq, %1752, %c6_i32_1106 : i32
            %c0_i32_1107 = arith.constant 0 : i32
            %1754 = arith.select %1753, %c0_i32_1107, %1752 : i32
            %c1_i32_1108 = arith.constant 1 : i32
            %1755 = arith.xori %arg60, %c1_i32_1108 : i32
            %1756 = arith.select %1753, %1755, %arg60 : i32
            %true_1109 = arith.constant true
            %c1_i32_1110 = arith.constant 1 : i32
            %1757 = arith.addi %arg55, %c1_i32_1110 : i32
            %1758 = arith.cmpi slt, %1757, %129 : i32
            %1759:4 = scf.if %1758 -> (i1, i32, i32, i32) {
              %1760 = arith.extsi %1754 : i32 to i64
              %1761 = llvm.getelementptr inbounds %19[%1760] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %1762 = "fairlead.mbarrier"(%1761, %1756) {what = "try_wait"} : (!llvm.ptr<3>, i32) -> i1
              scf.yield %1762, %1751, %1754, %1756 : i1, i32, i32, i32
            } else {
              scf.yield %true_1109, %1751, %1754, %1756 : i1, i32, i32, i32
            }
            scf.yield %1759#0, %false_1103, %1759#1, %1759#2, %1759#3, %arg61 : i1, i1, i32, i32, i32, i1
          }
          %135 = arith.extui %134#5 : i1 to i32
          %c1_i32_97 = arith.constant 1 : i32
          %136:9 = scf.for %arg55 = %130 to %129 step %c1_i32_97 iter_args(%arg56 = %134#0, %arg57 = %134#1, %arg58 = %134#2, %arg59 = %134#3, %arg60 = %134#4, %arg61 = %arg16, %arg62 = %arg17, %arg63 = %arg18, %arg64 = %134#5) -> (i1, i1, i32, i32, i32, i32, i32, i32, i1)  : i32 {
            %false_607 = arith.constant false
            %959 = arith.cmpi eq, %arg56, %false_607 : i1
            scf.if %959 {
              %1768 = arith.extsi %arg59 : i32 to i64
              %1769 = llvm.getelementptr inbounds %19[%1768] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              "fairlead.mbarrier"(%1769, %arg60) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
            } else {
            }
            %c1024_i32 = arith.constant 1024 : i32
            %960 = arith.muli %arg59, %c1024_i32 : i32
            %961 = arith.addi %106, %960 : i32
            %c1024_i32_608 = arith.constant 1024 : i32
            %962 = arith.muli %arg59, %c1024_i32_608 : i32
            %963 = arith.addi %113, %962 : i32
            "fairlead.order"() {ptx = "wgmma.fence.sync.aligned;"} : () -> ()
            %true_609 = arith.constant true
            %true_610 = arith.constant true
            %964 = arith.xori %arg57, %true_610 : i1
            %c32_i64_611 = arith.constant 32 : i64
            %c1073741888_i64 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64 = arith.constant 4611686293305294848 : i64
            %965 = arith.extui %961 : i32 to i64
            %966 = arith.ori %965, %c4611686293305294848_i64 : i64
            %c32_i64_612 = arith.constant 32 : i64
            %c1073741888_i64_613 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_614 = arith.constant 4611686293305294848 : i64
            %967 = arith.extui %963 : i32 to i64
            %968 = arith.ori %967, %c4611686293305294848_i64_614 : i64
            %969 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_615 = arith.constant 1 : i64
            %970 = llvm.getelementptr inbounds %5[%c1_i64_615] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %971 = llvm.load %970 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_616 = arith.constant 2 : i64
            %972 = llvm.getelementptr inbounds %5[%c2_i64_616] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %973 = llvm.load %972 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_617 = arith.constant 3 : i64
            %974 = llvm.getelementptr inbounds %5[%c3_i64_617] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %975 = llvm.load %974 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_618 = arith.constant 4 : i64
            %976 = llvm.getelementptr inbounds %5[%c4_i64_618] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %977 = llvm.load %976 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_619 = arith.constant 5 : i64
            %978 = llvm.getelementptr inbounds %5[%c5_i64_619] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %979 = llvm.load %978 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_620 = arith.constant 6 : i64
            %980 = llvm.getelementptr inbounds %5[%c6_i64_620] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %981 = llvm.load %980 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_621 = arith.constant 7 : i64
            %982 = llvm.getelementptr inbounds %5[%c7_i64_621] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %983 = llvm.load %982 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_622 = arith.constant 8 : i64
            %984 = llvm.getelementptr inbounds %5[%c8_i64_622] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %985 = llvm.load %984 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_623 = arith.constant 9 : i64
            %986 = llvm.getelementptr inbounds %5[%c9_i64_623] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %987 = llvm.load %986 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_624 = arith.constant 10 : i64
            %988 = llvm.getelementptr inbounds %5[%c10_i64_624] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %989 = llvm.load %988 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_625 = arith.constant 11 : i64
            %990 = llvm.getelementptr inbounds %5[%c11_i64_625] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %991 = llvm.load %990 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_626 = arith.constant 12 : i64
            %992 = llvm.getelementptr inbounds %5[%c12_i64_626] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %993 = llvm.load %992 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_627 = arith.constant 13 : i64
            %994 = llvm.getelementptr inbounds %5[%c13_i64_627] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %995 = llvm.load %994 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_628 = arith.constant 14 : i64
            %996 = llvm.getelementptr inbounds %5[%c14_i64_628] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %997 = llvm.load %996 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_629 = arith.constant 15 : i64
            %998 = llvm.getelementptr inbounds %5[%c15_i64_629] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %999 = llvm.load %998 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_630 = arith.constant 16 : i64
            %1000 = llvm.getelementptr inbounds %5[%c16_i64_630] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1001 = llvm.load %1000 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64 = arith.constant 17 : i64
            %1002 = llvm.getelementptr inbounds %5[%c17_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1003 = llvm.load %1002 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64 = arith.constant 18 : i64
            %1004 = llvm.getelementptr inbounds %5[%c18_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1005 = llvm.load %1004 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64 = arith.constant 19 : i64
            %1006 = llvm.getelementptr inbounds %5[%c19_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1007 = llvm.load %1006 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64 = arith.constant 20 : i64
            %1008 = llvm.getelementptr inbounds %5[%c20_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1009 = llvm.load %1008 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64 = arith.constant 21 : i64
            %1010 = llvm.getelementptr inbounds %5[%c21_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1011 = llvm.load %1010 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64 = arith.constant 22 : i64
            %1012 = llvm.getelementptr inbounds %5[%c22_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1013 = llvm.load %1012 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64 = arith.constant 23 : i64
            %1014 = llvm.getelementptr inbounds %5[%c23_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1015 = llvm.load %1014 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64 = arith.constant 24 : i64
            %1016 = llvm.getelementptr inbounds %5[%c24_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1017 = llvm.load %1016 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64 = arith.constant 25 : i64
            %1018 = llvm.getelementptr inbounds %5[%c25_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1019 = llvm.load %1018 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64 = arith.constant 26 : i64
            %1020 = llvm.getelementptr inbounds %5[%c26_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1021 = llvm.load %1020 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64 = arith.constant 27 : i64
            %1022 = llvm.getelementptr inbounds %5[%c27_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1023 = llvm.load %1022 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64 = arith.constant 28 : i64
            %1024 = llvm.getelementptr inbounds %5[%c28_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1025 = llvm.load %1024 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64 = arith.constant 29 : i64
            %1026 = llvm.getelementptr inbounds %5[%c29_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1027 = llvm.load %1026 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64 = arith.constant 30 : i64
            %1028 = llvm.getelementptr inbounds %5[%c30_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1029 = llvm.load %1028 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64 = arith.constant 31 : i64
            %1030 = llvm.getelementptr inbounds %5[%c31_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1031 = llvm.load %1030 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_631 = arith.constant 32 : i64
            %1032 = llvm.getelementptr inbounds %5[%c32_i64_631] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1033 = llvm.load %1032 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64 = arith.constant 33 : i64
            %1034 = llvm.getelementptr inbounds %5[%c33_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1035 = llvm.load %1034 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64 = arith.constant 34 : i64
            %1036 = llvm.getelementptr inbounds %5[%c34_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1037 = llvm.load %1036 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64 = arith.constant 35 : i64
            %1038 = llvm.getelementptr inbounds %5[%c35_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1039 = llvm.load %1038 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64 = arith.constant 36 : i64
            %1040 = llvm.getelementptr inbounds %5[%c36_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1041 = llvm.load %1040 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64 = arith.constant 37 : i64
            %1042 = llvm.getelementptr inbounds %5[%c37_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1043 = llvm.load %1042 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64 = arith.constant 38 : i64
            %1044 = llvm.getelementptr inbounds %5[%c38_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1045 = llvm.load %1044 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64 = arith.constant 39 : i64
            %1046 = llvm.getelementptr inbounds %5[%c39_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1047 = llvm.load %1046 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64 = arith.constant 40 : i64
            %1048 = llvm.getelementptr inbounds %5[%c40_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1049 = llvm.load %1048 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64 = arith.constant 41 : i64
            %1050 = llvm.getelementptr inbounds %5[%c41_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1051 = llvm.load %1050 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64 = arith.constant 42 : i64
            %1052 = llvm.getelementptr inbounds %5[%c42_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1053 = llvm.load %1052 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64 = arith.constant 43 : i64
            %1054 = llvm.getelementptr inbounds %5[%c43_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1055 = llvm.load %1054 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64 = arith.constant 44 : i64
            %1056 = llvm.getelementptr inbounds %5[%c44_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1057 = llvm.load %1056 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64 = arith.constant 45 : i64
            %1058 = llvm.getelementptr inbounds %5[%c45_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1059 = llvm.load %1058 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64 = arith.constant 46 : i64
            %1060 = llvm.getelementptr inbounds %5[%c46_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1061 = llvm.load %1060 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64 = arith.constant 47 : i64
            %1062 = llvm.getelementptr inbounds %5[%c47_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1063 = llvm.load %1062 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_632 = arith.constant 48 : i64
            %1064 = llvm.getelementptr inbounds %5[%c48_i64_632] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1065 = llvm.load %1064 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64 = arith.constant 49 : i64
            %1066 = llvm.getelementptr inbounds %5[%c49_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1067 = llvm.load %1066 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64 = arith.constant 50 : i64
            %1068 = llvm.getelementptr inbounds %5[%c50_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1069 = llvm.load %1068 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64 = arith.constant 51 : i64
            %1070 = llvm.getelementptr inbounds %5[%c51_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1071 = llvm.load %1070 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64 = arith.constant 52 : i64
            %1072 = llvm.getelementptr inbounds %5[%c52_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1073 = llvm.load %1072 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64 = arith.constant 53 : i64
            %1074 = llvm.getelementptr inbounds %5[%c53_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1075 = llvm.load %1074 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64 = arith.constant 54 : i64
            %1076 = llvm.getelementptr inbounds %5[%c54_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1077 = llvm.load %1076 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64 = arith.constant 55 : i64
            %1078 = llvm.getelementptr inbounds %5[%c55_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1079 = llvm.load %1078 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64 = arith.constant 56 : i64
            %1080 = llvm.getelementptr inbounds %5[%c56_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1081 = llvm.load %1080 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64 = arith.constant 57 : i64
            %1082 = llvm.getelementptr inbounds %5[%c57_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1083 = llvm.load %1082 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64 = arith.constant 58 : i64
            %1084 = llvm.getelementptr inbounds %5[%c58_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1085 = llvm.load %1084 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64 = arith.constant 59 : i64
            %1086 = llvm.getelementptr inbounds %5[%c59_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1087 = llvm.load %1086 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64 = arith.constant 60 : i64
            %1088 = llvm.getelementptr inbounds %5[%c60_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1089 = llvm.load %1088 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64 = arith.constant 61 : i64
            %1090 = llvm.getelementptr inbounds %5[%c61_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1091 = llvm.load %1090 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64 = arith.constant 62 : i64
            %1092 = llvm.getelementptr inbounds %5[%c62_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1093 = llvm.load %1092 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_633 = arith.constant 63 : i64
            %1094 = llvm.getelementptr inbounds %5[%c63_i64_633] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1095 = llvm.load %1094 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1096:64 = "fairlead.warpgroup_mma"(%969, %971, %973, %975, %977, %979, %981, %983, %985, %987, %989, %991, %993, %995, %997, %999, %1001, %1003, %1005, %1007, %1009, %1011, %1013, %1015, %1017, %1019, %1021, %1023, %1025, %1027, %1029, %1031, %1033, %1035, %1037, %1039, %1041, %1043, %1045, %1047, %1049, %1051, %1053, %1055, %1057, %1059, %1061, %1063, %1065, %1067, %1069, %1071, %1073, %1075, %1077, %1079, %1081, %1083, %1085, %1087, %1089, %1091, %1093, %1095, %966, %968, %964) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1096#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_634 = arith.constant 1 : i64
            %1097 = llvm.getelementptr inbounds %5[%c1_i64_634] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#1, %1097 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_635 = arith.constant 2 : i64
            %1098 = llvm.getelementptr inbounds %5[%c2_i64_635] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#2, %1098 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_636 = arith.constant 3 : i64
            %1099 = llvm.getelementptr inbounds %5[%c3_i64_636] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#3, %1099 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_637 = arith.constant 4 : i64
            %1100 = llvm.getelementptr inbounds %5[%c4_i64_637] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#4, %1100 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_638 = arith.constant 5 : i64
            %1101 = llvm.getelementptr inbounds %5[%c5_i64_638] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#5, %1101 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_639 = arith.constant 6 : i64
            %1102 = llvm.getelementptr inbounds %5[%c6_i64_639] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#6, %1102 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_640 = arith.constant 7 : i64
            %1103 = llvm.getelementptr inbounds %5[%c7_i64_640] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#7, %1103 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_641 = arith.constant 8 : i64
            %1104 = llvm.getelementptr inbounds %5[%c8_i64_641] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#8, %1104 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_642 = arith.constant 9 : i64
            %1105 = llvm.getelementptr inbounds %5[%c9_i64_642] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#9, %1105 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_643 = arith.constant 10 : i64
            %1106 = llvm.getelementptr inbounds %5[%c10_i64_643] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#10, %1106 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_644 = arith.constant 11 : i64
            %1107 = llvm.getelementptr inbounds %5[%c11_i64_644] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#11, %1107 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_645 = arith.constant 12 : i64
            %1108 = llvm.getelementptr inbounds %5[%c12_i64_645] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#12, %1108 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_646 = arith.constant 13 : i64
            %1109 = llvm.getelementptr inbounds %5[%c13_i64_646] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#13, %1109 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_647 = arith.constant 14 : i64
            %1110 = llvm.getelementptr inbounds %5[%c14_i64_647] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#14, %1110 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_648 = arith.constant 15 : i64
            %1111 = llvm.getelementptr inbounds %5[%c15_i64_648] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#15, %1111 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_649 = arith.constant 16 : i64
            %1112 = llvm.getelementptr inbounds %5[%c16_i64_649] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#16, %1112 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_650 = arith.constant 17 : i64
            %1113 = llvm.getelementptr inbounds %5[%c17_i64_650] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#17, %1113 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_651 = arith.constant 18 : i64
            %1114 = llvm.getelementptr inbounds %5[%c18_i64_651] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#18, %1114 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_652 = arith.constant 19 : i64
            %1115 = llvm.getelementptr inbounds %5[%c19_i64_652] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#19, %1115 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_653 = arith.constant 20 : i64
            %1116 = llvm.getelementptr inbounds %5[%c20_i64_653] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#20, %1116 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_654 = arith.constant 21 : i64
            %1117 = llvm.getelementptr inbounds %5[%c21_i64_654] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#21, %1117 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_655 = arith.constant 22 : i64
            %1118 = llvm.getelementptr inbounds %5[%c22_i64_655] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#22, %1118 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_656 = arith.constant 23 : i64
            %1119 = llvm.getelementptr inbounds %5[%c23_i64_656] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#23, %1119 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_657 = arith.constant 24 : i64
            %1120 = llvm.getelementptr inbounds %5[%c24_i64_657] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#24, %1120 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_658 = arith.constant 25 : i64
            %1121 = llvm.getelementptr inbounds %5[%c25_i64_658] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#25, %1121 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_659 = arith.constant 26 : i64
            %1122 = llvm.getelementptr inbounds %5[%c26_i64_659] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#26, %1122 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_660 = arith.constant 27 : i64
            %1123 = llvm.getelementptr inbounds %5[%c27_i64_660] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#27, %1123 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_661 = arith.constant 28 : i64
            %1124 = llvm.getelementptr inbounds %5[%c28_i64_661] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#28, %1124 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_662 = arith.constant 29 : i64
            %1125 = llvm.getelementptr inbounds %5[%c29_i64_662] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#29, %1125 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_663 = arith.constant 30 : i64
            %1126 = llvm.getelementptr inbounds %5[%c30_i64_663] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#30, %1126 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_664 = arith.constant 31 : i64
            %1127 = llvm.getelementptr inbounds %5[%c31_i64_664] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#31, %1127 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_665 = arith.constant 32 : i64
            %1128 = llvm.getelementptr inbounds %5[%c32_i64_665] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#32, %1128 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_666 = arith.constant 33 : i64
            %1129 = llvm.getelementptr inbounds %5[%c33_i64_666] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#33, %1129 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_667 = arith.constant 34 : i64
            %1130 = llvm.getelementptr inbounds %5[%c34_i64_667] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#34, %1130 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_668 = arith.constant 35 : i64
            %1131 = llvm.getelementptr inbounds %5[%c35_i64_668] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#35, %1131 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_669 = arith.constant 36 : i64
            %1132 = llvm.getelementptr inbounds %5[%c36_i64_669] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#36, %1132 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_670 = arith.constant 37 : i64
            %1133 = llvm.getelementptr inbounds %5[%c37_i64_670] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#37, %1133 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_671 = arith.constant 38 : i64
            %1134 = llvm.getelementptr inbounds %5[%c38_i64_671] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#38, %1134 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_672 = arith.constant 39 : i64
            %1135 = llvm.getelementptr inbounds %5[%c39_i64_672] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#39, %1135 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_673 = arith.constant 40 : i64
            %1136 = llvm.getelementptr inbounds %5[%c40_i64_673] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#40, %1136 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_674 = arith.constant 41 : i64
            %1137 = llvm.getelementptr inbounds %5[%c41_i64_674] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#41, %1137 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_675 = arith.constant 42 : i64
            %1138 = llvm.getelementptr inbounds %5[%c42_i64_675] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#42, %1138 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_676 = arith.constant 43 : i64
            %1139 = llvm.getelementptr inbounds %5[%c43_i64_676] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#43, %1139 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_677 = arith.constant 44 : i64
            %1140 = llvm.getelementptr inbounds %5[%c44_i64_677] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#44, %1140 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_678 = arith.constant 45 : i64
            %1141 = llvm.getelementptr inbounds %5[%c45_i64_678] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#45, %1141 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_679 = arith.constant 46 : i64
            %1142 = llvm.getelementptr inbounds %5[%c46_i64_679] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#46, %1142 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_680 = arith.constant 47 : i64
            %1143 = llvm.getelementptr inbounds %5[%c47_i64_680] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#47, %1143 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_681 = arith.constant 48 : i64
            %1144 = llvm.getelementptr inbounds %5[%c48_i64_681] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#48, %1144 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_682 = arith.constant 49 : i64
            %1145 = llvm.getelementptr inbounds %5[%c49_i64_682] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#49, %1145 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_683 = arith.constant 50 : i64
            %1146 = llvm.getelementptr inbounds %5[%c50_i64_683] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#50, %1146 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_684 = arith.constant 51 : i64
            %1147 = llvm.getelementptr inbounds %5[%c51_i64_684] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#51, %1147 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_685 = arith.constant 52 : i64
            %1148 = llvm.getelementptr inbounds %5[%c52_i64_685] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#52, %1148 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_686 = arith.constant 53 : i64
            %1149 = llvm.getelementptr inbounds %5[%c53_i64_686] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#53, %1149 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_687 = arith.constant 54 : i64
            %1150 = llvm.getelementptr inbounds %5[%c54_i64_687] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#54, %1150 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_688 = arith.constant 55 : i64
            %1151 = llvm.getelementptr inbounds %5[%c55_i64_688] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#55, %1151 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_689 = arith.constant 56 : i64
            %1152 = llvm.getelementptr inbounds %5[%c56_i64_689] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#56, %1152 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_690 = arith.constant 57 : i64
            %1153 = llvm.getelementptr inbounds %5[%c57_i64_690] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#57, %1153 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_691 = arith.constant 58 : i64
            %1154 = llvm.getelementptr inbounds %5[%c58_i64_691] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#58, %1154 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_692 = arith.constant 59 : i64
            %1155 = llvm.getelementptr inbounds %5[%c59_i64_692] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#59, %1155 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_693 = arith.constant 60 : i64
            %1156 = llvm.getelementptr inbounds %5[%c60_i64_693] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#60, %1156 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_694 = arith.constant 61 : i64
            %1157 = llvm.getelementptr inbounds %5[%c61_i64_694] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#61, %1157 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_695 = arith.constant 62 : i64
            %1158 = llvm.getelementptr inbounds %5[%c62_i64_695] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#62, %1158 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_696 = arith.constant 63 : i64
            %1159 = llvm.getelementptr inbounds %5[%c63_i64_696] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1096#63, %1159 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_697 = arith.constant true
            %c2_i32_698 = arith.constant 2 : i32
            %1160 = arith.addi %961, %c2_i32_698 : i32
            %c2_i32_699 = arith.constant 2 : i32
            %1161 = arith.addi %963, %c2_i32_699 : i32
            %c32_i64_700 = arith.constant 32 : i64
            %c1073741888_i64_701 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_702 = arith.constant 4611686293305294848 : i64
            %1162 = arith.extui %1160 : i32 to i64
            %1163 = arith.ori %1162, %c4611686293305294848_i64_702 : i64
            %c32_i64_703 = arith.constant 32 : i64
            %c1073741888_i64_704 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_705 = arith.constant 4611686293305294848 : i64
            %1164 = arith.extui %1161 : i32 to i64
            %1165 = arith.ori %1164, %c4611686293305294848_i64_705 : i64
            %1166 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_706 = arith.constant 1 : i64
            %1167 = llvm.getelementptr inbounds %5[%c1_i64_706] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1168 = llvm.load %1167 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_707 = arith.constant 2 : i64
            %1169 = llvm.getelementptr inbounds %5[%c2_i64_707] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1170 = llvm.load %1169 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_708 = arith.constant 3 : i64
            %1171 = llvm.getelementptr inbounds %5[%c3_i64_708] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1172 = llvm.load %1171 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_709 = arith.constant 4 : i64
            %1173 = llvm.getelementptr inbounds %5[%c4_i64_709] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1174 = llvm.load %1173 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_710 = arith.constant 5 : i64
            %1175 = llvm.getelementptr inbounds %5[%c5_i64_710] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1176 = llvm.load %1175 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_711 = arith.constant 6 : i64
            %1177 = llvm.getelementptr inbounds %5[%c6_i64_711] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1178 = llvm.load %1177 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_712 = arith.constant 7 : i64
            %1179 = llvm.getelementptr inbounds %5[%c7_i64_712] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1180 = llvm.load %1179 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_713 = arith.constant 8 : i64
            %1181 = llvm.getelementptr inbounds %5[%c8_i64_713] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1182 = llvm.load %1181 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_714 = arith.constant 9 : i64
            %1183 = llvm.getelementptr inbounds %5[%c9_i64_714] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1184 = llvm.load %1183 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_715 = arith.constant 10 : i64
            %1185 = llvm.getelementptr inbounds %5[%c10_i64_715] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1186 = llvm.load %1185 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_716 = arith.constant 11 : i64
            %1187 = llvm.getelementptr inbounds %5[%c11_i64_716] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1188 = llvm.load %1187 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_717 = arith.constant 12 : i64
            %1189 = llvm.getelementptr inbounds %5[%c12_i64_717] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1190 = llvm.load %1189 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_718 = arith.constant 13 : i64
            %1191 = llvm.getelementptr inbounds %5[%c13_i64_718] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1192 = llvm.load %1191 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_719 = arith.constant 14 : i64
            %1193 = llvm.getelementptr inbounds %5[%c14_i64_719] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1194 = llvm.load %1193 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_720 = arith.constant 15 : i64
            %1195 = llvm.getelementptr inbounds %5[%c15_i64_720] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1196 = llvm.load %1195 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_721 = arith.constant 16 : i64
            %1197 = llvm.getelementptr inbounds %5[%c16_i64_721] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1198 = llvm.load %1197 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64_722 = arith.constant 17 : i64
            %1199 = llvm.getelementptr inbounds %5[%c17_i64_722] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1200 = llvm.load %1199 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64_723 = arith.constant 18 : i64
            %1201 = llvm.getelementptr inbounds %5[%c18_i64_723] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1202 = llvm.load %1201 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64_724 = arith.constant 19 : i64
            %1203 = llvm.getelementptr inbounds %5[%c19_i64_724] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1204 = llvm.load %1203 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64_725 = arith.constant 20 : i64
            %1205 = llvm.getelementptr inbounds %5[%c20_i64_725] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1206 = llvm.load %1205 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64_726 = arith.constant 21 : i64
            %1207 = llvm.getelementptr inbounds %5[%c21_i64_726] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1208 = llvm.load %1207 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64_727 = arith.constant 22 : i64
            %1209 = llvm.getelementptr inbounds %5[%c22_i64_727] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1210 = llvm.load %1209 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64_728 = arith.constant 23 : i64
            %1211 = llvm.getelementptr inbounds %5[%c23_i64_728] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1212 = llvm.load %1211 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64_729 = arith.constant 24 : i64
            %1213 = llvm.getelementptr inbounds %5[%c24_i64_729] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1214 = llvm.load %1213 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64_730 = arith.constant 25 : i64
            %1215 = llvm.getelementptr inbounds %5[%c25_i64_730] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1216 = llvm.load %1215 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64_731 = arith.constant 26 : i64
            %1217 = llvm.getelementptr inbounds %5[%c26_i64_731] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1218 = llvm.load %1217 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64_732 = arith.constant 27 : i64
            %1219 = llvm.getelementptr inbounds %5[%c27_i64_732] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1220 = llvm.load %1219 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64_733 = arith.constant 28 : i64
            %1221 = llvm.getelementptr inbounds %5[%c28_i64_733] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1222 = llvm.load %1221 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64_734 = arith.constant 29 : i64
            %1223 = llvm.getelementptr inbounds %5[%c29_i64_734] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1224 = llvm.load %1223 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64_735 = arith.constant 30 : i64
            %1225 = llvm.getelementptr inbounds %5[%c30_i64_735] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1226 = llvm.load %1225 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64_736 = arith.constant 31 : i64
            %1227 = llvm.getelementptr inbounds %5[%c31_i64_736] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1228 = llvm.load %1227 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_737 = arith.constant 32 : i64
            %1229 = llvm.getelementptr inbounds %5[%c32_i64_737] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1230 = llvm.load %1229 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64_738 = arith.constant 33 : i64
            %1231 = llvm.getelementptr inbounds %5[%c33_i64_738] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1232 = llvm.load %1231 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64_739 = arith.constant 34 : i64
            %1233 = llvm.getelementptr inbounds %5[%c34_i64_739] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1234 = llvm.load %1233 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64_740 = arith.constant 35 : i64
            %1235 = llvm.getelementptr inbounds %5[%c35_i64_740] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1236 = llvm.load %1235 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64_741 = arith.constant 36 : i64
            %1237 = llvm.getelementptr inbounds %5[%c36_i64_741] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1238 = llvm.load %1237 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64_742 = arith.constant 37 : i64
            %1239 = llvm.getelementptr inbounds %5[%c37_i64_742] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1240 = llvm.load %1239 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64_743 = arith.constant 38 : i64
            %1241 = llvm.getelementptr inbounds %5[%c38_i64_743] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1242 = llvm.load %1241 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64_744 = arith.constant 39 : i64
            %1243 = llvm.getelementptr inbounds %5[%c39_i64_744] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1244 = llvm.load %1243 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64_745 = arith.constant 40 : i64
            %1245 = llvm.getelementptr inbounds %5[%c40_i64_745] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1246 = llvm.load %1245 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64_746 = arith.constant 41 : i64
            %1247 = llvm.getelementptr inbounds %5[%c41_i64_746] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1248 = llvm.load %1247 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64_747 = arith.constant 42 : i64
            %1249 = llvm.getelementptr inbounds %5[%c42_i64_747] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1250 = llvm.load %1249 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64_748 = arith.constant 43 : i64
            %1251 = llvm.getelementptr inbounds %5[%c43_i64_748] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1252 = llvm.load %1251 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64_749 = arith.constant 44 : i64
            %1253 = llvm.getelementptr inbounds %5[%c44_i64_749] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1254 = llvm.load %1253 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64_750 = arith.constant 45 : i64
            %1255 = llvm.getelementptr inbounds %5[%c45_i64_750] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1256 = llvm.load %1255 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64_751 = arith.constant 46 : i64
            %1257 = llvm.getelementptr inbounds %5[%c46_i64_751] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1258 = llvm.load %1257 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64_752 = arith.constant 47 : i64
            %1259 = llvm.getelementptr inbounds %5[%c47_i64_752] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1260 = llvm.load %1259 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_753 = arith.constant 48 : i64
            %1261 = llvm.getelementptr inbounds %5[%c48_i64_753] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1262 = llvm.load %1261 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64_754 = arith.constant 49 : i64
            %1263 = llvm.getelementptr inbounds %5[%c49_i64_754] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1264 = llvm.load %1263 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64_755 = arith.constant 50 : i64
            %1265 = llvm.getelementptr inbounds %5[%c50_i64_755] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1266 = llvm.load %1265 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64_756 = arith.constant 51 : i64
            %1267 = llvm.getelementptr inbounds %5[%c51_i64_756] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1268 = llvm.load %1267 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64_757 = arith.constant 52 : i64
            %1269 = llvm.getelementptr inbounds %5[%c52_i64_757] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1270 = llvm.load %1269 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64_758 = arith.constant 53 : i64
            %1271 = llvm.getelementptr inbounds %5[%c53_i64_758] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1272 = llvm.load %1271 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64_759 = arith.constant 54 : i64
            %1273 = llvm.getelementptr inbounds %5[%c54_i64_759] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1274 = llvm.load %1273 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64_760 = arith.constant 55 : i64
            %1275 = llvm.getelementptr inbounds %5[%c55_i64_760] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1276 = llvm.load %1275 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64_761 = arith.constant 56 : i64
            %1277 = llvm.getelementptr inbounds %5[%c56_i64_761] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1278 = llvm.load %1277 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64_762 = arith.constant 57 : i64
            %1279 = llvm.getelementptr inbounds %5[%c57_i64_762] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1280 = llvm.load %1279 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64_763 = arith.constant 58 : i64
            %1281 = llvm.getelementptr inbounds %5[%c58_i64_763] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1282 = llvm.load %1281 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64_764 = arith.constant 59 : i64
            %1283 = llvm.getelementptr inbounds %5[%c59_i64_764] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1284 = llvm.load %1283 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64_765 = arith.constant 60 : i64
            %1285 = llvm.getelementptr inbounds %5[%c60_i64_765] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1286 = llvm.load %1285 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64_766 = arith.constant 61 : i64
            %1287 = llvm.getelementptr inbounds %5[%c61_i64_766] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1288 = llvm.load %1287 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64_767 = arith.constant 62 : i64
            %1289 = llvm.getelementptr inbounds %5[%c62_i64_767] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1290 = llvm.load %1289 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_768 = arith.constant 63 : i64
            %1291 = llvm.getelementptr inbounds %5[%c63_i64_768] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1292 = llvm.load %1291 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1293:64 = "fairlead.warpgroup_mma"(%1166, %1168, %1170, %1172, %1174, %1176, %1178, %1180, %1182, %1184, %1186, %1188, %1190, %1192, %1194, %1196, %1198, %1200, %1202, %1204, %1206, %1208, %1210, %1212, %1214, %1216, %1218, %1220, %1222, %1224, %1226, %1228, %1230, %1232, %1234, %1236, %1238, %1240, %1242, %1244, %1246, %1248, %1250, %1252, %1254, %1256, %1258, %1260, %1262, %1264, %1266, %1268, %1270, %1272, %1274, %1276, %1278, %1280, %1282, %1284, %1286, %1288, %1290, %1292, %1163, %1165, %true_697) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1293#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_769 = arith.constant 1 : i64
            %1294 = llvm.getelementptr inbounds %5[%c1_i64_769] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#1, %1294 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_770 = arith.constant 2 : i64
            %1295 = llvm.getelementptr inbounds %5[%c2_i64_770] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#2, %1295 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_771 = arith.constant 3 : i64
            %1296 = llvm.getelementptr inbounds %5[%c3_i64_771] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#3, %1296 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_772 = arith.constant 4 : i64
            %1297 = llvm.getelementptr inbounds %5[%c4_i64_772] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#4, %1297 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_773 = arith.constant 5 : i64
            %1298 = llvm.getelementptr inbounds %5[%c5_i64_773] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#5, %1298 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_774 = arith.constant 6 : i64
            %1299 = llvm.getelementptr inbounds %5[%c6_i64_774] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#6, %1299 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_775 = arith.constant 7 : i64
            %1300 = llvm.getelementptr inbounds %5[%c7_i64_775] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#7, %1300 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_776 = arith.constant 8 : i64
            %1301 = llvm.getelementptr inbounds %5[%c8_i64_776] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#8, %1301 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_777 = arith.constant 9 : i64
            %1302 = llvm.getelementptr inbounds %5[%c9_i64_777] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#9, %1302 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_778 = arith.constant 10 : i64
            %1303 = llvm.getelementptr inbounds %5[%c10_i64_778] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#10, %1303 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_779 = arith.constant 11 : i64
            %1304 = llvm.getelementptr inbounds %5[%c11_i64_779] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#11, %1304 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_780 = arith.constant 12 : i64
            %1305 = llvm.getelementptr inbounds %5[%c12_i64_780] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#12, %1305 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_781 = arith.constant 13 : i64
            %1306 = llvm.getelementptr inbounds %5[%c13_i64_781] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#13, %1306 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_782 = arith.constant 14 : i64
            %1307 = llvm.getelementptr inbounds %5[%c14_i64_782] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#14, %1307 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_783 = arith.constant 15 : i64
            %1308 = llvm.getelementptr inbounds %5[%c15_i64_783] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#15, %1308 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_784 = arith.constant 16 : i64
            %1309 = llvm.getelementptr inbounds %5[%c16_i64_784] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#16, %1309 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_785 = arith.constant 17 : i64
            %1310 = llvm.getelementptr inbounds %5[%c17_i64_785] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#17, %1310 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_786 = arith.constant 18 : i64
            %1311 = llvm.getelementptr inbounds %5[%c18_i64_786] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#18, %1311 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_787 = arith.constant 19 : i64
            %1312 = llvm.getelementptr inbounds %5[%c19_i64_787] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#19, %1312 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_788 = arith.constant 20 : i64
            %1313 = llvm.getelementptr inbounds %5[%c20_i64_788] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#20, %1313 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_789 = arith.constant 21 : i64
            %1314 = llvm.getelementptr inbounds %5[%c21_i64_789] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#21, %1314 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_790 = arith.constant 22 : i64
            %1315 = llvm.getelementptr inbounds %5[%c22_i64_790] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#22, %1315 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_791 = arith.constant 23 : i64
            %1316 = llvm.getelementptr inbounds %5[%c23_i64_791] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#23, %1316 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_792 = arith.constant 24 : i64
            %1317 = llvm.getelementptr inbounds %5[%c24_i64_792] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#24, %1317 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_793 = arith.constant 25 : i64
            %1318 = llvm.getelementptr inbounds %5[%c25_i64_793] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#25, %1318 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_794 = arith.constant 26 : i64
            %1319 = llvm.getelementptr inbounds %5[%c26_i64_794] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#26, %1319 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_795 = arith.constant 27 : i64
            %1320 = llvm.getelementptr inbounds %5[%c27_i64_795] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#27, %1320 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_796 = arith.constant 28 : i64
            %1321 = llvm.getelementptr inbounds %5[%c28_i64_796] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#28, %1321 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_797 = arith.constant 29 : i64
            %1322 = llvm.getelementptr inbounds %5[%c29_i64_797] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#29, %1322 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_798 = arith.constant 30 : i64
            %1323 = llvm.getelementptr inbounds %5[%c30_i64_798] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#30, %1323 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_799 = arith.constant 31 : i64
            %1324 = llvm.getelementptr inbounds %5[%c31_i64_799] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#31, %1324 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_800 = arith.constant 32 : i64
            %1325 = llvm.getelementptr inbounds %5[%c32_i64_800] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#32, %1325 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_801 = arith.constant 33 : i64
            %1326 = llvm.getelementptr inbounds %5[%c33_i64_801] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#33, %1326 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_802 = arith.constant 34 : i64
            %1327 = llvm.getelementptr inbounds %5[%c34_i64_802] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#34, %1327 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_803 = arith.constant 35 : i64
            %1328 = llvm.getelementptr inbounds %5[%c35_i64_803] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#35, %1328 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_804 = arith.constant 36 : i64
            %1329 = llvm.getelementptr inbounds %5[%c36_i64_804] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#36, %1329 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_805 = arith.constant 37 : i64
            %1330 = llvm.getelementptr inbounds %5[%c37_i64_805] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#37, %1330 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_806 = arith.constant 38 : i64
            %1331 = llvm.getelementptr inbounds %5[%c38_i64_806] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#38, %1331 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_807 = arith.constant 39 : i64
            %1332 = llvm.getelementptr inbounds %5[%c39_i64_807] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#39, %1332 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_808 = arith.constant 40 : i64
            %1333 = llvm.getelementptr inbounds %5[%c40_i64_808] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#40, %1333 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_809 = arith.constant 41 : i64
            %1334 = llvm.getelementptr inbounds %5[%c41_i64_809] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#41, %1334 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_810 = arith.constant 42 : i64
            %1335 = llvm.getelementptr inbounds %5[%c42_i64_810] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#42, %1335 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_811 = arith.constant 43 : i64
            %1336 = llvm.getelementptr inbounds %5[%c43_i64_811] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#43, %1336 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_812 = arith.constant 44 : i64
            %1337 = llvm.getelementptr inbounds %5[%c44_i64_812] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#44, %1337 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_813 = arith.constant 45 : i64
            %1338 = llvm.getelementptr inbounds %5[%c45_i64_813] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#45, %1338 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_814 = arith.constant 46 : i64
            %1339 = llvm.getelementptr inbounds %5[%c46_i64_814] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#46, %1339 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_815 = arith.constant 47 : i64
            %1340 = llvm.getelementptr inbounds %5[%c47_i64_815] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#47, %1340 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_816 = arith.constant 48 : i64
            %1341 = llvm.getelementptr inbounds %5[%c48_i64_816] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#48, %1341 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_817 = arith.constant 49 : i64
            %1342 = llvm.getelementptr inbounds %5[%c49_i64_817] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#49, %1342 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_818 = arith.constant 50 : i64
            %1343 = llvm.getelementptr inbounds %5[%c50_i64_818] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#50, %1343 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_819 = arith.constant 51 : i64
            %1344 = llvm.getelementptr inbounds %5[%c51_i64_819] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#51, %1344 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_820 = arith.constant 52 : i64
            %1345 = llvm.getelementptr inbounds %5[%c52_i64_820] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#52, %1345 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_821 = arith.constant 53 : i64
            %1346 = llvm.getelementptr inbounds %5[%c53_i64_821] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#53, %1346 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_822 = arith.constant 54 : i64
            %1347 = llvm.getelementptr inbounds %5[%c54_i64_822] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#54, %1347 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_823 = arith.constant 55 : i64
            %1348 = llvm.getelementptr inbounds %5[%c55_i64_823] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#55, %1348 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_824 = arith.constant 56 : i64
            %1349 = llvm.getelementptr inbounds %5[%c56_i64_824] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#56, %1349 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_825 = arith.constant 57 : i64
            %1350 = llvm.getelementptr inbounds %5[%c57_i64_825] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#57, %1350 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_826 = arith.constant 58 : i64
            %1351 = llvm.getelementptr inbounds %5[%c58_i64_826] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#58, %1351 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_827 = arith.constant 59 : i64
            %1352 = llvm.getelementptr inbounds %5[%c59_i64_827] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#59, %1352 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_828 = arith.constant 60 : i64
            %1353 = llvm.getelementptr inbounds %5[%c60_i64_828] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#60, %1353 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_829 = arith.constant 61 : i64
            %1354 = llvm.getelementptr inbounds %5[%c61_i64_829] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#61, %1354 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_830 = arith.constant 62 : i64
            %1355 = llvm.getelementptr inbounds %5[%c62_i64_830] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#62, %1355 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_831 = arith.constant 63 : i64
            %1356 = llvm.getelementptr inbounds %5[%c63_i64_831] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1293#63, %1356 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_832 = arith.constant true
            %c4_i32_833 = arith.constant 4 : i32
            %1357 = arith.addi %961, %c4_i32_833 : i32
            %c4_i32_834 = arith.constant 4 : i32
            %1358 = arith.addi %963, %c4_i32_834 : i32
            %c32_i64_835 = arith.constant 32 : i64
            %c1073741888_i64_836 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_837 = arith.constant 4611686293305294848 : i64
            %1359 = arith.extui %1357 : i32 to i64
            %1360 = arith.ori %1359, %c4611686293305294848_i64_837 : i64
            %c32_i64_838 = arith.constant 32 : i64
            %c1073741888_i64_839 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_840 = arith.constant 4611686293305294848 : i64
            %1361 = arith.extui %1358 : i32 to i64
            %1362 = arith.ori %1361, %c4611686293305294848_i64_840 : i64
            %1363 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_841 = arith.constant 1 : i64
            %1364 = llvm.getelementptr inbounds %5[%c1_i64_841] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1365 = llvm.load %1364 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_842 = arith.constant 2 : i64
            %1366 = llvm.getelementptr inbounds %5[%c2_i64_842] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1367 = llvm.load %1366 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_843 = arith.constant 3 : i64
            %1368 = llvm.getelementptr inbounds %5[%c3_i64_843] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1369 = llvm.load %1368 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_844 = arith.constant 4 : i64
            %1370 = llvm.getelementptr inbounds %5[%c4_i64_844] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1371 = llvm.load %1370 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_845 = arith.constant 5 : i64
            %1372 = llvm.getelementptr inbounds %5[%c5_i64_845] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1373 = llvm.load %1372 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_846 = arith.constant 6 : i64
            %1374 = llvm.getelementptr inbounds %5[%c6_i64_846] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1375 = llvm.load %1374 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_847 = arith.constant 7 : i64
            %1376 = llvm.getelementptr inbounds %5[%c7_i64_847] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1377 = llvm.load %1376 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_848 = arith.constant 8 : i64
            %1378 = llvm.getelementptr inbounds %5[%c8_i64_848] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1379 = llvm.load %1378 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_849 = arith.constant 9 : i64
            %1380 = llvm.getelementptr inbounds %5[%c9_i64_849] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1381 = llvm.load %1380 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_850 = arith.constant 10 : i64
            %1382 = llvm.getelementptr inbounds %5[%c10_i64_850] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1383 = llvm.load %1382 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_851 = arith.constant 11 : i64
            %1384 = llvm.getelementptr inbounds %5[%c11_i64_851] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1385 = llvm.load %1384 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_852 = arith.constant 12 : i64
            %1386 = llvm.getelementptr inbounds %5[%c12_i64_852] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1387 = llvm.load %1386 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_853 = arith.constant 13 : i64
            %1388 = llvm.getelementptr inbounds %5[%c13_i64_853] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1389 = llvm.load %1388 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_854 = arith.constant 14 : i64
            %1390 = llvm.getelementptr inbounds %5[%c14_i64_854] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1391 = llvm.load %1390 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_855 = arith.constant 15 : i64
            %1392 = llvm.getelementptr inbounds %5[%c15_i64_855] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1393 = llvm.load %1392 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_856 = arith.constant 16 : i64
            %1394 = llvm.getelementptr inbounds %5[%c16_i64_856] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1395 = llvm.load %1394 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64_857 = arith.constant 17 : i64
            %1396 = llvm.getelementptr inbounds %5[%c17_i64_857] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1397 = llvm.load %1396 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64_858 = arith.constant 18 : i64
            %1398 = llvm.getelementptr inbounds %5[%c18_i64_858] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1399 = llvm.load %1398 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64_859 = arith.constant 19 : i64
            %1400 = llvm.getelementptr inbounds %5[%c19_i64_859] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1401 = llvm.load %1400 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64_860 = arith.constant 20 : i64
            %1402 = llvm.getelementptr inbounds %5[%c20_i64_860] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1403 = llvm.load %1402 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64_861 = arith.constant 21 : i64
            %1404 = llvm.getelementptr inbounds %5[%c21_i64_861] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1405 = llvm.load %1404 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64_862 = arith.constant 22 : i64
            %1406 = llvm.getelementptr inbounds %5[%c22_i64_862] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1407 = llvm.load %1406 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64_863 = arith.constant 23 : i64
            %1408 = llvm.getelementptr inbounds %5[%c23_i64_863] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1409 = llvm.load %1408 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64_864 = arith.constant 24 : i64
            %1410 = llvm.getelementptr inbounds %5[%c24_i64_864] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1411 = llvm.load %1410 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64_865 = arith.constant 25 : i64
            %1412 = llvm.getelementptr inbounds %5[%c25_i64_865] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1413 = llvm.load %1412 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64_866 = arith.constant 26 : i64
            %1414 = llvm.getelementptr inbounds %5[%c26_i64_866] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1415 = llvm.load %1414 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64_867 = arith.constant 27 : i64
            %1416 = llvm.getelementptr inbounds %5[%c27_i64_867] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1417 = llvm.load %1416 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64_868 = arith.constant 28 : i64
            %1418 = llvm.getelementptr inbounds %5[%c28_i64_868] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1419 = llvm.load %1418 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64_869 = arith.constant 29 : i64
            %1420 = llvm.getelementptr inbounds %5[%c29_i64_869] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1421 = llvm.load %1420 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64_870 = arith.constant 30 : i64
            %1422 = llvm.getelementptr inbounds %5[%c30_i64_870] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1423 = llvm.load %1422 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64_871 = arith.constant 31 : i64
            %1424 = llvm.getelementptr inbounds %5[%c31_i64_871] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1425 = llvm.load %1424 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_872 = arith.constant 32 : i64
            %1426 = llvm.getelementptr inbounds %5[%c32_i64_872] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1427 = llvm.load %1426 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64_873 = arith.constant 33 : i64
            %1428 = llvm.getelementptr inbounds %5[%c33_i64_873] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1429 = llvm.load %1428 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64_874 = arith.constant 34 : i64
            %1430 = llvm.getelementptr inbounds %5[%c34_i64_874] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1431 = llvm.load %1430 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64_875 = arith.constant 35 : i64
            %1432 = llvm.getelementptr inbounds %5[%c35_i64_875] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1433 = llvm.load %1432 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64_876 = arith.constant 36 : i64
            %1434 = llvm.getelementptr inbounds %5[%c36_i64_876] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1435 = llvm.load %1434 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64_877 = arith.constant 37 : i64
            %1436 = llvm.getelementptr inbounds %5[%c37_i64_877] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1437 = llvm.load %1436 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64_878 = arith.constant 38 : i64
            %1438 = llvm.getelementptr inbounds %5[%c38_i64_878] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1439 = llvm.load %1438 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64_879 = arith.constant 39 : i64
            %1440 = llvm.getelementptr inbounds %5[%c39_i64_879] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1441 = llvm.load %1440 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64_880 = arith.constant 40 : i64
            %1442 = llvm.getelementptr inbounds %5[%c40_i64_880] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1443 = llvm.load %1442 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64_881 = arith.constant 41 : i64
            %1444 = llvm.getelementptr inbounds %5[%c41_i64_881] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1445 = llvm.load %1444 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64_882 = arith.constant 42 : i64
            %1446 = llvm.getelementptr inbounds %5[%c42_i64_882] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1447 = llvm.load %1446 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64_883 = arith.constant 43 : i64
            %1448 = llvm.getelementptr inbounds %5[%c43_i64_883] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1449 = llvm.load %1448 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64_884 = arith.constant 44 : i64
            %1450 = llvm.getelementptr inbounds %5[%c44_i64_884] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1451 = llvm.load %1450 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64_885 = arith.constant 45 : i64
            %1452 = llvm.getelementptr inbounds %5[%c45_i64_885] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1453 = llvm.load %1452 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64_886 = arith.constant 46 : i64
            %1454 = llvm.getelementptr inbounds %5[%c46_i64_886] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1455 = llvm.load %1454 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64_887 = arith.constant 47 : i64
            %1456 = llvm.getelementptr inbounds %5[%c47_i64_887] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1457 = llvm.load %1456 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_888 = arith.constant 48 : i64
            %1458 = llvm.getelementptr inbounds %5[%c48_i64_888] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1459 = llvm.load %1458 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64_889 = arith.constant 49 : i64
            %1460 = llvm.getelementptr inbounds %5[%c49_i64_889] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1461 = llvm.load %1460 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64_890 = arith.constant 50 : i64
            %1462 = llvm.getelementptr inbounds %5[%c50_i64_890] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1463 = llvm.load %1462 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64_891 = arith.constant 51 : i64
            %1464 = llvm.getelementptr inbounds %5[%c51_i64_891] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1465 = llvm.load %1464 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64_892 = arith.constant 52 : i64
            %1466 = llvm.getelementptr inbounds %5[%c52_i64_892] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1467 = llvm.load %1466 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64_893 = arith.constant 53 : i64
            %1468 = llvm.getelementptr inbounds %5[%c53_i64_893] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1469 = llvm.load %1468 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64_894 = arith.constant 54 : i64
            %1470 = llvm.getelementptr inbounds %5[%c54_i64_894] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1471 = llvm.load %1470 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64_895 = arith.constant 55 : i64
            %1472 = llvm.getelementptr inbounds %5[%c55_i64_895] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1473 = llvm.load %1472 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64_896 = arith.constant 56 : i64
            %1474 = llvm.getelementptr inbounds %5[%c56_i64_896] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1475 = llvm.load %1474 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64_897 = arith.constant 57 : i64
            %1476 = llvm.getelementptr inbounds %5[%c57_i64_897] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1477 = llvm.load %1476 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64_898 = arith.constant 58 : i64
            %1478 = llvm.getelementptr inbounds %5[%c58_i64_898] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1479 = llvm.load %1478 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64_899 = arith.constant 59 : i64
            %1480 = llvm.getelementptr inbounds %5[%c59_i64_899] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1481 = llvm.load %1480 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64_900 = arith.constant 60 : i64
            %1482 = llvm.getelementptr inbounds %5[%c60_i64_900] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1483 = llvm.load %1482 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64_901 = arith.constant 61 : i64
            %1484 = llvm.getelementptr inbounds %5[%c61_i64_901] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1485 = llvm.load %1484 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64_902 = arith.constant 62 : i64
            %1486 = llvm.getelementptr inbounds %5[%c62_i64_902] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1487 = llvm.load %1486 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_903 = arith.constant 63 : i64
            %1488 = llvm.getelementptr inbounds %5[%c63_i64_903] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1489 = llvm.load %1488 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1490:64 = "fairlead.warpgroup_mma"(%1363, %1365, %1367, %1369, %1371, %1373, %1375, %1377, %1379, %1381, %1383, %1385, %1387, %1389, %1391, %1393, %1395, %1397, %1399, %1401, %1403, %1405, %1407, %1409, %1411, %1413, %1415, %1417, %1419, %1421, %1423, %1425, %1427, %1429, %1431, %1433, %1435, %1437, %1439, %1441, %1443, %1445, %1447, %1449, %1451, %1453, %1455, %1457, %1459, %1461, %1463, %1465, %1467, %1469, %1471, %1473, %1475, %1477, %1479, %1481, %1483, %1485, %1487, %1489, %1360, %1362, %true_832) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1490#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_904 = arith.constant 1 : i64
            %1491 = llvm.getelementptr inbounds %5[%c1_i64_904] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#1, %1491 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_905 = arith.constant 2 : i64
            %1492 = llvm.getelementptr inbounds %5[%c2_i64_905] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#2, %1492 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_906 = arith.constant 3 : i64
            %1493 = llvm.getelementptr inbounds %5[%c3_i64_906] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#3, %1493 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_907 = arith.constant 4 : i64
            %1494 = llvm.getelementptr inbounds %5[%c4_i64_907] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#4, %1494 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_908 = arith.constant 5 : i64
            %1495 = llvm.getelementptr inbounds %5[%c5_i64_908] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#5, %1495 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_909 = arith.constant 6 : i64
            %1496 = llvm.getelementptr inbounds %5[%c6_i64_909] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#6, %1496 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_910 = arith.constant 7 : i64
            %1497 = llvm.getelementptr inbounds %5[%c7_i64_910] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#7, %1497 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_911 = arith.constant 8 : i64
            %1498 = llvm.getelementptr inbounds %5[%c8_i64_911] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#8, %1498 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_912 = arith.constant 9 : i64
            %1499 = llvm.getelementptr inbounds %5[%c9_i64_912] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#9, %1499 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_913 = arith.constant 10 : i64
            %1500 = llvm.getelementptr inbounds %5[%c10_i64_913] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#10, %1500 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_914 = arith.constant 11 : i64
            %1501 = llvm.getelementptr inbounds %5[%c11_i64_914] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#11, %1501 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_915 = arith.constant 12 : i64
            %1502 = llvm.getelementptr inbounds %5[%c12_i64_915] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#12, %1502 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_916 = arith.constant 13 : i64
            %1503 = llvm.getelementptr inbounds %5[%c13_i64_916] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#13, %1503 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_917 = arith.constant 14 : i64
            %1504 = llvm.getelementptr inbounds %5[%c14_i64_917] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#14, %1504 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_918 = arith.constant 15 : i64
            %1505 = llvm.getelementptr inbounds %5[%c15_i64_918] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#15, %1505 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_919 = arith.constant 16 : i64
            %1506 = llvm.getelementptr inbounds %5[%c16_i64_919] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#16, %1506 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_920 = arith.constant 17 : i64
            %1507 = llvm.getelementptr inbounds %5[%c17_i64_920] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#17, %1507 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_921 = arith.constant 18 : i64
            %1508 = llvm.getelementptr inbounds %5[%c18_i64_921] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#18, %1508 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_922 = arith.constant 19 : i64
            %1509 = llvm.getelementptr inbounds %5[%c19_i64_922] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#19, %1509 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_923 = arith.constant 20 : i64
            %1510 = llvm.getelementptr inbounds %5[%c20_i64_923] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#20, %1510 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_924 = arith.constant 21 : i64
            %1511 = llvm.getelementptr inbounds %5[%c21_i64_924] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#21, %1511 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_925 = arith.constant 22 : i64
            %1512 = llvm.getelementptr inbounds %5[%c22_i64_925] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#22, %1512 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_926 = arith.constant 23 : i64
            %1513 = llvm.getelementptr inbounds %5[%c23_i64_926] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#23, %1513 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_927 = arith.constant 24 : i64
            %1514 = llvm.getelementptr inbounds %5[%c24_i64_927] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#24, %1514 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_928 = arith.constant 25 : i64
            %1515 = llvm.getelementptr inbounds %5[%c25_i64_928] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#25, %1515 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_929 = arith.constant 26 : i64
            %1516 = llvm.getelementptr inbounds %5[%c26_i64_929] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#26, %1516 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_930 = arith.constant 27 : i64
            %1517 = llvm.getelementptr inbounds %5[%c27_i64_930] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#27, %1517 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_931 = arith.constant 28 : i64
            %1518 = llvm.getelementptr inbounds %5[%c28_i64_931] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#28, %1518 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_932 = arith.constant 29 : i64
            %1519 = llvm.getelementptr inbounds %5[%c29_i64_932] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#29, %1519 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_933 = arith.constant 30 : i64
            %1520 = llvm.getelementptr inbounds %5[%c30_i64_933] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#30, %1520 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_934 = arith.constant 31 : i64
            %1521 = llvm.getelementptr inbounds %5[%c31_i64_934] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#31, %1521 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_935 = arith.constant 32 : i64
            %1522 = llvm.getelementptr inbounds %5[%c32_i64_935] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#32, %1522 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_936 = arith.constant 33 : i64
            %1523 = llvm.getelementptr inbounds %5[%c33_i64_936] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#33, %1523 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_937 = arith.constant 34 : i64
            %1524 = llvm.getelementptr inbounds %5[%c34_i64_937] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#34, %1524 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_938 = arith.constant 35 : i64
            %1525 = llvm.getelementptr inbounds %5[%c35_i64_938] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#35, %1525 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_939 = arith.constant 36 : i64
            %1526 = llvm.getelementptr inbounds %5[%c36_i64_939] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#36, %1526 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_940 = arith.constant 37 : i64
            %1527 = llvm.getelementptr inbounds %5[%c37_i64_940] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#37, %1527 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_941 = arith.constant 38 : i64
            %1528 = llvm.getelementptr inbounds %5[%c38_i64_941] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#38, %1528 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_942 = arith.constant 39 : i64
            %1529 = llvm.getelementptr inbounds %5[%c39_i64_942] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#39, %1529 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_943 = arith.constant 40 : i64
            %1530 = llvm.getelementptr inbounds %5[%c40_i64_943] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#40, %1530 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_944 = arith.constant 41 : i64
            %1531 = llvm.getelementptr inbounds %5[%c41_i64_944] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#41, %1531 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_945 = arith.constant 42 : i64
            %1532 = llvm.getelementptr inbounds %5[%c42_i64_945] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#42, %1532 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_946 = arith.constant 43 : i64
            %1533 = llvm.getelementptr inbounds %5[%c43_i64_946] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#43, %1533 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_947 = arith.constant 44 : i64
            %1534 = llvm.getelementptr inbounds %5[%c44_i64_947] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#44, %1534 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_948 = arith.constant 45 : i64
            %1535 = llvm.getelementptr inbounds %5[%c45_i64_948] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#45, %1535 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_949 = arith.constant 46 : i64
            %1536 = llvm.getelementptr inbounds %5[%c46_i64_949] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#46, %1536 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_950 = arith.constant 47 : i64
            %1537 = llvm.getelementptr inbounds %5[%c47_i64_950] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#47, %1537 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_951 = arith.constant 48 : i64
            %1538 = llvm.getelementptr inbounds %5[%c48_i64_951] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#48, %1538 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_952 = arith.constant 49 : i64
            %1539 = llvm.getelementptr inbounds %5[%c49_i64_952] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#49, %1539 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_953 = arith.constant 50 : i64
            %1540 = llvm.getelementptr inbounds %5[%c50_i64_953] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#50, %1540 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_954 = arith.constant 51 : i64
            %1541 = llvm.getelementptr inbounds %5[%c51_i64_954] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#51, %1541 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_955 = arith.constant 52 : i64
            %1542 = llvm.getelementptr inbounds %5[%c52_i64_955] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#52, %1542 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_956 = arith.constant 53 : i64
            %1543 = llvm.getelementptr inbounds %5[%c53_i64_956] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#53, %1543 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_957 = arith.constant 54 : i64
            %1544 = llvm.getelementptr inbounds %5[%c54_i64_957] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#54, %1544 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_958 = arith.constant 55 : i64
            %1545 = llvm.getelementptr inbounds %5[%c55_i64_958] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#55, %1545 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_959 = arith.constant 56 : i64
            %1546 = llvm.getelementptr inbounds %5[%c56_i64_959] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#56, %1546 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_960 = arith.constant 57 : i64
            %1547 = llvm.getelementptr inbounds %5[%c57_i64_960] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#57, %1547 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_961 = arith.constant 58 : i64
            %1548 = llvm.getelementptr inbounds %5[%c58_i64_961] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#58, %1548 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_962 = arith.constant 59 : i64
            %1549 = llvm.getelementptr inbounds %5[%c59_i64_962] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#59, %1549 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_963 = arith.constant 60 : i64
            %1550 = llvm.getelementptr inbounds %5[%c60_i64_963] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#60, %1550 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_964 = arith.constant 61 : i64
            %1551 = llvm.getelementptr inbounds %5[%c61_i64_964] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#61, %1551 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_965 = arith.constant 62 : i64
            %1552 = llvm.getelementptr inbounds %5[%c62_i64_965] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#62, %1552 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_966 = arith.constant 63 : i64
            %1553 = llvm.getelementptr inbounds %5[%c63_i64_966] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1490#63, %1553 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_967 = arith.constant true
            %c6_i32_968 = arith.constant 6 : i32
            %1554 = arith.addi %961, %c6_i32_968 : i32
            %c6_i32_969 = arith.constant 6 : i32
            %1555 = arith.addi %963, %c6_i32_969 : i32
            %c32_i64_970 = arith.constant 32 : i64
            %c1073741888_i64_971 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_972 = arith.constant 4611686293305294848 : i64
            %1556 = arith.extui %1554 : i32 to i64
            %1557 = arith.ori %1556, %c4611686293305294848_i64_972 : i64
            %c32_i64_973 = arith.constant 32 : i64
            %c1073741888_i64_974 = arith.constant 1073741888 : i64
            %c4611686293305294848_i64_975 = arith.constant 4611686293305294848 : i64
            %1558 = arith.extui %1555 : i32 to i64
            %1559 = arith.ori %1558, %c4611686293305294848_i64_975 : i64
            %1560 = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c1_i64_976 = arith.constant 1 : i64
            %1561 = llvm.getelementptr inbounds %5[%c1_i64_976] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1562 = llvm.load %1561 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c2_i64_977 = arith.constant 2 : i64
            %1563 = llvm.getelementptr inbounds %5[%c2_i64_977] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1564 = llvm.load %1563 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c3_i64_978 = arith.constant 3 : i64
            %1565 = llvm.getelementptr inbounds %5[%c3_i64_978] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1566 = llvm.load %1565 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c4_i64_979 = arith.constant 4 : i64
            %1567 = llvm.getelementptr inbounds %5[%c4_i64_979] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1568 = llvm.load %1567 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c5_i64_980 = arith.constant 5 : i64
            %1569 = llvm.getelementptr inbounds %5[%c5_i64_980] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1570 = llvm.load %1569 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c6_i64_981 = arith.constant 6 : i64
            %1571 = llvm.getelementptr inbounds %5[%c6_i64_981] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1572 = llvm.load %1571 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c7_i64_982 = arith.constant 7 : i64
            %1573 = llvm.getelementptr inbounds %5[%c7_i64_982] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1574 = llvm.load %1573 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c8_i64_983 = arith.constant 8 : i64
            %1575 = llvm.getelementptr inbounds %5[%c8_i64_983] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1576 = llvm.load %1575 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c9_i64_984 = arith.constant 9 : i64
            %1577 = llvm.getelementptr inbounds %5[%c9_i64_984] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1578 = llvm.load %1577 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c10_i64_985 = arith.constant 10 : i64
            %1579 = llvm.getelementptr inbounds %5[%c10_i64_985] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1580 = llvm.load %1579 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c11_i64_986 = arith.constant 11 : i64
            %1581 = llvm.getelementptr inbounds %5[%c11_i64_986] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1582 = llvm.load %1581 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c12_i64_987 = arith.constant 12 : i64
            %1583 = llvm.getelementptr inbounds %5[%c12_i64_987] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1584 = llvm.load %1583 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c13_i64_988 = arith.constant 13 : i64
            %1585 = llvm.getelementptr inbounds %5[%c13_i64_988] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1586 = llvm.load %1585 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c14_i64_989 = arith.constant 14 : i64
            %1587 = llvm.getelementptr inbounds %5[%c14_i64_989] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1588 = llvm.load %1587 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c15_i64_990 = arith.constant 15 : i64
            %1589 = llvm.getelementptr inbounds %5[%c15_i64_990] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1590 = llvm.load %1589 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c16_i64_991 = arith.constant 16 : i64
            %1591 = llvm.getelementptr inbounds %5[%c16_i64_991] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1592 = llvm.load %1591 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c17_i64_992 = arith.constant 17 : i64
            %1593 = llvm.getelementptr inbounds %5[%c17_i64_992] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1594 = llvm.load %1593 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c18_i64_993 = arith.constant 18 : i64
            %1595 = llvm.getelementptr inbounds %5[%c18_i64_993] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1596 = llvm.load %1595 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c19_i64_994 = arith.constant 19 : i64
            %1597 = llvm.getelementptr inbounds %5[%c19_i64_994] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1598 = llvm.load %1597 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c20_i64_995 = arith.constant 20 : i64
            %1599 = llvm.getelementptr inbounds %5[%c20_i64_995] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1600 = llvm.load %1599 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c21_i64_996 = arith.constant 21 : i64
            %1601 = llvm.getelementptr inbounds %5[%c21_i64_996] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1602 = llvm.load %1601 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c22_i64_997 = arith.constant 22 : i64
            %1603 = llvm.getelementptr inbounds %5[%c22_i64_997] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1604 = llvm.load %1603 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c23_i64_998 = arith.constant 23 : i64
            %1605 = llvm.getelementptr inbounds %5[%c23_i64_998] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1606 = llvm.load %1605 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c24_i64_999 = arith.constant 24 : i64
            %1607 = llvm.getelementptr inbounds %5[%c24_i64_999] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1608 = llvm.load %1607 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c25_i64_1000 = arith.constant 25 : i64
            %1609 = llvm.getelementptr inbounds %5[%c25_i64_1000] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1610 = llvm.load %1609 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c26_i64_1001 = arith.constant 26 : i64
            %1611 = llvm.getelementptr inbounds %5[%c26_i64_1001] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1612 = llvm.load %1611 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c27_i64_1002 = arith.constant 27 : i64
            %1613 = llvm.getelementptr inbounds %5[%c27_i64_1002] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1614 = llvm.load %1613 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c28_i64_1003 = arith.constant 28 : i64
            %1615 = llvm.getelementptr inbounds %5[%c28_i64_1003] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1616 = llvm.load %1615 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c29_i64_1004 = arith.constant 29 : i64
            %1617 = llvm.getelementptr inbounds %5[%c29_i64_1004] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1618 = llvm.load %1617 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c30_i64_1005 = arith.constant 30 : i64
            %1619 = llvm.getelementptr inbounds %5[%c30_i64_1005] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1620 = llvm.load %1619 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c31_i64_1006 = arith.constant 31 : i64
            %1621 = llvm.getelementptr inbounds %5[%c31_i64_1006] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1622 = llvm.load %1621 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c32_i64_1007 = arith.constant 32 : i64
            %1623 = llvm.getelementptr inbounds %5[%c32_i64_1007] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1624 = llvm.load %1623 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c33_i64_1008 = arith.constant 33 : i64
            %1625 = llvm.getelementptr inbounds %5[%c33_i64_1008] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1626 = llvm.load %1625 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c34_i64_1009 = arith.constant 34 : i64
            %1627 = llvm.getelementptr inbounds %5[%c34_i64_1009] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1628 = llvm.load %1627 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c35_i64_1010 = arith.constant 35 : i64
            %1629 = llvm.getelementptr inbounds %5[%c35_i64_1010] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1630 = llvm.load %1629 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c36_i64_1011 = arith.constant 36 : i64
            %1631 = llvm.getelementptr inbounds %5[%c36_i64_1011] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1632 = llvm.load %1631 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c37_i64_1012 = arith.constant 37 : i64
            %1633 = llvm.getelementptr inbounds %5[%c37_i64_1012] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1634 = llvm.load %1633 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c38_i64_1013 = arith.constant 38 : i64
            %1635 = llvm.getelementptr inbounds %5[%c38_i64_1013] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1636 = llvm.load %1635 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c39_i64_1014 = arith.constant 39 : i64
            %1637 = llvm.getelementptr inbounds %5[%c39_i64_1014] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1638 = llvm.load %1637 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c40_i64_1015 = arith.constant 40 : i64
            %1639 = llvm.getelementptr inbounds %5[%c40_i64_1015] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1640 = llvm.load %1639 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c41_i64_1016 = arith.constant 41 : i64
            %1641 = llvm.getelementptr inbounds %5[%c41_i64_1016] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1642 = llvm.load %1641 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c42_i64_1017 = arith.constant 42 : i64
            %1643 = llvm.getelementptr inbounds %5[%c42_i64_1017] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1644 = llvm.load %1643 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c43_i64_1018 = arith.constant 43 : i64
            %1645 = llvm.getelementptr inbounds %5[%c43_i64_1018] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1646 = llvm.load %1645 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c44_i64_1019 = arith.constant 44 : i64
            %1647 = llvm.getelementptr inbounds %5[%c44_i64_1019] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1648 = llvm.load %1647 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c45_i64_1020 = arith.constant 45 : i64
            %1649 = llvm.getelementptr inbounds %5[%c45_i64_1020] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1650 = llvm.load %1649 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c46_i64_1021 = arith.constant 46 : i64
            %1651 = llvm.getelementptr inbounds %5[%c46_i64_1021] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1652 = llvm.load %1651 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c47_i64_1022 = arith.constant 47 : i64
            %1653 = llvm.getelementptr inbounds %5[%c47_i64_1022] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1654 = llvm.load %1653 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c48_i64_1023 = arith.constant 48 : i64
            %1655 = llvm.getelementptr inbounds %5[%c48_i64_1023] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1656 = llvm.load %1655 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c49_i64_1024 = arith.constant 49 : i64
            %1657 = llvm.getelementptr inbounds %5[%c49_i64_1024] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1658 = llvm.load %1657 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c50_i64_1025 = arith.constant 50 : i64
            %1659 = llvm.getelementptr inbounds %5[%c50_i64_1025] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1660 = llvm.load %1659 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c51_i64_1026 = arith.constant 51 : i64
            %1661 = llvm.getelementptr inbounds %5[%c51_i64_1026] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1662 = llvm.load %1661 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c52_i64_1027 = arith.constant 52 : i64
            %1663 = llvm.getelementptr inbounds %5[%c52_i64_1027] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1664 = llvm.load %1663 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c53_i64_1028 = arith.constant 53 : i64
            %1665 = llvm.getelementptr inbounds %5[%c53_i64_1028] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1666 = llvm.load %1665 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c54_i64_1029 = arith.constant 54 : i64
            %1667 = llvm.getelementptr inbounds %5[%c54_i64_1029] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1668 = llvm.load %1667 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c55_i64_1030 = arith.constant 55 : i64
            %1669 = llvm.getelementptr inbounds %5[%c55_i64_1030] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1670 = llvm.load %1669 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c56_i64_1031 = arith.constant 56 : i64
            %1671 = llvm.getelementptr inbounds %5[%c56_i64_1031] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1672 = llvm.load %1671 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c57_i64_1032 = arith.constant 57 : i64
            %1673 = llvm.getelementptr inbounds %5[%c57_i64_1032] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1674 = llvm.load %1673 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c58_i64_1033 = arith.constant 58 : i64
            %1675 = llvm.getelementptr inbounds %5[%c58_i64_1033] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1676 = llvm.load %1675 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c59_i64_1034 = arith.constant 59 : i64
            %1677 = llvm.getelementptr inbounds %5[%c59_i64_1034] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1678 = llvm.load %1677 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c60_i64_1035 = arith.constant 60 : i64
            %1679 = llvm.getelementptr inbounds %5[%c60_i64_1035] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1680 = llvm.load %1679 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c61_i64_1036 = arith.constant 61 : i64
            %1681 = llvm.getelementptr inbounds %5[%c61_i64_1036] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1682 = llvm.load %1681 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c62_i64_1037 = arith.constant 62 : i64
            %1683 = llvm.getelementptr inbounds %5[%c62_i64_1037] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1684 = llvm.load %1683 {alignment = 4 : i64} : !llvm.ptr -> f32
            %c63_i64_1038 = arith.constant 63 : i64
            %1685 = llvm.getelementptr inbounds %5[%c63_i64_1038] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            %1686 = llvm.load %1685 {alignment = 4 : i64} : !llvm.ptr -> f32
            %1687:64 = "fairlead.warpgroup_mma"(%1560, %1562, %1564, %1566, %1568, %1570, %1572, %1574, %1576, %1578, %1580, %1582, %1584, %1586, %1588, %1590, %1592, %1594, %1596, %1598, %1600, %1602, %1604, %1606, %1608, %1610, %1612, %1614, %1616, %1618, %1620, %1622, %1624, %1626, %1628, %1630, %1632, %1634, %1636, %1638, %1640, %1642, %1644, %1646, %1648, %1650, %1652, %1654, %1656, %1658, %1660, %1662, %1664, %1666, %1668, %1670, %1672, %1674, %1676, %1678, %1680, %1682, %1684, %1686, %1557, %1559, %true_967) {atom = "m64n128k16.f32.bf16.bf16", transposed = array<i32: 0, 0>} : (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i64, i64, i1) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
            llvm.store %1687#0, %5 {alignment = 4 : i64} : f32, !llvm.ptr
            %c1_i64_1039 = arith.constant 1 : i64
            %1688 = llvm.getelementptr inbounds %5[%c1_i64_1039] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#1, %1688 {alignment = 4 : i64} : f32, !llvm.ptr
            %c2_i64_1040 = arith.constant 2 : i64
            %1689 = llvm.getelementptr inbounds %5[%c2_i64_1040] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#2, %1689 {alignment = 4 : i64} : f32, !llvm.ptr
            %c3_i64_1041 = arith.constant 3 : i64
            %1690 = llvm.getelementptr inbounds %5[%c3_i64_1041] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#3, %1690 {alignment = 4 : i64} : f32, !llvm.ptr
            %c4_i64_1042 = arith.constant 4 : i64
            %1691 = llvm.getelementptr inbounds %5[%c4_i64_1042] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#4, %1691 {alignment = 4 : i64} : f32, !llvm.ptr
            %c5_i64_1043 = arith.constant 5 : i64
            %1692 = llvm.getelementptr inbounds %5[%c5_i64_1043] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#5, %1692 {alignment = 4 : i64} : f32, !llvm.ptr
            %c6_i64_1044 = arith.constant 6 : i64
            %1693 = llvm.getelementptr inbounds %5[%c6_i64_1044] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#6, %1693 {alignment = 4 : i64} : f32, !llvm.ptr
            %c7_i64_1045 = arith.constant 7 : i64
            %1694 = llvm.getelementptr inbounds %5[%c7_i64_1045] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#7, %1694 {alignment = 4 : i64} : f32, !llvm.ptr
            %c8_i64_1046 = arith.constant 8 : i64
            %1695 = llvm.getelementptr inbounds %5[%c8_i64_1046] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#8, %1695 {alignment = 4 : i64} : f32, !llvm.ptr
            %c9_i64_1047 = arith.constant 9 : i64
            %1696 = llvm.getelementptr inbounds %5[%c9_i64_1047] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#9, %1696 {alignment = 4 : i64} : f32, !llvm.ptr
            %c10_i64_1048 = arith.constant 10 : i64
            %1697 = llvm.getelementptr inbounds %5[%c10_i64_1048] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#10, %1697 {alignment = 4 : i64} : f32, !llvm.ptr
            %c11_i64_1049 = arith.constant 11 : i64
            %1698 = llvm.getelementptr inbounds %5[%c11_i64_1049] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#11, %1698 {alignment = 4 : i64} : f32, !llvm.ptr
            %c12_i64_1050 = arith.constant 12 : i64
            %1699 = llvm.getelementptr inbounds %5[%c12_i64_1050] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#12, %1699 {alignment = 4 : i64} : f32, !llvm.ptr
            %c13_i64_1051 = arith.constant 13 : i64
            %1700 = llvm.getelementptr inbounds %5[%c13_i64_1051] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#13, %1700 {alignment = 4 : i64} : f32, !llvm.ptr
            %c14_i64_1052 = arith.constant 14 : i64
            %1701 = llvm.getelementptr inbounds %5[%c14_i64_1052] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#14, %1701 {alignment = 4 : i64} : f32, !llvm.ptr
            %c15_i64_1053 = arith.constant 15 : i64
            %1702 = llvm.getelementptr inbounds %5[%c15_i64_1053] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#15, %1702 {alignment = 4 : i64} : f32, !llvm.ptr
            %c16_i64_1054 = arith.constant 16 : i64
            %1703 = llvm.getelementptr inbounds %5[%c16_i64_1054] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#16, %1703 {alignment = 4 : i64} : f32, !llvm.ptr
            %c17_i64_1055 = arith.constant 17 : i64
            %1704 = llvm.getelementptr inbounds %5[%c17_i64_1055] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#17, %1704 {alignment = 4 : i64} : f32, !llvm.ptr
            %c18_i64_1056 = arith.constant 18 : i64
            %1705 = llvm.getelementptr inbounds %5[%c18_i64_1056] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#18, %1705 {alignment = 4 : i64} : f32, !llvm.ptr
            %c19_i64_1057 = arith.constant 19 : i64
            %1706 = llvm.getelementptr inbounds %5[%c19_i64_1057] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#19, %1706 {alignment = 4 : i64} : f32, !llvm.ptr
            %c20_i64_1058 = arith.constant 20 : i64
            %1707 = llvm.getelementptr inbounds %5[%c20_i64_1058] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#20, %1707 {alignment = 4 : i64} : f32, !llvm.ptr
            %c21_i64_1059 = arith.constant 21 : i64
            %1708 = llvm.getelementptr inbounds %5[%c21_i64_1059] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#21, %1708 {alignment = 4 : i64} : f32, !llvm.ptr
            %c22_i64_1060 = arith.constant 22 : i64
            %1709 = llvm.getelementptr inbounds %5[%c22_i64_1060] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#22, %1709 {alignment = 4 : i64} : f32, !llvm.ptr
            %c23_i64_1061 = arith.constant 23 : i64
            %1710 = llvm.getelementptr inbounds %5[%c23_i64_1061] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#23, %1710 {alignment = 4 : i64} : f32, !llvm.ptr
            %c24_i64_1062 = arith.constant 24 : i64
            %1711 = llvm.getelementptr inbounds %5[%c24_i64_1062] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#24, %1711 {alignment = 4 : i64} : f32, !llvm.ptr
            %c25_i64_1063 = arith.constant 25 : i64
            %1712 = llvm.getelementptr inbounds %5[%c25_i64_1063] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#25, %1712 {alignment = 4 : i64} : f32, !llvm.ptr
            %c26_i64_1064 = arith.constant 26 : i64
            %1713 = llvm.getelementptr inbounds %5[%c26_i64_1064] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#26, %1713 {alignment = 4 : i64} : f32, !llvm.ptr
            %c27_i64_1065 = arith.constant 27 : i64
            %1714 = llvm.getelementptr inbounds %5[%c27_i64_1065] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#27, %1714 {alignment = 4 : i64} : f32, !llvm.ptr
            %c28_i64_1066 = arith.constant 28 : i64
            %1715 = llvm.getelementptr inbounds %5[%c28_i64_1066] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#28, %1715 {alignment = 4 : i64} : f32, !llvm.ptr
            %c29_i64_1067 = arith.constant 29 : i64
            %1716 = llvm.getelementptr inbounds %5[%c29_i64_1067] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#29, %1716 {alignment = 4 : i64} : f32, !llvm.ptr
            %c30_i64_1068 = arith.constant 30 : i64
            %1717 = llvm.getelementptr inbounds %5[%c30_i64_1068] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#30, %1717 {alignment = 4 : i64} : f32, !llvm.ptr
            %c31_i64_1069 = arith.constant 31 : i64
            %1718 = llvm.getelementptr inbounds %5[%c31_i64_1069] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#31, %1718 {alignment = 4 : i64} : f32, !llvm.ptr
            %c32_i64_1070 = arith.constant 32 : i64
            %1719 = llvm.getelementptr inbounds %5[%c32_i64_1070] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#32, %1719 {alignment = 4 : i64} : f32, !llvm.ptr
            %c33_i64_1071 = arith.constant 33 : i64
            %1720 = llvm.getelementptr inbounds %5[%c33_i64_1071] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#33, %1720 {alignment = 4 : i64} : f32, !llvm.ptr
            %c34_i64_1072 = arith.constant 34 : i64
            %1721 = llvm.getelementptr inbounds %5[%c34_i64_1072] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#34, %1721 {alignment = 4 : i64} : f32, !llvm.ptr
            %c35_i64_1073 = arith.constant 35 : i64
            %1722 = llvm.getelementptr inbounds %5[%c35_i64_1073] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#35, %1722 {alignment = 4 : i64} : f32, !llvm.ptr
            %c36_i64_1074 = arith.constant 36 : i64
            %1723 = llvm.getelementptr inbounds %5[%c36_i64_1074] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#36, %1723 {alignment = 4 : i64} : f32, !llvm.ptr
            %c37_i64_1075 = arith.constant 37 : i64
            %1724 = llvm.getelementptr inbounds %5[%c37_i64_1075] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#37, %1724 {alignment = 4 : i64} : f32, !llvm.ptr
            %c38_i64_1076 = arith.constant 38 : i64
            %1725 = llvm.getelementptr inbounds %5[%c38_i64_1076] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#38, %1725 {alignment = 4 : i64} : f32, !llvm.ptr
            %c39_i64_1077 = arith.constant 39 : i64
            %1726 = llvm.getelementptr inbounds %5[%c39_i64_1077] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#39, %1726 {alignment = 4 : i64} : f32, !llvm.ptr
            %c40_i64_1078 = arith.constant 40 : i64
            %1727 = llvm.getelementptr inbounds %5[%c40_i64_1078] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#40, %1727 {alignment = 4 : i64} : f32, !llvm.ptr
            %c41_i64_1079 = arith.constant 41 : i64
            %1728 = llvm.getelementptr inbounds %5[%c41_i64_1079] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#41, %1728 {alignment = 4 : i64} : f32, !llvm.ptr
            %c42_i64_1080 = arith.constant 42 : i64
            %1729 = llvm.getelementptr inbounds %5[%c42_i64_1080] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#42, %1729 {alignment = 4 : i64} : f32, !llvm.ptr
            %c43_i64_1081 = arith.constant 43 : i64
            %1730 = llvm.getelementptr inbounds %5[%c43_i64_1081] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#43, %1730 {alignment = 4 : i64} : f32, !llvm.ptr
            %c44_i64_1082 = arith.constant 44 : i64
            %1731 = llvm.getelementptr inbounds %5[%c44_i64_1082] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#44, %1731 {alignment = 4 : i64} : f32, !llvm.ptr
            %c45_i64_1083 = arith.constant 45 : i64
            %1732 = llvm.getelementptr inbounds %5[%c45_i64_1083] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#45, %1732 {alignment = 4 : i64} : f32, !llvm.ptr
            %c46_i64_1084 = arith.constant 46 : i64
            %1733 = llvm.getelementptr inbounds %5[%c46_i64_1084] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#46, %1733 {alignment = 4 : i64} : f32, !llvm.ptr
            %c47_i64_1085 = arith.constant 47 : i64
            %1734 = llvm.getelementptr inbounds %5[%c47_i64_1085] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#47, %1734 {alignment = 4 : i64} : f32, !llvm.ptr
            %c48_i64_1086 = arith.constant 48 : i64
            %1735 = llvm.getelementptr inbounds %5[%c48_i64_1086] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#48, %1735 {alignment = 4 : i64} : f32, !llvm.ptr
            %c49_i64_1087 = arith.constant 49 : i64
            %1736 = llvm.getelementptr inbounds %5[%c49_i64_1087] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#49, %1736 {alignment = 4 : i64} : f32, !llvm.ptr
            %c50_i64_1088 = arith.constant 50 : i64
            %1737 = llvm.getelementptr inbounds %5[%c50_i64_1088] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#50, %1737 {alignment = 4 : i64} : f32, !llvm.ptr
            %c51_i64_1089 = arith.constant 51 : i64
            %1738 = llvm.getelementptr inbounds %5[%c51_i64_1089] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#51, %1738 {alignment = 4 : i64} : f32, !llvm.ptr
            %c52_i64_1090 = arith.constant 52 : i64
            %1739 = llvm.getelementptr inbounds %5[%c52_i64_1090] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#52, %1739 {alignment = 4 : i64} : f32, !llvm.ptr
            %c53_i64_1091 = arith.constant 53 : i64
            %1740 = llvm.getelementptr inbounds %5[%c53_i64_1091] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#53, %1740 {alignment = 4 : i64} : f32, !llvm.ptr
            %c54_i64_1092 = arith.constant 54 : i64
            %1741 = llvm.getelementptr inbounds %5[%c54_i64_1092] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#54, %1741 {alignment = 4 : i64} : f32, !llvm.ptr
            %c55_i64_1093 = arith.constant 55 : i64
            %1742 = llvm.getelementptr inbounds %5[%c55_i64_1093] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#55, %1742 {alignment = 4 : i64} : f32, !llvm.ptr
            %c56_i64_1094 = arith.constant 56 : i64
            %1743 = llvm.getelementptr inbounds %5[%c56_i64_1094] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#56, %1743 {alignment = 4 : i64} : f32, !llvm.ptr
            %c57_i64_1095 = arith.constant 57 : i64
            %1744 = llvm.getelementptr inbounds %5[%c57_i64_1095] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#57, %1744 {alignment = 4 : i64} : f32, !llvm.ptr
            %c58_i64_1096 = arith.constant 58 : i64
            %1745 = llvm.getelementptr inbounds %5[%c58_i64_1096] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#58, %1745 {alignment = 4 : i64} : f32, !llvm.ptr
            %c59_i64_1097 = arith.constant 59 : i64
            %1746 = llvm.getelementptr inbounds %5[%c59_i64_1097] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#59, %1746 {alignment = 4 : i64} : f32, !llvm.ptr
            %c60_i64_1098 = arith.constant 60 : i64
            %1747 = llvm.getelementptr inbounds %5[%c60_i64_1098] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#60, %1747 {alignment = 4 : i64} : f32, !llvm.ptr
            %c61_i64_1099 = arith.constant 61 : i64
            %1748 = llvm.getelementptr inbounds %5[%c61_i64_1099] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#61, %1748 {alignment = 4 : i64} : f32, !llvm.ptr
            %c62_i64_1100 = arith.constant 62 : i64
            %1749 = llvm.getelementptr inbounds %5[%c62_i64_1100] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#62, %1749 {alignment = 4 : i64} : f32, !llvm.ptr
            %c63_i64_1101 = arith.constant 63 : i64
            %1750 = llvm.getelementptr inbounds %5[%c63_i64_1101] : (!llvm.ptr, i64) -> !llvm.ptr, f32
            llvm.store %1687#63, %1750 {alignment = 4 : i64} : f32, !llvm.ptr
            %true_1102 = arith.constant true
            "fairlead.order"() {ptx = "wgmma.commit_group.sync.aligned;"} : () -> ()
            %false_1103 = arith.constant false
            "fairlead.order"() {ptx = "wgmma.wait_group.sync.aligned 1;"} : () -> ()
            %1751 = arith.extsi %arg62 : i32 to i64
            %1752 = llvm.getelementptr inbounds %20[%1751] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
            scf.if %54 {
              %c1_i32_1116 = arith.constant 1 : i32
              "fairlead.mbarrier"(%1752, %c1_i32_1116) {what = "arrive_read"} : (!llvm.ptr<3>, i32) -> ()
            } else {
            }
            %c1_i32_1104 = arith.constant 1 : i32
            %1753 = arith.addi %arg58, %c1_i32_1104 : i32
            %c1_i32_1105 = arith.constant 1 : i32
            %1754 = arith.addi %arg59, %c1_i32_1105 : i32
            %c6_i32_1106 = arith.constant 6 : i32
            %1755 = arith.cmpi eq, %1754, %c6_i32_1106 : i32
            %c0_i32_1107 = arith.constant 0 : i32
            %1756 = arith.select %1755, %c0_i32_1107, %1754 : i32
            %c1_i32_1108 = arith.constant 1 : i32
            %1757 = arith.xori %arg60, %c1_i32_1108 : i32
            %1758 = arith.select %1755, %1757, %arg60 : i32
            %c1_i32_1109 = arith.constant 1 : i32
            %1759 = arith.addi %arg61, %c1_i32_1109 : i32
            %c1_i32_1110 = arith.constant 1 : i32
            %1760 = arith.addi %arg62, %c1_i32_1110 : i32
            %c6_i32_1111 = arith.constant 6 : i32
            %1761 = arith.cmpi eq, %1760, %c6_i32_1111 : i32
            %c0_i32_1112 = arith.constant 0 : i32
            %1762 = arith.select %1761, %c0_i32_1112, %1760 : i32
            %c1_i32_1113 = arith.constant 1 : i32
            %1763 = arith.xori %arg63, %c1_i32_1113 : i32
            %1764 = arith.select %1761, %1763, %arg63 : i32
            %true_1114 = arith.constant true
            %c1_i32_1115 = arith.constant 1 : i32
            %1765 = arith.addi %arg55, %c1_i32_1115 : i32
            %1766 = arith.cmpi slt, %1765, %129 : i32
            %1767:4 = scf.if %1766 -> (i1, i32, i32, i32) {
              %1768 = arith.extsi %1756 : i32 to i64
              %1769 = llvm.getelementptr inbounds %19[%1768] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
              %1770 = "fairlead.mbarrier"(%1769, %1758) {what = "try_wait"} : (!llvm.ptr<3>, i32) -> i1
              scf.yield %1770, %1753, %1756, %1758 : i1, i32, i32, i32
            } else {
              scf.yield %true_1114, %1753, %1756, %1758 : i1, i32, i32, i32
            }
            scf.yield %1767#0, %false_1103, %1767#1, %1767#2, %1767#3, %1759, %1762, %1764, %arg64 : i1, i1, i32, i32, i32, i32, i32, i32, i1
          } {llvm.loop_annotation = #loop_annotation}
          "fairlead.order"() {ptx = "wgmma.wait_group.sync.aligned 0;"} : () -> ()
          %c1_i32_98 = arith.constant 1 : i32
          %c0_i32_99 = arith.constant 0 : i32
          %137:3 = scf.for %arg55 = %c0_i32_99 to %130 step %c1_i32_98 iter_args(%arg56 = %136#5, %arg57 = %136#6, %arg58 = %136#7) -> (i32, i32, i32)  : i32 {
            %959 = arith.extsi %arg57 : i32 to i64
            %960 = llvm.getelementptr inbounds %20[%959] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
            scf.if %54 {
              %c1_i32_612 = arith.constant 1 : i32
              "fairlead.mbarrier"(%960, %c1_i32_612) {what = "arrive_read"} : (!llvm.ptr<3>, i32) -> ()
            } else {
            }
            %c1_i32_607 = arith.constant 1 : i32
            %961 = arith.addi %arg56, %c1_i32_607 : i32
            %c1_i32_608 = arith.constant 1 : i32
            %962 = arith.addi %arg57, %c1_i32_608 : i32
            %c6_i32_609 = arith.constant 6 : i32
            %963 = arith.cmpi eq, %962, %c6_i32_609 : i32
            %c0_i32_610 = arith.constant 0 : i32
            %964 = arith.select %963, %c0_i32_610, %962 : i32
            %c1_i32_611 = arith.constant 1 : i32
            %965 = arith.xori %arg58, %c1_i32_611 : i32
            %966 = arith.select %963, %965, %arg58 : i32
            scf.yield %961, %964, %966 : i32, i32, i32
          } {llvm.loop_annotation = #loop_annotation}
          %c127_i32 = arith.constant 127 : i32
          %138 = arith.addi %arg1, %c127_i32 : i32
          %c128_i32_100 = arith.constant 128 : i32
          %139 = arith.divsi %138, %c128_i32_100 : i32
          %c127_i32_101 = arith.constant 127 : i32
          %140 = arith.addi %arg5, %c127_i32_101 : i32
          %c128_i32_102 = arith.constant 128 : i32
          %141 = arith.divsi %140, %c128_i32_102 : i32
          %c128_i32_103 = arith.constant 128 : i32
          %142 = arith.muli %arg25, %c128_i32_103 : i32
          %c128_i32_104 = arith.constant 128 : i32
          %143 = arith.muli %arg26, %c128_i32_104 : i32
          %c8_i32_105 = arith.constant 8 : i32
          %144 = arith.remsi %91, %c8_i32_105 : i32
          %c8_i32_106 = arith.constant 8 : i32
          %145 = arith.divsi %91, %c8_i32_106 : i32
          %c2_i32_107 = arith.constant 2 : i32
          %146 = arith.remsi %145, %c2_i32_107 : i32
          %c2_i32_108 = arith.constant 2 : i32
          %147 = arith.divsi %145, %c2_i32_108 : i32
          %c2_i32_109 = arith.constant 2 : i32
          %148 = arith.remsi %147, %c2_i32_109 : i32
          %c2_i32_110 = arith.constant 2 : i32
          %149 = arith.divsi %147, %c2_i32_110 : i32
          %c32_i32_111 = arith.constant 32 : i32
          %c32_i64 = arith.constant 32 : i64
          %150 = arith.extsi %144 : i32 to i64
          %151 = arith.muli %150, %c32_i64 : i64
          %c256_i32 = arith.constant 256 : i32
          %c256_i64 = arith.constant 256 : i64
          %152 = arith.extsi %146 : i32 to i64
          %153 = arith.muli %152, %c256_i64 : i64
          %154 = arith.addi %151, %153 : i64
          %c8_i32_112 = arith.constant 8 : i32
          %c8_i64 = arith.constant 8 : i64
          %155 = arith.extsi %148 : i32 to i64
          %156 = arith.muli %155, %c8_i64 : i64
          %157 = arith.addi %154, %156 : i64
          %c512_i32 = arith.constant 512 : i32
          %c512_i64 = arith.constant 512 : i64
          %158 = arith.extsi %149 : i32 to i64
          %159 = arith.muli %158, %c512_i64 : i64
          %160 = arith.addi %157, %159 : i64
          %161 = llvm.getelementptr inbounds %82[%160] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %c4_i32_113 = arith.constant 4 : i32
          %162 = arith.remsi %91, %c4_i32_113 : i32
          %c4_i32_114 = arith.constant 4 : i32
          %163 = arith.divsi %91, %c4_i32_114 : i32
          %c8_i32_115 = arith.constant 8 : i32
          %164 = arith.remsi %163, %c8_i32_115 : i32
          %c8_i32_116 = arith.constant 8 : i32
          %165 = arith.divsi %163, %c8_i32_116 : i32
          %c2_i32_117 = arith.constant 2 : i32
          %166 = arith.muli %162, %c2_i32_117 : i32
          %c16_i32_118 = arith.constant 16 : i32
          %167 = arith.muli %165, %c16_i32_118 : i32
          %168 = arith.addi %164, %167 : i32
          %c4_i32_119 = arith.constant 4 : i32
          %169 = arith.muli %arg30, %c4_i32_119 : i32
          %170 = llvm.load %5 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_120 = arith.constant 1 : i64
          %171 = llvm.getelementptr inbounds %5[%c1_i64_120] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %172 = llvm.load %171 : !llvm.ptr -> f32
          %c2_i64 = arith.constant 2 : i64
          %173 = llvm.getelementptr inbounds %5[%c2_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %174 = llvm.load %173 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64 = arith.constant 3 : i64
          %175 = llvm.getelementptr inbounds %5[%c3_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %176 = llvm.load %175 : !llvm.ptr -> f32
          %c4_i64 = arith.constant 4 : i64
          %177 = llvm.getelementptr inbounds %5[%c4_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %178 = llvm.load %177 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64 = arith.constant 5 : i64
          %179 = llvm.getelementptr inbounds %5[%c5_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %180 = llvm.load %179 : !llvm.ptr -> f32
          %c6_i64_121 = arith.constant 6 : i64
          %181 = llvm.getelementptr inbounds %5[%c6_i64_121] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %182 = llvm.load %181 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64 = arith.constant 7 : i64
          %183 = llvm.getelementptr inbounds %5[%c7_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %184 = llvm.load %183 : !llvm.ptr -> f32
          %c8_i64_122 = arith.constant 8 : i64
          %185 = llvm.getelementptr inbounds %5[%c8_i64_122] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %186 = llvm.load %185 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64 = arith.constant 9 : i64
          %187 = llvm.getelementptr inbounds %5[%c9_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %188 = llvm.load %187 : !llvm.ptr -> f32
          %c10_i64 = arith.constant 10 : i64
          %189 = llvm.getelementptr inbounds %5[%c10_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %190 = llvm.load %189 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64 = arith.constant 11 : i64
          %191 = llvm.getelementptr inbounds %5[%c11_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %192 = llvm.load %191 : !llvm.ptr -> f32
          %c12_i64 = arith.constant 12 : i64
          %193 = llvm.getelementptr inbounds %5[%c12_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %194 = llvm.load %193 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64 = arith.constant 13 : i64
          %195 = llvm.getelementptr inbounds %5[%c13_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %196 = llvm.load %195 : !llvm.ptr -> f32
          %c14_i64 = arith.constant 14 : i64
          %197 = llvm.getelementptr inbounds %5[%c14_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %198 = llvm.load %197 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64 = arith.constant 15 : i64
          %199 = llvm.getelementptr inbounds %5[%c15_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %200 = llvm.load %199 : !llvm.ptr -> f32
          llvm.store %170, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_123 = arith.constant 1 : i64
          %201 = llvm.getelementptr inbounds %4[%c1_i64_123] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %172, %201 : f32, !llvm.ptr
          %c2_i64_124 = arith.constant 2 : i64
          %202 = llvm.getelementptr inbounds %4[%c2_i64_124] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %174, %202 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_125 = arith.constant 3 : i64
          %203 = llvm.getelementptr inbounds %4[%c3_i64_125] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %176, %203 : f32, !llvm.ptr
          %c4_i64_126 = arith.constant 4 : i64
          %204 = llvm.getelementptr inbounds %4[%c4_i64_126] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %178, %204 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_127 = arith.constant 5 : i64
          %205 = llvm.getelementptr inbounds %4[%c5_i64_127] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %180, %205 : f32, !llvm.ptr
          %c6_i64_128 = arith.constant 6 : i64
          %206 = llvm.getelementptr inbounds %4[%c6_i64_128] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %182, %206 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_129 = arith.constant 7 : i64
          %207 = llvm.getelementptr inbounds %4[%c7_i64_129] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %184, %207 : f32, !llvm.ptr
          %c8_i64_130 = arith.constant 8 : i64
          %208 = llvm.getelementptr inbounds %4[%c8_i64_130] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %186, %208 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_131 = arith.constant 9 : i64
          %209 = llvm.getelementptr inbounds %4[%c9_i64_131] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %188, %209 : f32, !llvm.ptr
          %c10_i64_132 = arith.constant 10 : i64
          %210 = llvm.getelementptr inbounds %4[%c10_i64_132] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %190, %210 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_133 = arith.constant 11 : i64
          %211 = llvm.getelementptr inbounds %4[%c11_i64_133] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %192, %211 : f32, !llvm.ptr
          %c12_i64_134 = arith.constant 12 : i64
          %212 = llvm.getelementptr inbounds %4[%c12_i64_134] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %194, %212 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_135 = arith.constant 13 : i64
          %213 = llvm.getelementptr inbounds %4[%c13_i64_135] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %196, %213 : f32, !llvm.ptr
          %c14_i64_136 = arith.constant 14 : i64
          %214 = llvm.getelementptr inbounds %4[%c14_i64_136] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %198, %214 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_137 = arith.constant 15 : i64
          %215 = llvm.getelementptr inbounds %4[%c15_i64_137] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %200, %215 : f32, !llvm.ptr
          %216 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_138 = arith.constant 1 : i64
          %217 = llvm.getelementptr inbounds %4[%c1_i64_138] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %218 = llvm.load %217 : !llvm.ptr -> f32
          %c2_i64_139 = arith.constant 2 : i64
          %219 = llvm.getelementptr inbounds %4[%c2_i64_139] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %220 = llvm.load %219 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_140 = arith.constant 3 : i64
          %221 = llvm.getelementptr inbounds %4[%c3_i64_140] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %222 = llvm.load %221 : !llvm.ptr -> f32
          %c4_i64_141 = arith.constant 4 : i64
          %223 = llvm.getelementptr inbounds %4[%c4_i64_141] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %224 = llvm.load %223 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_142 = arith.constant 5 : i64
          %225 = llvm.getelementptr inbounds %4[%c5_i64_142] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %226 = llvm.load %225 : !llvm.ptr -> f32
          %c6_i64_143 = arith.constant 6 : i64
          %227 = llvm.getelementptr inbounds %4[%c6_i64_143] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %228 = llvm.load %227 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_144 = arith.constant 7 : i64
          %229 = llvm.getelementptr inbounds %4[%c7_i64_144] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %230 = llvm.load %229 : !llvm.ptr -> f32
          %c8_i64_145 = arith.constant 8 : i64
          %231 = llvm.getelementptr inbounds %4[%c8_i64_145] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %232 = llvm.load %231 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_146 = arith.constant 9 : i64
          %233 = llvm.getelementptr inbounds %4[%c9_i64_146] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %234 = llvm.load %233 : !llvm.ptr -> f32
          %c10_i64_147 = arith.constant 10 : i64
          %235 = llvm.getelementptr inbounds %4[%c10_i64_147] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %236 = llvm.load %235 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_148 = arith.constant 11 : i64
          %237 = llvm.getelementptr inbounds %4[%c11_i64_148] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %238 = llvm.load %237 : !llvm.ptr -> f32
          %c12_i64_149 = arith.constant 12 : i64
          %239 = llvm.getelementptr inbounds %4[%c12_i64_149] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %240 = llvm.load %239 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_150 = arith.constant 13 : i64
          %241 = llvm.getelementptr inbounds %4[%c13_i64_150] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %242 = llvm.load %241 : !llvm.ptr -> f32
          %c14_i64_151 = arith.constant 14 : i64
          %243 = llvm.getelementptr inbounds %4[%c14_i64_151] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %244 = llvm.load %243 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_152 = arith.constant 15 : i64
          %245 = llvm.getelementptr inbounds %4[%c15_i64_152] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %246 = llvm.load %245 : !llvm.ptr -> f32
          llvm.store %216, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_153 = arith.constant 1 : i64
          %247 = llvm.getelementptr inbounds %4[%c1_i64_153] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %218, %247 : f32, !llvm.ptr
          %c2_i64_154 = arith.constant 2 : i64
          %248 = llvm.getelementptr inbounds %4[%c2_i64_154] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %220, %248 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_155 = arith.constant 3 : i64
          %249 = llvm.getelementptr inbounds %4[%c3_i64_155] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %222, %249 : f32, !llvm.ptr
          %c4_i64_156 = arith.constant 4 : i64
          %250 = llvm.getelementptr inbounds %4[%c4_i64_156] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %224, %250 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_157 = arith.constant 5 : i64
          %251 = llvm.getelementptr inbounds %4[%c5_i64_157] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %226, %251 : f32, !llvm.ptr
          %c6_i64_158 = arith.constant 6 : i64
          %252 = llvm.getelementptr inbounds %4[%c6_i64_158] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %228, %252 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_159 = arith.constant 7 : i64
          %253 = llvm.getelementptr inbounds %4[%c7_i64_159] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %230, %253 : f32, !llvm.ptr
          %c8_i64_160 = arith.constant 8 : i64
          %254 = llvm.getelementptr inbounds %4[%c8_i64_160] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %232, %254 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_161 = arith.constant 9 : i64
          %255 = llvm.getelementptr inbounds %4[%c9_i64_161] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %234, %255 : f32, !llvm.ptr
          %c10_i64_162 = arith.constant 10 : i64
          %256 = llvm.getelementptr inbounds %4[%c10_i64_162] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %236, %256 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_163 = arith.constant 11 : i64
          %257 = llvm.getelementptr inbounds %4[%c11_i64_163] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %238, %257 : f32, !llvm.ptr
          %c12_i64_164 = arith.constant 12 : i64
          %258 = llvm.getelementptr inbounds %4[%c12_i64_164] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %240, %258 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_165 = arith.constant 13 : i64
          %259 = llvm.getelementptr inbounds %4[%c13_i64_165] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %242, %259 : f32, !llvm.ptr
          %c14_i64_166 = arith.constant 14 : i64
          %260 = llvm.getelementptr inbounds %4[%c14_i64_166] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %244, %260 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_167 = arith.constant 15 : i64
          %261 = llvm.getelementptr inbounds %4[%c15_i64_167] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %246, %261 : f32, !llvm.ptr
          scf.if %90 {
            "fairlead.order"() {ptx = "cp.async.bulk.wait_group.read 3;"} : () -> ()
          } else {
          }
          %c256_i32_168 = arith.constant 256 : i32
          %c1_i32_169 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_169 number_of_threads = %c256_i32_168
          %c0_i32_170 = arith.constant 0 : i32
          %c4_i32_171 = arith.constant 4 : i32
          %c3_i32 = arith.constant 3 : i32
          %262 = arith.andi %169, %c3_i32 : i32
          %c4096_i32_172 = arith.constant 4096 : i32
          %c4096_i64_173 = arith.constant 4096 : i64
          %263 = arith.extsi %262 : i32 to i64
          %264 = arith.muli %263, %c4096_i64_173 : i64
          %265 = llvm.getelementptr inbounds %161[%264] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %266 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_174 = arith.constant 1 : i64
          %267 = llvm.getelementptr inbounds %4[%c1_i64_174] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %268 = llvm.load %267 : !llvm.ptr -> f32
          %c2_i64_175 = arith.constant 2 : i64
          %269 = llvm.getelementptr inbounds %4[%c2_i64_175] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %270 = llvm.load %269 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_176 = arith.constant 3 : i64
          %271 = llvm.getelementptr inbounds %4[%c3_i64_176] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %272 = llvm.load %271 : !llvm.ptr -> f32
          %c4_i64_177 = arith.constant 4 : i64
          %273 = llvm.getelementptr inbounds %4[%c4_i64_177] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %274 = llvm.load %273 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_178 = arith.constant 5 : i64
          %275 = llvm.getelementptr inbounds %4[%c5_i64_178] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %276 = llvm.load %275 : !llvm.ptr -> f32
          %c6_i64_179 = arith.constant 6 : i64
          %277 = llvm.getelementptr inbounds %4[%c6_i64_179] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %278 = llvm.load %277 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_180 = arith.constant 7 : i64
          %279 = llvm.getelementptr inbounds %4[%c7_i64_180] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %280 = llvm.load %279 : !llvm.ptr -> f32
          %c8_i64_181 = arith.constant 8 : i64
          %281 = llvm.getelementptr inbounds %4[%c8_i64_181] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %282 = llvm.load %281 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_182 = arith.constant 9 : i64
          %283 = llvm.getelementptr inbounds %4[%c9_i64_182] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %284 = llvm.load %283 : !llvm.ptr -> f32
          %c10_i64_183 = arith.constant 10 : i64
          %285 = llvm.getelementptr inbounds %4[%c10_i64_183] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %286 = llvm.load %285 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_184 = arith.constant 11 : i64
          %287 = llvm.getelementptr inbounds %4[%c11_i64_184] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %288 = llvm.load %287 : !llvm.ptr -> f32
          %c12_i64_185 = arith.constant 12 : i64
          %289 = llvm.getelementptr inbounds %4[%c12_i64_185] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %290 = llvm.load %289 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_186 = arith.constant 13 : i64
          %291 = llvm.getelementptr inbounds %4[%c13_i64_186] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %292 = llvm.load %291 : !llvm.ptr -> f32
          %c14_i64_187 = arith.constant 14 : i64
          %293 = llvm.getelementptr inbounds %4[%c14_i64_187] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %294 = llvm.load %293 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_188 = arith.constant 15 : i64
          %295 = llvm.getelementptr inbounds %4[%c15_i64_188] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %296 = llvm.load %295 : !llvm.ptr -> f32
          %297 = arith.truncf %266 : f32 to bf16
          %298 = arith.truncf %268 : f32 to bf16
          %299 = arith.truncf %270 : f32 to bf16
          %300 = arith.truncf %272 : f32 to bf16
          %301 = arith.truncf %274 : f32 to bf16
          %302 = arith.truncf %276 : f32 to bf16
          %303 = arith.truncf %278 : f32 to bf16
          %304 = arith.truncf %280 : f32 to bf16
          %305 = arith.truncf %282 : f32 to bf16
          %306 = arith.truncf %284 : f32 to bf16
          %307 = arith.truncf %286 : f32 to bf16
          %308 = arith.truncf %288 : f32 to bf16
          %309 = arith.truncf %290 : f32 to bf16
          %310 = arith.truncf %292 : f32 to bf16
          %311 = arith.truncf %294 : f32 to bf16
          %312 = arith.truncf %296 : f32 to bf16
          llvm.store %297, %3 {alignment = 32 : i64} : bf16, !llvm.ptr
          %c1_i64_189 = arith.constant 1 : i64
          %313 = llvm.getelementptr inbounds %3[%c1_i64_189] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %298, %313 : bf16, !llvm.ptr
          %c2_i64_190 = arith.constant 2 : i64
          %314 = llvm.getelementptr inbounds %3[%c2_i64_190] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %299, %314 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c3_i64_191 = arith.constant 3 : i64
          %315 = llvm.getelementptr inbounds %3[%c3_i64_191] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %300, %315 : bf16, !llvm.ptr
          %c4_i64_192 = arith.constant 4 : i64
          %316 = llvm.getelementptr inbounds %3[%c4_i64_192] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %301, %316 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c5_i64_193 = arith.constant 5 : i64
          %317 = llvm.getelementptr inbounds %3[%c5_i64_193] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %302, %317 : bf16, !llvm.ptr
          %c6_i64_194 = arith.constant 6 : i64
          %318 = llvm.getelementptr inbounds %3[%c6_i64_194] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %303, %318 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c7_i64_195 = arith.constant 7 : i64
          %319 = llvm.getelementptr inbounds %3[%c7_i64_195] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %304, %319 : bf16, !llvm.ptr
          %c8_i64_196 = arith.constant 8 : i64
          %320 = llvm.getelementptr inbounds %3[%c8_i64_196] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %305, %320 {alignment = 16 : i64} : bf16, !llvm.ptr
          %c9_i64_197 = arith.constant 9 : i64
          %321 = llvm.getelementptr inbounds %3[%c9_i64_197] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %306, %321 : bf16, !llvm.ptr
          %c10_i64_198 = arith.constant 10 : i64
          %322 = llvm.getelementptr inbounds %3[%c10_i64_198] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %307, %322 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c11_i64_199 = arith.constant 11 : i64
          %323 = llvm.getelementptr inbounds %3[%c11_i64_199] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %308, %323 : bf16, !llvm.ptr
          %c12_i64_200 = arith.constant 12 : i64
          %324 = llvm.getelementptr inbounds %3[%c12_i64_200] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %309, %324 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c13_i64_201 = arith.constant 13 : i64
          %325 = llvm.getelementptr inbounds %3[%c13_i64_201] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %310, %325 : bf16, !llvm.ptr
          %c14_i64_202 = arith.constant 14 : i64
          %326 = llvm.getelementptr inbounds %3[%c14_i64_202] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %311, %326 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c15_i64_203 = arith.constant 15 : i64
          %327 = llvm.getelementptr inbounds %3[%c15_i64_203] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %312, %327 : bf16, !llvm.ptr
          %328 = llvm.ptrtoint %265 : !llvm.ptr<3> to i64
          %c384_i32 = arith.constant 384 : i32
          %c384_i64 = arith.constant 384 : i64
          %329 = arith.andi %328, %c384_i64 : i64
          %c3_i32_204 = arith.constant 3 : i32
          %c3_i64_205 = arith.constant 3 : i64
          %c63_i64 = arith.constant 63 : i64
          %c3_i64_206 = arith.constant 3 : i64
          %330 = arith.shrsi %329, %c3_i64_206 : i64
          %331 = arith.xori %328, %330 : i64
          %332 = arith.subi %331, %328 : i64
          %333 = llvm.getelementptr %265[%332] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %334 = llvm.ptrtoint %333 : !llvm.ptr<3> to i64
          %335 = llvm.load %3 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c2_i64_207 = arith.constant 2 : i64
          %336 = llvm.getelementptr inbounds %3[%c2_i64_207] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %337 = llvm.load %336 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c4_i64_208 = arith.constant 4 : i64
          %338 = llvm.getelementptr inbounds %3[%c4_i64_208] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %339 = llvm.load %338 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c6_i64_209 = arith.constant 6 : i64
          %340 = llvm.getelementptr inbounds %3[%c6_i64_209] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %341 = llvm.load %340 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%334, %335, %337, %339, %341) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          %c16_i64 = arith.constant 16 : i64
          %342 = llvm.getelementptr inbounds %265[%c16_i64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %343 = llvm.ptrtoint %342 : !llvm.ptr<3> to i64
          %c384_i32_210 = arith.constant 384 : i32
          %c384_i64_211 = arith.constant 384 : i64
          %344 = arith.andi %343, %c384_i64_211 : i64
          %c3_i32_212 = arith.constant 3 : i32
          %c3_i64_213 = arith.constant 3 : i64
          %c63_i64_214 = arith.constant 63 : i64
          %c3_i64_215 = arith.constant 3 : i64
          %345 = arith.shrsi %344, %c3_i64_215 : i64
          %346 = arith.xori %343, %345 : i64
          %347 = arith.subi %346, %343 : i64
          %348 = llvm.getelementptr %342[%347] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %349 = llvm.ptrtoint %348 : !llvm.ptr<3> to i64
          %c8_i64_216 = arith.constant 8 : i64
          %350 = llvm.getelementptr inbounds %3[%c8_i64_216] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %351 = llvm.load %350 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c10_i64_217 = arith.constant 10 : i64
          %352 = llvm.getelementptr inbounds %3[%c10_i64_217] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %353 = llvm.load %352 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c12_i64_218 = arith.constant 12 : i64
          %354 = llvm.getelementptr inbounds %3[%c12_i64_218] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %355 = llvm.load %354 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c14_i64_219 = arith.constant 14 : i64
          %356 = llvm.getelementptr inbounds %3[%c14_i64_219] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %357 = llvm.load %356 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%349, %351, %353, %355, %357) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          "fairlead.order"() {ptx = "fence.proxy.async.shared::cta;"} : () -> ()
          %c256_i32_220 = arith.constant 256 : i32
          %c1_i32_221 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_221 number_of_threads = %c256_i32_220
          scf.if %90 {
            %c4096_i32_607 = arith.constant 4096 : i32
            %c4096_i64_608 = arith.constant 4096 : i64
            %959 = arith.extsi %262 : i32 to i64
            %960 = arith.muli %959, %c4096_i64_608 : i64
            %961 = llvm.getelementptr inbounds %82[%960] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
            "fairlead.tensor_copy"(%arg6, %961, %143, %142, %arg27) {kind = "store"} : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32) -> ()
            "fairlead.order"() {ptx = "cp.async.bulk.commit_group;"} : () -> ()
          } else {
          }
          %c16_i64_222 = arith.constant 16 : i64
          %358 = llvm.getelementptr inbounds %5[%c16_i64_222] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %359 = llvm.load %358 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_223 = arith.constant 1 : i64
          %360 = llvm.getelementptr inbounds %358[%c1_i64_223] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %361 = llvm.load %360 : !llvm.ptr -> f32
          %c2_i64_224 = arith.constant 2 : i64
          %362 = llvm.getelementptr inbounds %358[%c2_i64_224] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %363 = llvm.load %362 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_225 = arith.constant 3 : i64
          %364 = llvm.getelementptr inbounds %358[%c3_i64_225] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %365 = llvm.load %364 : !llvm.ptr -> f32
          %c4_i64_226 = arith.constant 4 : i64
          %366 = llvm.getelementptr inbounds %358[%c4_i64_226] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %367 = llvm.load %366 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_227 = arith.constant 5 : i64
          %368 = llvm.getelementptr inbounds %358[%c5_i64_227] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %369 = llvm.load %368 : !llvm.ptr -> f32
          %c6_i64_228 = arith.constant 6 : i64
          %370 = llvm.getelementptr inbounds %358[%c6_i64_228] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %371 = llvm.load %370 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_229 = arith.constant 7 : i64
          %372 = llvm.getelementptr inbounds %358[%c7_i64_229] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %373 = llvm.load %372 : !llvm.ptr -> f32
          %c8_i64_230 = arith.constant 8 : i64
          %374 = llvm.getelementptr inbounds %358[%c8_i64_230] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %375 = llvm.load %374 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_231 = arith.constant 9 : i64
          %376 = llvm.getelementptr inbounds %358[%c9_i64_231] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %377 = llvm.load %376 : !llvm.ptr -> f32
          %c10_i64_232 = arith.constant 10 : i64
          %378 = llvm.getelementptr inbounds %358[%c10_i64_232] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %379 = llvm.load %378 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_233 = arith.constant 11 : i64
          %380 = llvm.getelementptr inbounds %358[%c11_i64_233] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %381 = llvm.load %380 : !llvm.ptr -> f32
          %c12_i64_234 = arith.constant 12 : i64
          %382 = llvm.getelementptr inbounds %358[%c12_i64_234] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %383 = llvm.load %382 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_235 = arith.constant 13 : i64
          %384 = llvm.getelementptr inbounds %358[%c13_i64_235] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %385 = llvm.load %384 : !llvm.ptr -> f32
          %c14_i64_236 = arith.constant 14 : i64
          %386 = llvm.getelementptr inbounds %358[%c14_i64_236] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %387 = llvm.load %386 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_237 = arith.constant 15 : i64
          %388 = llvm.getelementptr inbounds %358[%c15_i64_237] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %389 = llvm.load %388 : !llvm.ptr -> f32
          llvm.store %359, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_238 = arith.constant 1 : i64
          %390 = llvm.getelementptr inbounds %4[%c1_i64_238] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %361, %390 : f32, !llvm.ptr
          %c2_i64_239 = arith.constant 2 : i64
          %391 = llvm.getelementptr inbounds %4[%c2_i64_239] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %363, %391 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_240 = arith.constant 3 : i64
          %392 = llvm.getelementptr inbounds %4[%c3_i64_240] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %365, %392 : f32, !llvm.ptr
          %c4_i64_241 = arith.constant 4 : i64
          %393 = llvm.getelementptr inbounds %4[%c4_i64_241] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %367, %393 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_242 = arith.constant 5 : i64
          %394 = llvm.getelementptr inbounds %4[%c5_i64_242] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %369, %394 : f32, !llvm.ptr
          %c6_i64_243 = arith.constant 6 : i64
          %395 = llvm.getelementptr inbounds %4[%c6_i64_243] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %371, %395 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_244 = arith.constant 7 : i64
          %396 = llvm.getelementptr inbounds %4[%c7_i64_244] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %373, %396 : f32, !llvm.ptr
          %c8_i64_245 = arith.constant 8 : i64
          %397 = llvm.getelementptr inbounds %4[%c8_i64_245] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %375, %397 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_246 = arith.constant 9 : i64
          %398 = llvm.getelementptr inbounds %4[%c9_i64_246] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %377, %398 : f32, !llvm.ptr
          %c10_i64_247 = arith.constant 10 : i64
          %399 = llvm.getelementptr inbounds %4[%c10_i64_247] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %379, %399 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_248 = arith.constant 11 : i64
          %400 = llvm.getelementptr inbounds %4[%c11_i64_248] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %381, %400 : f32, !llvm.ptr
          %c12_i64_249 = arith.constant 12 : i64
          %401 = llvm.getelementptr inbounds %4[%c12_i64_249] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %383, %401 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_250 = arith.constant 13 : i64
          %402 = llvm.getelementptr inbounds %4[%c13_i64_250] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %385, %402 : f32, !llvm.ptr
          %c14_i64_251 = arith.constant 14 : i64
          %403 = llvm.getelementptr inbounds %4[%c14_i64_251] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %387, %403 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_252 = arith.constant 15 : i64
          %404 = llvm.getelementptr inbounds %4[%c15_i64_252] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %389, %404 : f32, !llvm.ptr
          %405 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_253 = arith.constant 1 : i64
          %406 = llvm.getelementptr inbounds %4[%c1_i64_253] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %407 = llvm.load %406 : !llvm.ptr -> f32
          %c2_i64_254 = arith.constant 2 : i64
          %408 = llvm.getelementptr inbounds %4[%c2_i64_254] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %409 = llvm.load %408 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_255 = arith.constant 3 : i64
          %410 = llvm.getelementptr inbounds %4[%c3_i64_255] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %411 = llvm.load %410 : !llvm.ptr -> f32
          %c4_i64_256 = arith.constant 4 : i64
          %412 = llvm.getelementptr inbounds %4[%c4_i64_256] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %413 = llvm.load %412 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_257 = arith.constant 5 : i64
          %414 = llvm.getelementptr inbounds %4[%c5_i64_257] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %415 = llvm.load %414 : !llvm.ptr -> f32
          %c6_i64_258 = arith.constant 6 : i64
          %416 = llvm.getelementptr inbounds %4[%c6_i64_258] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %417 = llvm.load %416 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_259 = arith.constant 7 : i64
          %418 = llvm.getelementptr inbounds %4[%c7_i64_259] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %419 = llvm.load %418 : !llvm.ptr -> f32
          %c8_i64_260 = arith.constant 8 : i64
          %420 = llvm.getelementptr inbounds %4[%c8_i64_260] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %421 = llvm.load %420 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_261 = arith.constant 9 : i64
          %422 = llvm.getelementptr inbounds %4[%c9_i64_261] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %423 = llvm.load %422 : !llvm.ptr -> f32
          %c10_i64_262 = arith.constant 10 : i64
          %424 = llvm.getelementptr inbounds %4[%c10_i64_262] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %425 = llvm.load %424 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_263 = arith.constant 11 : i64
          %426 = llvm.getelementptr inbounds %4[%c11_i64_263] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %427 = llvm.load %426 : !llvm.ptr -> f32
          %c12_i64_264 = arith.constant 12 : i64
          %428 = llvm.getelementptr inbounds %4[%c12_i64_264] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %429 = llvm.load %428 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_265 = arith.constant 13 : i64
          %430 = llvm.getelementptr inbounds %4[%c13_i64_265] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %431 = llvm.load %430 : !llvm.ptr -> f32
          %c14_i64_266 = arith.constant 14 : i64
          %432 = llvm.getelementptr inbounds %4[%c14_i64_266] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %433 = llvm.load %432 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_267 = arith.constant 15 : i64
          %434 = llvm.getelementptr inbounds %4[%c15_i64_267] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %435 = llvm.load %434 : !llvm.ptr -> f32
          llvm.store %405, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_268 = arith.constant 1 : i64
          %436 = llvm.getelementptr inbounds %4[%c1_i64_268] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %407, %436 : f32, !llvm.ptr
          %c2_i64_269 = arith.constant 2 : i64
          %437 = llvm.getelementptr inbounds %4[%c2_i64_269] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %409, %437 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_270 = arith.constant 3 : i64
          %438 = llvm.getelementptr inbounds %4[%c3_i64_270] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %411, %438 : f32, !llvm.ptr
          %c4_i64_271 = arith.constant 4 : i64
          %439 = llvm.getelementptr inbounds %4[%c4_i64_271] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %413, %439 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_272 = arith.constant 5 : i64
          %440 = llvm.getelementptr inbounds %4[%c5_i64_272] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %415, %440 : f32, !llvm.ptr
          %c6_i64_273 = arith.constant 6 : i64
          %441 = llvm.getelementptr inbounds %4[%c6_i64_273] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %417, %441 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_274 = arith.constant 7 : i64
          %442 = llvm.getelementptr inbounds %4[%c7_i64_274] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %419, %442 : f32, !llvm.ptr
          %c8_i64_275 = arith.constant 8 : i64
          %443 = llvm.getelementptr inbounds %4[%c8_i64_275] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %421, %443 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_276 = arith.constant 9 : i64
          %444 = llvm.getelementptr inbounds %4[%c9_i64_276] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %423, %444 : f32, !llvm.ptr
          %c10_i64_277 = arith.constant 10 : i64
          %445 = llvm.getelementptr inbounds %4[%c10_i64_277] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %425, %445 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_278 = arith.constant 11 : i64
          %446 = llvm.getelementptr inbounds %4[%c11_i64_278] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %427, %446 : f32, !llvm.ptr
          %c12_i64_279 = arith.constant 12 : i64
          %447 = llvm.getelementptr inbounds %4[%c12_i64_279] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %429, %447 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_280 = arith.constant 13 : i64
          %448 = llvm.getelementptr inbounds %4[%c13_i64_280] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %431, %448 : f32, !llvm.ptr
          %c14_i64_281 = arith.constant 14 : i64
          %449 = llvm.getelementptr inbounds %4[%c14_i64_281] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %433, %449 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_282 = arith.constant 15 : i64
          %450 = llvm.getelementptr inbounds %4[%c15_i64_282] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %435, %450 : f32, !llvm.ptr
          scf.if %90 {
            "fairlead.order"() {ptx = "cp.async.bulk.wait_group.read 3;"} : () -> ()
          } else {
          }
          %c256_i32_283 = arith.constant 256 : i32
          %c1_i32_284 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_284 number_of_threads = %c256_i32_283
          %c1_i32_285 = arith.constant 1 : i32
          %451 = arith.addi %169, %c1_i32_285 : i32
          %c4_i32_286 = arith.constant 4 : i32
          %c3_i32_287 = arith.constant 3 : i32
          %452 = arith.andi %451, %c3_i32_287 : i32
          %c4096_i32_288 = arith.constant 4096 : i32
          %c4096_i64_289 = arith.constant 4096 : i64
          %453 = arith.extsi %452 : i32 to i64
          %454 = arith.muli %453, %c4096_i64_289 : i64
          %455 = llvm.getelementptr inbounds %161[%454] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %456 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_290 = arith.constant 1 : i64
          %457 = llvm.getelementptr inbounds %4[%c1_i64_290] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %458 = llvm.load %457 : !llvm.ptr -> f32
          %c2_i64_291 = arith.constant 2 : i64
          %459 = llvm.getelementptr inbounds %4[%c2_i64_291] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %460 = llvm.load %459 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_292 = arith.constant 3 : i64
          %461 = llvm.getelementptr inbounds %4[%c3_i64_292] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %462 = llvm.load %461 : !llvm.ptr -> f32
          %c4_i64_293 = arith.constant 4 : i64
          %463 = llvm.getelementptr inbounds %4[%c4_i64_293] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %464 = llvm.load %463 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_294 = arith.constant 5 : i64
          %465 = llvm.getelementptr inbounds %4[%c5_i64_294] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %466 = llvm.load %465 : !llvm.ptr -> f32
          %c6_i64_295 = arith.constant 6 : i64
          %467 = llvm.getelementptr inbounds %4[%c6_i64_295] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %468 = llvm.load %467 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_296 = arith.constant 7 : i64
          %469 = llvm.getelementptr inbounds %4[%c7_i64_296] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %470 = llvm.load %469 : !llvm.ptr -> f32
          %c8_i64_297 = arith.constant 8 : i64
          %471 = llvm.getelementptr inbounds %4[%c8_i64_297] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %472 = llvm.load %471 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_298 = arith.constant 9 : i64
          %473 = llvm.getelementptr inbounds %4[%c9_i64_298] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %474 = llvm.load %473 : !llvm.ptr -> f32
          %c10_i64_299 = arith.constant 10 : i64
          %475 = llvm.getelementptr inbounds %4[%c10_i64_299] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %476 = llvm.load %475 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_300 = arith.constant 11 : i64
          %477 = llvm.getelementptr inbounds %4[%c11_i64_300] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %478 = llvm.load %477 : !llvm.ptr -> f32
          %c12_i64_301 = arith.constant 12 : i64
          %479 = llvm.getelementptr inbounds %4[%c12_i64_301] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %480 = llvm.load %479 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_302 = arith.constant 13 : i64
          %481 = llvm.getelementptr inbounds %4[%c13_i64_302] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %482 = llvm.load %481 : !llvm.ptr -> f32
          %c14_i64_303 = arith.constant 14 : i64
          %483 = llvm.getelementptr inbounds %4[%c14_i64_303] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %484 = llvm.load %483 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_304 = arith.constant 15 : i64
          %485 = llvm.getelementptr inbounds %4[%c15_i64_304] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %486 = llvm.load %485 : !llvm.ptr -> f32
          %487 = arith.truncf %456 : f32 to bf16
          %488 = arith.truncf %458 : f32 to bf16
          %489 = arith.truncf %460 : f32 to bf16
          %490 = arith.truncf %462 : f32 to bf16
          %491 = arith.truncf %464 : f32 to bf16
          %492 = arith.truncf %466 : f32 to bf16
          %493 = arith.truncf %468 : f32 to bf16
          %494 = arith.truncf %470 : f32 to bf16
          %495 = arith.truncf %472 : f32 to bf16
          %496 = arith.truncf %474 : f32 to bf16
          %497 = arith.truncf %476 : f32 to bf16
          %498 = arith.truncf %478 : f32 to bf16
          %499 = arith.truncf %480 : f32 to bf16
          %500 = arith.truncf %482 : f32 to bf16
          %501 = arith.truncf %484 : f32 to bf16
          %502 = arith.truncf %486 : f32 to bf16
          llvm.store %487, %2 {alignment = 32 : i64} : bf16, !llvm.ptr
          %c1_i64_305 = arith.constant 1 : i64
          %503 = llvm.getelementptr inbounds %2[%c1_i64_305] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %488, %503 : bf16, !llvm.ptr
          %c2_i64_306 = arith.constant 2 : i64
          %504 = llvm.getelementptr inbounds %2[%c2_i64_306] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %489, %504 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c3_i64_307 = arith.constant 3 : i64
          %505 = llvm.getelementptr inbounds %2[%c3_i64_307] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %490, %505 : bf16, !llvm.ptr
          %c4_i64_308 = arith.constant 4 : i64
          %506 = llvm.getelementptr inbounds %2[%c4_i64_308] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %491, %506 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c5_i64_309 = arith.constant 5 : i64
          %507 = llvm.getelementptr inbounds %2[%c5_i64_309] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %492, %507 : bf16, !llvm.ptr
          %c6_i64_310 = arith.constant 6 : i64
          %508 = llvm.getelementptr inbounds %2[%c6_i64_310] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %493, %508 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c7_i64_311 = arith.constant 7 : i64
          %509 = llvm.getelementptr inbounds %2[%c7_i64_311] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %494, %509 : bf16, !llvm.ptr
          %c8_i64_312 = arith.constant 8 : i64
          %510 = llvm.getelementptr inbounds %2[%c8_i64_312] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %495, %510 {alignment = 16 : i64} : bf16, !llvm.ptr
          %c9_i64_313 = arith.constant 9 : i64
          %511 = llvm.getelementptr inbounds %2[%c9_i64_313] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %496, %511 : bf16, !llvm.ptr
          %c10_i64_314 = arith.constant 10 : i64
          %512 = llvm.getelementptr inbounds %2[%c10_i64_314] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %497, %512 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c11_i64_315 = arith.constant 11 : i64
          %513 = llvm.getelementptr inbounds %2[%c11_i64_315] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %498, %513 : bf16, !llvm.ptr
          %c12_i64_316 = arith.constant 12 : i64
          %514 = llvm.getelementptr inbounds %2[%c12_i64_316] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %499, %514 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c13_i64_317 = arith.constant 13 : i64
          %515 = llvm.getelementptr inbounds %2[%c13_i64_317] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %500, %515 : bf16, !llvm.ptr
          %c14_i64_318 = arith.constant 14 : i64
          %516 = llvm.getelementptr inbounds %2[%c14_i64_318] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %501, %516 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c15_i64_319 = arith.constant 15 : i64
          %517 = llvm.getelementptr inbounds %2[%c15_i64_319] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %502, %517 : bf16, !llvm.ptr
          %518 = llvm.ptrtoint %455 : !llvm.ptr<3> to i64
          %c384_i32_320 = arith.constant 384 : i32
          %c384_i64_321 = arith.constant 384 : i64
          %519 = arith.andi %518, %c384_i64_321 : i64
          %c3_i32_322 = arith.constant 3 : i32
          %c3_i64_323 = arith.constant 3 : i64
          %c63_i64_324 = arith.constant 63 : i64
          %c3_i64_325 = arith.constant 3 : i64
          %520 = arith.shrsi %519, %c3_i64_325 : i64
          %521 = arith.xori %518, %520 : i64
          %522 = arith.subi %521, %518 : i64
          %523 = llvm.getelementptr %455[%522] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %524 = llvm.ptrtoint %523 : !llvm.ptr<3> to i64
          %525 = llvm.load %2 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c2_i64_326 = arith.constant 2 : i64
          %526 = llvm.getelementptr inbounds %2[%c2_i64_326] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %527 = llvm.load %526 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c4_i64_327 = arith.constant 4 : i64
          %528 = llvm.getelementptr inbounds %2[%c4_i64_327] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %529 = llvm.load %528 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c6_i64_328 = arith.constant 6 : i64
          %530 = llvm.getelementptr inbounds %2[%c6_i64_328] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %531 = llvm.load %530 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%524, %525, %527, %529, %531) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          %c16_i64_329 = arith.constant 16 : i64
          %532 = llvm.getelementptr inbounds %455[%c16_i64_329] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %533 = llvm.ptrtoint %532 : !llvm.ptr<3> to i64
          %c384_i32_330 = arith.constant 384 : i32
          %c384_i64_331 = arith.constant 384 : i64
          %534 = arith.andi %533, %c384_i64_331 : i64
          %c3_i32_332 = arith.constant 3 : i32
          %c3_i64_333 = arith.constant 3 : i64
          %c63_i64_334 = arith.constant 63 : i64
          %c3_i64_335 = arith.constant 3 : i64
          %535 = arith.shrsi %534, %c3_i64_335 : i64
          %536 = arith.xori %533, %535 : i64
          %537 = arith.subi %536, %533 : i64
          %538 = llvm.getelementptr %532[%537] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %539 = llvm.ptrtoint %538 : !llvm.ptr<3> to i64
          %c8_i64_336 = arith.constant 8 : i64
          %540 = llvm.getelementptr inbounds %2[%c8_i64_336] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %541 = llvm.load %540 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c10_i64_337 = arith.constant 10 : i64
          %542 = llvm.getelementptr inbounds %2[%c10_i64_337] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %543 = llvm.load %542 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c12_i64_338 = arith.constant 12 : i64
          %544 = llvm.getelementptr inbounds %2[%c12_i64_338] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %545 = llvm.load %544 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c14_i64_339 = arith.constant 14 : i64
          %546 = llvm.getelementptr inbounds %2[%c14_i64_339] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %547 = llvm.load %546 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%539, %541, %543, %545, %547) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          "fairlead.order"() {ptx = "fence.proxy.async.shared::cta;"} : () -> ()
          %c256_i32_340 = arith.constant 256 : i32
          %c1_i32_341 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_341 number_of_threads = %c256_i32_340
          scf.if %90 {
            %c4096_i32_607 = arith.constant 4096 : i32
            %c4096_i64_608 = arith.constant 4096 : i64
            %959 = arith.extsi %452 : i32 to i64
            %960 = arith.muli %959, %c4096_i64_608 : i64
            %961 = llvm.getelementptr inbounds %82[%960] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
            %c32_i32_609 = arith.constant 32 : i32
            %962 = arith.addi %143, %c32_i32_609 : i32
            "fairlead.tensor_copy"(%arg6, %961, %962, %142, %arg27) {kind = "store"} : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32) -> ()
            "fairlead.order"() {ptx = "cp.async.bulk.commit_group;"} : () -> ()
          } else {
          }
          %c32_i64_342 = arith.constant 32 : i64
          %548 = llvm.getelementptr inbounds %5[%c32_i64_342] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %549 = llvm.load %548 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_343 = arith.constant 1 : i64
          %550 = llvm.getelementptr inbounds %548[%c1_i64_343] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %551 = llvm.load %550 : !llvm.ptr -> f32
          %c2_i64_344 = arith.constant 2 : i64
          %552 = llvm.getelementptr inbounds %548[%c2_i64_344] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %553 = llvm.load %552 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_345 = arith.constant 3 : i64
          %554 = llvm.getelementptr inbounds %548[%c3_i64_345] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %555 = llvm.load %554 : !llvm.ptr -> f32
          %c4_i64_346 = arith.constant 4 : i64
          %556 = llvm.getelementptr inbounds %548[%c4_i64_346] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %557 = llvm.load %556 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_347 = arith.constant 5 : i64
          %558 = llvm.getelementptr inbounds %548[%c5_i64_347] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %559 = llvm.load %558 : !llvm.ptr -> f32
          %c6_i64_348 = arith.constant 6 : i64
          %560 = llvm.getelementptr inbounds %548[%c6_i64_348] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %561 = llvm.load %560 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_349 = arith.constant 7 : i64
          %562 = llvm.getelementptr inbounds %548[%c7_i64_349] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %563 = llvm.load %562 : !llvm.ptr -> f32
          %c8_i64_350 = arith.constant 8 : i64
          %564 = llvm.getelementptr inbounds %548[%c8_i64_350] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %565 = llvm.load %564 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_351 = arith.constant 9 : i64
          %566 = llvm.getelementptr inbounds %548[%c9_i64_351] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %567 = llvm.load %566 : !llvm.ptr -> f32
          %c10_i64_352 = arith.constant 10 : i64
          %568 = llvm.getelementptr inbounds %548[%c10_i64_352] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %569 = llvm.load %568 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_353 = arith.constant 11 : i64
          %570 = llvm.getelementptr inbounds %548[%c11_i64_353] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %571 = llvm.load %570 : !llvm.ptr -> f32
          %c12_i64_354 = arith.constant 12 : i64
          %572 = llvm.getelementptr inbounds %548[%c12_i64_354] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %573 = llvm.load %572 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_355 = arith.constant 13 : i64
          %574 = llvm.getelementptr inbounds %548[%c13_i64_355] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %575 = llvm.load %574 : !llvm.ptr -> f32
          %c14_i64_356 = arith.constant 14 : i64
          %576 = llvm.getelementptr inbounds %548[%c14_i64_356] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %577 = llvm.load %576 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_357 = arith.constant 15 : i64
          %578 = llvm.getelementptr inbounds %548[%c15_i64_357] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %579 = llvm.load %578 : !llvm.ptr -> f32
          llvm.store %549, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_358 = arith.constant 1 : i64
          %580 = llvm.getelementptr inbounds %4[%c1_i64_358] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %551, %580 : f32, !llvm.ptr
          %c2_i64_359 = arith.constant 2 : i64
          %581 = llvm.getelementptr inbounds %4[%c2_i64_359] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %553, %581 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_360 = arith.constant 3 : i64
          %582 = llvm.getelementptr inbounds %4[%c3_i64_360] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %555, %582 : f32, !llvm.ptr
          %c4_i64_361 = arith.constant 4 : i64
          %583 = llvm.getelementptr inbounds %4[%c4_i64_361] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %557, %583 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_362 = arith.constant 5 : i64
          %584 = llvm.getelementptr inbounds %4[%c5_i64_362] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %559, %584 : f32, !llvm.ptr
          %c6_i64_363 = arith.constant 6 : i64
          %585 = llvm.getelementptr inbounds %4[%c6_i64_363] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %561, %585 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_364 = arith.constant 7 : i64
          %586 = llvm.getelementptr inbounds %4[%c7_i64_364] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %563, %586 : f32, !llvm.ptr
          %c8_i64_365 = arith.constant 8 : i64
          %587 = llvm.getelementptr inbounds %4[%c8_i64_365] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %565, %587 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_366 = arith.constant 9 : i64
          %588 = llvm.getelementptr inbounds %4[%c9_i64_366] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %567, %588 : f32, !llvm.ptr
          %c10_i64_367 = arith.constant 10 : i64
          %589 = llvm.getelementptr inbounds %4[%c10_i64_367] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %569, %589 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_368 = arith.constant 11 : i64
          %590 = llvm.getelementptr inbounds %4[%c11_i64_368] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %571, %590 : f32, !llvm.ptr
          %c12_i64_369 = arith.constant 12 : i64
          %591 = llvm.getelementptr inbounds %4[%c12_i64_369] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %573, %591 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_370 = arith.constant 13 : i64
          %592 = llvm.getelementptr inbounds %4[%c13_i64_370] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %575, %592 : f32, !llvm.ptr
          %c14_i64_371 = arith.constant 14 : i64
          %593 = llvm.getelementptr inbounds %4[%c14_i64_371] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %577, %593 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_372 = arith.constant 15 : i64
          %594 = llvm.getelementptr inbounds %4[%c15_i64_372] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %579, %594 : f32, !llvm.ptr
          %595 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_373 = arith.constant 1 : i64
          %596 = llvm.getelementptr inbounds %4[%c1_i64_373] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %597 = llvm.load %596 : !llvm.ptr -> f32
          %c2_i64_374 = arith.constant 2 : i64
          %598 = llvm.getelementptr inbounds %4[%c2_i64_374] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %599 = llvm.load %598 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_375 = arith.constant 3 : i64
          %600 = llvm.getelementptr inbounds %4[%c3_i64_375] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %601 = llvm.load %600 : !llvm.ptr -> f32
          %c4_i64_376 = arith.constant 4 : i64
          %602 = llvm.getelementptr inbounds %4[%c4_i64_376] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %603 = llvm.load %602 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_377 = arith.constant 5 : i64
          %604 = llvm.getelementptr inbounds %4[%c5_i64_377] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %605 = llvm.load %604 : !llvm.ptr -> f32
          %c6_i64_378 = arith.constant 6 : i64
          %606 = llvm.getelementptr inbounds %4[%c6_i64_378] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %607 = llvm.load %606 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_379 = arith.constant 7 : i64
          %608 = llvm.getelementptr inbounds %4[%c7_i64_379] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %609 = llvm.load %608 : !llvm.ptr -> f32
          %c8_i64_380 = arith.constant 8 : i64
          %610 = llvm.getelementptr inbounds %4[%c8_i64_380] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %611 = llvm.load %610 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_381 = arith.constant 9 : i64
          %612 = llvm.getelementptr inbounds %4[%c9_i64_381] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %613 = llvm.load %612 : !llvm.ptr -> f32
          %c10_i64_382 = arith.constant 10 : i64
          %614 = llvm.getelementptr inbounds %4[%c10_i64_382] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %615 = llvm.load %614 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_383 = arith.constant 11 : i64
          %616 = llvm.getelementptr inbounds %4[%c11_i64_383] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %617 = llvm.load %616 : !llvm.ptr -> f32
          %c12_i64_384 = arith.constant 12 : i64
          %618 = llvm.getelementptr inbounds %4[%c12_i64_384] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %619 = llvm.load %618 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_385 = arith.constant 13 : i64
          %620 = llvm.getelementptr inbounds %4[%c13_i64_385] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %621 = llvm.load %620 : !llvm.ptr -> f32
          %c14_i64_386 = arith.constant 14 : i64
          %622 = llvm.getelementptr inbounds %4[%c14_i64_386] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %623 = llvm.load %622 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_387 = arith.constant 15 : i64
          %624 = llvm.getelementptr inbounds %4[%c15_i64_387] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %625 = llvm.load %624 : !llvm.ptr -> f32
          llvm.store %595, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_388 = arith.constant 1 : i64
          %626 = llvm.getelementptr inbounds %4[%c1_i64_388] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %597, %626 : f32, !llvm.ptr
          %c2_i64_389 = arith.constant 2 : i64
          %627 = llvm.getelementptr inbounds %4[%c2_i64_389] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %599, %627 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_390 = arith.constant 3 : i64
          %628 = llvm.getelementptr inbounds %4[%c3_i64_390] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %601, %628 : f32, !llvm.ptr
          %c4_i64_391 = arith.constant 4 : i64
          %629 = llvm.getelementptr inbounds %4[%c4_i64_391] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %603, %629 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_392 = arith.constant 5 : i64
          %630 = llvm.getelementptr inbounds %4[%c5_i64_392] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %605, %630 : f32, !llvm.ptr
          %c6_i64_393 = arith.constant 6 : i64
          %631 = llvm.getelementptr inbounds %4[%c6_i64_393] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %607, %631 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_394 = arith.constant 7 : i64
          %632 = llvm.getelementptr inbounds %4[%c7_i64_394] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %609, %632 : f32, !llvm.ptr
          %c8_i64_395 = arith.constant 8 : i64
          %633 = llvm.getelementptr inbounds %4[%c8_i64_395] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %611, %633 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_396 = arith.constant 9 : i64
          %634 = llvm.getelementptr inbounds %4[%c9_i64_396] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %613, %634 : f32, !llvm.ptr
          %c10_i64_397 = arith.constant 10 : i64
          %635 = llvm.getelementptr inbounds %4[%c10_i64_397] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %615, %635 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_398 = arith.constant 11 : i64
          %636 = llvm.getelementptr inbounds %4[%c11_i64_398] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %617, %636 : f32, !llvm.ptr
          %c12_i64_399 = arith.constant 12 : i64
          %637 = llvm.getelementptr inbounds %4[%c12_i64_399] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %619, %637 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_400 = arith.constant 13 : i64
          %638 = llvm.getelementptr inbounds %4[%c13_i64_400] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %621, %638 : f32, !llvm.ptr
          %c14_i64_401 = arith.constant 14 : i64
          %639 = llvm.getelementptr inbounds %4[%c14_i64_401] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %623, %639 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_402 = arith.constant 15 : i64
          %640 = llvm.getelementptr inbounds %4[%c15_i64_402] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %625, %640 : f32, !llvm.ptr
          scf.if %90 {
            "fairlead.order"() {ptx = "cp.async.bulk.wait_group.read 3;"} : () -> ()
          } else {
          }
          %c256_i32_403 = arith.constant 256 : i32
          %c1_i32_404 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_404 number_of_threads = %c256_i32_403
          %c2_i32_405 = arith.constant 2 : i32
          %641 = arith.addi %169, %c2_i32_405 : i32
          %c4_i32_406 = arith.constant 4 : i32
          %c3_i32_407 = arith.constant 3 : i32
          %642 = arith.andi %641, %c3_i32_407 : i32
          %c4096_i32_408 = arith.constant 4096 : i32
          %c4096_i64_409 = arith.constant 4096 : i64
          %643 = arith.extsi %642 : i32 to i64
          %644 = arith.muli %643, %c4096_i64_409 : i64
          %645 = llvm.getelementptr inbounds %161[%644] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %646 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_410 = arith.constant 1 : i64
          %647 = llvm.getelementptr inbounds %4[%c1_i64_410] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %648 = llvm.load %647 : !llvm.ptr -> f32
          %c2_i64_411 = arith.constant 2 : i64
          %649 = llvm.getelementptr inbounds %4[%c2_i64_411] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %650 = llvm.load %649 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_412 = arith.constant 3 : i64
          %651 = llvm.getelementptr inbounds %4[%c3_i64_412] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %652 = llvm.load %651 : !llvm.ptr -> f32
          %c4_i64_413 = arith.constant 4 : i64
          %653 = llvm.getelementptr inbounds %4[%c4_i64_413] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %654 = llvm.load %653 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_414 = arith.constant 5 : i64
          %655 = llvm.getelementptr inbounds %4[%c5_i64_414] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %656 = llvm.load %655 : !llvm.ptr -> f32
          %c6_i64_415 = arith.constant 6 : i64
          %657 = llvm.getelementptr inbounds %4[%c6_i64_415] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %658 = llvm.load %657 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_416 = arith.constant 7 : i64
          %659 = llvm.getelementptr inbounds %4[%c7_i64_416] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %660 = llvm.load %659 : !llvm.ptr -> f32
          %c8_i64_417 = arith.constant 8 : i64
          %661 = llvm.getelementptr inbounds %4[%c8_i64_417] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %662 = llvm.load %661 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_418 = arith.constant 9 : i64
          %663 = llvm.getelementptr inbounds %4[%c9_i64_418] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %664 = llvm.load %663 : !llvm.ptr -> f32
          %c10_i64_419 = arith.constant 10 : i64
          %665 = llvm.getelementptr inbounds %4[%c10_i64_419] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %666 = llvm.load %665 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_420 = arith.constant 11 : i64
          %667 = llvm.getelementptr inbounds %4[%c11_i64_420] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %668 = llvm.load %667 : !llvm.ptr -> f32
          %c12_i64_421 = arith.constant 12 : i64
          %669 = llvm.getelementptr inbounds %4[%c12_i64_421] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %670 = llvm.load %669 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_422 = arith.constant 13 : i64
          %671 = llvm.getelementptr inbounds %4[%c13_i64_422] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %672 = llvm.load %671 : !llvm.ptr -> f32
          %c14_i64_423 = arith.constant 14 : i64
          %673 = llvm.getelementptr inbounds %4[%c14_i64_423] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %674 = llvm.load %673 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_424 = arith.constant 15 : i64
          %675 = llvm.getelementptr inbounds %4[%c15_i64_424] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %676 = llvm.load %675 : !llvm.ptr -> f32
          %677 = arith.truncf %646 : f32 to bf16
          %678 = arith.truncf %648 : f32 to bf16
          %679 = arith.truncf %650 : f32 to bf16
          %680 = arith.truncf %652 : f32 to bf16
          %681 = arith.truncf %654 : f32 to bf16
          %682 = arith.truncf %656 : f32 to bf16
          %683 = arith.truncf %658 : f32 to bf16
          %684 = arith.truncf %660 : f32 to bf16
          %685 = arith.truncf %662 : f32 to bf16
          %686 = arith.truncf %664 : f32 to bf16
          %687 = arith.truncf %666 : f32 to bf16
          %688 = arith.truncf %668 : f32 to bf16
          %689 = arith.truncf %670 : f32 to bf16
          %690 = arith.truncf %672 : f32 to bf16
          %691 = arith.truncf %674 : f32 to bf16
          %692 = arith.truncf %676 : f32 to bf16
          llvm.store %677, %1 {alignment = 32 : i64} : bf16, !llvm.ptr
          %c1_i64_425 = arith.constant 1 : i64
          %693 = llvm.getelementptr inbounds %1[%c1_i64_425] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %678, %693 : bf16, !llvm.ptr
          %c2_i64_426 = arith.constant 2 : i64
          %694 = llvm.getelementptr inbounds %1[%c2_i64_426] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %679, %694 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c3_i64_427 = arith.constant 3 : i64
          %695 = llvm.getelementptr inbounds %1[%c3_i64_427] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %680, %695 : bf16, !llvm.ptr
          %c4_i64_428 = arith.constant 4 : i64
          %696 = llvm.getelementptr inbounds %1[%c4_i64_428] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %681, %696 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c5_i64_429 = arith.constant 5 : i64
          %697 = llvm.getelementptr inbounds %1[%c5_i64_429] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %682, %697 : bf16, !llvm.ptr
          %c6_i64_430 = arith.constant 6 : i64
          %698 = llvm.getelementptr inbounds %1[%c6_i64_430] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %683, %698 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c7_i64_431 = arith.constant 7 : i64
          %699 = llvm.getelementptr inbounds %1[%c7_i64_431] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %684, %699 : bf16, !llvm.ptr
          %c8_i64_432 = arith.constant 8 : i64
          %700 = llvm.getelementptr inbounds %1[%c8_i64_432] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %685, %700 {alignment = 16 : i64} : bf16, !llvm.ptr
          %c9_i64_433 = arith.constant 9 : i64
          %701 = llvm.getelementptr inbounds %1[%c9_i64_433] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %686, %701 : bf16, !llvm.ptr
          %c10_i64_434 = arith.constant 10 : i64
          %702 = llvm.getelementptr inbounds %1[%c10_i64_434] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %687, %702 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c11_i64_435 = arith.constant 11 : i64
          %703 = llvm.getelementptr inbounds %1[%c11_i64_435] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %688, %703 : bf16, !llvm.ptr
          %c12_i64_436 = arith.constant 12 : i64
          %704 = llvm.getelementptr inbounds %1[%c12_i64_436] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %689, %704 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c13_i64_437 = arith.constant 13 : i64
          %705 = llvm.getelementptr inbounds %1[%c13_i64_437] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %690, %705 : bf16, !llvm.ptr
          %c14_i64_438 = arith.constant 14 : i64
          %706 = llvm.getelementptr inbounds %1[%c14_i64_438] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %691, %706 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c15_i64_439 = arith.constant 15 : i64
          %707 = llvm.getelementptr inbounds %1[%c15_i64_439] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %692, %707 : bf16, !llvm.ptr
          %708 = llvm.ptrtoint %645 : !llvm.ptr<3> to i64
          %c384_i32_440 = arith.constant 384 : i32
          %c384_i64_441 = arith.constant 384 : i64
          %709 = arith.andi %708, %c384_i64_441 : i64
          %c3_i32_442 = arith.constant 3 : i32
          %c3_i64_443 = arith.constant 3 : i64
          %c63_i64_444 = arith.constant 63 : i64
          %c3_i64_445 = arith.constant 3 : i64
          %710 = arith.shrsi %709, %c3_i64_445 : i64
          %711 = arith.xori %708, %710 : i64
          %712 = arith.subi %711, %708 : i64
          %713 = llvm.getelementptr %645[%712] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %714 = llvm.ptrtoint %713 : !llvm.ptr<3> to i64
          %715 = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c2_i64_446 = arith.constant 2 : i64
          %716 = llvm.getelementptr inbounds %1[%c2_i64_446] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %717 = llvm.load %716 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c4_i64_447 = arith.constant 4 : i64
          %718 = llvm.getelementptr inbounds %1[%c4_i64_447] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %719 = llvm.load %718 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c6_i64_448 = arith.constant 6 : i64
          %720 = llvm.getelementptr inbounds %1[%c6_i64_448] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %721 = llvm.load %720 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%714, %715, %717, %719, %721) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          %c16_i64_449 = arith.constant 16 : i64
          %722 = llvm.getelementptr inbounds %645[%c16_i64_449] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %723 = llvm.ptrtoint %722 : !llvm.ptr<3> to i64
          %c384_i32_450 = arith.constant 384 : i32
          %c384_i64_451 = arith.constant 384 : i64
          %724 = arith.andi %723, %c384_i64_451 : i64
          %c3_i32_452 = arith.constant 3 : i32
          %c3_i64_453 = arith.constant 3 : i64
          %c63_i64_454 = arith.constant 63 : i64
          %c3_i64_455 = arith.constant 3 : i64
          %725 = arith.shrsi %724, %c3_i64_455 : i64
          %726 = arith.xori %723, %725 : i64
          %727 = arith.subi %726, %723 : i64
          %728 = llvm.getelementptr %722[%727] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %729 = llvm.ptrtoint %728 : !llvm.ptr<3> to i64
          %c8_i64_456 = arith.constant 8 : i64
          %730 = llvm.getelementptr inbounds %1[%c8_i64_456] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %731 = llvm.load %730 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c10_i64_457 = arith.constant 10 : i64
          %732 = llvm.getelementptr inbounds %1[%c10_i64_457] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %733 = llvm.load %732 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c12_i64_458 = arith.constant 12 : i64
          %734 = llvm.getelementptr inbounds %1[%c12_i64_458] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %735 = llvm.load %734 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c14_i64_459 = arith.constant 14 : i64
          %736 = llvm.getelementptr inbounds %1[%c14_i64_459] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %737 = llvm.load %736 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%729, %731, %733, %735, %737) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          "fairlead.order"() {ptx = "fence.proxy.async.shared::cta;"} : () -> ()
          %c256_i32_460 = arith.constant 256 : i32
          %c1_i32_461 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_461 number_of_threads = %c256_i32_460
          scf.if %90 {
            %c4096_i32_607 = arith.constant 4096 : i32
            %c4096_i64_608 = arith.constant 4096 : i64
            %959 = arith.extsi %642 : i32 to i64
            %960 = arith.muli %959, %c4096_i64_608 : i64
            %961 = llvm.getelementptr inbounds %82[%960] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
            %c64_i32_609 = arith.constant 64 : i32
            %962 = arith.addi %143, %c64_i32_609 : i32
            "fairlead.tensor_copy"(%arg6, %961, %962, %142, %arg27) {kind = "store"} : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32) -> ()
            "fairlead.order"() {ptx = "cp.async.bulk.commit_group;"} : () -> ()
          } else {
          }
          %c48_i64 = arith.constant 48 : i64
          %738 = llvm.getelementptr inbounds %5[%c48_i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %739 = llvm.load %738 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_462 = arith.constant 1 : i64
          %740 = llvm.getelementptr inbounds %738[%c1_i64_462] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %741 = llvm.load %740 : !llvm.ptr -> f32
          %c2_i64_463 = arith.constant 2 : i64
          %742 = llvm.getelementptr inbounds %738[%c2_i64_463] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %743 = llvm.load %742 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_464 = arith.constant 3 : i64
          %744 = llvm.getelementptr inbounds %738[%c3_i64_464] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %745 = llvm.load %744 : !llvm.ptr -> f32
          %c4_i64_465 = arith.constant 4 : i64
          %746 = llvm.getelementptr inbounds %738[%c4_i64_465] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %747 = llvm.load %746 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_466 = arith.constant 5 : i64
          %748 = llvm.getelementptr inbounds %738[%c5_i64_466] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %749 = llvm.load %748 : !llvm.ptr -> f32
          %c6_i64_467 = arith.constant 6 : i64
          %750 = llvm.getelementptr inbounds %738[%c6_i64_467] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %751 = llvm.load %750 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_468 = arith.constant 7 : i64
          %752 = llvm.getelementptr inbounds %738[%c7_i64_468] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %753 = llvm.load %752 : !llvm.ptr -> f32
          %c8_i64_469 = arith.constant 8 : i64
          %754 = llvm.getelementptr inbounds %738[%c8_i64_469] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %755 = llvm.load %754 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_470 = arith.constant 9 : i64
          %756 = llvm.getelementptr inbounds %738[%c9_i64_470] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %757 = llvm.load %756 : !llvm.ptr -> f32
          %c10_i64_471 = arith.constant 10 : i64
          %758 = llvm.getelementptr inbounds %738[%c10_i64_471] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %759 = llvm.load %758 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_472 = arith.constant 11 : i64
          %760 = llvm.getelementptr inbounds %738[%c11_i64_472] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %761 = llvm.load %760 : !llvm.ptr -> f32
          %c12_i64_473 = arith.constant 12 : i64
          %762 = llvm.getelementptr inbounds %738[%c12_i64_473] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %763 = llvm.load %762 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_474 = arith.constant 13 : i64
          %764 = llvm.getelementptr inbounds %738[%c13_i64_474] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %765 = llvm.load %764 : !llvm.ptr -> f32
          %c14_i64_475 = arith.constant 14 : i64
          %766 = llvm.getelementptr inbounds %738[%c14_i64_475] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %767 = llvm.load %766 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_476 = arith.constant 15 : i64
          %768 = llvm.getelementptr inbounds %738[%c15_i64_476] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %769 = llvm.load %768 : !llvm.ptr -> f32
          llvm.store %739, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_477 = arith.constant 1 : i64
          %770 = llvm.getelementptr inbounds %4[%c1_i64_477] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %741, %770 : f32, !llvm.ptr
          %c2_i64_478 = arith.constant 2 : i64
          %771 = llvm.getelementptr inbounds %4[%c2_i64_478] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %743, %771 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_479 = arith.constant 3 : i64
          %772 = llvm.getelementptr inbounds %4[%c3_i64_479] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %745, %772 : f32, !llvm.ptr
          %c4_i64_480 = arith.constant 4 : i64
          %773 = llvm.getelementptr inbounds %4[%c4_i64_480] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %747, %773 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_481 = arith.constant 5 : i64
          %774 = llvm.getelementptr inbounds %4[%c5_i64_481] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %749, %774 : f32, !llvm.ptr
          %c6_i64_482 = arith.constant 6 : i64
          %775 = llvm.getelementptr inbounds %4[%c6_i64_482] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %751, %775 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_483 = arith.constant 7 : i64
          %776 = llvm.getelementptr inbounds %4[%c7_i64_483] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %753, %776 : f32, !llvm.ptr
          %c8_i64_484 = arith.constant 8 : i64
          %777 = llvm.getelementptr inbounds %4[%c8_i64_484] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %755, %777 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_485 = arith.constant 9 : i64
          %778 = llvm.getelementptr inbounds %4[%c9_i64_485] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %757, %778 : f32, !llvm.ptr
          %c10_i64_486 = arith.constant 10 : i64
          %779 = llvm.getelementptr inbounds %4[%c10_i64_486] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %759, %779 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_487 = arith.constant 11 : i64
          %780 = llvm.getelementptr inbounds %4[%c11_i64_487] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %761, %780 : f32, !llvm.ptr
          %c12_i64_488 = arith.constant 12 : i64
          %781 = llvm.getelementptr inbounds %4[%c12_i64_488] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %763, %781 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_489 = arith.constant 13 : i64
          %782 = llvm.getelementptr inbounds %4[%c13_i64_489] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %765, %782 : f32, !llvm.ptr
          %c14_i64_490 = arith.constant 14 : i64
          %783 = llvm.getelementptr inbounds %4[%c14_i64_490] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %767, %783 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_491 = arith.constant 15 : i64
          %784 = llvm.getelementptr inbounds %4[%c15_i64_491] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %769, %784 : f32, !llvm.ptr
          %785 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_492 = arith.constant 1 : i64
          %786 = llvm.getelementptr inbounds %4[%c1_i64_492] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %787 = llvm.load %786 : !llvm.ptr -> f32
          %c2_i64_493 = arith.constant 2 : i64
          %788 = llvm.getelementptr inbounds %4[%c2_i64_493] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %789 = llvm.load %788 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_494 = arith.constant 3 : i64
          %790 = llvm.getelementptr inbounds %4[%c3_i64_494] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %791 = llvm.load %790 : !llvm.ptr -> f32
          %c4_i64_495 = arith.constant 4 : i64
          %792 = llvm.getelementptr inbounds %4[%c4_i64_495] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %793 = llvm.load %792 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_496 = arith.constant 5 : i64
          %794 = llvm.getelementptr inbounds %4[%c5_i64_496] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %795 = llvm.load %794 : !llvm.ptr -> f32
          %c6_i64_497 = arith.constant 6 : i64
          %796 = llvm.getelementptr inbounds %4[%c6_i64_497] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %797 = llvm.load %796 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_498 = arith.constant 7 : i64
          %798 = llvm.getelementptr inbounds %4[%c7_i64_498] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %799 = llvm.load %798 : !llvm.ptr -> f32
          %c8_i64_499 = arith.constant 8 : i64
          %800 = llvm.getelementptr inbounds %4[%c8_i64_499] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %801 = llvm.load %800 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_500 = arith.constant 9 : i64
          %802 = llvm.getelementptr inbounds %4[%c9_i64_500] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %803 = llvm.load %802 : !llvm.ptr -> f32
          %c10_i64_501 = arith.constant 10 : i64
          %804 = llvm.getelementptr inbounds %4[%c10_i64_501] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %805 = llvm.load %804 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_502 = arith.constant 11 : i64
          %806 = llvm.getelementptr inbounds %4[%c11_i64_502] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %807 = llvm.load %806 : !llvm.ptr -> f32
          %c12_i64_503 = arith.constant 12 : i64
          %808 = llvm.getelementptr inbounds %4[%c12_i64_503] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %809 = llvm.load %808 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_504 = arith.constant 13 : i64
          %810 = llvm.getelementptr inbounds %4[%c13_i64_504] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %811 = llvm.load %810 : !llvm.ptr -> f32
          %c14_i64_505 = arith.constant 14 : i64
          %812 = llvm.getelementptr inbounds %4[%c14_i64_505] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %813 = llvm.load %812 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_506 = arith.constant 15 : i64
          %814 = llvm.getelementptr inbounds %4[%c15_i64_506] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %815 = llvm.load %814 : !llvm.ptr -> f32
          llvm.store %785, %4 {alignment = 32 : i64} : f32, !llvm.ptr
          %c1_i64_507 = arith.constant 1 : i64
          %816 = llvm.getelementptr inbounds %4[%c1_i64_507] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %787, %816 : f32, !llvm.ptr
          %c2_i64_508 = arith.constant 2 : i64
          %817 = llvm.getelementptr inbounds %4[%c2_i64_508] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %789, %817 {alignment = 8 : i64} : f32, !llvm.ptr
          %c3_i64_509 = arith.constant 3 : i64
          %818 = llvm.getelementptr inbounds %4[%c3_i64_509] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %791, %818 : f32, !llvm.ptr
          %c4_i64_510 = arith.constant 4 : i64
          %819 = llvm.getelementptr inbounds %4[%c4_i64_510] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %793, %819 {alignment = 16 : i64} : f32, !llvm.ptr
          %c5_i64_511 = arith.constant 5 : i64
          %820 = llvm.getelementptr inbounds %4[%c5_i64_511] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %795, %820 : f32, !llvm.ptr
          %c6_i64_512 = arith.constant 6 : i64
          %821 = llvm.getelementptr inbounds %4[%c6_i64_512] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %797, %821 {alignment = 8 : i64} : f32, !llvm.ptr
          %c7_i64_513 = arith.constant 7 : i64
          %822 = llvm.getelementptr inbounds %4[%c7_i64_513] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %799, %822 : f32, !llvm.ptr
          %c8_i64_514 = arith.constant 8 : i64
          %823 = llvm.getelementptr inbounds %4[%c8_i64_514] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %801, %823 {alignment = 32 : i64} : f32, !llvm.ptr
          %c9_i64_515 = arith.constant 9 : i64
          %824 = llvm.getelementptr inbounds %4[%c9_i64_515] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %803, %824 : f32, !llvm.ptr
          %c10_i64_516 = arith.constant 10 : i64
          %825 = llvm.getelementptr inbounds %4[%c10_i64_516] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %805, %825 {alignment = 8 : i64} : f32, !llvm.ptr
          %c11_i64_517 = arith.constant 11 : i64
          %826 = llvm.getelementptr inbounds %4[%c11_i64_517] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %807, %826 : f32, !llvm.ptr
          %c12_i64_518 = arith.constant 12 : i64
          %827 = llvm.getelementptr inbounds %4[%c12_i64_518] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %809, %827 {alignment = 16 : i64} : f32, !llvm.ptr
          %c13_i64_519 = arith.constant 13 : i64
          %828 = llvm.getelementptr inbounds %4[%c13_i64_519] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %811, %828 : f32, !llvm.ptr
          %c14_i64_520 = arith.constant 14 : i64
          %829 = llvm.getelementptr inbounds %4[%c14_i64_520] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %813, %829 {alignment = 8 : i64} : f32, !llvm.ptr
          %c15_i64_521 = arith.constant 15 : i64
          %830 = llvm.getelementptr inbounds %4[%c15_i64_521] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          llvm.store %815, %830 : f32, !llvm.ptr
          scf.if %90 {
            "fairlead.order"() {ptx = "cp.async.bulk.wait_group.read 3;"} : () -> ()
          } else {
          }
          %c256_i32_522 = arith.constant 256 : i32
          %c1_i32_523 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_523 number_of_threads = %c256_i32_522
          %c3_i32_524 = arith.constant 3 : i32
          %831 = arith.addi %169, %c3_i32_524 : i32
          %c4_i32_525 = arith.constant 4 : i32
          %c3_i32_526 = arith.constant 3 : i32
          %832 = arith.andi %831, %c3_i32_526 : i32
          %c4096_i32_527 = arith.constant 4096 : i32
          %c4096_i64_528 = arith.constant 4096 : i64
          %833 = arith.extsi %832 : i32 to i64
          %834 = arith.muli %833, %c4096_i64_528 : i64
          %835 = llvm.getelementptr inbounds %161[%834] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %836 = llvm.load %4 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c1_i64_529 = arith.constant 1 : i64
          %837 = llvm.getelementptr inbounds %4[%c1_i64_529] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %838 = llvm.load %837 : !llvm.ptr -> f32
          %c2_i64_530 = arith.constant 2 : i64
          %839 = llvm.getelementptr inbounds %4[%c2_i64_530] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %840 = llvm.load %839 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c3_i64_531 = arith.constant 3 : i64
          %841 = llvm.getelementptr inbounds %4[%c3_i64_531] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %842 = llvm.load %841 : !llvm.ptr -> f32
          %c4_i64_532 = arith.constant 4 : i64
          %843 = llvm.getelementptr inbounds %4[%c4_i64_532] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %844 = llvm.load %843 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c5_i64_533 = arith.constant 5 : i64
          %845 = llvm.getelementptr inbounds %4[%c5_i64_533] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %846 = llvm.load %845 : !llvm.ptr -> f32
          %c6_i64_534 = arith.constant 6 : i64
          %847 = llvm.getelementptr inbounds %4[%c6_i64_534] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %848 = llvm.load %847 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c7_i64_535 = arith.constant 7 : i64
          %849 = llvm.getelementptr inbounds %4[%c7_i64_535] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %850 = llvm.load %849 : !llvm.ptr -> f32
          %c8_i64_536 = arith.constant 8 : i64
          %851 = llvm.getelementptr inbounds %4[%c8_i64_536] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %852 = llvm.load %851 {alignment = 32 : i64} : !llvm.ptr -> f32
          %c9_i64_537 = arith.constant 9 : i64
          %853 = llvm.getelementptr inbounds %4[%c9_i64_537] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %854 = llvm.load %853 : !llvm.ptr -> f32
          %c10_i64_538 = arith.constant 10 : i64
          %855 = llvm.getelementptr inbounds %4[%c10_i64_538] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %856 = llvm.load %855 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c11_i64_539 = arith.constant 11 : i64
          %857 = llvm.getelementptr inbounds %4[%c11_i64_539] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %858 = llvm.load %857 : !llvm.ptr -> f32
          %c12_i64_540 = arith.constant 12 : i64
          %859 = llvm.getelementptr inbounds %4[%c12_i64_540] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %860 = llvm.load %859 {alignment = 16 : i64} : !llvm.ptr -> f32
          %c13_i64_541 = arith.constant 13 : i64
          %861 = llvm.getelementptr inbounds %4[%c13_i64_541] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %862 = llvm.load %861 : !llvm.ptr -> f32
          %c14_i64_542 = arith.constant 14 : i64
          %863 = llvm.getelementptr inbounds %4[%c14_i64_542] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %864 = llvm.load %863 {alignment = 8 : i64} : !llvm.ptr -> f32
          %c15_i64_543 = arith.constant 15 : i64
          %865 = llvm.getelementptr inbounds %4[%c15_i64_543] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %866 = llvm.load %865 : !llvm.ptr -> f32
          %867 = arith.truncf %836 : f32 to bf16
          %868 = arith.truncf %838 : f32 to bf16
          %869 = arith.truncf %840 : f32 to bf16
          %870 = arith.truncf %842 : f32 to bf16
          %871 = arith.truncf %844 : f32 to bf16
          %872 = arith.truncf %846 : f32 to bf16
          %873 = arith.truncf %848 : f32 to bf16
          %874 = arith.truncf %850 : f32 to bf16
          %875 = arith.truncf %852 : f32 to bf16
          %876 = arith.truncf %854 : f32 to bf16
          %877 = arith.truncf %856 : f32 to bf16
          %878 = arith.truncf %858 : f32 to bf16
          %879 = arith.truncf %860 : f32 to bf16
          %880 = arith.truncf %862 : f32 to bf16
          %881 = arith.truncf %864 : f32 to bf16
          %882 = arith.truncf %866 : f32 to bf16
          llvm.store %867, %0 {alignment = 32 : i64} : bf16, !llvm.ptr
          %c1_i64_544 = arith.constant 1 : i64
          %883 = llvm.getelementptr inbounds %0[%c1_i64_544] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %868, %883 : bf16, !llvm.ptr
          %c2_i64_545 = arith.constant 2 : i64
          %884 = llvm.getelementptr inbounds %0[%c2_i64_545] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %869, %884 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c3_i64_546 = arith.constant 3 : i64
          %885 = llvm.getelementptr inbounds %0[%c3_i64_546] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %870, %885 : bf16, !llvm.ptr
          %c4_i64_547 = arith.constant 4 : i64
          %886 = llvm.getelementptr inbounds %0[%c4_i64_547] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %871, %886 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c5_i64_548 = arith.constant 5 : i64
          %887 = llvm.getelementptr inbounds %0[%c5_i64_548] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %872, %887 : bf16, !llvm.ptr
          %c6_i64_549 = arith.constant 6 : i64
          %888 = llvm.getelementptr inbounds %0[%c6_i64_549] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %873, %888 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c7_i64_550 = arith.constant 7 : i64
          %889 = llvm.getelementptr inbounds %0[%c7_i64_550] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %874, %889 : bf16, !llvm.ptr
          %c8_i64_551 = arith.constant 8 : i64
          %890 = llvm.getelementptr inbounds %0[%c8_i64_551] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %875, %890 {alignment = 16 : i64} : bf16, !llvm.ptr
          %c9_i64_552 = arith.constant 9 : i64
          %891 = llvm.getelementptr inbounds %0[%c9_i64_552] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %876, %891 : bf16, !llvm.ptr
          %c10_i64_553 = arith.constant 10 : i64
          %892 = llvm.getelementptr inbounds %0[%c10_i64_553] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %877, %892 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c11_i64_554 = arith.constant 11 : i64
          %893 = llvm.getelementptr inbounds %0[%c11_i64_554] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %878, %893 : bf16, !llvm.ptr
          %c12_i64_555 = arith.constant 12 : i64
          %894 = llvm.getelementptr inbounds %0[%c12_i64_555] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %879, %894 {alignment = 8 : i64} : bf16, !llvm.ptr
          %c13_i64_556 = arith.constant 13 : i64
          %895 = llvm.getelementptr inbounds %0[%c13_i64_556] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %880, %895 : bf16, !llvm.ptr
          %c14_i64_557 = arith.constant 14 : i64
          %896 = llvm.getelementptr inbounds %0[%c14_i64_557] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %881, %896 {alignment = 4 : i64} : bf16, !llvm.ptr
          %c15_i64_558 = arith.constant 15 : i64
          %897 = llvm.getelementptr inbounds %0[%c15_i64_558] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          llvm.store %882, %897 : bf16, !llvm.ptr
          %898 = llvm.ptrtoint %835 : !llvm.ptr<3> to i64
          %c384_i32_559 = arith.constant 384 : i32
          %c384_i64_560 = arith.constant 384 : i64
          %899 = arith.andi %898, %c384_i64_560 : i64
          %c3_i32_561 = arith.constant 3 : i32
          %c3_i64_562 = arith.constant 3 : i64
          %c63_i64_563 = arith.constant 63 : i64
          %c3_i64_564 = arith.constant 3 : i64
          %900 = arith.shrsi %899, %c3_i64_564 : i64
          %901 = arith.xori %898, %900 : i64
          %902 = arith.subi %901, %898 : i64
          %903 = llvm.getelementptr %835[%902] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %904 = llvm.ptrtoint %903 : !llvm.ptr<3> to i64
          %905 = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c2_i64_565 = arith.constant 2 : i64
          %906 = llvm.getelementptr inbounds %0[%c2_i64_565] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %907 = llvm.load %906 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c4_i64_566 = arith.constant 4 : i64
          %908 = llvm.getelementptr inbounds %0[%c4_i64_566] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %909 = llvm.load %908 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c6_i64_567 = arith.constant 6 : i64
          %910 = llvm.getelementptr inbounds %0[%c6_i64_567] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %911 = llvm.load %910 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%904, %905, %907, %909, %911) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          %c16_i64_568 = arith.constant 16 : i64
          %912 = llvm.getelementptr inbounds %835[%c16_i64_568] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
          %913 = llvm.ptrtoint %912 : !llvm.ptr<3> to i64
          %c384_i32_569 = arith.constant 384 : i32
          %c384_i64_570 = arith.constant 384 : i64
          %914 = arith.andi %913, %c384_i64_570 : i64
          %c3_i32_571 = arith.constant 3 : i32
          %c3_i64_572 = arith.constant 3 : i64
          %c63_i64_573 = arith.constant 63 : i64
          %c3_i64_574 = arith.constant 3 : i64
          %915 = arith.shrsi %914, %c3_i64_574 : i64
          %916 = arith.xori %913, %915 : i64
          %917 = arith.subi %916, %913 : i64
          %918 = llvm.getelementptr %912[%917] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %919 = llvm.ptrtoint %918 : !llvm.ptr<3> to i64
          %c8_i64_575 = arith.constant 8 : i64
          %920 = llvm.getelementptr inbounds %0[%c8_i64_575] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %921 = llvm.load %920 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c10_i64_576 = arith.constant 10 : i64
          %922 = llvm.getelementptr inbounds %0[%c10_i64_576] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %923 = llvm.load %922 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c12_i64_577 = arith.constant 12 : i64
          %924 = llvm.getelementptr inbounds %0[%c12_i64_577] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %925 = llvm.load %924 {alignment = 4 : i64} : !llvm.ptr -> i32
          %c14_i64_578 = arith.constant 14 : i64
          %926 = llvm.getelementptr inbounds %0[%c14_i64_578] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
          %927 = llvm.load %926 {alignment = 4 : i64} : !llvm.ptr -> i32
          "fairlead.store_matrix"(%919, %921, %923, %925, %927) {transposed = false} : (i64, i32, i32, i32, i32) -> ()
          "fairlead.order"() {ptx = "fence.proxy.async.shared::cta;"} : () -> ()
          %c256_i32_579 = arith.constant 256 : i32
          %c1_i32_580 = arith.constant 1 : i32
          nvvm.barrier id = %c1_i32_580 number_of_threads = %c256_i32_579
          scf.if %90 {
            %c4096_i32_607 = arith.constant 4096 : i32
            %c4096_i64_608 = arith.constant 4096 : i64
            %959 = arith.extsi %832 : i32 to i64
            %960 = arith.muli %959, %c4096_i64_608 : i64
            %961 = llvm.getelementptr inbounds %82[%960] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, bf16
            %c96_i32 = arith.constant 96 : i32
            %962 = arith.addi %143, %c96_i32 : i32
            "fairlead.tensor_copy"(%arg6, %961, %962, %142, %arg27) {kind = "store"} : (!llvm.ptr, !llvm.ptr<3>, i32, i32, i32) -> ()
            "fairlead.order"() {ptx = "cp.async.bulk.commit_group;"} : () -> ()
          } else {
          }
          %c1_i32_581 = arith.constant 1 : i32
          %928 = arith.addi %arg30, %c1_i32_581 : i32
          %c0_i32_582 = arith.constant 0 : i32
          %c0_i32_583 = arith.constant 0 : i32
          %c0_i32_584 = arith.constant 0 : i32
          %false_585 = arith.constant false
          %929 = arith.extsi %arg35 : i32 to i64
          %930 = llvm.getelementptr inbounds %55[%929] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
          "fairlead.mbarrier"(%930, %arg36) {what = "wait"} : (!llvm.ptr<3>, i32) -> ()
          %c4_i32_586 = arith.constant 4 : i32
          %c4_i64_587 = arith.constant 4 : i64
          %931 = arith.extsi %arg35 : i32 to i64
          %932 = arith.muli %931, %c4_i64_587 : i64
          %933 = llvm.getelementptr inbounds %arg33[%932] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
          %934 = llvm.load %933 {alignment = 16 : i64} : !llvm.ptr<3> -> i32
          %c4_i32_588 = arith.constant 4 : i32
          %c4_i64_589 = arith.constant 4 : i64
          %935 = arith.extsi %arg35 : i32 to i64
          %936 = arith.muli %935, %c4_i64_589 : i64
          %c1_i32_590 = arith.constant 1 : i32
          %c1_i64_591 = arith.constant 1 : i64
          %937 = arith.addi %936, %c1_i64_591 : i64
          %938 = llvm.getelementptr inbounds %arg33[%937] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
          %939 = llvm.load %938 : !llvm.ptr<3> -> i32
          %c4_i32_592 = arith.constant 4 : i32
          %c4_i64_593 = arith.constant 4 : i64
          %940 = arith.extsi %arg35 : i32 to i64
          %941 = arith.muli %940, %c4_i64_593 : i64
          %c2_i32_594 = arith.constant 2 : i32
          %c2_i64_595 = arith.constant 2 : i64
          %942 = arith.addi %941, %c2_i64_595 : i64
          %943 = llvm.getelementptr inbounds %arg33[%942] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
          %944 = llvm.load %943 {alignment = 8 : i64} : !llvm.ptr<3> -> i32
          %c4_i32_596 = arith.constant 4 : i32
          %c4_i64_597 = arith.constant 4 : i64
          %945 = arith.extsi %arg35 : i32 to i64
          %946 = arith.muli %945, %c4_i64_597 : i64
          %c3_i32_598 = arith.constant 3 : i32
          %c3_i64_599 = arith.constant 3 : i64
          %947 = arith.addi %946, %c3_i64_599 : i64
          %948 = llvm.getelementptr inbounds %arg33[%947] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
          %949 = llvm.load %948 : !llvm.ptr<3> -> i32
          %c-1_i32_600 = arith.constant -1 : i32
          nvvm.bar.warp.sync %c-1_i32_600 : i32
          %950 = nvvm.elect.sync -> i1
          %951:21 = scf.if %950 -> (i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32) {
            %959 = arith.extsi %arg35 : i32 to i64
            %960 = llvm.getelementptr inbounds %56[%959] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
            %c1_i32_607 = arith.constant 1 : i32
            "fairlead.mbarrier"(%960, %c1_i32_607) {what = "arrive"} : (!llvm.ptr<3>, i32) -> ()
            scf.yield %arg29, %928, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %arg44, %arg45, %arg46, %arg47, %arg48, %arg49 : i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
          } else {
            scf.yield %arg29, %928, %arg31, %arg32, %arg33, %arg34, %arg35, %arg36, %arg37, %arg38, %arg39, %arg40, %arg41, %arg42, %arg43, %arg44, %arg45, %arg46, %arg47, %arg48, %arg49 : i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
          }
          %c1_i32_601 = arith.constant 1 : i32
          %952 = arith.addi %951#5, %c1_i32_601 : i32
          %c1_i32_602 = arith.constant 1 : i32
          %953 = arith.addi %951#6, %c1_i32_602 : i32
          %c1_i32_603 = arith.constant 1 : i32
          %954 = arith.cmpi eq, %953, %c1_i32_603 : i32
          %c0_i32_604 = arith.constant 0 : i32
          %955 = arith.select %954, %c0_i32_604, %953 : i32
          %c1_i32_605 = arith.constant 1 : i32
          %956 = arith.xori %951#7, %c1_i32_605 : i32
          %957 = arith.select %954, %956, %951#7 : i32
          %c0_i32_606 = arith.constant 0 : i32
          %958 = arith.cmpi ne, %949, %c0_i32_606 : i32
          scf.yield %136#2, %136#3, %136#4, %arg19, %arg20, %arg21, %arg22, %arg23, %arg24, %934, %939, %944, %958, %951#0, %951#1, %951#2, %951#3, %951#4, %952, %955, %957, %951#8, %951#9, %951#10, %951#11, %951#12, %951#13, %951#14, %951#15, %951#16, %951#17, %951#18, %951#19, %951#20, %136#8, %arg51, %arg52, %arg53, %arg54 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i32, !llvm.ptr<3>, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32, i1, i32, i32, i32, i1
        }
        scf.if %90 {
          "fairlead.order"() {ptx = "cp.async.bulk.wait_group.read 0;"} : () -> ()
        } else {
        }
        scf.yield %127#34, %127#35, %127#36, %127#37, %127#38, %126#3, %126#4, %126#5, %126#6, %126#7, %126#8, %126#9, %126#10, %126#11, %126#12 : i1, i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
      } else {
        scf.yield %true, %86#0, %86#1, %86#2, %86#3, %86#4, %86#5, %86#6, %86#7, %86#8, %86#9, %86#10, %86#11, %86#12, %86#13 : i1, i32, i32, i32, i1, i32, i32, i64, i32, i32, i32, i32, i32, i32, i32
      }
      gpu.return
    }
  }
  func.func @host(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr, %arg4: i32, %arg5: i32, %arg6: !llvm.ptr, %arg7: i32, %arg8: i32, %arg9: i32, %arg10: i64, %arg11: i64, %arg12: i32, %arg13: i64, %arg14: i64, %arg15: i64, %arg16: i64) {
    %0 = arith.extsi %arg8 : i32 to i64
    %1 = arith.extsi %arg7 : i32 to i64
    %2 = arith.extsi %arg9 : i32 to i64
    %c2_i64 = arith.constant 2 : i64
    %3 = arith.muli %arg10, %c2_i64 : i64
    %c2_i64_0 = arith.constant 2 : i64
    %4 = arith.muli %arg11, %c2_i64_0 : i64
    %5 = "fairlead.tensor_map"(%arg1, %0, %1, %2, %3, %4) {box = array<i32: 64, 128, 1>, bytes = 2 : i32, swizzle = 3 : i32, type = 9 : i32} : (!llvm.ptr, i64, i64, i64, i64, i64) -> !llvm.ptr
    %6 = arith.extsi %arg8 : i32 to i64
    %7 = arith.extsi %arg12 : i32 to i64
    %8 = arith.extsi %arg9 : i32 to i64
    %c2_i64_1 = arith.constant 2 : i64
    %9 = arith.muli %arg13, %c2_i64_1 : i64
    %c2_i64_2 = arith.constant 2 : i64
    %10 = arith.muli %arg14, %c2_i64_2 : i64
    %11 = "fairlead.tensor_map"(%arg2, %6, %7, %8, %9, %10) {box = array<i32: 64, 128, 1>, bytes = 2 : i32, swizzle = 3 : i32, type = 9 : i32} : (!llvm.ptr, i64, i64, i64, i64, i64) -> !llvm.ptr
    %12 = arith.extsi %arg12 : i32 to i64
    %13 = arith.extsi %arg7 : i32 to i64
    %14 = arith.extsi %arg9 : i32 to i64
    %c2_i64_3 = arith.constant 2 : i64
    %15 = arith.muli %arg15, %c2_i64_3 : i64
    %c2_i64_4 = arith.constant 2 : i64
    %16 = arith.muli %arg16, %c2_i64_4 : i64
    %17 = "fairlead.tensor_map"(%arg3, %12, %13, %14, %15, %16) {box = array<i32: 32, 128, 1>, bytes = 2 : i32, swizzle = 2 : i32, type = 9 : i32} : (!llvm.ptr, i64, i64, i64, i64, i64) -> !llvm.ptr
    %c128_i32 = arith.constant 128 : i32
    %c1_i32 = arith.constant 1 : i32
    %c127_i32 = arith.constant 127 : i32
    %18 = arith.addi %arg7, %c127_i32 : i32
    %c128_i32_5 = arith.constant 128 : i32
    %c7_i32 = arith.constant 7 : i32
    %19 = arith.shrsi %18, %c7_i32 : i32
    %c128_i32_6 = arith.constant 128 : i32
    %c1_i32_7 = arith.constant 1 : i32
    %c127_i32_8 = arith.constant 127 : i32
    %20 = arith.addi %arg12, %c127_i32_8 : i32
    %c128_i32_9 = arith.constant 128 : i32
    %c7_i32_10 = arith.constant 7 : i32
    %21 = arith.shrsi %20, %c7_i32_10 : i32
    %c1_i32_11 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1_i32_12 = arith.constant 1 : i32
    %c0_i32_13 = arith.constant 0 : i32
    %22 = arith.extsi %19 : i32 to i64
    %23 = arith.extsi %21 : i32 to i64
    %24 = arith.muli %22, %23 : i64
    %c1_i32_14 = arith.constant 1 : i32
    %25 = arith.subi %arg5, %c1_i32_14 : i32
    %26 = arith.addi %19, %25 : i32
    %c0_i32_15 = arith.constant 0 : i32
    %27 = arith.cmpi eq, %arg5, %c0_i32_15 : i32
    %c-2147483648_i32 = arith.constant -2147483648 : i32
    %28 = arith.cmpi eq, %26, %c-2147483648_i32 : i32
    %c-1_i32 = arith.constant -1 : i32
    %29 = arith.cmpi eq, %arg5, %c-1_i32 : i32
    %30 = arith.andi %28, %29 : i1
    %31 = arith.ori %27, %30 : i1
    %c1_i32_16 = arith.constant 1 : i32
    %32 = arith.select %31, %c1_i32_16, %arg5 : i32
    %33 = arith.divsi %26, %32 : i32
    %34 = arith.remsi %26, %32 : i32
    %c0_i32_17 = arith.constant 0 : i32
    %35 = arith.cmpi ne, %34, %c0_i32_17 : i32
    %36 = arith.xori %34, %32 : i32
    %37 = arith.cmpi slt, %36, %c0_i32_17 : i32
    %38 = arith.andi %35, %37 : i1
    %c1_i32_18 = arith.constant 1 : i32
    %39 = arith.subi %33, %c1_i32_18 : i32
    %40 = arith.select %38, %39, %33 : i32
    %41 = arith.muli %40, %arg5 : i32
    %c1_i32_19 = arith.constant 1 : i32
    %42 = arith.subi %arg5, %c1_i32_19 : i32
    %43 = arith.addi %21, %42 : i32
    %c0_i32_20 = arith.constant 0 : i32
    %44 = arith.cmpi eq, %arg5, %c0_i32_20 : i32
    %c-2147483648_i32_21 = arith.constant -2147483648 : i32
    %45 = arith.cmpi eq, %43, %c-2147483648_i32_21 : i32
    %c-1_i32_22 = arith.constant -1 : i32
    %46 = arith.cmpi eq, %arg5, %c-1_i32_22 : i32
    %47 = arith.andi %45, %46 : i1
    %48 = arith.ori %44, %47 : i1
    %c1_i32_23 = arith.constant 1 : i32
    %49 = arith.select %48, %c1_i32_23, %arg5 : i32
    %50 = arith.divsi %43, %49 : i32
    %51 = arith.remsi %43, %49 : i32
    %c0_i32_24 = arith.constant 0 : i32
    %52 = arith.cmpi ne, %51, %c0_i32_24 : i32
    %53 = arith.xori %51, %49 : i32
    %54 = arith.cmpi slt, %53, %c0_i32_24 : i32
    %55 = arith.andi %52, %54 : i1
    %c1_i32_25 = arith.constant 1 : i32
    %56 = arith.subi %50, %c1_i32_25 : i32
    %57 = arith.select %55, %56, %50 : i32
    %58 = arith.muli %57, %arg5 : i32
    %59 = arith.cmpi sgt, %58, %41 : i32
    %c1_i32_26 = arith.constant 1 : i32
    %c0_i32_27 = arith.constant 0 : i32
    %60 = arith.select %59, %c0_i32_27, %c1_i32_26 : i32
    %c0_i32_28 = arith.constant 0 : i32
    %61 = arith.cmpi eq, %60, %c0_i32_28 : i32
    %62 = arith.select %61, %19, %21 : i32
    %c0_i32_29 = arith.constant 0 : i32
    %63 = arith.cmpi eq, %60, %c0_i32_29 : i32
    %64 = arith.select %63, %21, %19 : i32
    %65 = arith.minsi %arg5, %62 : i32
    %c0_i32_30 = arith.constant 0 : i32
    %66 = arith.cmpi eq, %65, %c0_i32_30 : i32
    %c-2147483648_i32_31 = arith.constant -2147483648 : i32
    %67 = arith.cmpi eq, %62, %c-2147483648_i32_31 : i32
    %c-1_i32_32 = arith.constant -1 : i32
    %68 = arith.cmpi eq, %65, %c-1_i32_32 : i32
    %69 = arith.andi %67, %68 : i1
    %70 = arith.ori %66, %69 : i1
    %c1_i32_33 = arith.constant 1 : i32
    %71 = arith.select %70, %c1_i32_33, %65 : i32
    %72 = arith.remsi %62, %71 : i32
    %c0_i32_34 = arith.constant 0 : i32
    %73 = arith.cmpi ne, %72, %c0_i32_34 : i32
    %74 = arith.xori %72, %71 : i32
    %75 = arith.cmpi slt, %74, %c0_i32_34 : i32
    %76 = arith.andi %73, %75 : i1
    %77 = arith.addi %72, %71 : i32
    %78 = arith.select %76, %77, %72 : i32
    %c0_i32_35 = arith.constant 0 : i32
    %79 = arith.cmpi eq, %65, %c0_i32_35 : i32
    %c-2147483648_i32_36 = arith.constant -2147483648 : i32
    %80 = arith.cmpi eq, %62, %c-2147483648_i32_36 : i32
    %c-1_i32_37 = arith.constant -1 : i32
    %81 = arith.cmpi eq, %65, %c-1_i32_37 : i32
    %82 = arith.andi %80, %81 : i1
    %83 = arith.ori %79, %82 : i1
    %c1_i32_38 = arith.constant 1 : i32
    %84 = arith.select %83, %c1_i32_38, %65 : i32
    %85 = arith.divsi %62, %84 : i32
    %86 = arith.remsi %62, %84 : i32
    %c0_i32_39 = arith.constant 0 : i32
    %87 = arith.cmpi ne, %86, %c0_i32_39 : i32
    %88 = arith.xori %86, %84 : i32
    %89 = arith.cmpi slt, %88, %c0_i32_39 : i32
    %90 = arith.andi %87, %89 : i1
    %c1_i32_40 = arith.constant 1 : i32
    %91 = arith.subi %85, %c1_i32_40 : i32
    %92 = arith.select %90, %91, %85 : i32
    %93 = arith.muli %65, %64 : i32
    %94 = arith.trunci %24 : i64 to i32
    %c0_i32_41 = arith.constant 0 : i32
    %95 = arith.cmpi sgt, %78, %c0_i32_41 : i32
    %c1_i32_42 = arith.constant 1 : i32
    %96 = arith.select %95, %78, %c1_i32_42 : i32
    %97 = arith.extsi %19 : i32 to i64
    %98 = arith.extsi %21 : i32 to i64
    %99 = arith.muli %97, %98 : i64
    %100 = arith.extsi %arg9 : i32 to i64
    %101 = arith.muli %99, %100 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1_i32_43 = arith.constant 1 : i32
    %102 = arith.extsi %arg4 : i32 to i64
    %103 = arith.minsi %101, %102 : i64
    %c1_i64_44 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i32_45 = arith.constant 1 : i32
    %c1_i32_46 = arith.constant 1 : i32
    %c1_i32_47 = arith.constant 1 : i32
    %c1_i32_48 = arith.constant 1 : i32
    %c1_i32_49 = arith.constant 1 : i32
    %104 = arith.trunci %103 : i64 to i32
    %105 = arith.extsi %104 : i32 to i64
    %106 = arith.cmpi ne, %105, %103 : i64
    scf.if %106 {
      %c2_i64_52 = arith.constant 2 : i64
      %107 = llvm.alloca %c2_i64_52 x !llvm.ptr : (i64) -> !llvm.ptr
      %108 = llvm.mlir.addressof @text_0 : !llvm.ptr
      llvm.store %108, %107 : !llvm.ptr, !llvm.ptr
      %109 = llvm.getelementptr %107[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %110 = llvm.mlir.addressof @text_1 : !llvm.ptr
      llvm.store %110, %109 : !llvm.ptr, !llvm.ptr
      llvm.call @FairleadRaise(%arg0, %107, %105, %103) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
    }
    %c384_i32 = arith.constant 384 : i32
    %c1_i32_50 = arith.constant 1 : i32
    %c1_i32_51 = arith.constant 1 : i32
    %c230400_i32 = arith.constant 230400 : i32
    gpu.launch_func <%arg6 : !llvm.ptr> @device::@kernel clusters in (%c1_i32_45, %c1_i32_46, %c1_i32_47) blocks in (%c1_i32_48, %c1_i32_49, %104) threads in (%c384_i32, %c1_i32_50, %c1_i32_51) : i32 dynamic_shared_memory_size %c230400_i32 args(%5 : !llvm.ptr, %arg7 : i32, %arg8 : i32, %arg9 : i32, %11 : !llvm.ptr, %arg12 : i32, %17 : !llvm.ptr, %19 : i32, %21 : i32, %60 : i32, %94 : i32, %24 : i64, %92 : i32, %65 : i32, %96 : i32, %93 : i32)
    return
  }
}
