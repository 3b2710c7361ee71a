// The functions by which code of Clang's and Intel's compilers changes a variable atomically: each
// of the 340 is found by its name and compared with the plain operation, and each kind of them is
// called by all members of a team at once, on one variable.
#include <dlfcn.h>
#include <omp.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "expect.h"

__extension__ typedef __complex__ float Complex4;
__extension__ typedef __complex__ double Complex8;
__extension__ typedef __complex__ long double Complex10;

static std::set<std::string> called;
extern "C" int __kmpc_global_thread_num(const void* location);

// libomp finds by this number who waits for a lock.
static int caller() { return __kmpc_global_thread_num(nullptr); }

// Code compiled by Clang finds the functions by the linker; here the name is put together.
template <typename Function>
static Function* find(const std::string& name) {
  const std::string whole = "__kmpc_atomic_" + name;
  called.insert(whole);
  void* found = dlsym(RTLD_DEFAULT, whole.c_str());
  if (found == nullptr) {
    fprintf(stderr, "FAIL: there is no %s\n", whole.c_str());
    exit(1);
  }
  return reinterpret_cast<Function*>(found);
}

template <typename T>
static void expect_same(const std::string& name, T seen, T expected) {
  if (!(seen == expected) && expect_failed())
    fprintf(stderr, "FAIL: %s: wrong value\n", name.c_str());
}

template <typename T, typename U = T>
using Update = void(const void*, int, T*, U);
template <typename T>
using Capture = T(const void*, int, T*, T, int);
template <typename T>
using CaptureOut = void(const void*, int, T*, T, T*, int);

// cmplx4 alone gives what it captured by an address.
template <typename T>
static T capture(const std::string& name, T* variable, T operand, int after) {
  if constexpr (std::is_same_v<T, Complex4>) {
    T value = 0;
    find<CaptureOut<T>>(name)(nullptr, caller(), variable, operand, &value, after);
    return value;
  } else {
    return find<Capture<T>>(name)(nullptr, caller(), variable, operand, after);
  }
}

template <typename T>
static void check_plain(const std::string& name, T left, T operand, T expected) {
  T variable = left;
  find<Update<T>>(name)(nullptr, caller(), &variable, operand);
  expect_same(name, variable, expected);
}

template <typename T>
static void check_capture(const std::string& name, T left, T operand, T expected) {
  for (int after : {0, 1}) {
    T variable = left;
    const T value = capture(name, &variable, operand, after);
    expect_same(name, variable, expected);
    expect_same(name, value, after ? expected : left);
  }
}

template <typename T, typename Plain>
static void check_operation(const std::string& type, const char* operation, T left, T right,
                            Plain plain) {
  const std::string name = type + "_" + operation;
  const T expected = static_cast<T>(plain(left, right));
  check_plain(name, left, right, expected);
  check_capture(name + "_cpt", left, right, expected);
}

template <typename T, typename Plain>
static void check_both_ways(const std::string& type, const char* operation, T left, T right,
                            Plain plain) {
  check_operation(type, operation, left, right, plain);
  const std::string name = type + "_" + operation;
  const T expected = static_cast<T>(plain(right, left));
  check_plain(name + "_rev", left, right, expected);
  check_capture(name + "_cpt_rev", left, right, expected);
}

template <typename T, typename U, typename Plain>
static void check_mixed(const std::string& name, T left, U right, Plain plain) {
  T variable = left;
  find<Update<T, U>>(name)(nullptr, caller(), &variable, right);
  expect_same(name, variable, static_cast<T>(plain(static_cast<U>(left), right)));
}

static const auto plus = [](auto a, auto b) { return a + b; };
static const auto minus = [](auto a, auto b) { return a - b; };
static const auto times = [](auto a, auto b) { return a * b; };
static const auto over = [](auto a, auto b) { return a / b; };
static const auto shift_left = [](auto a, auto b) { return a << b; };
static const auto shift_right = [](auto a, auto b) { return a >> b; };
static const auto lesser = [](auto a, auto b) { return a < b ? a : b; };
static const auto greater = [](auto a, auto b) { return a < b ? b : a; };

template <typename T>
static void check_access(const std::string& type, T before, T value) {
  T variable = before;
  expect_same(type + " read",
              find<T(const void*, int, T*)>(type + "_rd")(nullptr, caller(), &variable), before);
  find<Update<T>>(type + "_wr")(nullptr, caller(), &variable, value);
  expect_same(type + " write", variable, value);
  T old = 0;
  if constexpr (std::is_same_v<T, Complex4>)
    find<void(const void*, int, T*, T, T*)>(type + "_swp")(nullptr, caller(), &variable, before,
                                                           &old);
  else
    old = find<T(const void*, int, T*, T)>(type + "_swp")(nullptr, caller(), &variable, before);
  expect_same(type + " swap", variable, before);
  expect_same(type + " swapped", old, value);
}

