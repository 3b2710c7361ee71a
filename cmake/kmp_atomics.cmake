# cmake -DTABLE=atomics.table -DOUTPUT=kmp_atomics.cpp -P kmp_atomics.cmake
# Writes the definitions of the functions that src/abi/kmp/atomics.table lists; the table says what its
# lines mean. What the functions of each form look like is here, in terms of atomic_operations.hpp.
set(n "XYLEM_EXPORT @T@ __kmpc_atomic_@t@")
set(v "XYLEM_EXPORT void __kmpc_atomic_@t@")
set(at "(const Location*, ThreadNumber, @T@* variable")
set(form_update "${v}_@o@${at}, @T@ operand) {
  update(variable, operand, apply_@o@);
}")
set(form_reverse "${v}_@o@_rev${at}, @T@ operand) {
  reverse(variable, operand, apply_@o@);
}")
set(form_capture "${n}_@o@_cpt${at}, @T@ operand, int after) {
  return captured(update(variable, operand, apply_@o@), after);
}")
set(form_capture_reverse "${n}_@o@_cpt_rev${at}, @T@ operand, int after) {
  return captured(reverse(variable, operand, apply_@o@), after);
}")
set(form_capture_out "${v}_@o@_cpt${at}, @T@ operand, @T@* value, int after) {
  *value = captured(update(variable, operand, apply_@o@), after);
}")
set(form_capture_reverse_out "${v}_@o@_cpt_rev${at}, @T@ operand, @T@* value, int after) {
  *value = captured(reverse(variable, operand, apply_@o@), after);
}")
set(form_mixed "${v}_@o@_@u@${at}, @U@ operand) {
  update(variable, operand, apply_@o@);
}")
set(form_access "${n}_rd${at}) { return read(variable); }
${v}_wr${at}, @T@ value) { swap(variable, value); }
${n}_swp${at}, @T@ value) { return swap(variable, value); }")
set(form_access_out "${n}_rd${at}) { return read(variable); }
${v}_wr${at}, @T@ value) { swap(variable, value); }
${v}_swp${at}, @T@ value, @T@* before) { *before = swap(variable, value); }")
set(form_compare "XYLEM_EXPORT bool __kmpc_atomic_bool_@t@_cas${at}, @T@ expected, @T@ desired) {
  return compare_and_set(variable, expected, desired);
}
XYLEM_EXPORT @T@ __kmpc_atomic_val_@t@_cas${at}, @T@ expected, @T@ desired) {
  compare_and_set(variable, expected, desired);
  return expected;
}
XYLEM_EXPORT bool __kmpc_atomic_bool_@t@_cas_cpt${at}, @T@ expected, @T@ desired, @T@* failed) {
  const bool done = compare_and_set(variable, expected, desired);
  if (!done) *failed = expected;
  return done;
}
XYLEM_EXPORT @T@ __kmpc_atomic_val_@t@_cas_cpt${at}, @T@ expected, @T@ desired, @T@* now) {
  *now = compare_and_set(variable, expected, desired) ? desired : expected;
  return expected;
}")
set(form_by_function "XYLEM_EXPORT void __kmpc_atomic_@t@(const Location*, ThreadNumber, void* variable, void* operand,
                                  Combine combine) {
  change_by_function(static_cast<@T@*>(variable), operand, combine);
}")

# Appends a form's functions for one type ("fixed1=int8_t") and one operation ("mul_float8:double").
function(append_functions form type operation)
  string(REGEX MATCH "^(.+)=(.+)$" matched "${type}")
  set(t "${CMAKE_MATCH_1}")
  set(T "${CMAKE_MATCH_2}")
  string(REGEX MATCH "^([a-z]*)_?([a-z0-9]*):?(.*)$" matched "${operation}")
  set(o "${CMAKE_MATCH_1}")
  set(u "${CMAKE_MATCH_2}")
  set(U "${CMAKE_MATCH_3}")
  string(CONFIGURE "${form_${form}}" functions @ONLY)
  set(text "${text}${functions}\n" PARENT_SCOPE)
endfunction()

set(text "#include \"abi/kmp/atomic_operations.hpp\"\n\nusing namespace xylem::abi::kmp;\n\nextern \"C\" {\n")
file(STRINGS "${TABLE}" lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words group form)
  if(group STREQUAL "types")
    set(types_${form} "${words}")
    continue()
  endif()
  if(NOT DEFINED types_${group} OR NOT DEFINED form_${form})
    message(FATAL_ERROR "${TABLE}: cannot read the line '${line}'")
  endif()
  if(words STREQUAL "")
    set(words "none")
  endif()
  foreach(type IN LISTS types_${group})
    foreach(operation IN LISTS words)
      append_functions(${form} ${type} ${operation})
    endforeach()
  endforeach()
endforeach()
file(WRITE "${OUTPUT}" "${text}}\n")
