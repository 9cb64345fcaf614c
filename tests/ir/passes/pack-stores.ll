; Neighbouring stores to global memory of numbers that were converted to 16 bits become stores of words, all converted
; before the first store. LLVM's back end makes vectors of them.
; RUN: fairlead-llvm-opt %s --passes=fairlead-pack-stores | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = external addrspace(3) global [2048 x i8]

; CHECK-LABEL: define ptx_kernel void @two_vectors
; CHECK-NOT: store
; CHECK-COUNT-8: fptrunc <2 x float> {{.*}} to <2 x bfloat>
; CHECK-NOT: fptrunc
; CHECK-COUNT-8: store i32
; CHECK-NOT: store
; CHECK: ret void
define ptx_kernel void @two_vectors(ptr %p, float %x0, float %x1, float %x2, float %x3, float %x4, float %x5, float %x6, float %x7, float %x8, float %x9, float %x10, float %x11, float %x12, float %x13, float %x14, float %x15) {
  %h0 = fptrunc float %x0 to bfloat
  %h1 = fptrunc float %x1 to bfloat
  %h2 = fptrunc float %x2 to bfloat
  %h3 = fptrunc float %x3 to bfloat
  %h4 = fptrunc float %x4 to bfloat
  %h5 = fptrunc float %x5 to bfloat
  %h6 = fptrunc float %x6 to bfloat
  %h7 = fptrunc float %x7 to bfloat
  %h8 = fptrunc float %x8 to bfloat
  %h9 = fptrunc float %x9 to bfloat
  %h10 = fptrunc float %x10 to bfloat
  %h11 = fptrunc float %x11 to bfloat
  %h12 = fptrunc float %x12 to bfloat
  %h13 = fptrunc float %x13 to bfloat
  %h14 = fptrunc float %x14 to bfloat
  %h15 = fptrunc float %x15 to bfloat
  store bfloat %h0, ptr %p, align 16
  %p1 = getelementptr inbounds i8, ptr %p, i64 2
  store bfloat %h1, ptr %p1, align 2
  %p2 = getelementptr inbounds i8, ptr %p, i64 4
  store bfloat %h2, ptr %p2, align 4
  %p3 = getelementptr inbounds i8, ptr %p, i64 6
  store bfloat %h3, ptr %p3, align 2
  %p4 = getelementptr inbounds i8, ptr %p, i64 8
  store bfloat %h4, ptr %p4, align 8
  %p5 = getelementptr inbounds i8, ptr %p, i64 10
  store bfloat %h5, ptr %p5, align 2
  %p6 = getelementptr inbounds i8, ptr %p, i64 12
  store bfloat %h6, ptr %p6, align 4
  %p7 = getelementptr inbounds i8, ptr %p, i64 14
  store bfloat %h7, ptr %p7, align 2
  %p8 = getelementptr inbounds i8, ptr %p, i64 1024
  store bfloat %h8, ptr %p8, align 16
  %p9 = getelementptr inbounds i8, ptr %p, i64 1026
  store bfloat %h9, ptr %p9, align 2
  %p10 = getelementptr inbounds i8, ptr %p, i64 1028
  store bfloat %h10, ptr %p10, align 4
  %p11 = getelementptr inbounds i8, ptr %p, i64 1030
  store bfloat %h11, ptr %p11, align 2
  %p12 = getelementptr inbounds i8, ptr %p, i64 1032
  store bfloat %h12, ptr %p12, align 8
  %p13 = getelementptr inbounds i8, ptr %p, i64 1034
  store bfloat %h13, ptr %p13, align 2
  %p14 = getelementptr inbounds i8, ptr %p, i64 1036
  store bfloat %h14, ptr %p14, align 4
  %p15 = getelementptr inbounds i8, ptr %p, i64 1038
  store bfloat %h15, ptr %p15, align 2
  ret void
}

