/// The C interface of the open TVM FFI ABI, version 0.1.16: the only header that a C program, a
/// code generator or a language binding needs. C11 and C++17, no dependency but DLPack.
///
/// Rules that hold everywhere unless a function says otherwise:
/// - An `int` result is 0, or -1 with an error in the calling thread's error slot.
/// - `TVMFFIAny` arguments are views: borrowed for the length of the call. `TVMFFIAny *result` is
///   None (all zero) when it is handed in and owned by the caller when it comes back.
/// - Any thread may call any function. Strings that are handed in are copied where they are kept.
#ifndef TVM_FFI_C_API_H_
#define TVM_FFI_C_API_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#define TVM_FFI_VERSION_MAJOR 0
#define TVM_FFI_VERSION_MINOR 1
#define TVM_FFI_VERSION_PATCH 16

#if defined(_MSC_VER)
#define TVM_FFI_WEAK __declspec(selectany)
#define TVM_FFI_DLL_EXPORT __declspec(dllexport)
#define TVM_FFI_ATTRIBUTE_PURE
#ifdef TVM_FFI_EXPORTS
#define TVM_FFI_DLL __declspec(dllexport)
#else
#define TVM_FFI_DLL __declspec(dllimport)
#endif
#elif defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define TVM_FFI_WEAK __attribute__((weak))
#define TVM_FFI_DLL EMSCRIPTEN_KEEPALIVE
#define TVM_FFI_DLL_EXPORT EMSCRIPTEN_KEEPALIVE
#define TVM_FFI_ATTRIBUTE_PURE __attribute__((pure))
#else
#define TVM_FFI_WEAK __attribute__((weak))
#define TVM_FFI_DLL __attribute__((visibility("default")))
#define TVM_FFI_DLL_EXPORT __attribute__((visibility("default")))
#define TVM_FFI_ATTRIBUTE_PURE __attribute__((pure))
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What a TVMFFIAny holds. A value is an object if and only if its index is at least
/// kTVMFFIStaticObjectBegin.
#ifdef __cplusplus
enum TVMFFITypeIndex : int32_t {
#else
typedef enum {
#endif
  /// Only where a static type is described: "not known".
  kTVMFFIAny = -1,
  kTVMFFINone = 0,         ///< v_int64 is 0
  kTVMFFIInt = 1,          ///< v_int64
  kTVMFFIBool = 2,         ///< v_int64, 0 or 1
  kTVMFFIFloat = 3,        ///< v_float64
  kTVMFFIOpaquePtr = 4,    ///< v_ptr
  kTVMFFIDataType = 5,     ///< v_dtype; the other 4 bytes are 0
  kTVMFFIDevice = 6,       ///< v_device
  kTVMFFIDLTensorPtr = 7,  ///< v_ptr is a borrowed DLTensor *
  kTVMFFIRawStr = 8,       ///< v_c_str, borrowed; views only
  kTVMFFIByteArrayPtr = 9, ///< v_ptr is a borrowed TVMFFIByteArray *; views only
  /// v_ptr is the address of an object pointer that the callee may move out; views only.
  kTVMFFIObjectRValueRef = 10,
  kTVMFFISmallStr = 11,   ///< v_bytes, up to 7 bytes and a NUL; length in small_str_len
  kTVMFFISmallBytes = 12, ///< like kTVMFFISmallStr
  kTVMFFIUnchanged = 13,  ///< "no new value", for structural mutation; v_int64 is 0
  kTVMFFIStaticObjectBegin = 64,
  kTVMFFIObject = 64,
  kTVMFFIStr = 65,
  kTVMFFIBytes = 66,
  kTVMFFIError = 67,
  kTVMFFIFunction = 68,
  kTVMFFIShape = 69,
  kTVMFFITensor = 70,
  kTVMFFIArray = 71,
  kTVMFFIMap = 72,
  kTVMFFIModule = 73,
  kTVMFFIOpaquePyObject = 74,
  kTVMFFIList = 75,
  kTVMFFIDict = 76,
  kTVMFFIVisitInterrupt = 77,
  kTVMFFIBigInt = 78,
  kTVMFFIStaticObjectEnd = 79,
  /// The first index that is given out while the program runs.
  kTVMFFIDynObjectBegin = 128
#ifdef __cplusplus
};
#else
} TVMFFITypeIndex;
#endif

/// A handle to any object: points at its TVMFFIObject header.
typedef void *TVMFFIObjectHandle;

