; A tree of maxima becomes a chain, in the order of its numbers. A maximum that is used elsewhere stays, as do minima
; among maxima and trees of more than 64 numbers.
; RUN: fairlead-llvm-opt %s --passes=fairlead-chain-extremes | FileCheck %s

; CHECK-LABEL: @tree
; CHECK-NEXT: [[AB:%.*]] = call float @llvm.maximum.f32(float %a, float %b)
; CHECK-NEXT: [[ABC:%.*]] = call float @llvm.maximum.f32(float [[AB]], float %c)
; CHECK-NEXT: [[ALL:%.*]] = call float @llvm.maximum.f32(float [[ABC]], float %d)
; CHECK-NEXT: ret float [[ALL]]
define float @tree(float %a, float %b, float %c, float %d) {
  %ab = call float @llvm.maximum.f32(float %a, float %b)
  %cd = call float @llvm.maximum.f32(float %c, float %d)
  %all = call float @llvm.maximum.f32(float %ab, float %cd)
  ret float %all
}

; CHECK-LABEL: @others
; CHECK-NEXT: %ab = call float @llvm.minimum.f32(float %a, float %b)
; CHECK-NEXT: %cd = call float @llvm.maximum.f32(float %c, float %d)
; CHECK-NEXT: store float %cd, ptr %p
; CHECK-NEXT: %all = call float @llvm.maximum.f32(float %ab, float %cd)
define float @others(float %a, float %b, float %c, float %d, ptr %p) {
  %ab = call float @llvm.minimum.f32(float %a, float %b)
  %cd = call float @llvm.maximum.f32(float %c, float %d)
  store float %cd, ptr %p
  %all = call float @llvm.maximum.f32(float %ab, float %cd)
  ret float %all
}

