// Owns: writing the x87 status word, which only loading the whole environment can do.
#include "sched/context/float_control.hpp"

namespace xylem::sched {

void set_x87_exceptions(uint16_t exceptions) {
  struct {
    uint16_t control, unused_1, status, unused_2, tags, unused_3;
    uint32_t rest[4];
  } environment;
  asm volatile("fnstenv %0" : "=m"(environment));
  environment.status =
      static_cast<uint16_t>((environment.status & ~x87_exception_bits) | exceptions);
  asm volatile("fldenv %0" ::"m"(environment));
}

}  // namespace xylem::sched