/// What a deleter is asked to do.
#ifdef __cplusplus
enum TVMFFIObjectDeleterFlagBitMask : int32_t {
#else
typedef enum {
#endif
  kTVMFFIObjectDeleterFlagBitMaskStrong = 1 << 0, ///< destroy the payload
  kTVMFFIObjectDeleterFlagBitMaskWeak = 1 << 1,   ///< free the memory
  kTVMFFIObjectDeleterFlagBitMaskBoth = 3         ///< both in one go
#ifdef __cplusplus
};
#else
} TVMFFIObjectDeleterFlagBitMask;
#endif

/// The header of every object.
///
/// combined_ref_count holds the strong count in its low and the weak count in its high 32 bits; all
/// strong references together own one weak count, so a new object has 0x1_0000_0001.
typedef struct {
  uint64_t combined_ref_count;
  int32_t type_index;
  uint32_t __padding;
#if !defined(TVM_FFI_DOXYGEN_MODE)
  union {
#endif
    /// Called with the header's address and TVMFFIObjectDeleterFlagBitMask bits; NULL for an object
    /// that is never freed. Its code must stay loaded as long as the object lives.
    void (*deleter)(void *self, int flags);
    int64_t __ensure_align;
#if !defined(TVM_FFI_DOXYGEN_MODE)
  };
#endif
} TVMFFIObject;

/// A value of any type, in 16 bytes. Whether it is a view or owns its object is the context's rule.
/// Unused bytes are 0.
typedef struct {
  int32_t type_index;
#if !defined(TVM_FFI_DOXYGEN_MODE)
  union {
#endif
    uint32_t zero_padding;  ///< 0 for everything but small strings and bytes
    uint32_t small_str_len; ///< 0 to 7
#if !defined(TVM_FFI_DOXYGEN_MODE)
  };
  union {
#endif
    int64_t v_int64;
    double v_float64;
    void *v_ptr;
    const char *v_c_str;
    TVMFFIObject *v_obj;
    DLDataType v_dtype;
    DLDevice v_device;
    char v_bytes[8];
    uint64_t v_uint64;
#if !defined(TVM_FFI_DOXYGEN_MODE)
  };
#endif
} TVMFFIAny;

/// A range of bytes; also text. NUL-terminated only where a function says so.
typedef struct {
  const char *data;
  size_t size;
} TVMFFIByteArray;

/// The payload of a Shape, at header + 24.
typedef struct {
  const int64_t *data;
  size_t size;
} TVMFFIShapeCell;

/// The payload of an Array or a List: owned TVMFFIAny elements.
#ifdef __cplusplus
struct TVMFFISeqCell {
#else
typedef struct {
#endif
  void *data;
  int64_t size;
  int64_t capacity;
  void (*data_deleter)(void *); ///< NULL where the elements lie inside the object
#ifdef __cplusplus
};
#else
} TVMFFISeqCell;
#endif

/// How TVMFFIErrorCell::update_backtrace treats the text it is given.
#ifdef __cplusplus
enum TVMFFIBacktraceUpdateMode : int32_t {
#else
typedef enum {
#endif
  kTVMFFIBacktraceUpdateModeReplace = 0,
  kTVMFFIBacktraceUpdateModeAppend = 1
#ifdef __cplusplus
};
#else
} TVMFFIBacktraceUpdateMode;
#endif

/// The payload of an Error. The backtrace has one line per frame, most recent call first:
/// `  File "<file>", line <n>, in <function>\n`.
typedef struct {
  TVMFFIByteArray kind;
  TVMFFIByteArray message;
  TVMFFIByteArray backtrace;
  /// Replaces or extends the backtrace; `update_mode` is a TVMFFIBacktraceUpdateMode.
  void (*update_backtrace)(TVMFFIObjectHandle self, const TVMFFIByteArray *backtrace,
                           int32_t update_mode);
  TVMFFIObjectHandle cause_chain;   ///< owned Error, or NULL
  TVMFFIObjectHandle extra_context; ///< owned object, or NULL
} TVMFFIErrorCell;

/// Every function's form: `num_args` views in, an owned value out.
///
/// `handle` is the Function object for a call of one, NULL for an exported symbol that a library
/// module calls. `result` must be None on entry.
typedef int (*TVMFFISafeCallType)(void *handle, const TVMFFIAny *args, int32_t num_args,
                                  TVMFFIAny *result);

/// The payload of a Function.
typedef struct {
  TVMFFISafeCallType safe_call;
  /// NULL, or `void (*)(const FunctionObj *, const AnyView *, int32_t, Any *)` that may throw
  /// Error.
  void *cpp_call;
} TVMFFIFunctionCell;