template <typename T>
static void check_arithmetic(const std::string& type, T left, T right) {
  check_operation(type, "add", left, right, plus);
  check_operation(type, "mul", left, right, times);
  check_both_ways(type, "sub", left, right, minus);
  check_both_ways(type, "div", left, right, over);
}

template <typename T>
static void check_bits(const std::string& type, T left, T right) {
  check_operation(type, "andb", left, right, [](T a, T b) { return a & b; });
  check_operation(type, "orb", left, right, [](T a, T b) { return a | b; });
  check_operation(type, "xor", left, right, [](T a, T b) { return a ^ b; });
  check_operation(type, "neqv", left, right, [](T a, T b) { return a ^ b; });
  check_operation(type, "eqv", left, right, [](T a, T b) { return ~(a ^ b); });
  for (T with : {right, T(0)}) {
    check_operation(type, "andl", left, with, [](T a, T b) { return a && b; });
    check_operation(type, "orl", T(0), with, [](T a, T b) { return a || b; });
  }
}

template <typename T>
static void check_integer(const char* size) {
  const std::string type = std::string("fixed") + size;
  for (T left : {T(5), T(-7), T(90)})
    for (T right : {T(3), T(-2), T(1)}) {
      check_arithmetic(type, left, right);
      check_bits(type, left, right);
      check_operation(type, "min", left, right, lesser);
      check_operation(type, "max", left, right, greater);
      check_mixed(type + "_mul_float8", left, 0.75, times);
      check_mixed(type + "_div_float8", left, -1.5, over);
      check_access(type, left, right);
    }
  check_both_ways(type, "shl", T(5), T(2), shift_left);
  check_both_ways(type, "shr", T(-7), T(1), [](T a, T b) { return b < 0 ? T(0) : a >> b; });
}

template <typename T>
static void check_unsigned(const char* size) {
  const std::string type = std::string("fixed") + size + "u";
  for (T left : {T(5), T(-7)}) check_both_ways(type, "div", left, T(3), over);
  check_operation(type, "shr", T(-7), T(1), shift_right);
  check_both_ways(type, "shr", T(3), T(2), shift_right);
}

template <typename T>
static void check_real(const std::string& type) {
  for (T left : {T(0.3), T(-7), T(1e30)})
    for (T right : {T(1.5), T(-0.1)}) {
      check_arithmetic(type, left, right);
      check_operation(type, "min", left, right, lesser);
      check_operation(type, "max", left, right, greater);
      check_access(type, left, right);
    }
}

template <typename T>
static void check_complex(const std::string& type) {
  T left, right;
  __real__ left = 3;
  __imag__ left = -2;
  __real__ right = 0.5;
  __imag__ right = 4;
  check_arithmetic(type, left, right);
  check_access(type, left, right);
}

// What is computed in the wider type and then rounded.
static void check_wider(void) {
  const float left = 1.1f;
  check_mixed("float4_add_float8", left, 1e-9, plus);
  check_mixed("float4_sub_float8", left, 1e-9, minus);
  check_mixed("float4_mul_float8", left, 1.000000001, times);
  check_mixed("float4_div_float8", left, 3.0, over);
  Complex4 variable;
  __real__ variable = 1.1f;
  __imag__ variable = -2;
  Complex8 operand;
  __real__ operand = 1.0 / 3;
  __imag__ operand = 7;
  check_mixed("cmplx4_add_cmplx8", variable, operand, plus);
  check_mixed("cmplx4_sub_cmplx8", variable, operand, minus);
  check_mixed("cmplx4_mul_cmplx8", variable, operand, times);
  check_mixed("cmplx4_div_cmplx8", variable, operand, over);
}

template <typename T>
static void check_compare(const std::string& size) {
  auto* bool_cas = find<bool(const void*, int, T*, T, T)>("bool_" + size + "_cas");
  auto* val_cas = find<T(const void*, int, T*, T, T)>("val_" + size + "_cas");
  auto* bool_capture = find<bool(const void*, int, T*, T, T, T*)>("bool_" + size + "_cas_cpt");
  auto* val_capture = find<T(const void*, int, T*, T, T, T*)>("val_" + size + "_cas_cpt");
  for (bool equal : {false, true}) {
    const T expected = equal ? T(5) : T(6);
    const T after = equal ? T(-9) : T(5);
    T variable = 5;
    expect_equal("bool cas", bool_cas(nullptr, caller(), &variable, expected, T(-9)), equal);
    expect_same("bool cas sets", variable, after);
    variable = 5;
    expect_equal("val cas", val_cas(nullptr, caller(), &variable, expected, T(-9)), 5);
    expect_same("val cas sets", variable, after);
    variable = 5;
    T captured = 77;
    expect_equal("bool cas cpt",
                 bool_capture(nullptr, caller(), &variable, expected, T(-9), &captured), equal);
    expect_same("bool cas cpt captures where it failed", captured, equal ? T(77) : T(5));
    expect_same("bool cas cpt sets", variable, after);
    variable = 5;
    expect_equal("val cas cpt",
                 val_capture(nullptr, caller(), &variable, expected, T(-9), &captured), 5);
    expect_same("val cas cpt captures", captured, after);
    expect_same("val cas cpt sets", variable, after);
  }
}

