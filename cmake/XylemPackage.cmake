# Owns the Debian package: what CPack needs to know, and what Debian wants beside the installed files.
# The preset `package` builds what it holds; scripts/package makes it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME xylem)
set(CPACK_PACKAGE_VENDOR Xylem)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Xylem authors <xylem@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where there is no driver the CUDA plug-in is not loaded: the package does not depend on one. dpkg-shlibdeps
# wants to see its library, and is content with the toolkit's stub.
if(TARGET xylem_cuda)
  set(stub_folder "${CMAKE_BINARY_DIR}/cuda_stub")
  file(MAKE_DIRECTORY "${stub_folder}")
  file(CREATE_LINK "${CUDA_cuda_driver_LIBRARY}" "${stub_folder}/libcuda.so.1" SYMBOLIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${stub_folder}")
endif()
# Blocks on nodes, and `xylem bench` without a program; both say what they miss.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libtbbmalloc2, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS gdb)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenMP runtime for machines whose memory is not uniform")
set(CPACK_PACKAGE_DESCRIPTION
"Xylem runs OpenMP programs as they are: `xylem run ./app` takes the place of
the OpenMP runtime that the program was built for. Each OpenMP thread is a
fiber, and the tree of nested teams is laid over the tree of the machine.
.
This package holds the library (in a folder of its own, so that nothing else
changes), the command, headers, pkg-config and CMake files, manual pages, and
what `xylem bench` runs.")

# Debian's own files, a component of their own: a wheel of the same build has none of them.
set(debian "${PROJECT_SOURCE_DIR}/packaging/debian")
set(documents "${CMAKE_BINARY_DIR}/debian")
find_program(XYLEM_GZIP gzip)
if(XYLEM_GZIP AND XYLEM_DEBIAN)
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME debian)
  add_custom_command(OUTPUT "${documents}/changelog.Debian.gz"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${documents}"
    COMMAND ${XYLEM_GZIP} -9nc "${debian}/changelog" > "${documents}/changelog.Debian.gz"
    DEPENDS "${debian}/changelog" VERBATIM)
  add_custom_target(xylem_debian ALL DEPENDS "${documents}/changelog.Debian.gz")
  install(FILES "${documents}/changelog.Debian.gz" "${debian}/copyright"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/xylem")
  install(FILES "${debian}/lintian-overrides"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" RENAME xylem)
  # Debian's manual pages are compressed.
  install(CODE "file(GLOB_RECURSE pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/*.[17]\")
    execute_process(COMMAND \"${XYLEM_GZIP}\" -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)")
endif()
include(CPack)
