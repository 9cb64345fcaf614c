; Eight elements of 4 bits, each in a byte of an array, become a word of a smaller array. An array stays that is also
; accessed otherwise: at a place that is not constant, or by bytes.
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
