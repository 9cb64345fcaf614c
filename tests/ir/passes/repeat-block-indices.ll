; The index of the block, and products of extents of the grid, are computed again after a change of the number of
; registers, for what comes only after it; before it and in other branches they stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-repeat-block-indices | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @roles
; CHECK: entry:
; CHECK-NEXT: %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NOT: nctaid
; CHECK: store i32 %block, ptr %p
; CHECK: load:
; CHECK-NEXT: call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 40)
; CHECK-NEXT: %[[INDEX:.*]] = call i32 asm "mov.u32 $0, %ctaid.x;", "=r"()
; CHECK-NEXT: %[[X:.*]] = call i32 asm "mov.u32 $0, %nctaid.x;", "=r"()
; CHECK-NEXT: %[[Y:.*]] = call i32 asm "mov.u32 $0, %nctaid.y;", "=r"()
; CHECK-NEXT: %[[STEP:.*]] = mul i32 %[[X]], %[[Y]]
; CHECK-NEXT: br label %loop
; CHECK: %i = phi i32 [ %[[INDEX]], %load ], [ %next, %loop ]
; CHECK-NEXT: %next = add i32 %i, %[[STEP]]
; CHECK: store:
; CHECK-NEXT: call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)
; CHECK-NEXT: %[[OTHER:.*]] = call i32 asm "mov.u32 $0, %ctaid.x;", "=r"()
; CHECK-NEXT: store i32 %[[OTHER]], ptr %p
define ptx_kernel void @roles(i1 %loads, i32 %n, ptr %p) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %x = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %step = mul i32 %x, %y
  store i32 %block, ptr %p
  br i1 %loads, label %load, label %store

load:
  call void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 40)
  br label %loop

loop:
  %i = phi i32 [ %block, %load ], [ %next, %loop ]
  %next = add i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

store:
  call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)
  store i32 %block, ptr %p
  br label %end

end:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @same_registers
; CHECK-NOT: asm
define ptx_kernel void @same_registers(ptr %p) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store i32 %block, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32 immarg)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 immarg)
