/// Containers and classes: several programs in one executable, which share headers and what they
/// instantiate of them.
#include "Everyday.cpp"  // NOLINT
#include "Reflected.cpp" // NOLINT
#include "Sequences.cpp" // NOLINT

int main(int, char **arguments) { programs().at(arguments[1])(); }
