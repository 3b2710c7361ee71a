// Owns: what the loader says of the program's own file and of the module that an address is in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xylem::os {

// The program's file as it is mapped. All of it lives as long as the process.
struct ProgramImage {
  uintptr_t base = 0;   // what is added to the file's addresses
  uintptr_t entry = 0;  // a file's address that is in it
  // Its static data that no file fills (.bss), in whole pages; empty: there is none.
  uintptr_t zeros = 0;
  std::size_t zero_bytes = 0;
  // The number that the linker gave the file (NT_GNU_BUILD_ID), or nothing.
  const unsigned char* build_id = nullptr;
  std::size_t build_id_bytes = 0;
};
// Asks the loader once: its lock would be held for ever in a child of fork() that another thread
// made meanwhile.
const ProgramImage& program_image();

// The module that holds the address. `name` is the last part of its file's name ("": the module is
// not known) and lives as long as the module. Takes the loader's lock.
struct ModuleOf {
  std::string_view name;
  uintptr_t base = 0;
};
ModuleOf module_of(const void* address);
// "MODULE+0xOFFSET", ended by a zero; the module's name is cut to fit. Takes the loader's lock.
using AddressName = std::array<char, 96>;
AddressName name_address(const void* address);
// The address that "MODULE+0xOFFSET" names; 0: nothing, or the module is not there. Takes the
// loader's lock.
uintptr_t named_address(std::string_view name);

}  // namespace xylem::os
