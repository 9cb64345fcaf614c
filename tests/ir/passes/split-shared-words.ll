; RUN: fairlead-llvm-opt %s --passes=fairlead-split-shared-words | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; A term that a loop changes, none of whose lower bits are set, is added after the xor: the swizzle, computed in 32 bits, does not
; change from round to round. So does the number of a constant address.
@memory = external addrspace(3) global [0 x i8], align 1024

; CHECK-LABEL: define void @stages
; CHECK: %[[X:.*]] = trunc i64 %n to i32
; CHECK-NEXT: %[[LOW:.*]] = and i32 %[[X]], 1016
; CHECK-NEXT: %[[SHIFTED:.*]] = lshr i32 %[[LOW]], 3
; CHECK-NEXT: %[[BITS:.*]] = and i32 %[[SHIFTED]], 48
; CHECK-NEXT: %[[NEAR:.*]] = add i32 ptrtoint (ptr addrspace(3) @memory to i32), %[[LOW]]
; CHECK-NEXT: %[[TURNED:.*]] = xor i32 %[[NEAR]], %[[BITS]]
; CHECK-NEXT: %[[REST:.*]] = add i32 %[[TURNED]], %stage
; CHECK-NEXT: %[[WIDE:.*]] = zext i32 %[[REST]] to i64
; CHECK-NEXT: %[[POINTER:.*]] = inttoptr i64 %[[WIDE]] to ptr addrspace(3)
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr i8, ptr addrspace(3) %[[POINTER]], i64 2048
; CHECK-NEXT: store i32 %round, ptr addrspace(3) %[[PLACE]]
define void @stages(i64 %n, i32 %rounds) {
entry:
  %x = and i64 %n, 1016
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %stage = shl i32 %round, 13
  %far = zext i32 %stage to i64
  %thread = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @memory, i64 2048), i64 %x
  %row = getelementptr i8, ptr addrspace(3) %thread, i64 %far
  %address = ptrtoint ptr addrspace(3) %row to i64
  %shifted = lshr i64 %address, 3
  %bits = and i64 %shifted, 48
  %turned = xor i64 %address, %bits
  %place = inttoptr i64 %turned to ptr addrspace(3)
  store i32 %round, ptr addrspace(3) %place
  %next = add i32 %round, 1
  %more = icmp slt i32 %next, %rounds
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A term whose low bits the swizzle reads stays before the xor.
; CHECK-LABEL: define void @rows
; CHECK: %[[ROW:.*]] = shl i32 %round, 6
; CHECK: %[[FAR:.*]] = add i32 %{{.*}}, %[[ROW]]
; CHECK: xor i32 %[[FAR]]
define void @rows(i64 %n, i32 %rounds) {
entry:
  %x = and i64 %n, 56
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = shl i32 %round, 6
  %far = zext i32 %row to i64
  %sum = add i64 %x, %far
  %shifted = lshr i64 %sum, 3
  %bits = and i64 %shifted, 48
  %turned = xor i64 %sum, %bits
  %place = inttoptr i64 %turned to ptr addrspace(3)
  store i32 %round, ptr addrspace(3) %place
  %next = add i32 %round, 1
  %more = icmp slt i32 %next, %rounds
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Bits of a swizzle that are added, since they turn clear bits, lose the number, too, which turns none of them here.
; CHECK-LABEL: define void @added_bits
; CHECK: %[[OFFSET:.*]] = shl i64 %row, 7
; CHECK-NEXT: %[[SHIFTED:.*]] = lshr i64 %[[OFFSET]], 3
; CHECK-NEXT: %[[BITS:.*]] = and i64 %[[SHIFTED]], 112
; CHECK-NEXT: %[[REST:.*]] = add i64 %[[OFFSET]], %[[BITS]]
; CHECK-NEXT: %[[NEAR:.*]] = getelementptr i8, ptr addrspace(3) @memory, i64 %[[REST]]
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr i8, ptr addrspace(3) %[[NEAR]], i64 66560
; CHECK-NEXT: store i32 0, ptr addrspace(3) %[[PLACE]]
define void @added_bits(i64 %row) {
  %offset = shl i64 %row, 7
  %tile = getelementptr i8, ptr addrspace(3) @memory, i64 66560
  %thread = getelementptr i8, ptr addrspace(3) %tile, i64 %offset
  %address = ptrtoint ptr addrspace(3) %thread to i64
  %shifted = lshr i64 %address, 3
  %bits = and i64 %shifted, 112
  %added = or disjoint i64 %offset, %bits
  %place = getelementptr i8, ptr addrspace(3) %tile, i64 %added
  store i32 0, ptr addrspace(3) %place
  ret void
}