/// The payload of an OpaquePyObject.
typedef struct {
  void *handle;
} TVMFFIOpaqueObjectCell;

//===----------------------------------------------------------------------===//
// Memory of objects
//===----------------------------------------------------------------------===//

/// Lies in the 8 bytes before an object that a custom allocator made.
typedef struct {
  void (*delete_space)(void *ptr);
} TVMFFIObjectAllocHeader;

/// A source of memory for objects.
typedef struct {
  void *(*allocate)(size_t size, size_t alignment, int32_t type_index, void *context);
  void *context;
} TVMFFICustomAllocator;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A name of an enumerator before 0.1.15; C has no attributes.
#ifdef __cplusplus
#define TVM_FFI_INNER_RENAMED_(now) [[deprecated("renamed: " #now)]]
#else
#define TVM_FFI_INNER_RENAMED_(now)
#endif

#ifdef __cplusplus
enum TVMFFIFieldFlagBitMask : int32_t {
#else
typedef enum {
#endif
  kTVMFFIFieldFlagBitMaskWritable = 1 << 0,
  kTVMFFIFieldFlagBitMaskHasDefault = 1 << 1,
  kTVMFFIFieldFlagBitMaskIsStaticMethod = 1 << 2,
  kTVMFFIFieldFlagBitMaskSEqHashIgnore = 1 << 3,
  kTVMFFIFieldFlagBitMaskSEqHashDefPattern = 1 << 4,
  kTVMFFIFieldFlagBitMaskSEqHashDef TVM_FFI_INNER_RENAMED_(
      kTVMFFIFieldFlagBitMaskSEqHashDefPattern) = 1 << 4,
  kTVMFFIFieldFlagBitMaskSEqHashDefRecursive TVM_FFI_INNER_RENAMED_(
      kTVMFFIFieldFlagBitMaskSEqHashDefPattern) = 1 << 4,
  kTVMFFIFieldFlagBitMaskDefaultFromFactory = 1 << 5,
  kTVMFFIFieldFlagBitMaskReprOff = 1 << 6,
  kTVMFFIFieldFlagBitMaskCompareOff = 1 << 7,
  kTVMFFIFieldFlagBitMaskHashOff = 1 << 8,
  kTVMFFIFieldFlagBitMaskInitOff = 1 << 9,
  kTVMFFIFieldFlagBitMaskKwOnly = 1 << 10,
  kTVMFFIFieldFlagBitSetterIsFunctionObj = 1 << 11,
  kTVMFFIFieldFlagBitMaskSEqHashDefSimple = 1 << 12,
  kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive TVM_FFI_INNER_RENAMED_(
      kTVMFFIFieldFlagBitMaskSEqHashDefSimple) = 1 << 12
#ifdef __cplusplus
};
#else
} TVMFFIFieldFlagBitMask;
#endif

/// How structural equality and hashing treat a type.
#ifdef __cplusplus
enum TVMFFISEqHashKind : int32_t {
#else
typedef enum {
#endif
  kTVMFFISEqHashKindUnsupported = 0,
  kTVMFFISEqHashKindTreeNode = 1,
  kTVMFFISEqHashKindFreeVar = 2,
  kTVMFFISEqHashKindDAGNode = 3,
  kTVMFFISEqHashKindConstTreeNode = 4,
  kTVMFFISEqHashKindUniqueInstance = 5
#ifdef __cplusplus
};
#else
} TVMFFISEqHashKind;
#endif

/// The kind of region in which a structural visitor meets definitions.
#ifdef __cplusplus
enum TVMFFIDefRegionKind : int32_t {
#else
typedef enum {
#endif
  kTVMFFIDefRegionKindNone = 0,
  kTVMFFIDefRegionKindPattern = 1,
  kTVMFFIDefRegionKindRecursive TVM_FFI_INNER_RENAMED_(kTVMFFIDefRegionKindPattern) = 1,
  kTVMFFIDefRegionKindSimple = 2,
  kTVMFFIDefRegionKindNonRecursive TVM_FFI_INNER_RENAMED_(kTVMFFIDefRegionKindSimple) = 2
#ifdef __cplusplus
};
#else
} TVMFFIDefRegionKind;
#endif

