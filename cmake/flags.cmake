# What every file is compiled with. The public flags reach every consumer: inline code in headers
# depends on them, and two translation units that differ in vector width do not link to one program.
include(CheckCXXCompilerFlag)

if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "hindsight: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is too old; "
                      "GCC 12 or Clang 14 is needed")
endif()

# A product and a sum are fused where the source says so and nowhere else, on every compiler alike.
set(hindsight_public_options -ffp-contract=off)
# Highway: one instruction set, the one the flags name; and since no AES instruction is used, a set
# without them (x86-64-v3) is not narrowed for it.
set(hindsight_public_definitions HWY_COMPILE_ONLY_STATIC HWY_DISABLE_PCLMUL_AES)

if(HINDSIGHT_ARCH STREQUAL "scalar")
  list(APPEND hindsight_public_definitions HWY_BASELINE_TARGETS=HWY_SCALAR)
elseif(HINDSIGHT_ARCH)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i[3-6]86")
    set(arch_option -march=${HINDSIGHT_ARCH})
  else()
    set(arch_option -mcpu=${HINDSIGHT_ARCH})
  endif()
  string(MAKE_C_IDENTIFIER "hindsight_has${arch_option}" has_arch_option)
  check_cxx_compiler_flag(${arch_option} ${has_arch_option})
  if(${has_arch_option})
    list(APPEND hindsight_public_options ${arch_option})
  else()
    message(WARNING "hindsight: the compiler does not know ${arch_option}; built without it")
  endif()
endif()

# Private: the library's own files, the tests, the tutorials and the benchmarks.
set(hindsight_warnings -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND hindsight_warnings -Wno-restrict)  # GCC 12 sees an overlap in "text" + std::string (its bug 105651)
endif()
if(HINDSIGHT_WERROR)
  list(APPEND hindsight_warnings -Werror)
endif()
