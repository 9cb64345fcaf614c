; ModuleID = 'fairlead'
source_filename = "fairlead"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@fairlead_cuda_module = external global ptr
@text_1 = private constant [87 x i8] c"Invalid grid[2] when launching `kernel`, expected an integer of 32 bits, but got {got}\00"
@text_0 = private constant [11 x i8] c"ValueError\00"

declare void @FairleadCudaLaunch(ptr, ptr, i32, ptr, ptr)

declare void @FairleadCudaTensorMap(ptr, ptr, ptr)

declare void @FairleadRaise(ptr, ptr, i64, i64)

define void @host(ptr %0, ptr %1, ptr %2, ptr %3, i32 %4, i32 %5, ptr %6, i32 %7, i32 %8, i32 %9, i64 %10, i64 %11, i32 %12, i64 %13, i64 %14, i64 %15, i64 %16) #0 {
  %18 = alloca { [12 x i32], ptr }, align 8
  %19 = alloca [16 x ptr], align 8
  %20 = alloca i32, align 4
  %21 = alloca i32, align 4
  %22 = alloca i32, align 4
  %23 = alloca i32, align 4
  %24 = alloca i32, align 4
  %25 = alloca i32, align 4
  %26 = alloca i32, align 4
  %27 = alloca i32, align 4
  %28 = alloca i64, align 8
  %29 = alloca i32, align 4
  %30 = alloca i32, align 4
  %31 = alloca i32, align 4
  %32 = alloca i32, align 4
  %33 = alloca { ptr, [9 x i64], [10 x i32] }, align 8
  %34 = alloca [16 x i64], align 64
  %35 = alloca { ptr, [9 x i64], [10 x i32] }, align 8
  %36 = alloca [16 x i64], align 64
  %37 = alloca { ptr, [9 x i64], [10 x i32] }, align 8
  %38 = alloca [16 x i64], align 64
  %39 = sext i32 %8 to i64
  %40 = sext i32 %7 to i64
  %41 = sext i32 %9 to i64
  %42 = shl i64 %10, 1
  %43 = shl i64 %11, 1
  store ptr %1, ptr %37, align 8
  %44 = getelementptr inbounds nuw i8, ptr %37, i64 8
  store i64 %39, ptr %44, align 8
  %45 = getelementptr inbounds nuw i8, ptr %37, i64 80
  store i32 64, ptr %45, align 8
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 16
  store i64 %40, ptr %46, align 8
  %47 = getelementptr inbounds nuw i8, ptr %37, i64 84
  store i32 128, ptr %47, align 4
  %48 = getelementptr inbounds nuw i8, ptr %37, i64 24
  store i64 %41, ptr %48, align 8
  %49 = getelementptr inbounds nuw i8, ptr %37, i64 88
  store i32 1, ptr %49, align 8
  %50 = getelementptr inbounds nuw i8, ptr %37, i64 48
  store i64 %42, ptr %50, align 8
  %51 = getelementptr inbounds nuw i8, ptr %37, i64 56
  store i64 %43, ptr %51, align 8
  %52 = getelementptr inbounds nuw i8, ptr %37, i64 100
  store i32 3, ptr %52, align 4
  %53 = getelementptr inbounds nuw i8, ptr %37, i64 104
  store i32 9, ptr %53, align 8
  %54 = getelementptr inbounds nuw i8, ptr %37, i64 108
  store i32 2, ptr %54, align 4
  %55 = getelementptr inbounds nuw i8, ptr %37, i64 112
  store i32 3, ptr %55, align 8
  %56 = getelementptr inbounds nuw i8, ptr %37, i64 116
  store i32 0, ptr %56, align 4
  call void @FairleadCudaTensorMap(ptr %0, ptr nonnull %37, ptr nonnull %38)
  %57 = sext i32 %12 to i64
  %58 = shl i64 %13, 1
  %59 = shl i64 %14, 1
  store ptr %2, ptr %35, align 8
  %60 = getelementptr inbounds nuw i8, ptr %35, i64 8
  store i64 %39, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %35, i64 80
  store i32 64, ptr %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr %35, i64 16
  store i64 %57, ptr %62, align 8
  %63 = getelementptr inbounds nuw i8, ptr %35, i64 84
  store i32 128, ptr %63, align 4
  %64 = getelementptr inbounds nuw i8, ptr %35, i64 24
  store i64 %41, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %35, i64 88
  store i32 1, ptr %65, align 8
  %66 = getelementptr inbounds nuw i8, ptr %35, i64 48
  store i64 %58, ptr %66, align 8
  %67 = getelementptr inbounds nuw i8, ptr %35, i64 56
  store i64 %59, ptr %67, align 8
  %68 = getelementptr inbounds nuw i8, ptr %35, i64 100
  store i32 3, ptr %68, align 4
  %69 = getelementptr inbounds nuw i8, ptr %35, i64 104
  store i32 9, ptr %69, align 8
  %70 = getelementptr inbounds nuw i8, ptr %35, i64 108
  store i32 2, ptr %70, align 4
  %71 = getelementptr inbounds nuw i8, ptr %35, i64 112
  store i32 3, ptr %71, align 8
  %72 = getelementptr inbounds nuw i8, ptr %35, i64 116
  store i32 0, ptr %72, align 4
  call void @FairleadCudaTensorMap(ptr %0, ptr nonnull %35, ptr nonnull %36)
  %73 = shl i64 %15, 1
  %74 = shl i64 %16, 1
  store ptr %3, ptr %33, align 8
  %75 = getelementptr inbounds nuw i8, ptr %33, i64 8
  store i64 %57, ptr %75, align 8
  %76 = getelementptr inbounds nuw i8, ptr %33, i64 80
  store i32 32, ptr %76, align 8
  %77 = getelementptr inbounds nuw i8, ptr %33, i64 16
  store i64 %40, ptr %77, align 8
  %78 = getelementptr inbounds nuw i8, ptr %33, i64 84
  store i32 128, ptr %78, align 4
  %79 = getelementptr inbounds nuw i8, ptr %33, i64 24
  store i64 %41, ptr %79, align 8
  %80 = getelementptr inbounds nuw i8, ptr %33, i64 88
  store i32 1, ptr %80, align 8
  %81 = getelementptr inbounds nuw i8, ptr %33, i64 48
  store i64 %73, ptr %81, align 8
  %82 = getelementptr inbounds nuw i8, ptr %33, i64 56
  store i64 %74, ptr %82, align 8
  %83 = getelementptr inbounds nuw i8, ptr %33, i64 100
  store i32 3, ptr %83, align 4
  %84 = getelementptr inbounds nuw i8, ptr %33, i64 104
  store i32 9, ptr %84, align 8
  %85 = getelementptr inbounds nuw i8, ptr %33, i64 108
  store i32 2, ptr %85, align 4
  %86 = getelementptr inbounds nuw i8, ptr %33, i64 112
  store i32 2, ptr %86, align 8
  %87 = getelementptr inbounds nuw i8, ptr %33, i64 116
  store i32 0, ptr %87, align 4
  call void @FairleadCudaTensorMap(ptr %0, ptr nonnull %33, ptr nonnull %34)
  %88 = add i32 %7, 127
  %89 = ashr i32 %88, 7
  %90 = add i32 %12, 127
  %91 = ashr i32 %90, 7
  %92 = sext i32 %89 to i64
  %93 = sext i32 %91 to i64
  %94 = mul nsw i64 %93, %92
  %95 = mul i64 %94, %41
  %96 = sext i32 %4 to i64
  %97 = call i64 @llvm.smin.i64(i64 %95, i64 %96)
  %sext = shl i64 %97, 32
  %98 = ashr exact i64 %sext, 32
  %.not = icmp eq i64 %98, %97
  br i1 %.not, label %102, label %99