template <int size>
struct Block {
  unsigned char bytes[size];
};

// All bytes are counters: a change that is torn, or lost, leaves them unequal, or too small.
template <int size>
static void add_to_bytes(void* result, void* before, void* operand) {
  for (int i = 0; i < size; ++i)
    static_cast<Block<size>*>(result)->bytes[i] = static_cast<unsigned char>(
        static_cast<Block<size>*>(before)->bytes[i] + *static_cast<unsigned char*>(operand));
}

using ByFunction = void(const void*, int, void*, void*, void (*)(void*, void*, void*));

template <int size>
static void hammer_by_function(int members) {
  auto* function = find<ByFunction>(std::to_string(size));
  Block<size + 1> whole = {};
  whole.bytes[size] = 42;  // not the function's
#pragma omp parallel num_threads(members)
  for (int i = 0; i < 100; ++i) {
    unsigned char operand = 3;
    function(nullptr, caller(), &whole, &operand, add_to_bytes<size>);
  }
  for (int i = 0; i < size; ++i)
    expect_equal("bytes by a function", whole.bytes[i], static_cast<unsigned char>(members * 300));
  expect_equal("the byte behind", whole.bytes[size], 42);
}

// Each captures numbers of its own, and none is lost. 1-byte integers have room for few.
template <typename T>
static void hammer_capture(const std::string& type, int members, int turns) {
  T next = 0;
  std::vector<int> taken(static_cast<std::size_t>(members * turns));
  find<void>(type + "_add_cpt");
#pragma omp parallel num_threads(members)
  {
    const auto name = "__kmpc_atomic_" + type + "_add_cpt";
    void* function = dlsym(RTLD_DEFAULT, name.c_str());
    for (int i = 0; i < turns; ++i) {
      T mine = 0;
      if constexpr (std::is_same_v<T, Complex4>)
        reinterpret_cast<CaptureOut<T>*>(function)(nullptr, caller(), &next, T(1), &mine, 0);
      else
        mine = reinterpret_cast<Capture<T>*>(function)(nullptr, caller(), &next, T(1), 0);
      add_one(&taken[static_cast<std::size_t>(static_cast<int>(__real__ mine))]);
    }
  }
  for (int times_taken : taken) expect_equal((type + " ticket").c_str(), times_taken, 1);
  expect_same(type + " sum", next, static_cast<T>(members * turns));
}

static void hammer_start_end(int members) {
  auto* start = find<void()>("start");
  auto* end = find<void()>("end");
  long double sum = 0;
#pragma omp parallel num_threads(members)
  for (int i = 0; i < 200; ++i) {
    start();
    sum = sum + 1;
    end();
  }
  expect_near("between start and end", static_cast<double>(sum), members * 200.0, 0);
}

static void hammer(int members) {
  hammer_capture<std::int8_t>("fixed1", members, 100 / members);
  hammer_capture<std::int16_t>("fixed2", members, 500);
  hammer_capture<std::int32_t>("fixed4", members, 500);
  hammer_capture<std::int64_t>("fixed8", members, 500);
  hammer_capture<float>("float4", members, 500);
  hammer_capture<double>("float8", members, 500);
  hammer_capture<long double>("float10", members, 500);
  hammer_capture<Complex4>("cmplx4", members, 500);
  hammer_capture<Complex8>("cmplx8", members, 500);
  hammer_capture<Complex10>("cmplx10", members, 500);
  hammer_by_function<1>(members);
  hammer_by_function<2>(members);
  hammer_by_function<4>(members);
  hammer_by_function<8>(members);
  hammer_by_function<10>(members);
  hammer_by_function<16>(members);
  hammer_by_function<20>(members);
  hammer_by_function<32>(members);
  hammer_start_end(members);
}

int main() {
  check_integer<std::int8_t>("1");
  check_integer<std::int16_t>("2");
  check_integer<std::int32_t>("4");
  check_integer<std::int64_t>("8");
  check_unsigned<std::uint8_t>("1");
  check_unsigned<std::uint16_t>("2");
  check_unsigned<std::uint32_t>("4");
  check_unsigned<std::uint64_t>("8");
  check_real<float>("float4");
  check_real<double>("float8");
  check_real<long double>("float10");
  check_complex<Complex4>("cmplx4");
  check_complex<Complex8>("cmplx8");
  check_complex<Complex10>("cmplx10");
  check_wider();
  check_compare<std::int8_t>("1");
  check_compare<std::int16_t>("2");
  check_compare<std::int32_t>("4");
  check_compare<std::int64_t>("8");
  hammer(4);
  hammer(16);
  expect_equal("functions called", static_cast<long long>(called.size()), 340);
  return expect_result();
}