; CHECK-LABEL: @many
; CHECK: %m0 = call float @llvm.maximum.f32(float %x0, float %x1)
; CHECK-NEXT: %m1 = call float @llvm.maximum.f32(float %x2, float %x3)
; CHECK: ret float %m63
define float @many(float %x0, float %x1, float %x2, float %x3, float %x4, float %x5, float %x6, float %x7, float
    %x8, float %x9, float %x10, float %x11, float %x12, float %x13, float %x14, float %x15, float %x16, float %x17,
    float %x18, float %x19, float %x20, float %x21, float %x22, float %x23, float %x24, float %x25, float %x26,
    float %x27, float %x28, float %x29, float %x30, float %x31, float %x32, float %x33, float %x34, float %x35,
    float %x36, float %x37, float %x38, float %x39, float %x40, float %x41, float %x42, float %x43, float %x44,
    float %x45, float %x46, float %x47, float %x48, float %x49, float %x50, float %x51, float %x52, float %x53,
    float %x54, float %x55, float %x56, float %x57, float %x58, float %x59, float %x60, float %x61, float %x62,
    float %x63, float %x64) {
  %m0 = call float @llvm.maximum.f32(float %x0, float %x1)
  %m1 = call float @llvm.maximum.f32(float %x2, float %x3)
  %m2 = call float @llvm.maximum.f32(float %x4, float %x5)
  %m3 = call float @llvm.maximum.f32(float %x6, float %x7)
  %m4 = call float @llvm.maximum.f32(float %x8, float %x9)
  %m5 = call float @llvm.maximum.f32(float %x10, float %x11)
  %m6 = call float @llvm.maximum.f32(float %x12, float %x13)
  %m7 = call float @llvm.maximum.f32(float %x14, float %x15)
  %m8 = call float @llvm.maximum.f32(float %x16, float %x17)
  %m9 = call float @llvm.maximum.f32(float %x18, float %x19)
  %m10 = call float @llvm.maximum.f32(float %x20, float %x21)
  %m11 = call float @llvm.maximum.f32(float %x22, float %x23)
  %m12 = call float @llvm.maximum.f32(float %x24, float %x25)
  %m13 = call float @llvm.maximum.f32(float %x26, float %x27)
  %m14 = call float @llvm.maximum.f32(float %x28, float %x29)
  %m15 = call float @llvm.maximum.f32(float %x30, float %x31)
  %m16 = call float @llvm.maximum.f32(float %x32, float %x33)
  %m17 = call float @llvm.maximum.f32(float %x34, float %x35)
  %m18 = call float @llvm.maximum.f32(float %x36, float %x37)
  %m19 = call float @llvm.maximum.f32(float %x38, float %x39)
  %m20 = call float @llvm.maximum.f32(float %x40, float %x41)
  %m21 = call float @llvm.maximum.f32(float %x42, float %x43)
  %m22 = call float @llvm.maximum.f32(float %x44, float %x45)
  %m23 = call float @llvm.maximum.f32(float %x46, float %x47)
  %m24 = call float @llvm.maximum.f32(float %x48, float %x49)
  %m25 = call float @llvm.maximum.f32(float %x50, float %x51)
  %m26 = call float @llvm.maximum.f32(float %x52, float %x53)
  %m27 = call float @llvm.maximum.f32(float %x54, float %x55)
  %m28 = call float @llvm.maximum.f32(float %x56, float %x57)
  %m29 = call float @llvm.maximum.f32(float %x58, float %x59)
  %m30 = call float @llvm.maximum.f32(float %x60, float %x61)
  %m31 = call float @llvm.maximum.f32(float %x62, float %x63)
  %m32 = call float @llvm.maximum.f32(float %m0, float %m1)
  %m33 = call float @llvm.maximum.f32(float %m2, float %m3)
  %m34 = call float @llvm.maximum.f32(float %m4, float %m5)
  %m35 = call float @llvm.maximum.f32(float %m6, float %m7)
  %m36 = call float @llvm.maximum.f32(float %m8, float %m9)
  %m37 = call float @llvm.maximum.f32(float %m10, float %m11)
  %m38 = call float @llvm.maximum.f32(float %m12, float %m13)
  %m39 = call float @llvm.maximum.f32(float %m14, float %m15)
  %m40 = call float @llvm.maximum.f32(float %m16, float %m17)
  %m41 = call float @llvm.maximum.f32(float %m18, float %m19)
  %m42 = call float @llvm.maximum.f32(float %m20, float %m21)
  %m43 = call float @llvm.maximum.f32(float %m22, float %m23)
  %m44 = call float @llvm.maximum.f32(float %m24, float %m25)
  %m45 = call float @llvm.maximum.f32(float %m26, float %m27)
  %m46 = call float @llvm.maximum.f32(float %m28, float %m29)
  %m47 = call float @llvm.maximum.f32(float %m30, float %m31)
  %m48 = call float @llvm.maximum.f32(float %m32, float %m33)
  %m49 = call float @llvm.maximum.f32(float %m34, float %m35)
  %m50 = call float @llvm.maximum.f32(float %m36, float %m37)
  %m51 = call float @llvm.maximum.f32(float %m38, float %m39)
  %m52 = call float @llvm.maximum.f32(float %m40, float %m41)
  %m53 = call float @llvm.maximum.f32(float %m42, float %m43)
  %m54 = call float @llvm.maximum.f32(float %m44, float %m45)
  %m55 = call float @llvm.maximum.f32(float %m46, float %m47)
  %m56 = call float @llvm.maximum.f32(float %m48, float %m49)
  %m57 = call float @llvm.maximum.f32(float %m50, float %m51)
  %m58 = call float @llvm.maximum.f32(float %m52, float %m53)
  %m59 = call float @llvm.maximum.f32(float %m54, float %m55)
  %m60 = call float @llvm.maximum.f32(float %m56, float %m57)
  %m61 = call float @llvm.maximum.f32(float %m58, float %m59)
  %m62 = call float @llvm.maximum.f32(float %m60, float %m61)
  %m63 = call float @llvm.maximum.f32(float %m62, float %x64)
  ret float %m63
}
