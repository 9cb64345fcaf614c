/// The C interface of ONNX Runtime, as far as custom operators need it: places in its table of
/// functions (OrtApi), which never change, and the struct of an operator of version 16.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_ONNX_ABI_H_
#define FAIRLEAD_LIB_FRAMEWORKS_ONNX_ABI_H_

#include <cstddef>
#include <cstdint>

namespace fairlead::frameworks::onnx {

constexpr uint32_t kVersion = 16;

using Status = void *; ///< an OrtStatus; null: done

enum StatusCode { kFail = 1, kInvalidArgument = 2 };

/// OrtApiBase.
struct ApiBase {
  void *const *(*getApi)(uint32_t version);
  const char *(*getVersion)();
};

/// OrtApi by the names of its functions. Objects are pointers of whatever kind.
struct Api {
  void *const *table;

  template <typename F> F at(size_t place) const { return reinterpret_cast<F>(table[place]); }

  Status createStatus(StatusCode code, const char *text) const {
    return at<Status (*)(int, const char *)>(0)(code, text);
  }
  Status createDomain(const char *name, void **domain) const {
    return at<Status (*)(const char *, void **)>(26)(name, domain);
  }
  Status addOperator(void *domain, const void *op) const {
    return at<Status (*)(void *, const void *)>(27)(domain, op);
  }
  Status addDomain(void *options, void *domain) const {
    return at<Status (*)(void *, void *)>(28)(options, domain);
  }
  Status data(void *value, void **data) const {
    return at<Status (*)(void *, void **)>(51)(value, data);
  }
  Status elementType(const void *info, int *type) const {
    return at<Status (*)(const void *, int *)>(60)(info, type);
  }
  Status rank(const void *info, size_t *rank) const {
    return at<Status (*)(const void *, size_t *)>(61)(info, rank);
  }
  Status extents(const void *info, int64_t *extents, size_t rank) const {
    return at<Status (*)(const void *, int64_t *, size_t)>(62)(info, extents, rank);
  }
  Status typeAndShape(const void *value, void **info) const {
    return at<Status (*)(const void *, void **)>(65)(value, info);
  }
  Status memoryId(const void *memory, int *id) const {
    return at<Status (*)(const void *, int *)>(72)(memory, id);
  }
  Status attribute(const void *node, const char *name, float *value) const {
    return at<Status (*)(const void *, const char *, float *)>(85)(node, name, value);
  }
  Status attribute(const void *node, const char *name, int64_t *value) const {
    return at<Status (*)(const void *, const char *, int64_t *)>(86)(node, name, value);
  }
  Status input(const void *context, size_t index, const void **value) const {
    return at<Status (*)(const void *, size_t, const void **)>(90)(context, index, value);
  }
  Status output(void *context, size_t index, const int64_t *extents, size_t rank,
                void **value) const {
    return at<Status (*)(void *, size_t, const int64_t *, size_t, void **)>(91)(
        context, index, extents, rank, value);
  }
  void releaseInfo(void *info) const { at<void (*)(void *)>(99)(info); }
  Status stream(const void *context, void **stream) const {
    return at<Status (*)(const void *, void **)>(193)(context, stream);
  }
  Status memory(const void *value, const void **memory) const {
    return at<Status (*)(const void *, const void **)>(194)(value, memory);
  }
};

/// OrtCustomOp of version 16.
struct CustomOp {
  uint32_t version;
  void *(*createKernel)(const CustomOp *, void *const *api, const void *info);
  const char *(*name)(const CustomOp *);
  const char *(*provider)(const CustomOp *);
  int (*inputType)(const CustomOp *, size_t index);
  size_t (*numInputs)(const CustomOp *);
  int (*outputType)(const CustomOp *, size_t index);
  size_t (*numOutputs)(const CustomOp *);
  void (*compute)(void *kernel, void *context);
  void (*destroy)(void *kernel);
  int (*inputCharacteristic)(const CustomOp *, size_t index);
  int (*outputCharacteristic)(const CustomOp *, size_t index);
  int (*inputMemory)(const CustomOp *, size_t index);
  int (*variadicInputMinArity)(const CustomOp *);
  int (*variadicInputHomogeneity)(const CustomOp *);
  int (*variadicOutputMinArity)(const CustomOp *);
  int (*variadicOutputHomogeneity)(const CustomOp *);
  Status (*createKernel2)(const CustomOp *, void *const *api, const void *info, void **kernel);
  Status (*compute2)(void *kernel, void *context);
  /// Fields of later versions, which an operator of this version does not have.
  void *later[8];
};

} // namespace fairlead::frameworks::onnx
#endif // FAIRLEAD_LIB_FRAMEWORKS_ONNX_ABI_H_
