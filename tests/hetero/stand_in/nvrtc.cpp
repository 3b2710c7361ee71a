// Owns: a stand-in for NVRTC: g++ compiles the kernels for the processor, and what it makes is the
// code that the stand-in for libcuda.so.1 loads. What was compiled before is found again in the
// folder that XYLEM_STAND_IN_CACHE names. -Bsymbolic: a kernel may be called as a function of libc
// is.
#include <nvrtc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

struct _nvrtcProgram {
  std::string source;
  std::vector<std::string> names;
  std::string code;
  std::string log;
};

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The source with a table of the kernels that were asked for.
std::string whole_source(const nvrtcProgram program) {
  std::string text = "#line 1 \"codelet.cu\"\n" + program->source + "\nextern \"C\" {\n";
  text += "extern const stand_in::Kernel stand_in_kernels[] = {\n";
  for (const std::string& name : program->names)
    text +=
        "stand_in::Described<decltype(&" + name + "), &" + name + ">::kernel(\"" + name + "\"),\n";
  return text + "{nullptr, 0, nullptr, nullptr}};\n}\n";
}

bool compile(nvrtcProgram program, const std::string& options, const std::string& made) {
  const std::string part = made + "." + std::to_string(getpid());
  std::ofstream(part + ".cpp") << whole_source(program);
  const std::string command =
      "LC_ALL=C " STAND_IN_COMPILER
      " -std=c++17 -O1 -shared -fPIC -w -fno-gnu-unique -Wl,-Bsymbolic -include " STAND_IN_PRELUDE +
      options + " -o " + part + ".so " + part + ".cpp >" + part + ".log 2>&1 </dev/null";
  const bool right = std::system(command.c_str()) == 0;
  program->log = text_of(part + ".log");
  std::error_code ignored;
  if (right) std::filesystem::rename(part + ".so", made, ignored);
  for (const char* end : {".cpp", ".log"}) std::filesystem::remove(part + end, ignored);
  return right;
}

}  // namespace

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int,
                               const char* const*, const char* const*) {
  *program = new _nvrtcProgram;
  (*program)->source = source;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* name) {
  program->names.push_back(name);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* name, const char** lowered) {
  for (const std::string& known : program->names)
    if (known == name) return *lowered = known.c_str(), NVRTC_SUCCESS;
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  std::string words;
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option.rfind("-D", 0) == 0) words += " '" + option + "'";
  }
  const char* cache = std::getenv("XYLEM_STAND_IN_CACHE");
  const std::string folder = cache ? cache : "/tmp";
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const size_t hash =
      std::hash<std::string>()(words + whole_source(program) + text_of(STAND_IN_PRELUDE));
  const std::string made = folder + "/kernel-" + std::to_string(hash) + ".so";
  if (!std::filesystem::exists(made) && !compile(program, words, made))
    return NVRTC_ERROR_COMPILATION;
  program->code = text_of(made);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  *size = program->code.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  program->code.copy(code, program->code.size());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  program->log.copy(log, program->log.size());
  log[program->log.size()] = 0;
  return NVRTC_SUCCESS;
}
const char* nvrtcGetErrorString(nvrtcResult) { return "an error of the stand-in for NVRTC"; }
