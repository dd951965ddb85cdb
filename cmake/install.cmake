# `cmake --install` and what find_package(hindsight) finds afterwards. The headers keep the names of
# their rooms, so that #include "layers/lstm.hpp" reads the same before and after an install.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hindsight)

install(TARGETS hindsight EXPORT hindsightTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hindsight)
install(DIRECTORY autodiff layers models DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hindsight
        FILES_MATCHING PATTERN "*.hpp")

# What was fetched and our headers include goes along; Highway installs the rest of itself.
if(DEFINED highway_SOURCE_DIR)
  install(DIRECTORY ${highway_SOURCE_DIR}/hwy/contrib/math DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hwy/contrib
          FILES_MATCHING PATTERN "*.h")
endif()
if(TARGET hana_headers)
  install(TARGETS hana_headers EXPORT hindsightTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${hana_SOURCE_DIR}/include/boost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(hindsight_needs_boost OFF)
else()
  set(hindsight_needs_boost ON)
endif()

install(EXPORT hindsightTargets NAMESPACE hindsight:: DESTINATION ${package_dir})

configure_package_config_file(cmake/hindsightConfig.cmake.in hindsightConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(hindsightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hindsightConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/hindsightConfigVersion.cmake DESTINATION ${package_dir})
