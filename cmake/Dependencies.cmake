# SPDX-License-Identifier: Apache-2.0
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED)
if(NOT TARGET Boost::headers)
  add_library(Boost::headers INTERFACE IMPORTED)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)

# Debian's SystemC is built for the C++17 ABI and checks it at link time; a C++20 program says so here, once.
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
add_library(SystemC::systemc INTERFACE IMPORTED)
target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
target_compile_definitions(SystemC::systemc INTERFACE SC_CPLUSPLUS=201703L)
# The shared library wants a symbol sc_main although nobody calls it; ours lies in gpuloom_kernel, and this makes the linker fetch it.
target_link_options(SystemC::systemc INTERFACE LINKER:--undefined=sc_main)