/// Reads the field at `field` into an owned `result`.
typedef int (*TVMFFIFieldGetter)(void *field, TVMFFIAny *result);
/// Writes the view `value` to the field at `field`.
typedef int (*TVMFFIFieldSetter)(void *field, const TVMFFIAny *value);
/// Makes an object with default fields.
typedef int (*TVMFFIObjectCreator)(TVMFFIObjectHandle *result);

typedef struct {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  TVMFFIByteArray metadata; ///< JSON
  int64_t flags;            ///< TVMFFIFieldFlagBitMask bits
  int64_t size;             ///< bytes
  int64_t alignment;        ///< bytes
  int64_t offset;           ///< bytes from the object's header
  TVMFFIFieldGetter getter;
  /// A TVMFFIFieldSetter, or a Function's handle where the flags say so; NULL: not writable.
  void *setter;
  TVMFFIAny default_value_or_factory; ///< None where the flags have no default
  int32_t field_static_type_index;    ///< kTVMFFIAny: not known
} TVMFFIFieldInfo;

typedef struct {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  TVMFFIByteArray metadata; ///< JSON
  int64_t flags;            ///< TVMFFIFieldFlagBitMask bits
  TVMFFIAny method;         ///< a Function
} TVMFFIMethodInfo;

typedef struct {
  TVMFFIByteArray doc;
  TVMFFIObjectCreator creator; ///< NULL: no default object
  int32_t total_size;          ///< bytes of an object; 0: not known
  TVMFFISEqHashKind structural_eq_hash_kind;
} TVMFFITypeMetadata;

/// One attribute of all types: the value of type i is data[i - begin_index], None where it has none
/// or i lies outside [begin_index, begin_index + size). The struct's address never changes; data
/// and size change as attributes are registered.
typedef struct {
  const TVMFFIAny *data;
  int32_t size;
  int32_t begin_index;
} TVMFFITypeAttrColumn;

/// What is known of a type. Never moves and never goes.
#ifdef __cplusplus
struct TVMFFITypeInfo {
#else
typedef struct TVMFFITypeInfo {
#endif
  int32_t type_index;
  int32_t type_depth; ///< 0 for a root
  TVMFFIByteArray type_key;
  const struct TVMFFITypeInfo **type_ancestors; ///< type_depth entries, root first
  uint64_t type_key_hash;                       ///< of this process; for information
  int32_t num_fields;
  int32_t num_methods;
  const TVMFFIFieldInfo *fields;
  const TVMFFIMethodInfo *methods;
  const TVMFFITypeMetadata *metadata; ///< NULL until it is registered
#ifdef __cplusplus
};
#else
} TVMFFITypeInfo;
#endif

//===----------------------------------------------------------------------===//
// Version
//===----------------------------------------------------------------------===//

typedef struct {
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
} TVMFFIVersion;

/// The version of the library that is loaded. Cannot fail.
TVM_FFI_DLL void TVMFFIGetVersion(TVMFFIVersion *out_version);

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Adds a strong reference. ValueError where `obj` is NULL.
TVM_FFI_DLL int TVMFFIObjectIncRef(TVMFFIObjectHandle obj);

/// Drops a strong reference; may run the object's deleter. NULL does nothing.
TVM_FFI_DLL int TVMFFIObjectDecRef(TVMFFIObjectHandle obj);

/// Makes an object around a foreign handle. `type_index` is kTVMFFIOpaquePyObject (else
/// RuntimeError); `deleter(handle)` runs when the object goes.
TVM_FFI_DLL int TVMFFIObjectCreateOpaque(void *handle, int32_t type_index,
                                         void (*deleter)(void *handle), TVMFFIObjectHandle *out);

/// The process's allocator. Never NULL.
TVM_FFI_DLL TVMFFICustomAllocator *TVMFFIGetCustomAllocator(void);

/// Sets the process's allocator, which must live as long as it is set; NULL restores the built-in
/// one.
TVM_FFI_DLL int TVMFFISetCustomAllocator(TVMFFICustomAllocator *allocator);

/// The index of a registered type; InternalError for an unknown key.
TVM_FFI_DLL int TVMFFITypeKeyToIndex(const TVMFFIByteArray *type_key, int32_t *out_tindex);

//===----------------------------------------------------------------------===//
// Functions and values
//===----------------------------------------------------------------------===//

/// Makes a Function that calls `safe_call(self, ...)`; `deleter(self)` runs when it goes. With
/// neither self nor deleter, `safe_call` receives the Function's own handle instead.
TVM_FFI_DLL int TVMFFIFunctionCreate(void *self, TVMFFISafeCallType safe_call,
                                     void (*deleter)(void *self), TVMFFIObjectHandle *out);