; One vector has nothing to wait for.
; CHECK-LABEL: define ptx_kernel void @one_vector
; CHECK-COUNT-8: store bfloat
define ptx_kernel void @one_vector(ptr %p, float %x0, float %x1, float %x2, float %x3, float %x4, float %x5, float %x6, float %x7) {
  %h0 = fptrunc float %x0 to bfloat
  %h1 = fptrunc float %x1 to bfloat
  %h2 = fptrunc float %x2 to bfloat
  %h3 = fptrunc float %x3 to bfloat
  %h4 = fptrunc float %x4 to bfloat
  %h5 = fptrunc float %x5 to bfloat
  %h6 = fptrunc float %x6 to bfloat
  %h7 = fptrunc float %x7 to bfloat
  store bfloat %h0, ptr %p, align 16
  %p1 = getelementptr inbounds i8, ptr %p, i64 2
  store bfloat %h1, ptr %p1, align 2
  %p2 = getelementptr inbounds i8, ptr %p, i64 4
  store bfloat %h2, ptr %p2, align 4
  %p3 = getelementptr inbounds i8, ptr %p, i64 6
  store bfloat %h3, ptr %p3, align 2
  %p4 = getelementptr inbounds i8, ptr %p, i64 8
  store bfloat %h4, ptr %p4, align 8
  %p5 = getelementptr inbounds i8, ptr %p, i64 10
  store bfloat %h5, ptr %p5, align 2
  %p6 = getelementptr inbounds i8, ptr %p, i64 12
  store bfloat %h6, ptr %p6, align 4
  %p7 = getelementptr inbounds i8, ptr %p, i64 14
  store bfloat %h7, ptr %p7, align 2
  ret void
}

; Memory that is not global.
; CHECK-LABEL: define ptx_kernel void @shared
; CHECK-COUNT-16: store bfloat
define ptx_kernel void @shared(float %x0, float %x1, float %x2, float %x3, float %x4, float %x5, float %x6, float %x7, float %x8, float %x9, float %x10, float %x11, float %x12, float %x13, float %x14, float %x15) {
  %h0 = fptrunc float %x0 to bfloat
  %h1 = fptrunc float %x1 to bfloat
  %h2 = fptrunc float %x2 to bfloat
  %h3 = fptrunc float %x3 to bfloat
  %h4 = fptrunc float %x4 to bfloat
  %h5 = fptrunc float %x5 to bfloat
  %h6 = fptrunc float %x6 to bfloat
  %h7 = fptrunc float %x7 to bfloat
  %h8 = fptrunc float %x8 to bfloat
  %h9 = fptrunc float %x9 to bfloat
  %h10 = fptrunc float %x10 to bfloat
  %h11 = fptrunc float %x11 to bfloat
  %h12 = fptrunc float %x12 to bfloat
  %h13 = fptrunc float %x13 to bfloat
  %h14 = fptrunc float %x14 to bfloat
  %h15 = fptrunc float %x15 to bfloat
  store bfloat %h0, ptr addrspace(3) @tile, align 16
  %p1 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 2
  store bfloat %h1, ptr addrspace(3) %p1, align 2
  %p2 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 4
  store bfloat %h2, ptr addrspace(3) %p2, align 4
  %p3 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 6
  store bfloat %h3, ptr addrspace(3) %p3, align 2
  %p4 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 8
  store bfloat %h4, ptr addrspace(3) %p4, align 8
  %p5 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 10
  store bfloat %h5, ptr addrspace(3) %p5, align 2
  %p6 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 12
  store bfloat %h6, ptr addrspace(3) %p6, align 4
  %p7 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 14
  store bfloat %h7, ptr addrspace(3) %p7, align 2
  %p8 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1024
  store bfloat %h8, ptr addrspace(3) %p8, align 16
  %p9 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1026
  store bfloat %h9, ptr addrspace(3) %p9, align 2
  %p10 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1028
  store bfloat %h10, ptr addrspace(3) %p10, align 4
  %p11 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1030
  store bfloat %h11, ptr addrspace(3) %p11, align 2
  %p12 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1032
  store bfloat %h12, ptr addrspace(3) %p12, align 8
  %p13 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1034
  store bfloat %h13, ptr addrspace(3) %p13, align 2
  %p14 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1036
  store bfloat %h14, ptr addrspace(3) %p14, align 4
  %p15 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 1038
  store bfloat %h15, ptr addrspace(3) %p15, align 2
  ret void
}

