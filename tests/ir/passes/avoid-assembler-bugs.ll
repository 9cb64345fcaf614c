; Negations, absolute values and minima that ptxas compiles wrongly are written as text or as other instructions. Negations
; elsewhere, and absolute values of 32 bits, stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-avoid-assembler-bugs | FileCheck %s

; CHECK-LABEL: define i64 @wide_abs
; CHECK-NEXT: call i64 asm "{ .reg .b64 minus; neg.s64 minus, $1; max.s64 $0, $1, minus; }", "=l,l"(i64 %x)
define i64 @wide_abs(i64 %x) {
  %y = call i64 @llvm.abs.i64(i64 %x, i1 false)
  ret i64 %y
}

; LLVM's back end makes an absolute value of this choice.
; CHECK-LABEL: define i64 @chosen_abs
; CHECK: call i64 asm "{ .reg .b64 minus; neg.s64 minus, $1; max.s64 $0, $1, minus; }", "=l,l"(i64 %x)
define i64 @chosen_abs(i64 %x) {
  %minus = sub i64 0, %x
  %negative = icmp slt i64 %x, 0
  %y = select i1 %negative, i64 %minus, i64 %x
  ret i64 %y
}

; CHECK-LABEL: define i32 @abs
; CHECK-NEXT: call i32 @llvm.abs.i32(
define i32 @abs(i32 %x) {
  %y = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %y
}

; CHECK-LABEL: define i16 @narrow
; CHECK-NEXT: call i16 asm "not.b16 $0, $1; add.s16 $0, $0, 1;", "=&h,h"(i16 %x)
; CHECK-NEXT: call i16 asm "{ .reg .b16 minus;
define i16 @narrow(i16 %x) {
  %minus = sub i16 0, %x
  %y = call i16 @llvm.abs.i16(i16 %minus, i1 false)
  ret i16 %y
}

; CHECK-LABEL: define i32 @minimum
; CHECK: %[[MINUS:.*]] = call i32 asm "not.b32 $0, $1; add.s32 $0, $0, 1;", "=&r,r"(i32 %y)
; CHECK-NEXT: call i32 @llvm.smin.i32(i32 %x, i32 %[[MINUS]])
define i32 @minimum(i32 %x, i32 %y) {
  %minus = sub i32 0, %y
  %least = call i32 @llvm.smin.i32(i32 %x, i32 %minus)
  ret i32 %least
}

; CHECK-LABEL: define i32 @shifted
; CHECK: %[[MINUS:.*]] = call i32 asm
; CHECK-NEXT: ashr i32 %[[MINUS]], 3
define i32 @shifted(i32 %x) {
  %minus = sub i32 0, %x
  %y = ashr i32 %minus, 3
  ret i32 %y
}

; CHECK-LABEL: define i32 @sum
; CHECK-NEXT: sub i32 0, %x
; CHECK-NEXT: add i32
define i32 @sum(i32 %x, i32 %y) {
  %minus = sub i32 0, %x
  %sum = add i32 %minus, %y
  ret i32 %sum
}

; A negated truth value is a choice between -1 and -0.
; CHECK-LABEL: define float @negated_truth
; CHECK: %[[CHOICE:.*]] = select i1 %p, float -1.000000e+00, float -0.000000e+00
; CHECK-NEXT: ret float %[[CHOICE]]
define float @negated_truth(i1 %p) {
  %one = uitofp i1 %p to float
  %minus = fneg float %one
  ret float %minus
}

; Casts, absolute values and roundings keep 0 and 1. Products with -1 negate.
; CHECK-LABEL: define double @negated_through_casts
; CHECK: and i32
; CHECK: %[[IS_ONE:.*]] = icmp ne i32 %{{.*}}, 0
; CHECK-NEXT: %[[CHOICE:.*]] = select i1 %[[IS_ONE]], double -1.000000e+00, double -0.000000e+00
; CHECK-NEXT: ret double %[[CHOICE]]
define double @negated_through_casts(i32 %x, i1 %p) {
  %bit = zext i1 %p to i32
  %both = and i32 %x, %bit
  %half = sitofp i32 %both to half
  %integer = fptoui half %half to i8
  %single = uitofp i8 %integer to float
  %rounded = call float @llvm.rint.f32(float %single)
  %absolute = call float @llvm.fabs.f32(float %rounded)
  %wide = fpext float %absolute to double
  %minus = fmul double %wide, -1.000000e+00
  ret double %minus
}

; CHECK-LABEL: define <2 x half> @negated_truths
; CHECK: select <2 x i1> %p, <2 x half> splat (half {{.*}}), <2 x half> splat (half
define <2 x half> @negated_truths(<2 x i1> %p) {
  %one = uitofp <2 x i1> %p to <2 x half>
  %minus = fneg <2 x half> %one
  ret <2 x half> %minus
}

; Minus one or zero, and numbers that may be greater, stay.
; CHECK-LABEL: define float @signed_truth
; CHECK-NEXT: sitofp
; CHECK-NEXT: fneg
define float @signed_truth(i1 %p) {
  %one = sitofp i1 %p to float
  %minus = fneg float %one
  ret float %minus
}

; CHECK-LABEL: define float @up_to_three
; CHECK-NOT: select
; CHECK: fneg
define float @up_to_three(i32 %x) {
  %bits = and i32 %x, 3
  %number = uitofp i32 %bits to float
  %minus = fneg float %number
  ret float %minus
}

; Minima and maxima of 16 bits that are compared are computed with 32.
; CHECK-LABEL: define i1 @compared_minimum
; CHECK-NEXT: %[[X:.*]] = zext i16 %x to i32
; CHECK-NEXT: %[[Y:.*]] = zext i16 %y to i32
; CHECK-NEXT: %[[LEAST:.*]] = call i32 @llvm.umin.i32(i32 %[[X]], i32 %[[Y]])
; CHECK-NEXT: %[[NARROW:.*]] = trunc i32 %[[LEAST]] to i16
; CHECK-NEXT: icmp eq i16 %[[NARROW]], %x
define i1 @compared_minimum(i16 %x, i16 %y) {
  %least = call i16 @llvm.umin.i16(i16 %x, i16 %y)
  %equal = icmp eq i16 %least, %x
  ret i1 %equal
}

; LLVM's back end makes a maximum of this choice.
; CHECK-LABEL: define i32 @compared_choice
; CHECK: call i32 @llvm.smax.i32(
define i32 @compared_choice(i8 %x, i8 %y) {
  %greater = icmp sgt i8 %x, %y
  %most = select i1 %greater, i8 %x, i8 %y
  %wide = sext i8 %most to i32
  switch i32 %wide, label %other [ i32 3, label %three ]
three:
  ret i32 1
other:
  ret i32 0
}

; CHECK-LABEL: define <2 x i1> @compared_minima
; CHECK: call <2 x i32> @llvm.smin.v2i32(
define <2 x i1> @compared_minima(<2 x i16> %x, <2 x i16> %y) {
  %least = call <2 x i16> @llvm.smin.v2i16(<2 x i16> %x, <2 x i16> %y)
  %equal = icmp eq <2 x i16> %least, %y
  ret <2 x i1> %equal
}

; CHECK-LABEL: define i1 @saturated
; CHECK: %[[SUM:.*]] = add i32
; CHECK-NEXT: %[[LEAST:.*]] = call i32 @llvm.smin.i32(i32 %[[SUM]], i32 127)
; CHECK-NEXT: call i32 @llvm.smax.i32(i32 %[[LEAST]], i32 -128)
; CHECK: %[[USUM:.*]] = add i32
; CHECK-NEXT: call i32 @llvm.umin.i32(i32 %[[USUM]], i32 65535)
; CHECK: %[[DIFFERENCE:.*]] = sub i32
; CHECK-NEXT: call i32 @llvm.smax.i32(i32 %[[DIFFERENCE]], i32 0)
define i1 @saturated(i8 %x, i8 %y, i16 %z, i16 %w) {
  %signed = call i8 @llvm.sadd.sat.i8(i8 %x, i8 %y)
  %unsigned = call i16 @llvm.uadd.sat.i16(i16 %z, i16 %w)
  %difference = call i16 @llvm.usub.sat.i16(i16 %z, i16 %w)
  %one = icmp eq i8 %signed, 127
  %two = icmp eq i16 %unsigned, -1
  %three = icmp eq i16 %difference, 0
  %some = or i1 %one, %two
  %any = or i1 %some, %three
  ret i1 %any
}

; Others stay.
; CHECK-LABEL: define i16 @stored_minimum
; CHECK-NEXT: call i16 @llvm.umin.i16(
define i16 @stored_minimum(i16 %x, i16 %y) {
  %least = call i16 @llvm.umin.i16(i16 %x, i16 %y)
  ret i16 %least
}

; CHECK-LABEL: define i1 @compared_wide_minimum
; CHECK-NEXT: call i32 @llvm.umin.i32(
define i1 @compared_wide_minimum(i32 %x, i32 %y) {
  %least = call i32 @llvm.umin.i32(i32 %x, i32 %y)
  %equal = icmp eq i32 %least, %x
  ret i1 %equal
}
