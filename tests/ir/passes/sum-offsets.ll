; The offsets of an address are added, those of the block first, before one step scales them. The sum is in the smallest
; unit of the steps, and a constant is added last. Several offsets of the thread are a step of their own. Fewer than
; three steps, steps that something else uses, steps of another block, of sizes that are no powers of two, and addresses
; in shared memory stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-sum-offsets | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: define float @modes
; CHECK: %[[WIDE:.*]] = shl i64 %tile, 7
; CHECK-NEXT: %[[BLOCK:.*]] = add i64 %[[WIDE]], %batch
; CHECK-NEXT: %[[SUM:.*]] = add i64 %[[BLOCK]], %thread
; CHECK-NEXT: %[[NEAR:.*]] = getelementptr float, ptr addrspace(1) %p, i64 %[[SUM]]
; CHECK-NEXT: %[[FAR:.*]] = getelementptr float, ptr addrspace(1) %[[NEAR]], i64 3
; CHECK-NEXT: load float, ptr addrspace(1) %[[FAR]]
define float @modes(ptr addrspace(1) %p, i64 %batch) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = zext i32 %x to i64
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tile = zext i32 %y to i64
  %a = getelementptr float, ptr addrspace(1) %p, i64 %thread
  %b = getelementptr [128 x float], ptr addrspace(1) %a, i64 %tile
  %c = getelementptr float, ptr addrspace(1) %b, i64 3
  %d = getelementptr float, ptr addrspace(1) %c, i64 %batch
  %value = load float, ptr addrspace(1) %d
  ret float %value
}

; CHECK-LABEL: define float @lanes
; CHECK: %[[NEAR:.*]] = getelementptr float, ptr addrspace(1) %p, i64 %batch
; CHECK-NEXT: %[[SUM:.*]] = add i64 %lane, %thread
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr float, ptr addrspace(1) %[[NEAR]], i64 %[[SUM]]
; CHECK-NEXT: load float, ptr addrspace(1) %[[PLACE]]
define float @lanes(ptr addrspace(1) %p, i64 %batch) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = zext i32 %x to i64
  %lane = and i64 %thread, 31
  %a = getelementptr float, ptr addrspace(1) %p, i64 %lane
  %b = getelementptr float, ptr addrspace(1) %a, i64 %batch
  %c = getelementptr float, ptr addrspace(1) %b, i64 %thread
  %value = load float, ptr addrspace(1) %c
  ret float %value
}

; CHECK-LABEL: define float @two
; CHECK: %a = getelementptr float, ptr addrspace(1) %p, i64 %i
; CHECK-NEXT: %b = getelementptr float, ptr addrspace(1) %a, i64 %j
define float @two(ptr addrspace(1) %p, i64 %i, i64 %j) {
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %b = getelementptr float, ptr addrspace(1) %a, i64 %j
  %x = load float, ptr addrspace(1) %b
  ret float %x
}

; CHECK-LABEL: define float @used_twice
; CHECK: %a = getelementptr float, ptr addrspace(1) %p, i64 %i
; CHECK-NEXT: %b = getelementptr float, ptr addrspace(1) %a, i64 %j
; CHECK-NEXT: %c = getelementptr float, ptr addrspace(1) %b, i64 %k
define float @used_twice(ptr addrspace(1) %p, i64 %i, i64 %j, i64 %k) {
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %b = getelementptr float, ptr addrspace(1) %a, i64 %j
  %c = getelementptr float, ptr addrspace(1) %b, i64 %k
  %x = load float, ptr addrspace(1) %a
  %y = load float, ptr addrspace(1) %c
  %sum = fadd float %x, %y
  ret float %sum
}

; CHECK-LABEL: define float @other_block
; CHECK: %b = getelementptr float, ptr addrspace(1) %a, i64 %j
; CHECK: %c = getelementptr float, ptr addrspace(1) %b, i64 %k
define float @other_block(ptr addrspace(1) %p, i64 %i, i64 %j, i64 %k) {
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %b = getelementptr float, ptr addrspace(1) %a, i64 %j
  br label %next
next:
  %c = getelementptr float, ptr addrspace(1) %b, i64 %k
  %x = load float, ptr addrspace(1) %c
  ret float %x
}

; CHECK-LABEL: define float @odd_size
; CHECK: %b = getelementptr [3 x float], ptr addrspace(1) %a, i64 %j
; CHECK-NEXT: %c = getelementptr float, ptr addrspace(1) %b, i64 %k
define float @odd_size(ptr addrspace(1) %p, i64 %i, i64 %j, i64 %k) {
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %b = getelementptr [3 x float], ptr addrspace(1) %a, i64 %j
  %c = getelementptr float, ptr addrspace(1) %b, i64 %k
  %x = load float, ptr addrspace(1) %c
  ret float %x
}

; CHECK-LABEL: define float @shared
; CHECK: %b = getelementptr float, ptr addrspace(3) %a, i64 %j
; CHECK-NEXT: %c = getelementptr float, ptr addrspace(3) %b, i64 %k
define float @shared(ptr addrspace(3) %p, i64 %i, i64 %j, i64 %k) {
  %a = getelementptr float, ptr addrspace(3) %p, i64 %i
  %b = getelementptr float, ptr addrspace(3) %a, i64 %j
  %c = getelementptr float, ptr addrspace(3) %b, i64 %k
  %x = load float, ptr addrspace(3) %c
  ret float %x
}
