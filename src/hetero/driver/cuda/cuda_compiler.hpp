// Owns: compiling CUDA C++ by NVRTC, which is loaded when the first source is compiled.
#pragma once

#include <string>

namespace xylem::hetero::cuda {

// Machine code for one kernel of a source.
struct Code {
  std::string image;  // as cuModuleLoadData() takes it; empty: it does not compile
  std::string name;   // the kernel's in it
  std::string why;    // where it does not compile: one line
};

// `kernel` is the kernel's name as C++ has it: "scale", "blas::scale<float>". `options` are the
// compiler's, separated by blanks. `capability` is the device's: 90 for sm_90. Takes up to a
// second.
Code compile(const char* source, const char* kernel, const char* options, int capability);

}  // namespace xylem::hetero::cuda
