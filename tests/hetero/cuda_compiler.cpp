// The compiler of CUDA variants with the real NVRTC, which needs no card: the kernels of the
// examples and a template become code for several kinds of devices, and an error is told by its
// line.
#include "hetero/driver/cuda/cuda_compiler.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>

#include "../../examples/codelets/kernels.hpp"
#include "check.h"

namespace {

using xylem::hetero::cuda::Code;
using xylem::hetero::cuda::compile;

bool is_code_for_cuda(const Code& code) {
  constexpr int em_cuda = 190;
  Elf64_Ehdr header;
  if (code.image.size() < sizeof header) return false;
  std::memcpy(&header, code.image.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == em_cuda;
}

// Float for one kind of device, double for another; each takes a second on a busy machine.
void kernels_of_examples() {
  int turn = 0;
  for (const char* kernel : {"scale", "multiply", "subtract_transposed", "subtract_square",
                             "cholesky", "solve_transposed", "lu", "solve_lower", "solve_upper"}) {
    const bool even = turn++ % 2 == 0;
    const Code code = compile(tiles::kernels_source, kernel,
                              even ? "-DREAL=float" : "-DREAL=double", even ? 80 : 90);
    if (!code.why.empty()) std::fprintf(stderr, "%s: %s\n", kernel, code.why.c_str());
    CHECK(is_code_for_cuda(code));
    CHECK(code.name == kernel);
  }
}

void names() {
  const char* source =
      "namespace blas {\n"
      "template <typename T> __global__ void add(T* x, T by) { x[threadIdx.x] += by; }\n"
      "}\n";
  const Code code = compile(source, "blas::add<float>", nullptr, 90);
  CHECK(is_code_for_cuda(code));
  CHECK(code.name.find("add") != std::string::npos && code.name != "blas::add<float>");
}

void errors() {
  Code code = compile("extern \"C\" __global__ void f(int* x) { x[0] = y; }", "f", nullptr, 90);
  CHECK(code.image.empty());
  CHECK(code.why.find("identifier \"y\" is undefined") != std::string::npos);
  code = compile("extern \"C\" __global__ void f(int* x) {}", "g", nullptr, 90);
  CHECK(code.image.empty() && !code.why.empty());
  code = compile("extern \"C\" __global__ void f(int* x) {}", "f", "--no-such-option", 90);
  CHECK(code.image.empty() && !code.why.empty());
  code = compile("extern \"C\" __global__ void f(int* x) {}", "f", nullptr, 1);
  CHECK(code.image.empty() && !code.why.empty());
  std::printf("%s\n", code.why.c_str());
}

}  // namespace

int main() {
  kernels_of_examples();
  names();
  errors();
}
