; Calls of libdevice's functions get their definition, as internal functions; its square root of Float32 is an instruction. Calls of
; other functions stay.
; RUN: env FAIRLEAD_LIBDEVICE=builtin fairlead-llvm-opt %s --passes=fairlead-link-libdevice | FileCheck %s
; RUN: sed 's/__nv_expf/__nv_unknown/' %s > %t
; RUN: env FAIRLEAD_LIBDEVICE=builtin not fairlead-llvm-opt %t --passes=fairlead-link-libdevice 2>&1 | FileCheck %s --check-prefix=MISSING
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define float @call
; CHECK: call float @__nv_expf(
; CHECK-NEXT: call float @llvm.sqrt.f32(
; CHECK-NEXT: call float @other(
; CHECK: declare float @other(float)
; CHECK: define internal float @__nv_expf(float
; CHECK-NOT: @__nv_sinf
; MISSING: __nv_unknown
define float @call(float %x) {
  %y = call float @__nv_expf(float %x)
  %z = call float @__nv_sqrtf(float %y)
  %w = call float @other(float %z)
  ret float %w
}
declare float @__nv_expf(float)
declare float @__nv_sqrtf(float)
declare float @other(float)
