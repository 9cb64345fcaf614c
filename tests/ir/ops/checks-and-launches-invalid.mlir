// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @bounds(%a: !llvm.ptr, %i: i64) {
  // expected-error@+1 {{takes an index and an extent for each of its 1 modes, not 1 numbers}}
  %b = fairlead.index %a[%i] of "Float32" in global modes [0] : !llvm.ptr
  return
}

// -----

func.func @memory_kind(%a: !llvm.ptr) {
  // expected-error@+2 {{expected ::fairlead::ir::MemoryKind to be one of: global, shared, register}}
  // expected-error@+1 {{failed to parse MemoryKindAttr}}
  %b = fairlead.index %a[] of "Float32" in constant modes [] : !llvm.ptr
  return
}

// -----

func.func @address(%a: !llvm.ptr) {
  // expected-error@+1 {{failed to verify that all of {address, checked} have same type}}
  %b = "fairlead.index"(%a) {modes = array<i32>, tensor = "Float32", memory = #fairlead<memory_kind global>} : (!llvm.ptr) -> !llvm.ptr<3>
  return
}

// -----

func.func @half_a_mode(%a: !llvm.ptr) {
  // expected-error@+1 {{takes an extent and a stride for each mode, not 1 numbers}}
  fairlead.tensor %a has [4] of 32 bits "a" : !llvm.ptr
  return
}

// -----

func.func @numbers(%a: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{has 0 numbers that are not constant, but takes 1}}
  "fairlead.tensor"(%a, %n) {numbers = array<i64: 4, 1>, bits = 32 : i64, tensor = "a"} : (!llvm.ptr, i64) -> ()
  return
}

// -----

func.func @memory(%a: !llvm.ptr, %n: i32) {
  // expected-error@+1 {{operand #1 must be variadic of 64-bit signless integer, but got 'i32'}}
  "fairlead.tensor"(%a, %n) {numbers = array<i64: 1, 1>, bits = 32 : i64, tensor = "a"} : (!llvm.ptr, i32) -> ()
  return
}

// -----

func.func @extras(%event: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{operand #0 must be 32-bit signless integer, but got 'i64'}}
  %0 = "fairlead.launch_extras"(%n, %n, %n, %event, %event) {carveout = 0 : i32, completion_flags = 0 : i32, programmatic_flags = 0 : i32} : (i64, i64, i64, !llvm.ptr, !llvm.ptr) -> !llvm.ptr
  return
}

// -----

func.func @cover_event() {
  // expected-error@+2 {{expected ::fairlead::ir::CoverEvent to be one of}}
  // expected-error@+1 {{failed to parse CoverEventAttr}}
  fairlead.cover passes line 3 frame 0 of "kernel.py"
  return
}

// -----

func.func @guard_thread(%n: i64, %table: !llvm.ptr) {
  // expected-error@+1 {{operand #5 must be 32-bit signless integer, but got 'i64'}}
  "fairlead.guard"(%n, %n, %n, %n, %table, %n) {site = @site} : (i64, i64, i64, i64, !llvm.ptr, i64) -> ()
  return
}

// -----

func.func @guard_without_address(%n: i64, %table: !llvm.ptr, %t: i32) {
  // expected-error@+1 {{failed to verify that a guard has a result if it has the address of a load, and only then}}
  %r = "fairlead.guard"(%n, %n, %n, %n, %table, %t) {site = @site} : (i64, i64, i64, i64, !llvm.ptr, i32) -> !llvm.ptr
  return
}
