//! Calls a function exported with `export_library("libadd_one.so")`, from Rust. The process has no
//! compiler and no Python. The structs are those of DLPack and of `tvm/ffi/c_api.h`.
//!
//!     rustc call_exported.rs -C link-args="$(fairlead-config --runtime)"
//!     ./call_exported ./libadd_one.so

use std::ffi::{c_char, c_int, c_void, CStr, CString};

#[repr(C)]
struct DLDevice {
    device_type: i32, // 1: a CPU, 2: a GPU with CUDA
    device_id: i32,
}

#[repr(C)]
struct DLDataType {
    code: u8, // 0: a signed integer, 1: an unsigned one, 2: a float
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    ndim: i32,
    dtype: DLDataType,
    shape: *mut i64,
    strides: *mut i64, // null: row-major
    byte_offset: u64,
}

/// TVMFFIAny: a value of any type.
#[repr(C)]
struct Any {
    type_index: i32,
    padding: u32,
    value: *mut c_void,
}

/// TVMFFIByteArray.
#[repr(C)]
struct Bytes {
    data: *const u8,
    size: usize,
}

/// The beginning of TVMFFIErrorCell, which lies behind the 24 bytes of an object's header.
#[repr(C)]
struct ErrorCell {
    kind: Bytes,
    message: Bytes,
}

const OBJECT_HEADER: usize = 24;
const DL_TENSOR_POINTER: i32 = 7; // kTVMFFIDLTensorPtr

type Entry = unsafe extern "C" fn(*mut c_void, *const Any, i32, *mut Any) -> c_int;

extern "C" {
    fn TVMFFIErrorMoveFromRaised(error: *mut *mut c_void);
    fn TVMFFIObjectDecRef(object: *mut c_void) -> c_int;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

const RTLD_NOW: c_int = 2;

fn view(data: &mut [f32], shape: &mut [i64]) -> DLTensor {
    DLTensor {
        data: data.as_mut_ptr().cast(),
        device: DLDevice { device_type: 1, device_id: 0 },
        ndim: shape.len() as i32,
        dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
        shape: shape.as_mut_ptr(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    }
}

/// Calls the function with tensors; `Err` has the kind and the text of its error.
fn call(entry: Entry, tensors: &mut [&mut DLTensor]) -> Result<(), String> {
    let args: Vec<Any> = tensors
        .iter_mut()
        .map(|tensor| Any {
            type_index: DL_TENSOR_POINTER,
            padding: 0,
            value: (*tensor as *mut DLTensor).cast(),
        })
        .collect();
    let mut result = Any { type_index: 0, padding: 0, value: std::ptr::null_mut() };
    unsafe {
        if entry(std::ptr::null_mut(), args.as_ptr(), args.len() as i32, &mut result) == 0 {
            return Ok(());
        }
        let mut error = std::ptr::null_mut();
        TVMFFIErrorMoveFromRaised(&mut error);
        let cell = &*error.cast::<u8>().add(OBJECT_HEADER).cast::<ErrorCell>();
        let text = |bytes: &Bytes| {
            String::from_utf8_lossy(std::slice::from_raw_parts(bytes.data, bytes.size)).into_owned()
        };
        let told = format!("{}: {}", text(&cell.kind), text(&cell.message));
        TVMFFIObjectDecRef(error);
        Err(told)
    }
}

fn find(path: &str, name: &str) -> Result<Entry, String> {
    let (path, name) = (CString::new(path).unwrap(), CString::new(name).unwrap());
    unsafe {
        let library = dlopen(path.as_ptr(), RTLD_NOW);
        let symbol = if library.is_null() { library } else { dlsym(library, name.as_ptr()) };
        if symbol.is_null() {
            return Err(CStr::from_ptr(dlerror()).to_string_lossy().into_owned());
        }
        Ok(std::mem::transmute::<*mut c_void, Entry>(symbol))
    }
}

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("usage: call_exported LIBRARY")?;
    let add_one = find(&path, "__tvm_ffi_add_one")?;
    let (mut x, mut y) = ([1.0f32, 2.0, 3.0], [0.0f32; 3]);
    let (mut three, mut two) = ([3i64], [2i64]);
    call(add_one, &mut [&mut view(&mut x, &mut three), &mut view(&mut y, &mut three.clone())])?;
    println!("{} {} {}", y[0], y[1], y[2]);
    // Two lengths where one is expected.
    match call(add_one, &mut [&mut view(&mut x, &mut three), &mut view(&mut y, &mut two)]) {
        Ok(()) => Err("two lengths for one symbol were accepted".into()),
        Err(told) => {
            println!("{told}");
            Ok(())
        }
    }
}
