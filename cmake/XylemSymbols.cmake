# Owns the way from src/abi/symbols.table to the linker's version script.
# xylem_version_script(OUT) makes the script at build time and sets OUT to its path.
function(xylem_version_script out)
  set(table "${PROJECT_SOURCE_DIR}/src/abi/symbols.table")
  set(generator "${PROJECT_SOURCE_DIR}/cmake/version_script.cmake")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/xylem.map")
  add_custom_command(
    OUTPUT "${script}"
    COMMAND ${CMAKE_COMMAND} -DTABLE=${table} -DSCRIPT=${script} -P ${generator}
    DEPENDS "${table}" "${generator}"
    COMMENT "Generating the linker version script" VERBATIM)
  set(${out} "${script}" PARENT_SCOPE)
endfunction()