/// Looks up a global function: an owned handle, or NULL (and 0) where there is none.
TVM_FFI_DLL int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);

/// Registers a global function, keeping a reference of its own. RuntimeError where the name is
/// taken and `allow_override` is 0.
TVM_FFI_DLL int TVMFFIFunctionSetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle f,
                                        int allow_override);

/// The same with documentation and metadata; everything is copied.
TVM_FFI_DLL int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo *method_info,
                                                      int allow_override);

/// Makes an owned value of a view. `out` is overwritten, not released.
TVM_FFI_DLL int TVMFFIAnyViewToOwnedAny(const TVMFFIAny *any_view, TVMFFIAny *out);

/// Calls a Function.
TVM_FFI_DLL int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                                   TVMFFIAny *result);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Moves the thread's error out of its slot; NULL where the slot is empty.
TVM_FFI_DLL void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result);

/// Puts an error into the thread's slot, keeping a reference of its own.
TVM_FFI_DLL void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);

/// Makes an error and puts it into the thread's slot.
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);

/// The same; the message is the parts joined, NULL parts skipped.
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **message_parts,
                                                   int32_t num_parts);

/// Makes an error. -1 only when memory is short, and then without an error in the slot.
TVM_FFI_DLL int TVMFFIErrorCreate(const TVMFFIByteArray *kind, const TVMFFIByteArray *message,
                                  const TVMFFIByteArray *backtrace, TVMFFIObjectHandle *out);

/// The same with an Error that caused it and an object that goes with it; either may be NULL.
TVM_FFI_DLL int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray *kind, const TVMFFIByteArray *message, const TVMFFIByteArray *backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle *out);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Makes a Tensor of a DLPack tensor. Success takes the tensor over: its deleter runs when the
/// Tensor goes. After a failure it is still the caller's. ValueError for fields that do not fit
/// each other, RuntimeError for data that are not as required. `require_alignment` is in bytes, 0
/// for none.
TVM_FFI_DLL int TVMFFITensorFromDLPack(DLManagedTensor *from, int32_t require_alignment,
                                       int32_t require_contiguous, TVMFFIObjectHandle *out);

/// A DLPack tensor that shares the Tensor's data and keeps it alive.
TVM_FFI_DLL int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor **out);

/// TVMFFITensorFromDLPack for the versioned form.
TVM_FFI_DLL int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned *from,
                                                int32_t require_alignment,
                                                int32_t require_contiguous,
                                                TVMFFIObjectHandle *out);

/// TVMFFITensorToDLPack for the versioned form.
TVM_FFI_DLL int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from,
                                              DLManagedTensorVersioned **out);

/// A Tensor with the prototype's data pointer, shape and strides (not NULL) that keeps `source`
/// alive. Nothing checks that the view lies inside the source.
TVM_FFI_DLL int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor *prototype,
                                             TVMFFIObjectHandle *out);

//===----------------------------------------------------------------------===//
// Text, bytes, integers, types of elements
//===----------------------------------------------------------------------===//

/// An owned string: small up to 7 bytes, else an object.
TVM_FFI_DLL int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);

/// Owned bytes: small up to 7 bytes, else an object.
TVM_FFI_DLL int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);

/// An integer of whole 64-bit words in two's complement, least significant word first. A value that
/// fits int64 comes out as kTVMFFIInt. ValueError (and None) where the length is no multiple of 8.
TVM_FFI_DLL int TVMFFIBigIntFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);

/// The words of a kTVMFFIInt (they lie in `value` itself) or kTVMFFIBigInt (they lie in the
/// object).
TVM_FFI_DLL TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny *value);

/// Reads a dtype such as `float32` or `int8x4`; ValueError for anything else.
TVM_FFI_DLL int TVMFFIDataTypeFromString(const TVMFFIByteArray *str, DLDataType *out);

/// Writes a dtype as an owned string.
TVM_FFI_DLL int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out);

//===----------------------------------------------------------------------===//
// The type table
//===----------------------------------------------------------------------===//

/// Adds a field to a type; InternalError where the type has one of that name.
TVM_FFI_DLL int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo *info);

/// Adds a method to a type.
TVM_FFI_DLL int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo *info);

/// Sets a type's metadata, once; RuntimeError the second time.
TVM_FFI_DLL int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata *metadata);

/// Sets one type's attribute, once; RuntimeError the second time. With type index 0 the column is
/// made and nothing is set.
TVM_FFI_DLL int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray *attr_name,
                                       const TVMFFIAny *attr_value);

