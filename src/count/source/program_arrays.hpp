// Owns: the program's large blocks of memory, and names by which another run of the same program
// finds them again.
//
// The name of a block says which call allocated it and how many large blocks that call had
// allocated before: "app+0x12f3#0". The program's static data is "app data". Blocks that this
// runtime allocated are left out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "os/arrays_library.hpp"

namespace xylem::count {

struct ProgramArray {
  uintptr_t start = 0;
  std::size_t bytes = 0;
  std::array<char, 96> name_text{};  // ended by a zero
  bool is_static = false;            // data of the program's file, which stays where it is

  std::string_view name() const { return {name_text.data()}; }
};

// The last part of the name of the program's file, cut to 48 letters.
std::string_view program_file();
// Whether blocks are known, which takes libxylem-arrays.so in the process; static data always is.
bool blocks_are_known();
// By start; do not overlap. Takes the loader's lock.
std::vector<ProgramArray> program_arrays();
// From now on `born` is called with each new block (os::ListenToArrays).
void listen_to_blocks(os::ArrayListener born);
// Has the program leave the array where it is for some microseconds (os::HoldArray); false: it is
// gone, or the program is changing mappings. The functions are looked up before, once.
void find_holding_functions();
bool hold_array(const ProgramArray& array);
void let_go_of_array();
// False: the block is this runtime's.
bool name_block(const os::KnownArray& block, ProgramArray& array);

}  // namespace xylem::count
