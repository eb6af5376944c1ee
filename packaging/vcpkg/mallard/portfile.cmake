# The port builds the tree that it lies in: vcpkg install mallard --overlay-ports=packaging/vcpkg --editable
# vcpkg's cache knows the port's files alone: without --editable it gives back what it built of an older tree.
# In a registry, vcpkg_from_github(...) of a release takes the place of the next line.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    malloc MALLARD_BUILD_MALLOC
)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" SHARED)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DMALLARD_BUILD_SHARED=${SHARED}
    -DMALLARD_BUILD_TOOL=OFF
    -DMALLARD_BUILD_PROFILE=OFF
    -DMALLARD_BUILD_TESTS=OFF
    -DMALLARD_BUILD_BENCHMARKS=OFF
    -DMALLARD_BUILD_EXAMPLES=OFF
    -DMALLARD_BUILD_EMBEDDED=OFF
    -DMALLARD_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/mallard)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
