/// Containers and classes: several programs in one executable, which share headers and what they
/// instantiate of them.
#include "Reflected.cpp" // NOLINT
#include "Sequences.cpp" // NOLINT

// Last: it uses a namespace of its own.
#include "Everyday.cpp" // NOLINT

int main(int, char **arguments) { programs().at(arguments[1])(); }