99:                                               ; preds = %17
  %100 = alloca [2 x ptr], align 8
  store ptr @text_0, ptr %100, align 8
  %101 = getelementptr inbounds nuw i8, ptr %100, i64 8
  store ptr @text_1, ptr %101, align 8
  call void @FairleadRaise(ptr %0, ptr nonnull %100, i64 %98, i64 %97)
  br label %102

102:                                              ; preds = %99, %17
  %103 = trunc i64 %97 to i32
  %104 = add i32 %5, -1
  %105 = add i32 %91, %104
  %106 = icmp eq i32 %5, 0
  %107 = icmp eq i32 %105, -2147483648
  %108 = icmp eq i32 %5, -1
  %109 = and i1 %108, %107
  %110 = or i1 %106, %109
  %111 = select i1 %110, i32 1, i32 %5
  %112 = sdiv i32 %105, %111
  %113 = srem i32 %105, %111
  %114 = icmp ne i32 %113, 0
  %115 = xor i32 %113, %111
  %116 = icmp slt i32 %115, 0
  %117 = and i1 %114, %116
  %118 = sext i1 %117 to i32
  %119 = add i32 %112, %118
  %120 = mul i32 %119, %5
  %121 = add i32 %89, %104
  %122 = icmp eq i32 %121, -2147483648
  %123 = and i1 %108, %122
  %124 = or i1 %106, %123
  %125 = select i1 %124, i32 1, i32 %5
  %126 = sdiv i32 %121, %125
  %127 = srem i32 %121, %125
  %128 = icmp ne i32 %127, 0
  %129 = xor i32 %127, %125
  %130 = icmp slt i32 %129, 0
  %131 = and i1 %128, %130
  %132 = sext i1 %131 to i32
  %133 = add i32 %126, %132
  %134 = mul i32 %133, %5
  %135 = icmp sle i32 %120, %134
  %136 = select i1 %135, i32 %91, i32 %89
  %137 = call i32 @llvm.smin.i32(i32 %5, i32 %136)
  %138 = call i32 @llvm.umax.i32(i32 %137, i32 1)
  %139 = srem i32 %136, %138
  %140 = icmp ne i32 %139, 0
  %141 = xor i32 %138, %139
  %142 = icmp slt i32 %141, 0
  %143 = and i1 %140, %142
  %144 = select i1 %143, i32 %138, i32 0
  %145 = add i32 %144, %139
  %146 = call i32 @llvm.smax.i32(i32 %145, i32 1)
  %147 = trunc i64 %94 to i32
  %148 = select i1 %135, i32 %89, i32 %91
  %149 = mul i32 %137, %148
  %150 = sdiv i32 %136, %138
  %151 = sext i1 %143 to i32
  %152 = add nsw i32 %150, %151
  %153 = zext i1 %135 to i32
  store i32 1, ptr %18, align 8
  %154 = getelementptr inbounds nuw i8, ptr %18, i64 4
  store i32 1, ptr %154, align 4
  %155 = getelementptr inbounds nuw i8, ptr %18, i64 8
  store i32 %103, ptr %155, align 8
  %156 = getelementptr inbounds nuw i8, ptr %18, i64 12
  store i32 384, ptr %156, align 4
  %157 = getelementptr inbounds nuw i8, ptr %18, i64 16
  store i32 1, ptr %157, align 8
  %158 = getelementptr inbounds nuw i8, ptr %18, i64 20
  store i32 1, ptr %158, align 4
  %159 = getelementptr inbounds nuw i8, ptr %18, i64 24
  store i32 1, ptr %159, align 8
  %160 = getelementptr inbounds nuw i8, ptr %18, i64 28
  store i32 1, ptr %160, align 4
  %161 = getelementptr inbounds nuw i8, ptr %18, i64 32
  store i32 1, ptr %161, align 8
  %162 = getelementptr inbounds nuw i8, ptr %18, i64 36
  store i32 230400, ptr %162, align 4
  %163 = getelementptr inbounds nuw i8, ptr %18, i64 40
  store i32 1, ptr %163, align 8
  %164 = getelementptr inbounds nuw i8, ptr %18, i64 44
  store i32 0, ptr %164, align 4
  %165 = getelementptr inbounds nuw i8, ptr %18, i64 48
  store ptr %6, ptr %165, align 8
  store ptr %38, ptr %19, align 8
  store i32 %7, ptr %20, align 4
  %166 = getelementptr inbounds nuw i8, ptr %19, i64 8
  store ptr %20, ptr %166, align 8
  store i32 %8, ptr %21, align 4
  %167 = getelementptr inbounds nuw i8, ptr %19, i64 16
  store ptr %21, ptr %167, align 8
  store i32 %9, ptr %22, align 4
  %168 = getelementptr inbounds nuw i8, ptr %19, i64 24
  store ptr %22, ptr %168, align 8
  %169 = getelementptr inbounds nuw i8, ptr %19, i64 32
  store ptr %36, ptr %169, align 8
  store i32 %12, ptr %23, align 4
  %170 = getelementptr inbounds nuw i8, ptr %19, i64 40
  store ptr %23, ptr %170, align 8
  %171 = getelementptr inbounds nuw i8, ptr %19, i64 48
  store ptr %34, ptr %171, align 8
  store i32 %89, ptr %24, align 4
  %172 = getelementptr inbounds nuw i8, ptr %19, i64 56
  store ptr %24, ptr %172, align 8
  store i32 %91, ptr %25, align 4
  %173 = getelementptr inbounds nuw i8, ptr %19, i64 64
  store ptr %25, ptr %173, align 8
  store i32 %153, ptr %26, align 4
  %174 = getelementptr inbounds nuw i8, ptr %19, i64 72
  store ptr %26, ptr %174, align 8
  store i32 %147, ptr %27, align 4
  %175 = getelementptr inbounds nuw i8, ptr %19, i64 80
  store ptr %27, ptr %175, align 8
  store i64 %94, ptr %28, align 8
  %176 = getelementptr inbounds nuw i8, ptr %19, i64 88
  store ptr %28, ptr %176, align 8
  store i32 %152, ptr %29, align 4
  %177 = getelementptr inbounds nuw i8, ptr %19, i64 96
  store ptr %29, ptr %177, align 8
  store i32 %137, ptr %30, align 4
  %178 = getelementptr inbounds nuw i8, ptr %19, i64 104
  store ptr %30, ptr %178, align 8
  store i32 %146, ptr %31, align 4
  %179 = getelementptr inbounds nuw i8, ptr %19, i64 112
  store ptr %31, ptr %179, align 8
  store i32 %149, ptr %32, align 4
  %180 = getelementptr inbounds nuw i8, ptr %19, i64 120
  store ptr %32, ptr %180, align 8
  call void @FairleadCudaLaunch(ptr %0, ptr nonnull @fairlead_cuda_module, i32 0, ptr nonnull %19, ptr nonnull %18)
  ret void
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #1

attributes #0 = { "target-cpu"="x86-64" "target-features" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
