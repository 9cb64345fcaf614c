/// A kernel to assemble and to run: `add_one(const float *in, float *out, int n)`.
#ifndef FAIRLEAD_TESTS_UNIT_CUDA_ADDONEPTX_H
#define FAIRLEAD_TESTS_UNIT_CUDA_ADDONEPTX_H

#include <string>

namespace fairlead::test {

/// PTX for a target such as "sm_80".
inline std::string addOnePtx(const std::string &target) {
  // The oldest version that knows the target.
  const char *version = target.size() > 6 ? "8.6" : "8.0";
  return std::string(".version ") + version + "\n.target " + target + R"(
.address_size 64
.visible .entry add_one(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %i, %block, %threads, %thread, %n;
  .reg .b64 %in, %out, %offset;
  .reg .f32 %x;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.s32 %i, %block, %threads, %thread;
  setp.ge.s32 %p, %i, %n;
  @%p ret;
  mul.wide.s32 %offset, %i, 4;
  add.s64 %in, %in, %offset;
  add.s64 %out, %out, %offset;
  ld.global.f32 %x, [%in];
  add.f32 %x, %x, 0f3F800000;
  st.global.f32 [%out], %x;
  ret;
}
)";
}

} // namespace fairlead::test
#endif // FAIRLEAD_TESTS_UNIT_CUDA_ADDONEPTX_H
