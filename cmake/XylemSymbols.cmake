# Owns the ways from the tables in src/abi to what the build makes of them.
#
# xylem_version_script(OUT JUMPS) makes the script and the source of the functions that have a second
# version at build time, and sets OUT and JUMPS to their paths.
function(xylem_version_script out jumps_out)
  set(table "${PROJECT_SOURCE_DIR}/src/abi/symbols.table")
  set(generator "${PROJECT_SOURCE_DIR}/cmake/version_script.cmake")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/xylem.map")
  set(jumps "${CMAKE_CURRENT_BINARY_DIR}/xylem_jumps.S")
  add_custom_command(
    OUTPUT "${script}" "${jumps}"
    COMMAND ${CMAKE_COMMAND} -DTABLE=${table} -DSCRIPT=${script} -DJUMPS=${jumps} -P ${generator}
    DEPENDS "${table}" "${generator}"
    COMMENT "Generating the linker version script" VERBATIM)
  set(${out} "${script}" PARENT_SCOPE)
  set(${jumps_out} "${jumps}" PARENT_SCOPE)
endfunction()

# xylem_kmp_atomics(OUT) makes the source of LLVM's atomic functions and sets OUT to its path.
function(xylem_kmp_atomics out)
  set(table "${PROJECT_SOURCE_DIR}/src/abi/kmp/atomics.table")
  set(generator "${PROJECT_SOURCE_DIR}/cmake/kmp_atomics.cmake")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/kmp_atomics.cpp")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} -DTABLE=${table} -DOUTPUT=${source} -P ${generator}
    DEPENDS "${table}" "${generator}"
    COMMENT "Generating LLVM's atomic functions" VERBATIM)
  # -Wno-psabi: GCC notes that compilers before 4.4 passed complex numbers in structures differently.
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Wno-psabi)
  set(${out} "${source}" PARENT_SCOPE)
endfunction()
