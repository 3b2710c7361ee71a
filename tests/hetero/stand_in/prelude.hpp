// Owns: what of CUDA C++ kernels find where the stand-in for NVRTC has g++ compile them, and the
// table by which the stand-in for libcuda.so.1 runs them. A block's threads run one after the
// other: there is no __syncthreads().
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline

struct uint3 {
  unsigned x, y, z;
};
using dim3 = uint3;

namespace stand_in {

// An address on a device has this bit, which none of the processor's has: who takes one for the
// other faults, unless the device shares main memory (control.h: integrated).
constexpr std::uint64_t device_bit = std::uint64_t{1} << 62;

inline bool shares_main() {
  const char* text = std::getenv("XYLEM_STAND_IN_CUDA");
  return text && std::strstr(text, "integrated=1");
}

struct Grid {
  uint3 blocks;
  uint3 threads;
};

struct Kernel {
  const char* name;
  int count;                 // of parameters
  const std::size_t* bytes;  // of each
  // False: a pointer is none of the device's.
  bool (*run)(void* const* values, const Grid& grid);
};

}  // namespace stand_in

static thread_local uint3 blockIdx, threadIdx, blockDim, gridDim;

namespace stand_in {

template <typename T>
struct Value {
  static bool take(const void* at, T& value) {
    std::memcpy(&value, at, sizeof value);
    return true;
  }
};
template <typename T>
struct Value<T*> {
  static bool take(const void* at, T*& value) {
    std::uint64_t address;
    std::memcpy(&address, at, sizeof address);
    value = reinterpret_cast<T*>(address & ~device_bit);
    return address == 0 || (address & device_bit) != 0 || shares_main();
  }
};

template <typename Function, Function function>
struct Described;

template <typename... T, void (*function)(T...)>
struct Described<void (*)(T...), function> {
  static constexpr std::size_t bytes[sizeof...(T) + 1] = {sizeof(T)..., 0};

  template <std::size_t... I>
  static bool take(void* const* values, std::tuple<T...>& all, std::index_sequence<I...>) {
    return (Value<T>::take(values[I], std::get<I>(all)) && ...);
  }

  static bool run(void* const* values, const Grid& grid) {
    std::tuple<T...> all;
    if (!take(values, all, std::index_sequence_for<T...>())) return false;
    blockDim = grid.threads;
    gridDim = grid.blocks;
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
      for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) run_block(all);
    return true;
  }
  static void run_block(std::tuple<T...>& all) {
    for (threadIdx.z = 0; threadIdx.z < blockDim.z; ++threadIdx.z)
      for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) std::apply(function, all);
  }

  static constexpr Kernel kernel(const char* name) {
    return {name, static_cast<int>(sizeof...(T)), bytes, run};
  }
};

}  // namespace stand_in
