/// ELF files as Python sees them.
#include "Values.h"

#include <algorithm>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fairlead/Diagnostics.h"
#include "fairlead/ElfFile.h"
#include "fairlead/Keys.h"

namespace fairlead::python {
namespace {

ElfFile read(nb::bytes bytes, size_t offset) {
  const size_t begin = std::min(offset, bytes.size());
  ElfFile file = readElfFile({bytes.c_str() + begin, bytes.size() - begin});
  if (!file.error.empty())
    throw makeError(Diagnostic::ElfBytes, {{"reason", file.error}});
  return file;
}

} // namespace

void bindElfFiles(nb::module_ &m) {
  nb::class_<ElfSection>(m, "ElfSection")
      .def_ro("name", &ElfSection::name)
      .def_ro("type", &ElfSection::type)
      .def_ro("file_offset", &ElfSection::fileOffset, "None for memory without content.")
      .def_ro("size", &ElfSection::size);
  nb::class_<ElfSymbol>(m, "ElfSymbol")
      .def_ro("name", &ElfSymbol::name)
      .def_ro("is_defined", &ElfSymbol::isDefined)
      .def_ro("is_function", &ElfSymbol::isFunction)
      .def_ro("is_local", &ElfSymbol::isLocal)
      .def_ro("file_offset", &ElfSymbol::fileOffset,
              "None where the file does not hold its bytes.");
  nb::class_<ElfFile>(m, "ElfFile")
      .def_ro("type", &ElfFile::type, "1 an object, 2 a program, 3 a shared library.")
      .def_ro("machine", &ElfFile::machine, "62 x86-64, 183 AArch64, 190 CUDA.")
      .def_ro("sections", &ElfFile::sections)
      .def_ro("symbols", &ElfFile::symbols, "Those that have names, of both tables.")
      .def_ro("size", &ElfFile::size, "Bytes from its start to its end; others may follow.")
      .def_ro("is_sealed", &ElfFile::isSealed,
              "It ends in the checksum of an export, which is right.")
      .def_ro("signer", &ElfFile::signer,
              "The public key that has signed it, 64 hexadecimal digits; empty where none has.");
  m.def(
      "sealed",
      [](nb::bytes data, const std::string &sign) {
        std::string_view content = withoutElfSeal({data.c_str(), data.size()});
        std::string file = std::string(content) + elfSeal(content, sign);
        return nb::bytes(file.data(), file.size());
      },
      nb::arg("data"), nb::arg("sign") = "",
      "A file with its checksum behind it, which whoever loads the file verifies; signed by the "
      "key in the file `sign`, where one is named.");
  m.def(
      "new_key_pair",
      [] {
        KeyPair pair = newKeyPair();
        return std::pair(pair.publicText, pair.secretText);
      },
      "A new key that signs: the lines of the public file and of the secret one.");
  m.def("listed_keys", &listedKeys, nb::arg("path"),
        "The public keys that a file lists, 64 hexadecimal digits each. ValueError for other "
        "files.");
  m.def(
      "read_elf", &read, nb::arg("data"), nb::arg("offset") = 0,
      "The tables of the ELF file that begins at an offset. Executes nothing. ValueError for other "
      "bytes.");
}

} // namespace fairlead::python
