; Operations on BFloat16 are those on Float32, rounded by integers, on every processor. Those on Float16 are so on processors without
; conversions; processors with them keep theirs. Operations on Float32 stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-expand-float16 | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @brain
; CHECK-NOT: fadd bfloat
; CHECK: shl i32 %{{.*}}, 16
; CHECK: fadd float
; CHECK: lshr i32 %{{.*}}, 16
; CHECK: store i16
define void @brain(ptr %a) #0 {
  %x = load bfloat, ptr %a
  %y = fadd bfloat %x, %x
  store bfloat %y, ptr %a
  ret void
}

; CHECK-LABEL: define void @converts
; CHECK-NEXT: load half
; CHECK-NEXT: fadd half
; CHECK-NEXT: store half
define void @converts(ptr %a) #0 {
  %x = load half, ptr %a
  %y = fadd half %x, %x
  store half %y, ptr %a
  ret void
}

; CHECK-LABEL: define void @plain
; CHECK-NOT: half
; CHECK: fadd float
; CHECK-NOT: half
; CHECK: ret void
define void @plain(ptr %a) #1 {
  %x = load half, ptr %a
  %y = fadd half %x, %x
  store half %y, ptr %a
  ret void
}

; CHECK-LABEL: define float @single
; CHECK-NEXT: fadd float %x, %x
; CHECK-NEXT: ret float
define float @single(float %x) #1 {
  %y = fadd float %x, %x
  ret float %y
}

attributes #0 = { "target-cpu"="x86-64-v3" }
attributes #1 = { "target-cpu"="x86-64" }
