// Owns: finding and naming the blocks. See program_arrays.hpp.
#include "count/source/program_arrays.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "os/program_image.hpp"
#include "os/shared_object.hpp"

namespace xylem::count {

namespace {

// Written once, before the source's thread begins.
constinit os::HoldArray hold_function = nullptr;
constinit os::LetGoOfArray let_go_function = nullptr;

template <typename Function>
Function find(const char* name) {
  return reinterpret_cast<Function>(os::find_symbol(name));
}

void add_block(const os::KnownArray& block, void* context) {
  ProgramArray array;
  if (name_block(block, array)) static_cast<std::vector<ProgramArray>*>(context)->push_back(array);
}

void add_static_data(std::vector<ProgramArray>& arrays) {
  const os::ProgramImage& image = os::program_image();
  if (image.zero_bytes < os::least_array_bytes) return;
  ProgramArray data{image.zeros, image.zero_bytes, {}, true};
  const std::string_view program = program_file();
  std::snprintf(data.name_text.data(), data.name_text.size(), "%.*s data",
                static_cast<int>(program.size()), program.data());
  arrays.push_back(data);
}

// A block that came while others were looked at may be told of twice, or lie where one was before.
void drop_overlapping(std::vector<ProgramArray>& arrays) {
  std::ranges::sort(arrays, {}, &ProgramArray::start);
  uintptr_t end = 0;
  std::erase_if(arrays, [&end](const ProgramArray& array) {
    if (array.start < end) return true;
    end = array.start + array.bytes;
    return false;
  });
}

}  // namespace

std::string_view program_file() {
  const os::ProgramImage& image = os::program_image();
  return os::module_of(reinterpret_cast<const void*>(image.base + image.entry)).name.substr(0, 48);
}

bool blocks_are_known() { return find<os::VisitArrays>(os::visit_arrays_name) != nullptr; }

bool name_block(const os::KnownArray& block, ProgramArray& array) {
  const os::ModuleOf module = os::module_of(reinterpret_cast<const void*>(block.site));
  const uintptr_t here = os::module_of(reinterpret_cast<const void*>(&add_block)).base;
  if (module.base == here || module.name.starts_with("libxylem")) return false;
  array.start = block.start;
  array.bytes = block.bytes;
  std::snprintf(array.name_text.data(), array.name_text.size(), "%.*s+0x%" PRIxPTR "#%u",
                static_cast<int>(std::min<std::size_t>(module.name.size(), 48)), module.name.data(),
                block.site - module.base, block.ordinal);
  return true;
}

std::vector<ProgramArray> program_arrays() {
  std::vector<ProgramArray> arrays;
  add_static_data(arrays);
  if (const auto visit = find<os::VisitArrays>(os::visit_arrays_name)) visit(add_block, &arrays);
  drop_overlapping(arrays);
  return arrays;
}

void listen_to_blocks(os::ArrayListener born) {
  if (const auto listen = find<os::ListenToArrays>(os::listen_to_arrays_name)) listen(born);
}

void find_holding_functions() {
  hold_function = find<os::HoldArray>(os::hold_array_name);
  let_go_function = find<os::LetGoOfArray>(os::let_go_of_array_name);
}

bool hold_array(const ProgramArray& array) {
  if (array.is_static) return true;
  return hold_function != nullptr && let_go_function != nullptr &&
         hold_function(array.start, array.bytes);
}

void let_go_of_array() {
  if (let_go_function != nullptr) let_go_function();
}

}  // namespace xylem::count
