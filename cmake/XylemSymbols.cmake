# Owns the way from src/abi/symbols.table to the linker's version script.
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
