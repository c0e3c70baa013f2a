"""Build the Cython extensions; everything else about the package is said in pyproject.toml.

BGFAST_DEBUG=1 builds with all of Cython's checks and with AddressSanitizer and UBSan.
BGFAST_SCALAR=1 builds the portable code path without vector instructions.
"""

import os

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = ["bgfast.core.board", "bgfast.core.generator", "bgfast.core.tree", "bgfast.position"]
NEEDS_NUMPY = {"bgfast.position"}

debug = os.environ.get("BGFAST_DEBUG") == "1"
sanitize = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]
if os.environ.get("BGFAST_SCALAR") == "1":
    macros.append(("BGFAST_SCALAR", "1"))

extensions = [
    Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["bgfast/core"] + ([numpy.get_include()] if name in NEEDS_NUMPY else []),
        define_macros=macros,
        extra_compile_args=sanitize if debug else [],
        extra_link_args=sanitize if debug else [],
    )
    for name in MODULES
]
checks = {"boundscheck": True, "wraparound": True, "initializedcheck": True, "cdivision": False}

setup(ext_modules=cythonize(extensions, force=debug, compiler_directives=checks if debug else {}))
