# The libraries that Hindsight stands on: the machine's own package where there is one, otherwise a
# pinned version by FetchContent.
include(FetchContent)

# What was fetched, as arguments for a project that builds this one again (tests/consumer).
set(hindsight_fetched "")
macro(hindsight_fetch name)
  message(STATUS "hindsight: no package of ${name} here, so a pinned version is fetched")
  FetchContent_Declare(${name} ${ARGN} SYSTEM DOWNLOAD_EXTRACT_TIMESTAMP ON)
  FetchContent_MakeAvailable(${name})
  string(TOUPPER ${name} upper_name)
  list(APPEND hindsight_fetched -DFETCHCONTENT_SOURCE_DIR_${upper_name}=${${name}_SOURCE_DIR})
endmacro()

# A library of headers needs nothing of its own CMake files, only its include directory.
macro(hindsight_fetch_headers name target)
  hindsight_fetch(${name} ${ARGN} SOURCE_SUBDIR headers-only)
  add_library(${name}_headers INTERFACE)
  target_include_directories(${name}_headers SYSTEM INTERFACE $<BUILD_INTERFACE:${${name}_SOURCE_DIR}/include>)
  add_library(${target} ALIAS ${name}_headers)
endmacro()

# A fetched project, however old its own CMake files, takes its options from the variables set here.
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
set(CMAKE_POLICY_DEFAULT_CMP0126 NEW)

# Boost.Hana: the algebra of shapes.
find_package(Boost 1.74 CONFIG QUIET)
if(NOT TARGET Boost::headers)
  hindsight_fetch_headers(hana Boost::headers
    URL https://github.com/boostorg/hana/archive/refs/tags/boost-1.83.0.tar.gz)
endif()

# Highway: SIMD.
find_package(hwy 1.0.3 CONFIG QUIET)
if(NOT TARGET hwy::hwy)
  set(HWY_ENABLE_CONTRIB OFF)
  set(HWY_ENABLE_EXAMPLES OFF)
  set(HWY_ENABLE_TESTS OFF)
  set(HWY_FORCE_STATIC_LIBS ON)
  hindsight_fetch(highway
    URL https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz
    URL_HASH SHA256=7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343)
  add_library(hwy::hwy ALIAS hwy)
endif()

find_package(Threads REQUIRED)

# JSON: the head of a checkpoint. Only source files see it and utfcpp, so no consumer needs them.
find_package(nlohmann_json 3.9 CONFIG QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  hindsight_fetch_headers(json nlohmann_json::nlohmann_json
    URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
    URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
endif()

# utfcpp: what is UTF-8 and what is not. Its CMake files differ from version to version, its header does not.
find_path(utfcpp_include utf8.h PATH_SUFFIXES utf8cpp)
if(NOT utfcpp_include)
  hindsight_fetch(utfcpp SOURCE_SUBDIR headers-only
    URL https://github.com/nemtrif/utfcpp/archive/refs/tags/v4.0.5.tar.gz
    URL_HASH SHA256=ffc668a310e77607d393f3c18b32715f223da1eac4c4d6e0579a11df8e6b59cf)
  set(utfcpp_include ${utfcpp_SOURCE_DIR}/source)
endif()

# CLI11: the options of the tutorials and of the comparison.
if(HINDSIGHT_TUTORIALS OR HINDSIGHT_BENCH)
  find_package(CLI11 2.1 CONFIG QUIET)
  if(NOT TARGET CLI11::CLI11)
    hindsight_fetch_headers(cli11 CLI11::CLI11
      URL https://github.com/CLIUtils/CLI11/archive/v2.4.1.tar.gz
      URL_HASH SHA256=73b7ec52261ce8fe980a29df6b4ceb66243bb0b779451dbd3d014cfec9fdbb58)
  endif()
endif()

# Catch2: the tests.
if(HINDSIGHT_TESTS)
  find_package(Catch2 3.3 CONFIG QUIET)
  if(NOT TARGET Catch2::Catch2WithMain)
    hindsight_fetch(catch2
      URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
      URL_HASH SHA256=c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
  endif()
endif()

# Google Benchmark: the measurements.
if(HINDSIGHT_BENCH)
  find_package(benchmark 1.7 CONFIG QUIET)
  if(NOT TARGET benchmark::benchmark_main)
    set(BENCHMARK_ENABLE_TESTING OFF)
    set(BENCHMARK_ENABLE_INSTALL OFF)
    hindsight_fetch(benchmark
      URL https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
      URL_HASH SHA256=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7)
  endif()
endif()
