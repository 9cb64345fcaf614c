/// Functions of C made at run time that hand a pointer of their own to another one: frameworks
/// whose callbacks take no user data get one for each function.
#pragma once

namespace fairlead::frameworks {

/// Returns a function that calls `target` with its arguments, all of them integers or pointers,
/// followed by `context`. `position`, 0 to 3, is the place of `context`. The function lives as long
/// as the process. Null without memory for code, or on processors other than x86-64 and AArch64.
/// Safe from any thread.
void *makeThunk(void *target, void *context, int position) noexcept;

} // namespace fairlead::frameworks
