// Owns: the runtime entry points that a tool gets by name (OpenMP 5.2 section 19.6).
#pragma once

namespace xylem::abi::ompt {

using EntryPoint = void (*)();

// ompt_function_lookup_t. Null for a name that is none.
EntryPoint look_up(const char* name);

}  // namespace xylem::abi::ompt
