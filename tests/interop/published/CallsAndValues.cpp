/// Calls and values: several programs in one executable, which share headers and what they
/// instantiate of them.
#include "Functions.cpp"          // NOLINT
#include "OptionalsAndErrors.cpp" // NOLINT
#include "Tensors.cpp"            // NOLINT
#include "Values.cpp"             // NOLINT

int main(int, char **arguments) { programs().at(arguments[1])(); }
