; Eight elements of 4 bits, each in a byte of an array, become a word of a smaller array, and so do four bytes. An array stays that is
; also accessed otherwise: at a place that is not constant, or by elements of two widths.
; RUN: fairlead-llvm-opt %s --passes=fairlead-pack-narrow-arrays | FileCheck %s
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"

; CHECK-LABEL: @packed(
; CHECK: %[[WORDS:.*]] = alloca [2 x i32]
; CHECK-NEXT: store [2 x i32] zeroinitializer, ptr %[[WORDS]]
; CHECK-NOT: alloca
; CHECK: %[[SECOND:.*]] = getelementptr inbounds i32, ptr %[[WORDS]], i64 1
; CHECK: %[[OLD:.*]] = load i32, ptr %[[SECOND]]
; CHECK: %[[VALUE:.*]] = zext i4 %value to i32
; CHECK: %[[OTHERS:.*]] = and i32 %[[OLD]], -241
; CHECK: %[[SHIFTED:.*]] = shl i32 %[[VALUE]], 4
; CHECK: %[[NEW:.*]] = or i32 %[[OTHERS]], %[[SHIFTED]]
; CHECK: store i32 %[[NEW]], ptr %[[SECOND]]
; CHECK: %[[MOVED:.*]] = lshr i32 %{{.*}}, 8
; CHECK: %[[FOUND:.*]] = trunc i32 %[[MOVED]] to i4
; CHECK: ret i4 %[[FOUND]]
define i4 @packed(i4 %value) {
  %array = alloca [10 x i8]
  %fifth = getelementptr inbounds i8, ptr %array, i64 4
  %tenth = getelementptr inbounds i8, ptr %fifth, i64 5
  store i4 %value, ptr %tenth
  %early = getelementptr inbounds i8, ptr %array, i64 2
  %found = load i4, ptr %early
  ret i4 %found
}

; CHECK-LABEL: @indexed(
; CHECK: alloca [8 x i8]
define i4 @indexed(i4 %value, i64 %place) {
  %array = alloca [8 x i8]
  %element = getelementptr inbounds i8, ptr %array, i64 %place
  store i4 %value, ptr %element
  %found = load i4, ptr %array
  ret i4 %found
}

; CHECK-LABEL: @bytes(
; CHECK: alloca [8 x i8]
define i8 @bytes(i4 %value) {
  %array = alloca [8 x i8]
  store i4 %value, ptr %array
  %found = load i8, ptr %array
  ret i8 %found
}

; Four bytes that lie side by side are loaded at once.
; CHECK-LABEL: @loaded(
; CHECK: %[[WORDS:.*]] = alloca [1 x i32]
; CHECK: %[[WORD:.*]] = load i32, ptr addrspace(3) %from, align 4
; CHECK-NOT: load i8
; CHECK: %[[THIRD:.*]] = lshr i32 %[[WORD]], 16
; CHECK: ret i8
define i8 @loaded(ptr addrspace(3) %from) {
  %array = alloca [4 x i8]
  %a1 = getelementptr inbounds i8, ptr %array, i64 1
  %a2 = getelementptr inbounds i8, ptr %array, i64 2
  %a3 = getelementptr inbounds i8, ptr %array, i64 3
  %f1 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 1
  %f2 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 2
  %f3 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 3
  %b0 = load i8, ptr addrspace(3) %from, align 4
  %b1 = load i8, ptr addrspace(3) %f1, align 1
  %b2 = load i8, ptr addrspace(3) %f2, align 2
  %b3 = load i8, ptr addrspace(3) %f3, align 1
  store i8 %b0, ptr %array
  store i8 %b1, ptr %a1
  store i8 %b2, ptr %a2
  store i8 %b3, ptr %a3
  %found = load i8, ptr %a3
  ret i8 %found
}

; Not if something is written between the loads, nor if the address may be no multiple of four.
; CHECK-LABEL: @written(
; CHECK: load i8, ptr addrspace(3) %from
; CHECK-LABEL: @unaligned(
; CHECK: load i8, ptr addrspace(3) %from
define i8 @written(ptr addrspace(3) %from) {
  %array = alloca [4 x i8]
  %a1 = getelementptr inbounds i8, ptr %array, i64 1
  %a2 = getelementptr inbounds i8, ptr %array, i64 2
  %a3 = getelementptr inbounds i8, ptr %array, i64 3
  %f1 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 1
  %f2 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 2
  %f3 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 3
  %b0 = load i8, ptr addrspace(3) %from, align 4
  %b1 = load i8, ptr addrspace(3) %f1, align 1
  store volatile i8 0, ptr addrspace(3) %f3
  %b2 = load i8, ptr addrspace(3) %f2, align 2
  %b3 = load i8, ptr addrspace(3) %f3, align 1
  store i8 %b0, ptr %array
  store i8 %b1, ptr %a1
  store i8 %b2, ptr %a2
  store i8 %b3, ptr %a3
  %found = load i8, ptr %a3
  ret i8 %found
}

define i8 @unaligned(ptr addrspace(3) %from) {
  %array = alloca [4 x i8]
  %a1 = getelementptr inbounds i8, ptr %array, i64 1
  %a2 = getelementptr inbounds i8, ptr %array, i64 2
  %a3 = getelementptr inbounds i8, ptr %array, i64 3
  %f1 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 1
  %f2 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 2
  %f3 = getelementptr inbounds i8, ptr addrspace(3) %from, i64 3
  %b0 = load i8, ptr addrspace(3) %from, align 2
  %b1 = load i8, ptr addrspace(3) %f1, align 1
  %b2 = load i8, ptr addrspace(3) %f2, align 2
  %b3 = load i8, ptr addrspace(3) %f3, align 1
  store i8 %b0, ptr %array
  store i8 %b1, ptr %a1
  store i8 %b2, ptr %a2
  store i8 %b3, ptr %a3
  %found = load i8, ptr %a3
  ret i8 %found
}
