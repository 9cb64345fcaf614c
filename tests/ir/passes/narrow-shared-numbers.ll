; The number of an address in shared memory is computed in 32 bits if nothing else uses the address.
; RUN: fairlead-llvm-opt %s --passes=fairlead-narrow-shared-numbers | FileCheck %s

@memory = external addrspace(3) global [0 x i8]

declare void @use(i32)

; CHECK-LABEL: define void @barrier
; CHECK-NEXT: %[[PLACE:.*]] = mul i32 %stage, 8
; CHECK-NEXT: %[[ROW:.*]] = add i32 ptrtoint (ptr addrspace(3) @memory to i32), %[[PLACE]]
; CHECK-NEXT: %[[NUMBER:.*]] = add i32 %[[ROW]], 16
; CHECK-NEXT: call void @use(i32 %[[NUMBER]])
; CHECK-NEXT: ret void
define void @barrier(i32 %stage) {
  %index = sext i32 %stage to i64
  %row = getelementptr [8 x i8], ptr addrspace(3) @memory, i64 %index
  %row.number = ptrtoint ptr addrspace(3) %row to i64
  %row.low = trunc i64 %row.number to i32
  %number = add i32 %row.low, 16
  call void @use(i32 %number)
  ret void
}

; CHECK-LABEL: define void @shifted
; CHECK-NEXT: %[[PLACE:.*]] = shl i32 %stage, 15
; CHECK-NEXT: %[[BYTES:.*]] = mul i32 %[[PLACE]], 1
; CHECK-NEXT: %[[NUMBER:.*]] = add i32 ptrtoint (ptr addrspace(3) @memory to i32), %[[BYTES]]
; CHECK-NEXT: call void @use(i32 %[[NUMBER]])
define void @shifted(i32 %stage) {
  %index = zext i32 %stage to i64
  %bytes = shl i64 %index, 15
  %row = getelementptr i8, ptr addrspace(3) @memory, i64 %bytes
  %row.number = ptrtoint ptr addrspace(3) %row to i64
  %row.low = trunc i64 %row.number to i32
  call void @use(i32 %row.low)
  ret void
}

; The load needs the address anyway.
; CHECK-LABEL: define i32 @loaded
; CHECK: %row.low = trunc i64 %row.number to i32
define i32 @loaded(i64 %index) {
  %row = getelementptr [8 x i8], ptr addrspace(3) @memory, i64 %index
  %row.number = ptrtoint ptr addrspace(3) %row to i64
  %row.low = trunc i64 %row.number to i32
  call void @use(i32 %row.low)
  %loaded = load i32, ptr addrspace(3) %row
  ret i32 %loaded
}

; Addresses of global memory keep their 64 bits.
; CHECK-LABEL: define void @global
; CHECK: %row.low = trunc i64 %row.number to i32
define void @global(ptr addrspace(1) %memory, i64 %index) {
  %row = getelementptr [8 x i8], ptr addrspace(1) %memory, i64 %index
  %row.number = ptrtoint ptr addrspace(1) %row to i64
  %row.low = trunc i64 %row.number to i32
  call void @use(i32 %row.low)
  ret void
}
