/// Marks the public C++ API of libfairlead.
#ifndef FAIRLEAD_EXPORT_H_
#define FAIRLEAD_EXPORT_H_
#define FAIRLEAD_API __attribute__((visibility("default")))
#endif // FAIRLEAD_EXPORT_H_
