# Owns what `cmake --install` lays out: lib, bin, include, manual pages, the completion of shells,
# pkg-config and CMake package files.
# What `xylem bench` runs is the component `bench` (bench/CMakeLists.txt).
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME xylem)
install(TARGETS xylem EXPORT XylemTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem")
install(FILES "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libgomp.so.1"
              "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libomp.so.5"
              "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libiomp5.so"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem")
# gdb looks for it beside the library (docs/debugging.md).
install(FILES scripts/xylem-gdb.py DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem"
        RENAME libxylem.so-gdb.py)
install(TARGETS xylem_wait xylem_arrays LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem")
foreach(api opencl cuda)
  if(TARGET xylem_${api})
    install(TARGETS xylem_${api} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem")
  endif()
endforeach()
if(TARGET xylem_instrument)
  install(TARGETS xylem_instrument LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem")
endif()
if(TARGET xylem_tool)
  install(TARGETS xylem_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  if(TARGET xylem_scotch)
    install(TARGETS xylem_scotch LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/xylem")
  endif()
  set(share "${CMAKE_BINARY_DIR}/share")
  install(DIRECTORY "${share}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
  install(FILES "${share}/bash-completion/completions/xylem"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${share}/zsh/_xylem" DESTINATION "${CMAKE_INSTALL_DATADIR}/${XYLEM_ZSH_FOLDER}")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/include/xylem")
  install(DIRECTORY include/xylem DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
          PATTERN "*.f90" PATTERN "*.c")
endif()

file(RELATIVE_PATH XYLEM_PC_TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/xylem.pc.in xylem.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/xylem.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Xylem")
install(EXPORT XylemTargets NAMESPACE Xylem:: DESTINATION "${package_dir}")
set(XYLEM_LIBRARY_FOLDER "${CMAKE_INSTALL_LIBDIR}/xylem")
configure_package_config_file(cmake/XylemConfig.cmake.in XylemConfig.cmake
  INSTALL_DESTINATION "${package_dir}" PATH_VARS XYLEM_LIBRARY_FOLDER)
write_basic_package_version_file(XylemConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/XylemConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/XylemConfigVersion.cmake"
        DESTINATION "${package_dir}")