/// The column of an attribute, NULL where no type ever had it.
TVM_FFI_DLL const TVMFFITypeAttrColumn *TVMFFIGetTypeAttrColumn(const TVMFFIByteArray *attr_name);

/// The thread's backtrace as text, most recent call first; valid until the thread asks again. With
/// `filename` and `func`, they make the first line. The walk ends where a call came through the FFI
/// unless `cross_ffi_boundary` is not 0.
TVM_FFI_DLL const TVMFFIByteArray *TVMFFIBacktrace(const char *filename, int lineno,
                                                   const char *func, int cross_ffi_boundary);

/// The index of a type key, given out when it is new. `static_type_index` -1: give out a dynamic
/// one, and `num_child_slots` after it for children. `parent_type_index` -1: a root; -2: only look
/// the key up (-2 where it is unknown). A conflict is fatal: it prints and ends the process.
TVM_FFI_DLL int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray *type_key,
                                              int32_t static_type_index, int32_t type_depth,
                                              int32_t num_child_slots,
                                              int32_t child_slots_can_overflow,
                                              int32_t parent_type_index);

/// A type's entry. For an index that no type has, an entry of index -2 and depth 0 with the key
/// `<unknown type>`; never NULL.
TVM_FFI_DLL const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index) TVM_FFI_ATTRIBUTE_PURE;

//===----------------------------------------------------------------------===//
// Handles that are made on first use
//===----------------------------------------------------------------------===//

/// Where `*handle_addr` is NULL, stores what `init_func` makes, once however many threads ask. Its
/// failure is returned as it is; a NULL result is a RuntimeError.
TVM_FFI_DLL int TVMFFIHandleInitOnce(void **handle_addr, int (*init_func)(void **result));

/// Takes the handle out of `*handle_addr` and hands it to `deinit_func`, unless it is NULL.
TVM_FFI_DLL int TVMFFIHandleDeinitOnce(void **handle_addr, int (*deinit_func)(void *handle));

#ifdef __cplusplus
} // extern "C"

/// The device of a type code and an ordinal.
inline DLDevice TVMFFIDLDeviceFromIntPair(int32_t device_type, int32_t device_id) {
  return DLDevice{static_cast<DLDeviceType>(device_type), device_id};
}

inline int32_t TVMFFIObjectGetTypeIndex(TVMFFIObjectHandle obj) {
  return static_cast<TVMFFIObject *>(obj)->type_index;
}

/// The content of a kTVMFFISmallStr or kTVMFFISmallBytes; lies in `value` itself.
inline TVMFFIByteArray TVMFFISmallBytesGetContentByteArray(const TVMFFIAny *value) {
  return TVMFFIByteArray{value->v_bytes, static_cast<size_t>(value->small_str_len)};
}

// The payload of an object begins right after its header.
inline TVMFFIByteArray *TVMFFIBytesGetByteArrayPtr(TVMFFIObjectHandle obj) {
  return reinterpret_cast<TVMFFIByteArray *>(static_cast<char *>(obj) + sizeof(TVMFFIObject));
}

inline TVMFFIErrorCell *TVMFFIErrorGetCellPtr(TVMFFIObjectHandle obj) {
  return reinterpret_cast<TVMFFIErrorCell *>(static_cast<char *>(obj) + sizeof(TVMFFIObject));
}

inline TVMFFIFunctionCell *TVMFFIFunctionGetCellPtr(TVMFFIObjectHandle obj) {
  return reinterpret_cast<TVMFFIFunctionCell *>(static_cast<char *>(obj) + sizeof(TVMFFIObject));
}

inline TVMFFIOpaqueObjectCell *TVMFFIOpaqueObjectGetCellPtr(TVMFFIObjectHandle obj) {
  return reinterpret_cast<TVMFFIOpaqueObjectCell *>(static_cast<char *>(obj) +
                                                    sizeof(TVMFFIObject));
}

inline TVMFFIShapeCell *TVMFFIShapeGetCellPtr(TVMFFIObjectHandle obj) {
  return reinterpret_cast<TVMFFIShapeCell *>(static_cast<char *>(obj) + sizeof(TVMFFIObject));
}

inline DLTensor *TVMFFITensorGetDLTensorPtr(TVMFFIObjectHandle obj) {
  return reinterpret_cast<DLTensor *>(static_cast<char *>(obj) + sizeof(TVMFFIObject));
}
#endif // __cplusplus

#endif // TVM_FFI_C_API_H_
