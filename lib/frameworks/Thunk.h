/// Functions of C made at run time that hand a pointer of their own to another one: frameworks
/// whose callbacks take no user data get one for each function.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_THUNK_H_
#define FAIRLEAD_LIB_FRAMEWORKS_THUNK_H_

namespace fairlead::frameworks {

/// A function that calls `target` with the arguments it is given, all of them integers or pointers,
/// and `context` as the argument after them; `position`, 0 to 3, is its place. It lives as long as
/// the process. Null if memory for code cannot be had, or on processors other than x86-64 and
/// AArch64. Safe from any thread.
void *makeThunk(void *target, void *context, int position) noexcept;

} // namespace fairlead::frameworks
#endif // FAIRLEAD_LIB_FRAMEWORKS_THUNK_H_
