/// The half of zstd that compresses, in place of the archive's, which is 0.4 MB: LLVM compresses
/// debug sections with it only on request, and nothing here requests it. Decompression stays the
/// archive's.
#include <stddef.h>

size_t ZSTD_compressBound(size_t size) { return size; }
void *ZSTD_createCCtx(void) { return NULL; }
size_t ZSTD_freeCCtx(void *context) {
  (void)context;
  return 0;
}
size_t ZSTD_CCtx_setParameter(void *context, int parameter, int value) {
  (void)context, (void)parameter, (void)value;
  return 0;
}
/// An error (ZSTD_isError): LLVM ends the process then, as it does where memory is short.
size_t ZSTD_compress2(void *context, void *out, size_t room, const void *data, size_t size) {
  (void)context, (void)out, (void)room, (void)data, (void)size;
  return (size_t)-1;
}
