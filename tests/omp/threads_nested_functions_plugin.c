/* For threads_nested_functions: a function that hands the address of one nested in it to another,
 * so that the compiler writes code to the stack. */
__attribute__((noinline)) static int sum_of(int times, int (*next)(void)) {
  int sum = 0;
  for (int i = 0; i < times; i++) sum += next();
  return sum;
}

int plugin_sum_of_calls(int first, int times, void (*between)(void)) {
  int value = first;
  int next(void) { return value++; }
  int sum = sum_of(times, next);
  between();
  return sum + sum_of(times, next);
}
