"""Every function of CuteDSLRuntime.h, from C: modules from files and from memory, several functions, errors by name."""

import aot_kernels
import pytest

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "CuteDSLRuntime.h"

static void told(const char *what, CuteDSLRT_Error_t error) {
  printf("%s: %s: %s\n", what, CuteDSLRT_Get_Error_Name(error), error ? CuteDSLRT_Get_Last_Error() : "");
}

static unsigned char *content(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

static int add(CuteDSLRT_Module_t *module, const char *name) {
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  struct { void *data; int32_t dynamic_shapes[1]; } a, b;
  int32_t result = -1;
  void *args[3];
  CuteDSLRT_Function_t *function = NULL, *again = NULL;
  CuteDSLRT_Error_t error = CuteDSLRT_Module_Get_Function(&function, module, name);
  if (error) { told("get", error); return 0; }
  if (CuteDSLRT_Module_Get_Function(&again, module, name) || again != function) return 0;
  a.data = x; a.dynamic_shapes[0] = 3;
  b.data = y; b.dynamic_shapes[0] = 3;
  args[0] = &a; args[1] = &b; args[2] = &result;
  error = CuteDSLRT_Function_Run(function, args, 3);
  if (error) { told("run", error); return 0; }
  if (!strstr(CuteDSLRT_Function_Get_Metadata(function), "\"version\"")) return 0;
  return y[0] == 2 && y[2] == 4 && result == 0;
}

int main(void) {
  CuteDSLRT_Module_t *module = NULL;
  CuteDSLRT_Function_t *function = NULL;
  const char *libraries[] = {"./libboth.so"}, *absent[] = {"./absent.so"};
  void *args[1] = {NULL};
  size_t size, i;
  unsigned char *bytes = content("add_one.o", &size);
  int round;

  /* From memory, which is free to go at once. */
  told("bytes", CuteDSLRT_Module_Create_From_Bytes(&module, bytes, size, NULL, 0));
  memset(bytes, 0, size);
  printf("%d\n", add(module, "add_one"));
  told("end", CuteDSLRT_Module_Destroy(module));

  /* Libraries alone: their functions are the module's. */
  told("libraries", CuteDSLRT_Module_Create_From_Bytes(&module, NULL, 0, libraries, 1));
  for (i = 0; i <= CuteDSLRT_Module_Get_Num_Functions(module); ++i) {
    const char *name = CuteDSLRT_Module_Get_Function_Name(module, i);
    printf("%s ", name ? name : "-");
  }
  printf("%d %d\n", add(module, "add_one"), add(module, "second"));
  printf("%d %d\n", CuteDSLRT_Module_Get_Symbol(module, "__fairlead_c_second") != NULL,
         CuteDSLRT_Module_Get_Symbol(module, "__fairlead_c_third") != NULL);
  told("missing", CuteDSLRT_Module_Get_Function(&function, module, "non_existing_api"));
  told("other ABI", CuteDSLRT_Module_Get_Function(&function, module, "open_one"));
  printf("%d\n", function == NULL);
  told("null name", CuteDSLRT_Module_Get_Function(&function, module, NULL));
  told("null module", CuteDSLRT_Module_Get_Function(&function, NULL, "add_one"));
  CuteDSLRT_Module_Get_Function(&function, module, "add_one");
  told("few", CuteDSLRT_Function_Run(function, args, 1));
  told("null arguments", CuteDSLRT_Function_Run(function, NULL, 3));
  told("null function", CuteDSLRT_Function_Run(NULL, args, 1));
  told("end", CuteDSLRT_Module_Destroy(module));
  told("end of none", CuteDSLRT_Module_Destroy(NULL));

  /* What does not load. */
  told("absent", CuteDSLRT_Module_Load(&module, "./absent.o"));
  printf("%d\n", module == NULL);
  told("folder", CuteDSLRT_Module_Load(&module, "."));
  told("text", CuteDSLRT_Module_Load(&module, "loader.c"));
  told("absent library", CuteDSLRT_Module_Create_From_Bytes(&module, NULL, 0, absent, 1));
  told("null path", CuteDSLRT_Module_Load(&module, NULL));
  told("null out", CuteDSLRT_Module_Load(NULL, "add_one.o"));
  free(bytes);
  bytes = content("add_one.o", &size);
  told("cut off", CuteDSLRT_Module_Create_From_Bytes(&module, bytes, size / 2, NULL, 0));
  puts(CuteDSLRT_Get_Error_Name((CuteDSLRT_Error_t)12345));

  /* Again and again. */
  free(bytes);
  for (round = 0; round < 200; ++round) {
    if (CuteDSLRT_Module_Load(&module, round % 2 ? "./add_one.o" : "./libboth.so") || !add(module, "add_one") ||
        CuteDSLRT_Module_Destroy(module))
      return 1;
  }
  return 0;
}
"""

PRINTED = """\
bytes: CuteDSLRT_Error_Success:\x20
1
end: CuteDSLRT_Error_Success:\x20
libraries: CuteDSLRT_Error_Success:\x20
add_one open_one second - 1 1
1 0
missing: CuteDSLRT_Error_FunctionNotFound: `the object in memory` has no function `non_existing_api`, \
it has: add_one, open_one, second
other ABI: CuteDSLRT_Error_AbiMismatch: `the object in memory`: `open_one` was exported with the TVM FFI ABI; \
load it with a TVM FFI runtime, or export it with file_path= and file_name=
1
null name: CuteDSLRT_Error_InvalidValue: name is NULL
null module: CuteDSLRT_Error_InvalidValue: module is NULL
few: CuteDSLRT_Error_InvalidValue: `add_one` takes 3 addresses, of its arguments and of the result, but got 1
null arguments: CuteDSLRT_Error_InvalidValue: `add_one` got NULL for its arguments
null function: CuteDSLRT_Error_InvalidValue: function is NULL
end: CuteDSLRT_Error_Success:\x20
end of none: CuteDSLRT_Error_Success:\x20
absent: CuteDSLRT_Error_FileUnreadable: cannot read `./absent.o`: No such file or directory
1
folder: CuteDSLRT_Error_FileUnreadable: cannot read `.`: not a regular file
text: CuteDSLRT_Error_InvalidFile: `loader.c`: expected an ELF file, but got \
a file that starts with the bytes 0a 23 69 6e
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_every_function(tools, compiler):
    for name in ("add_one", "second"):
        aot_kernels.compiled_add_one().export_to_c(file_path=tools.folder, file_name=name)
    aot_kernels.compiled_add_one().export_to_c(tools.folder / "open.o", function_name="open_one")
    tools.run("gcc", "-shared", "add_one.o", "second.o", "open.o", "-o", "libboth.so")
    main = tools.object(PROGRAM, compiler=compiler, name="loader")
    lines = tools.run(tools.shared(main, library="cute_dsl_runtime")).stdout.splitlines()
    wanted = PRINTED.splitlines()
    assert lines[: len(wanted)] == wanted
    rest = lines[len(wanted) :]
    assert (
        rest[0].startswith("absent library: CuteDSLRT_Error_InvalidFile: ")
        and "absent.so" in rest[0]
    )
    assert rest[1] == "null path: CuteDSLRT_Error_InvalidValue: path is NULL"
    assert rest[2] == "null out: CuteDSLRT_Error_InvalidValue: module is NULL"
    assert rest[3].startswith(
        "cut off: CuteDSLRT_Error_InvalidFile: `the object in memory`: expected"
    )
    assert rest[4:] == ["CuteDSLRT_Error (unknown number)"]
