// Line tables: directives in PTX, debug information of lines alone for the CPU; helpers of other files by their own names.
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx --line-info=1 | FileCheck %s --check-prefix=PTX
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefix=PLAIN
// RUN: fairlead-lower %s --target=cpu --print=llvm --line-info=1 | FileCheck %s --check-prefix=LLVM

// PTX: .entry device
// PTX: .loc [[K:[0-9]+]] 5
// PTX: ld.global
// PTX: .loc [[H:[0-9]+]] 77
// PTX: add.rn.f32
// PTX: .loc [[K]] 6
// PTX: st.global
// PTX: .file [[K]] "/home/user/k.py"
// PTX: .file [[H]] "/home/user/help.py"
// PTX-NOT: .section
// PLAIN-NOT: .loc
// LLVM: define internal void @device({{.*}} !dbg ![[SP:[0-9]+]]
// LLVM: fadd {{.*}} !dbg ![[ADD:[0-9]+]]
// LLVM: emissionKind: LineTablesOnly
// LLVM: ![[SP]] = distinct !DISubprogram(name: "device"
// LLVM: ![[ADD]] = !DILocation(line: 77, scope: ![[OTHER:[0-9]+]]
// LLVM: ![[OTHER]] = distinct !DILexicalBlockFile(scope: ![[SP]], file: ![[FILE:[0-9]+]]
// LLVM: ![[FILE]] = !DIFile(filename: "help.py", directory: "/home/user")
#k3 = loc("/home/user/k.py":3:0)
#k5 = loc("/home/user/k.py":5:0)
#k6 = loc("/home/user/k.py":6:0)
#h = loc("/home/user/help.py":77:0)
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @device(%a: !llvm.ptr, %b: !llvm.ptr) kernel {
      %v = llvm.load %a : !llvm.ptr -> f32 loc(#k5)
      %one = arith.constant 1.0 : f32 loc(#h)
      %s = arith.addf %v, %one : f32 loc(#h)
      llvm.store %s, %b : f32, !llvm.ptr loc(#k6)
      gpu.return loc(#k6)
    } loc(#k3)
  }
  func.func @host(%ctx: !llvm.ptr, %a: !llvm.ptr) {
    %one = arith.constant 1 : i32
    gpu.launch_func @device::@device blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32 args(%a : !llvm.ptr, %a : !llvm.ptr)
    return
  }
}
