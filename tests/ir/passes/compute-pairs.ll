; Neighbouring elements of a vector of 16-bit floats are computed and converted as a pair, except if they differ in
; how they are computed or something else uses one of them.
; RUN: fairlead-llvm-opt %s --passes=fairlead-compute-pairs | FileCheck %s

; CHECK-LABEL: define <4 x half> @scaled
; CHECK: %[[X:.*]] = insertelement <2 x float> poison, float %x, i32 0
; CHECK-NEXT: %[[XY:.*]] = insertelement <2 x float> %[[X]], float %y, i32 1
; CHECK-NEXT: %[[S:.*]] = insertelement <2 x float> poison, float %s, i32 0
; CHECK-NEXT: %[[SS:.*]] = insertelement <2 x float> %[[S]], float %s, i32 1
; CHECK-NEXT: %[[SCALED:.*]] = fmul <2 x float> %[[XY]], %[[SS]]
; CHECK: %[[SUMS:.*]] = call <2 x float> @llvm.fma.v2f32(<2 x float> %[[SCALED]],
; CHECK-NEXT: %[[HALVES:.*]] = fptrunc <2 x float> %[[SUMS]] to <2 x half>
; CHECK-NEXT: %[[LOW:.*]] = extractelement <2 x half> %[[HALVES]], i64 0
; CHECK-NEXT: %[[HIGH:.*]] = extractelement <2 x half> %[[HALVES]], i64 1
; CHECK-NEXT: %[[FIRST:.*]] = insertelement <4 x half> %v, half %[[LOW]], i64 2
; CHECK-NEXT: insertelement <4 x half> %[[FIRST]], half %[[HIGH]], i64 3
declare float @llvm.fma.f32(float, float, float)
define <4 x half> @scaled(<4 x half> %v, float %x, float %y, float %s, float %t, float %c) {
  %sx = fmul float %x, %s
  %fx = call float @llvm.fma.f32(float %sx, float %t, float %c)
  %hx = fptrunc float %fx to half
  %low = insertelement <4 x half> %v, half %hx, i64 2
  %sy = fmul float %y, %s
  %fy = call float @llvm.fma.f32(float %sy, float %t, float %c)
  %hy = fptrunc float %fy to half
  %both = insertelement <4 x half> %low, half %hy, i64 3
  ret <4 x half> %both
}

; CHECK-LABEL: define <2 x half> @different
; CHECK-NOT: <2 x float>
; CHECK: ret
define <2 x half> @different(float %x, float %y, float %s) {
  %sx = fmul float %x, %s
  %sy = fadd float %y, %s
  %hx = fptrunc float %sx to half
  %hy = fptrunc float %sy to half
  %low = insertelement <2 x half> poison, half %hx, i64 0
  %both = insertelement <2 x half> %low, half %hy, i64 1
  ret <2 x half> %both
}

; CHECK-LABEL: define <2 x half> @used
; CHECK-NOT: <2 x float>
; CHECK: ret
define <2 x half> @used(float %x, float %y, float %s, ptr %out) {
  %sx = fmul float %x, %s
  %sy = fmul float %y, %s
  store float %sx, ptr %out
  %hx = fptrunc float %sx to half
  %hy = fptrunc float %sy to half
  %low = insertelement <2 x half> poison, half %hx, i64 0
  %both = insertelement <2 x half> %low, half %hy, i64 1
  ret <2 x half> %both
}
