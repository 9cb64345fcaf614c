; Two conversions to 16 bits that make a word are one of a pair. Conversions of different types, and one whose result has another
; use, stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-pack-conversions | FileCheck %s

; CHECK-LABEL: define i32 @pair
; CHECK: %[[LOW:.*]] = insertelement <2 x float> poison, float %x, i32 0
; CHECK-NEXT: %[[BOTH:.*]] = insertelement <2 x float> %[[LOW]], float %y, i32 1
; CHECK-NEXT: %[[HALVES:.*]] = fptrunc <2 x float> %[[BOTH]] to <2 x half>
; CHECK-NEXT: %[[WORD:.*]] = bitcast <2 x half> %[[HALVES]] to i32
; CHECK-NEXT: ret i32 %[[WORD]]
define i32 @pair(float %x, float %y) {
  %a = fptrunc float %x to half
  %b = fptrunc float %y to half
  %low = bitcast half %a to i16
  %high = bitcast half %b to i16
  %first = zext i16 %low to i32
  %second = zext i16 %high to i32
  %shifted = shl i32 %second, 16
  %word = or i32 %first, %shifted
  ret i32 %word
}

; CHECK-LABEL: define i32 @mixed
; CHECK-NOT: <2 x
; CHECK: ret i32
define i32 @mixed(float %x, float %y) {
  %a = fptrunc float %x to half
  %b = fptrunc float %y to bfloat
  %low = bitcast half %a to i16
  %high = bitcast bfloat %b to i16
  %first = zext i16 %low to i32
  %second = zext i16 %high to i32
  %shifted = shl i32 %second, 16
  %word = or i32 %first, %shifted
  ret i32 %word
}

; CHECK-LABEL: define i32 @used
; CHECK-NOT: <2 x
; CHECK: ret i32
define i32 @used(float %x, float %y, ptr %out) {
  %a = fptrunc float %x to half
  store half %a, ptr %out
  %b = fptrunc float %y to half
  %low = bitcast half %a to i16
  %high = bitcast half %b to i16
  %first = zext i16 %low to i32
  %second = zext i16 %high to i32
  %shifted = shl i32 %second, 16
  %word = or i32 %first, %shifted
  ret i32 %word
}

; The conversion stands behind the numbers, not before the use of the word: a word needs fewer registers.
; CHECK-LABEL: define i32 @early
; CHECK: fptrunc <2 x float>
; CHECK: call void @work()
; CHECK: ret i32
declare void @work()
define i32 @early(float %x, float %y) {
  %a = fptrunc float %x to half
  %b = fptrunc float %y to half
  call void @work()
  %low = bitcast half %a to i16
  %high = bitcast half %b to i16
  %first = zext i16 %low to i32
  %second = zext i16 %high to i32
  %shifted = shl i32 %second, 16
  %word = or i32 %first, %shifted
  ret i32 %word
}

; Numbers that are computed alike are computed as a pair, too.
; CHECK-LABEL: define i32 @scaled
; CHECK: %[[BOTH:.*]] = fmul <2 x float>
; CHECK-NEXT: fptrunc <2 x float> %[[BOTH]] to <2 x half>
define i32 @scaled(float %x, float %y, float %s) {
  %sx = fmul float %x, %s
  %sy = fmul float %y, %s
  %a = fptrunc float %sx to half
  %b = fptrunc float %sy to half
  %low = bitcast half %a to i16
  %high = bitcast half %b to i16
  %first = zext i16 %low to i32
  %second = zext i16 %high to i32
  %shifted = shl i32 %second, 16
  %word = or i32 %first, %shifted
  ret i32 %word
}
