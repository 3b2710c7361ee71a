/* What tier 2 of thread-local storage finds in a C++ library and moves at each switch: the state of
 * exceptions, two words of each kernel thread. `threads`, a C program, has it preloaded in the
 * place of libstdc++. */
typedef struct {
  void* caught;
  unsigned uncaught;
} state;

__attribute__((visibility("default"))) void* __cxa_get_globals(void);
void* __cxa_get_globals(void) {
  static __thread state of_this_thread;
  return &of_this_thread;
}
