; Dot products of pairs are an instruction for a processor with AVX512_BF16, of 16 lanes, and multiply-adds for others.
; RUN: fairlead-llvm-opt %s --passes=fairlead-expand-dot-pairs | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define <16 x float> @sixteen
; CHECK: call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %z, <32 x bfloat> %{{.*}}, <32 x bfloat>
; CHECK-NOT: fma
define <16 x float> @sixteen(<16 x i32> %x, <16 x i32> %y, <16 x float> %z) #0 {
  %sum = call <16 x float> @FairleadDotPairs.16(<16 x i32> %x, <16 x i32> %y, <16 x float> %z)
  ret <16 x float> %sum
}

; CHECK-LABEL: define <4 x float> @four
; CHECK: shufflevector <4 x float> %z, <4 x float> poison, <16 x i32>
; CHECK: %[[WIDE:.*]] = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512
; CHECK: shufflevector <16 x float> %[[WIDE]], <16 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
define <4 x float> @four(<4 x i32> %x, <4 x i32> %y, <4 x float> %z) #0 {
  %sum = call <4 x float> @FairleadDotPairs.4(<4 x i32> %x, <4 x i32> %y, <4 x float> %z)
  ret <4 x float> %sum
}

; CHECK-LABEL: define float @one
; CHECK: %[[WIDE:.*]] = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512
; CHECK: extractelement <16 x float> %[[WIDE]], i64 0
define float @one(i32 %x, i32 %y, float %z) #0 {
  %sum = call float @FairleadDotPairs(i32 %x, i32 %y, float %z)
  ret float %sum
}

; CHECK-LABEL: define <16 x float> @other
; CHECK: and <16 x i32> %x, splat (i32 -65536)
; CHECK: %[[HIGH:.*]] = call <16 x float> @llvm.fma.v16f32(<16 x float> %{{.*}}, <16 x float> %{{.*}}, <16 x float> %z)
; CHECK: shl <16 x i32> %x, splat (i32 16)
; CHECK: call <16 x float> @llvm.fma.v16f32(<16 x float> %{{.*}}, <16 x float> %{{.*}}, <16 x float> %[[HIGH]])
; CHECK-NOT: dpbf16ps
; CHECK: ret
define <16 x float> @other(<16 x i32> %x, <16 x i32> %y, <16 x float> %z) #1 {
  %sum = call <16 x float> @FairleadDotPairs.16(<16 x i32> %x, <16 x i32> %y, <16 x float> %z)
  ret <16 x float> %sum
}

declare <16 x float> @FairleadDotPairs.16(<16 x i32>, <16 x i32>, <16 x float>)
declare <4 x float> @FairleadDotPairs.4(<4 x i32>, <4 x i32>, <4 x float>)
declare float @FairleadDotPairs(i32, i32, float)

attributes #0 = { "target-cpu"="cooperlake" }
attributes #1 = { "target-cpu"="x86-64-v4" }
