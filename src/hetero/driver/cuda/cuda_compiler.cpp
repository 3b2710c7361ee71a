// Owns: NVRTC. See cuda_compiler.hpp.
#include "hetero/driver/cuda/cuda_compiler.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

namespace xylem::hetero::cuda {

namespace {

struct Nvrtc {
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcAddNameExpression) add_name;
  decltype(&nvrtcGetLoweredName) lowered_name;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetCUBINSize) code_size;
  decltype(&nvrtcGetCUBIN) code;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetErrorString) error_text;
};

// Of the version that this was compiled with first, as its functions are known to be what the
// headers say; the functions used have been the same since version 11.
void* open_library() {
  const std::string version = std::to_string(CUDA_VERSION / 1000);
  const std::array<std::string, 6> names = {
      "libnvrtc.so." + version, "libnvrtc.so",      "libnvrtc.so.13",
      "libnvrtc.so.12",         "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so"};
  for (const std::string& name : names)
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Null: it is not installed.
const Nvrtc* load() {
  static Nvrtc found;
  void* library = open_library();
  const bool all = library && find(library, "nvrtcCreateProgram", found.create) &&
                   find(library, "nvrtcDestroyProgram", found.destroy) &&
                   find(library, "nvrtcAddNameExpression", found.add_name) &&
                   find(library, "nvrtcGetLoweredName", found.lowered_name) &&
                   find(library, "nvrtcCompileProgram", found.compile) &&
                   find(library, "nvrtcGetCUBINSize", found.code_size) &&
                   find(library, "nvrtcGetCUBIN", found.code) &&
                   find(library, "nvrtcGetProgramLogSize", found.log_size) &&
                   find(library, "nvrtcGetProgramLog", found.log) &&
                   find(library, "nvrtcGetErrorString", found.error_text);
  return all ? &found : nullptr;
}

const Nvrtc* nvrtc() {
  static const Nvrtc* loaded = load();
  return loaded;
}

// A program that ends with its scope.
class Program {
 public:
  Program(const Nvrtc& library, const char* source) : library_(library) {
    error_ = library.create(&program_, source, "codelet.cu", 0, nullptr, nullptr);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (program_) library_.destroy(&program_);
  }

  Code compiled(const char* kernel, const std::vector<std::string>& options) {
    if (error_ == NVRTC_SUCCESS) error_ = library_.add_name(program_, kernel);
    std::vector<const char*> words;
    words.reserve(options.size());
    for (const std::string& option : options) words.push_back(option.c_str());
    if (error_ == NVRTC_SUCCESS)
      error_ = library_.compile(program_, static_cast<int>(words.size()), words.data());
    Code code;
    if (error_ == NVRTC_SUCCESS) take_code(kernel, code);
    if (error_ != NVRTC_SUCCESS) code = {"", "", complaint()};
    return code;
  }

 private:
  void take_code(const char* kernel, Code& code) {
    const char* name = nullptr;
    error_ = library_.lowered_name(program_, kernel, &name);
    size_t size = 0;
    if (error_ == NVRTC_SUCCESS) error_ = library_.code_size(program_, &size);
    if (error_ != NVRTC_SUCCESS) return;
    code.name = name;
    code.image.resize(size);
    error_ = library_.code(program_, code.image.data());
  }

  // The first line of the compiler's that names an error; where it says nothing, what NVRTC says.
  std::string complaint() const {
    size_t size = 0;
    if (!program_ || library_.log_size(program_, &size) != NVRTC_SUCCESS || size <= 1)
      return library_.error_text(error_);
    std::string log(size, ' ');
    library_.log(program_, log.data());
    const size_t error = std::min(log.find("error"), log.size());
    const size_t newline = log.rfind('\n', error);
    const size_t first = error == log.size() || newline == std::string::npos ? 0 : newline + 1;
    const std::string line = log.substr(first, log.find('\n', first) - first);
    return line.c_str();
  }

  const Nvrtc& library_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult error_;
};

std::vector<std::string> words_of(const char* options) {
  std::istringstream text(options ? options : "");
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace

Code compile(const char* source, const char* kernel, const char* options, int capability) {
  const Nvrtc* library = nvrtc();
  if (!library)
    return {"", "", "libnvrtc.so, which compiles it, is not installed (CUDA toolkit, cuda-nvrtc)"};
  std::vector<std::string> words = words_of(options);
  words.push_back("--gpu-architecture=sm_" + std::to_string(capability));
  return Program(*library, source).compiled(kernel, words);
}

}  // namespace xylem::hetero::cuda
