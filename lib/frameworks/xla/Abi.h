/// XLA's C interface for foreign functions, as far as handlers need it: version 0.1, which later
/// ones keep. Structures begin with their size, as far as the writer knows fields.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fairlead::frameworks::xla {

struct Error;

/// The first member of every structure.
struct Header {
  size_t size;
  struct Extension *extension;
};

struct Extension {
  size_t size;
  int type; ///< kMetadata
  Extension *next;
};
constexpr int kMetadata = 1;

struct Version {
  Header header;
  int major, minor;
};

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension extension;
  Metadata *metadata;
};

/// Handlers report the oldest version, which has all that they use.
constexpr int kMajor = 0, kMinor = 1;
/// A handler does the same device work in each call: XLA may record it into a graph.
constexpr uint32_t kCommandBufferCompatible = 1;

struct Buffer {
  Header header;
  int dtype;
  void *data;
  int64_t rank;
  int64_t *dims;
};

/// Arguments, and results.
struct Buffers {
  Header header;
  int64_t count;
  int *types; ///< kBuffer
  Buffer **items;
};
constexpr int kBuffer = 1;

struct Span {
  const char *data;
  size_t size;
};

struct Scalar {
  int dtype;
  void *value;
};

struct Array {
  int dtype;
  size_t count;
  void *data;
};

enum AttributeType { kArray = 1, kDictionary = 2, kScalar = 3, kString = 4 };

/// Sorted by name.
struct Attributes {
  Header header;
  int64_t count;
  int *types;
  Span **names;
  void **values; ///< Array, Attributes, Scalar or Span
};

enum Stage { kInstantiate = 0, kPrepare = 1, kInitialize = 2, kExecute = 3 };

struct ErrorCreateArgs {
  Header header;
  const char *message;
  int code;
};

struct ErrorDestroyArgs {
  Header header;
  Error *error;
};

struct StreamArgs {
  Header header;
  void *context;
  void *stream; ///< out
};

struct OrdinalArgs {
  Header header;
  void *context;
  int32_t ordinal; ///< out
};

struct Api {
  Header header;
  Version version;
  const void *internal;
  Error *(*createError)(ErrorCreateArgs *);
  void (*getErrorMessage)(void *);
  void (*destroyError)(ErrorDestroyArgs *);
  void *registerHandler;
  Error *(*getStream)(StreamArgs *);
  void *registerType, *getExecutionContext, *setState, *getState;
  void *allocate, *free;
  void *schedule, *numThreads;
  void *createFuture, *setFutureAvailable, *setFutureError;
  void *getRunId;
  Error *(*getDeviceOrdinal)(OrdinalArgs *);
};

struct Frame {
  Header header;
  const Api *api;
  void *context;
  int stage;
  Buffers inputs, results;
  Attributes attributes;
};

/// The size of `S` up to and with its field `member`.
#define FAIRLEAD_XLA_SIZE(S, member) (offsetof(S, member) + sizeof(S::member))

/// absl's status codes.
enum Code { kInvalidArgument = 3, kUnimplemented = 12, kInternal = 13 };

enum DType {
  kPred = 1,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
  kC64 = 15,
  kBF16,
  kToken,
  kC128,
  kF8E5M2,
  kF8E4M3FN,
  kF8E4M3B11FNUZ = 23,
  kF8E5M2FNUZ,
  kF8E4M3FNUZ,
  kF8E4M3 = 28,
  kF8E3M4,
  kF8E8M0FNU = 33,
};

} // namespace fairlead::frameworks::xla
