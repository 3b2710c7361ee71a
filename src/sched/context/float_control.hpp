// Owns: what an OpenMP thread sets of floating point: rounding, traps, flushing of denormals, and
// the exceptions that have occurred (x86-64: MXCSR, and the x87 control and status words).
//
// A switch of contexts keeps the control words (jump.cpp). Here is what it does not do: a member
// begins with what it left in the region before, or with its maker's, as a kernel thread does.
#pragma once

#include <cstdint>

namespace xylem::sched {

struct FloatControl {
  uint32_t vector = 0;          // control, and exceptions that have occurred
  uint16_t x87 = 0;             // control word; 0, which it never is: nothing is known
  uint16_t x87_exceptions = 0;  // that have occurred

  bool known() const { return x87 != 0; }
  bool operator==(const FloatControl&) const = default;
};

inline constexpr uint16_t x87_exception_bits = 0x3f;
inline constexpr uint16_t x87_exceptions_unknown = UINT16_MAX;

// Exceptions that x87 instructions of the calling kernel thread have met, and that a switch does
// not keep.
inline uint16_t x87_exceptions() {
  uint16_t status;
  asm volatile("fnstsw %0" : "=a"(status));
  return status & x87_exception_bits;
}
void set_x87_exceptions(uint16_t exceptions);

// What a switch keeps: all but the x87 exceptions, which are none here.
inline FloatControl switched_float_control() {
  FloatControl control;
  asm volatile("stmxcsr %0" : "=m"(control.vector));
  asm volatile("fnstcw %0" : "=m"(control.x87));
  return control;
}

inline FloatControl float_control() {
  FloatControl control = switched_float_control();
  control.x87_exceptions = x87_exceptions();
  return control;
}

// All but the x87 exceptions. MXCSR is written unread, as reading it takes longer; the control word
// is read first, as writing another one takes tens of nanoseconds.
inline void switch_float_control(const FloatControl& wanted) {
  asm volatile("ldmxcsr %0" ::"m"(wanted.vector));
  uint16_t x87;
  asm volatile("fnstcw %0" : "=m"(x87));
  if (x87 != wanted.x87) asm volatile("fldcw %0" ::"m"(wanted.x87));
}

}  // namespace xylem::sched