; A load between the stores, which may read what they store.
; CHECK-LABEL: define ptx_kernel void @load_between
; CHECK-COUNT-16: store bfloat
define ptx_kernel void @load_between(ptr %p, float %x0, float %x1, float %x2, float %x3, float %x4, float %x5, float %x6, float %x7, float %x8, float %x9, float %x10, float %x11, float %x12, float %x13, float %x14, float %x15) {
  %h0 = fptrunc float %x0 to bfloat
  %h1 = fptrunc float %x1 to bfloat
  %h2 = fptrunc float %x2 to bfloat
  %h3 = fptrunc float %x3 to bfloat
  %h4 = fptrunc float %x4 to bfloat
  %h5 = fptrunc float %x5 to bfloat
  %h6 = fptrunc float %x6 to bfloat
  %h7 = fptrunc float %x7 to bfloat
  %h8 = fptrunc float %x8 to bfloat
  %h9 = fptrunc float %x9 to bfloat
  %h10 = fptrunc float %x10 to bfloat
  %h11 = fptrunc float %x11 to bfloat
  %h12 = fptrunc float %x12 to bfloat
  %h13 = fptrunc float %x13 to bfloat
  %h14 = fptrunc float %x14 to bfloat
  %h15 = fptrunc float %x15 to bfloat
  store bfloat %h0, ptr %p, align 16
  %p1 = getelementptr inbounds i8, ptr %p, i64 2
  store bfloat %h1, ptr %p1, align 2
  %p2 = getelementptr inbounds i8, ptr %p, i64 4
  store bfloat %h2, ptr %p2, align 4
  %p3 = getelementptr inbounds i8, ptr %p, i64 6
  store bfloat %h3, ptr %p3, align 2
  %p4 = getelementptr inbounds i8, ptr %p, i64 8
  store bfloat %h4, ptr %p4, align 8
  %p5 = getelementptr inbounds i8, ptr %p, i64 10
  store bfloat %h5, ptr %p5, align 2
  %p6 = getelementptr inbounds i8, ptr %p, i64 12
  store bfloat %h6, ptr %p6, align 4
  %p7 = getelementptr inbounds i8, ptr %p, i64 14
  store bfloat %h7, ptr %p7, align 2
  %before = load volatile i32, ptr %p, align 4
  %p8 = getelementptr inbounds i8, ptr %p, i64 1024
  store bfloat %h8, ptr %p8, align 16
  %p9 = getelementptr inbounds i8, ptr %p, i64 1026
  store bfloat %h9, ptr %p9, align 2
  %p10 = getelementptr inbounds i8, ptr %p, i64 1028
  store bfloat %h10, ptr %p10, align 4
  %p11 = getelementptr inbounds i8, ptr %p, i64 1030
  store bfloat %h11, ptr %p11, align 2
  %p12 = getelementptr inbounds i8, ptr %p, i64 1032
  store bfloat %h12, ptr %p12, align 8
  %p13 = getelementptr inbounds i8, ptr %p, i64 1034
  store bfloat %h13, ptr %p13, align 2
  %p14 = getelementptr inbounds i8, ptr %p, i64 1036
  store bfloat %h14, ptr %p14, align 4
  %p15 = getelementptr inbounds i8, ptr %p, i64 1038
  store bfloat %h15, ptr %p15, align 2
  ret void
}

