/// Marks the public C++ API of libfairlead.
#pragma once
#define FAIRLEAD_API __attribute__((visibility("default")))
