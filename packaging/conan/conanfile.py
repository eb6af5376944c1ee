"""The libraries and the mallocs, for Conan 2: conan create packaging/conan --build=missing"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Mallard(ConanFile):
    name = "mallard"
    license = "MIT"
    description = "Local (arena) memory allocators for C++20, and a drop-in malloc"
    topics = ("allocator", "memory-resource", "pmr", "malloc")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(mallard VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for what in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "THIRD-PARTY.md",
                     "cmake/*", "docs/*.md", "examples/*", "include/*", "packaging/action/check.sh", "src/*", "tools/gdb/*",
                     "tools/lldb/*"):
            copy(self, what, self._root, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Mallard runs on Linux")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TOOL", "PROFILE", "TESTS", "BENCHMARKS", "EXAMPLES"):
            toolchain.cache_variables["MALLARD_BUILD_" + part] = False
        toolchain.cache_variables["MALLARD_BUILD_SHARED"] = bool(self.options.shared)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Mallard's own CMake package says more than Conan could; the rest is for other generators.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.set_property("pkg_config_name", "mallard")
        self.cpp_info.libs = ["mallard"]
        self.cpp_info.system_libs = ["pthread"]  # of its own library before glibc 2.34
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "mallard")]
