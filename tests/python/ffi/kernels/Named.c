/* Functions whose metadata or documentation names their arguments, in each way that there is. */
#include <string.h>

#include <tvm/ffi/c_api.h>

#define EXPORT TVM_FFI_DLL_EXPORT

/* 100 * a + 10 * b + c of three ints. */
static int digits(const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  if (count != 3 || args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt ||
      args[2].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "digits takes three ints");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = 100 * args[0].v_int64 + 10 * args[1].v_int64 + args[2].v_int64;
  return 0;
}

#define FUNCTION(name)                                                                             \
  EXPORT int __tvm_ffi_##name(void *handle, const TVMFFIAny *args, int32_t count,                  \
                              TVMFFIAny *result) {                                                 \
    (void)handle;                                                                                  \
    return digits(args, count, result);                                                            \
  }
#define TEXT(kind, name, text)                                                                     \
  EXPORT int __tvm_ffi__##kind##_##name(void *handle, const TVMFFIAny *args, int32_t count,        \
                                        TVMFFIAny *result) {                                       \
    (void)handle, (void)args, (void)count;                                                         \
    TVMFFIByteArray bytes = {text, strlen(text)};                                                  \
    return TVMFFIStringFromByteArray(&bytes, result);                                              \
  }
#define SCHEMA                                                                                     \
  "\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":"       \
  "[{\\\"type\\\":\\\"int\\\"}],\\\"params\\\":[{\\\"type\\\":\\\"int\\\"},"                       \
  "{\\\"type\\\":\\\"int\\\"},{\\\"type\\\":\\\"int\\\"}]}}\""

FUNCTION(own)
#define CALL                                                                                       \
  "\"call\":\"{\\\"names\\\":[\\\"a\\\",\\\"b\\\",\\\"c\\\"],\\\"positional\\\":3,"                \
  "\\\"defaults\\\":[[],[2],[3]]}\""
TEXT(metadata, own, "{\"fairlead\":{\"arg_names\":[\"a\",\"b\",\"c\"],\"format\":2," CALL "}}")
FUNCTION(old_format)
TEXT(metadata, old_format, "{\"fairlead\":{\"arg_names\":[\"a\"],\"version\":\"0.0.1\"}}")
FUNCTION(new_format)
TEXT(metadata, new_format,
     "{\"fairlead\":{\"arg_names\":[\"a\"],\"format\":99,\"version\":\"9.0.0\"}}")
FUNCTION(bad_call)
TEXT(metadata, bad_call, "{\"fairlead\":{\"arg_names\":[\"a\"],\"format\":2,\"call\":\"{}\"}}")
FUNCTION(lists)
TEXT(metadata, lists, "{" SCHEMA ",\"arg_names\":[\"a\",\"b\",\"c\"],\"defaults\":[2,3]}")
FUNCTION(texts)
TEXT(metadata, texts,
     "{" SCHEMA ",\"arg_names\":\"[\\\"a\\\",\\\"b\\\",\\\"c\\\"]\",\"defaults\":\"[2, 3]\"}")
FUNCTION(words)
TEXT(metadata, words, "{\"arg_names\":\"a, b, c\",\"defaults\":[2,3]}")
FUNCTION(documented)
TEXT(metadata, documented, "{" SCHEMA "}")
TEXT(doc, documented, "documented(a, b=2, *, c=3)\n--\n\nAs Python's own functions are described.")
FUNCTION(prose)
TEXT(metadata, prose, "{" SCHEMA "}")
TEXT(doc, prose, "prose(a)\n--\n\nNames fewer arguments than there are.")
FUNCTION(too_few)
TEXT(metadata, too_few, "{" SCHEMA ",\"arg_names\":[\"a\"]}")
FUNCTION(twice)
TEXT(metadata, twice, "{\"arg_names\":[\"a\",\"b\",\"a\"]}")
FUNCTION(no_text)
TEXT(metadata, no_text, "{\"arg_names\":[1,2,3]}")
FUNCTION(no_list)
TEXT(metadata, no_list, "{\"arg_names\":3}")
FUNCTION(many_defaults)
TEXT(metadata, many_defaults, "{\"arg_names\":[\"a\"],\"defaults\":[1,2]}")
FUNCTION(no_json)
TEXT(metadata, no_json, "{\"arg_names\":")
FUNCTION(no_object)
TEXT(metadata, no_object, "[1]")
FUNCTION(bad_schema)
TEXT(metadata, bad_schema, "{\"type_schema\":\"{\"}")
