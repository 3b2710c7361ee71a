// Owns: how one variable is changed atomically: what the functions of atomics.table call.
//
// Invariant: a variable of 1, 2, 4 or 8 bytes is changed by one instruction, as compiled code
// changes it; a larger one under omp::atomic_fallback(), the lock of GCC's code
// (GOMP_atomic_start), so that code of both compilers may change the same variable. No variable
// need be aligned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi/kmp/kmp.hpp"
#include "omp/sync/lock.hpp"

namespace xylem::abi::kmp {

using LongDouble = long double;
__extension__ typedef __complex__ float Complex4;
__extension__ typedef __complex__ double Complex8;
__extension__ typedef __complex__ long double Complex10;

template <std::size_t size>
struct Bytes {
  char bytes[size];
};

// The integer as which an instruction sees a variable of that size.
template <std::size_t size>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type [[gnu::may_alias]] = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using Type [[gnu::may_alias]] = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using Type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using Type [[gnu::may_alias]] = std::uint64_t;
};

template <typename T>
inline constexpr bool by_instruction = sizeof(T) <= sizeof(std::uint64_t);

template <typename T>
struct Change {
  T before;
  T after;
};

// `compute(before)` is the value after; it may be called several times.
template <typename T, typename Compute>
Change<T> change_by_instruction(T* variable, Compute compute) {
  using Bits = typename BitsOf<sizeof(T)>::Type;
  auto* bits = reinterpret_cast<Bits*>(variable);
  Bits expected = __atomic_load_n(bits, __ATOMIC_RELAXED);  // the exchange fails if it is stale
  for (;;) {
    const T before = std::bit_cast<T>(expected);
    const T after = compute(before);
    if (__atomic_compare_exchange_n(bits, &expected, std::bit_cast<Bits>(after), true,
                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return {before, after};
  }
}

template <typename T, typename Compute>
Change<T> change_under_lock(T* variable, Compute compute) {
  omp::lock(omp::atomic_fallback());
  const T before = *variable;
  const T after = compute(before);
  *variable = after;
  omp::unlock(omp::atomic_fallback());
  return {before, after};
}

template <typename T, typename Compute>
Change<T> change(T* variable, Compute compute) {
  if constexpr (by_instruction<T>)
    return change_by_instruction(variable, compute);
  else
    return change_under_lock(variable, compute);
}

// The operations of the table, by name. Both sides are of one type. Integers wrap around.
template <typename T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

inline constexpr auto apply_add = []<typename T>(T left, T right) {
  return static_cast<T>(Wrapping<T>(left) + Wrapping<T>(right));
};
inline constexpr auto apply_sub = []<typename T>(T left, T right) {
  return static_cast<T>(Wrapping<T>(left) - Wrapping<T>(right));
};
inline constexpr auto apply_mul = []<typename T>(T left, T right) {
  return static_cast<T>(Wrapping<T>(left) * Wrapping<T>(right));
};
inline constexpr auto apply_div = []<typename T>(T left, T right) {
  return static_cast<T>(left / right);
};
inline constexpr auto apply_andb = []<typename T>(T left, T right) {
  return static_cast<T>(left & right);
};
inline constexpr auto apply_orb = []<typename T>(T left, T right) {
  return static_cast<T>(left | right);
};
inline constexpr auto apply_xor = []<typename T>(T left, T right) {
  return static_cast<T>(left ^ right);
};
inline constexpr auto apply_andl = []<typename T>(T left, T right) {
  return static_cast<T>(left != 0 && right != 0);
};
inline constexpr auto apply_orl = []<typename T>(T left, T right) {
  return static_cast<T>(left != 0 || right != 0);
};
// Fortran's .neqv. and .eqv., bit by bit.
inline constexpr auto apply_neqv = apply_xor;
inline constexpr auto apply_eqv = []<typename T>(T left, T right) {
  return static_cast<T>(left ^ ~right);
};
inline constexpr auto apply_shl = []<typename T>(T left, T right) {
  return static_cast<T>(left << right);
};
inline constexpr auto apply_shr = []<typename T>(T left, T right) {
  return static_cast<T>(left >> right);
};
inline constexpr auto apply_min = []<typename T>(T left, T right) {
  return left > right ? right : left;
};
inline constexpr auto apply_max = []<typename T>(T left, T right) {
  return left < right ? right : left;
};

// The forms of the table. `U` is T, or the wider type in which a mixed operation computes.
template <typename T, typename U, typename Operation>
Change<T> update(T* variable, U operand, Operation apply) {
  return change(variable,
                [=](T before) { return static_cast<T>(apply(static_cast<U>(before), operand)); });
}

template <typename T, typename Operation>
Change<T> reverse(T* variable, T operand, Operation apply) {
  return change(variable, [=](T before) { return apply(operand, before); });
}

template <typename T>
T captured(const Change<T>& change, int after) {
  return after != 0 ? change.after : change.before;
}

template <typename T>
T read(T* variable) {
  if constexpr (by_instruction<T>) {
    using Bits = typename BitsOf<sizeof(T)>::Type;
    return std::bit_cast<T>(__atomic_load_n(reinterpret_cast<Bits*>(variable), __ATOMIC_SEQ_CST));
  } else {
    omp::lock(omp::atomic_fallback());
    const T value = *variable;
    omp::unlock(omp::atomic_fallback());
    return value;
  }
}

template <typename T>
T swap(T* variable, T value) {
  return change(variable, [=](T) { return value; }).before;
}

// True if the variable had the expected value and has the desired one now; else `expected` is what
// it has.
template <typename T>
bool compare_and_set(T* variable, T& expected, T desired) {
  return __atomic_compare_exchange_n(variable, &expected, desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

// Combines by a function of the program's: combine(result, variable's value, operand).
using Combine = void (*)(void*, void*, void*);
template <std::size_t size>
void change_by_function(Bytes<size>* variable, void* operand, Combine combine) {
  change(variable, [=](Bytes<size> before) {
    Bytes<size> after;
    combine(&after, &before, operand);
    return after;
  });
}

}  // namespace xylem::abi::kmp
