// What checks and coverage note in kernels is removed where nothing asks for it.
// RUN: fairlead-opt %s --fairlead-drop-coverage | FileCheck %s --check-prefixes=CHECK,COVER
// RUN: fairlead-opt %s --fairlead-drop-branch-notes | FileCheck %s --check-prefixes=CHECK,NOTES

// CHECK: gpu.func @kernel
// COVER-NOT: fairlead.cover
// COVER: llvm.call @note() {fairlead.branch_note}
// NOTES: fairlead.cover line line 3
// NOTES-NOT: llvm.call @note() {fairlead.branch_note}
// CHECK: llvm.call @note()
// CHECK: gpu.return
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.func @note()
    gpu.func @kernel() kernel {
      fairlead.cover line line 3 frame 2 of "k.py"
      llvm.call @note() {fairlead.branch_note} : () -> ()
      llvm.call @note() : () -> ()
      gpu.return
    }
  }
}
