"""Build the Cython extensions; pyproject.toml describes the rest of the package.

Each .pyx file is a module; its text is searched for includes, headers and cimports.

BGFAST_DEBUG=1 builds with all of Cython's checks, AddressSanitizer and UBSan.
BGFAST_DEBUG=threads builds with ThreadSanitizer.
BGFAST_SCALAR=1 builds the portable code path without vector instructions.
"""

import os
import re
import sys
import sysconfig
from pathlib import Path


def refusal(maxsize, byteorder):
    """Return the reason to refuse a platform, given `sys.maxsize` and `sys.byteorder`; empty if supported."""
    if maxsize < 2**63 - 1:
        return "bgfast needs a 64-bit Python on a 64-bit processor; this one has 32 bits"
    if byteorder != "little":
        return "bgfast needs a little-endian processor; this one is big-endian"
    return ""


# Before the imports, since refused systems may lack NumPy and Cython.
if refusal(sys.maxsize, sys.byteorder):
    raise SystemExit(refusal(sys.maxsize, sys.byteorder))

import numpy  # noqa: E402
from Cython.Build import cythonize  # noqa: E402
from setuptools import Extension, setup  # noqa: E402

# Cython's own code for memoryviews, compiled once for all modules.
SHARED = "bgfast.core._cyutility"
PACKAGE = Path("bgfast")
# Dependencies of a Cython or C file: includes, headers, and declarations of cimported modules.
INCLUDES = re.compile(r'^[ \t]*(?:include|#[ \t]*include|cdef extern from)[ \t]+"([^"]+)"', re.MULTILINE)
CIMPORTS = re.compile(
    r"^[ \t]*(?:from[ \t]+(bgfast[\w.]*)[ \t]+)?cimport[ \t]+(\([^)]*\)|[^\n#]*)", re.MULTILINE
)
HEADER_FOLDERS = sorted({path.parent.as_posix() for path in PACKAGE.rglob("*.h")})


def dependencies_of(path, known_files=()):
    """Return a source file, all its dependencies in the package, and the known files."""
    files = {path, *known_files}
    text = path.read_text(encoding="utf-8")
    candidates = [
        Path(folder, name) for name in INCLUDES.findall(text) for folder in (path.parent, *HEADER_FOLDERS)
    ]
    for package, names in CIMPORTS.findall(text):
        modules = [name.split()[0] for name in names.strip("() ").split(",") if name.split()]
        module_names = [package, *(f"{package}.{name}" for name in modules)] if package else modules
        candidates += [Path(*name.split(".")).with_suffix(".pxd") for name in module_names]
    candidates.append(path.with_suffix(".pxd"))
    for file in candidates:
        file = Path(os.path.normpath(file))
        if file not in files and file.is_file():
            files |= dependencies_of(file, files)
    return files


def size_of(path):
    """Return the size of a module's source and dependencies in bytes."""
    return sum(file.stat().st_size for file in dependencies_of(path))


# The largest modules come first, which shortens parallel builds.
SOURCES = sorted(PACKAGE.rglob("*.pyx"), key=size_of, reverse=True)
MODULES = {".".join(path.with_suffix("").parts): path for path in SOURCES}
SANITIZERS = {"": "", "1": "address,undefined,float-cast-overflow", "threads": "thread"}
V3_FLAGS = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
VNNI_FLAGS = [*V3_FLAGS, "-mavx512f", "-mavx512bw", "-mavx512vnni"]


def runs_on(name, machine):
    """Return whether a module can run on `machine`, a platform name of `sysconfig` or the end of one."""
    return ".x86_" not in name or machine.endswith(("x86_64", "amd64", "universal2"))


def cpu_flags(name, system):
    """Return a module's compiler flags for instruction sets; `system` is `sys.platform`."""
    if ".x86_" not in name:
        return []
    has_vnni = "x86_vnni" in name
    flags = VNNI_FLAGS if has_vnni else V3_FLAGS
    if system == "darwin":  # universal builds compile for both processors at once
        return [option for flag in flags for option in ("-Xarch_x86_64", flag)]
    if system == "win32":
        return ["/arch:AVX512" if has_vnni else "/arch:AVX2"]
    return flags


def optimizing_flags(system):
    """Return the compiler flags of all modules.

    They override Python's flags: at -O2 gcc does not unroll the generator's stores, and with -g the build
    takes a third longer for files of five times the size. Some functions of the generator are unused in some
    modules. Without fused multiply-add the network gives the same results on every processor; Microsoft's
    compiler fuses only on request.
    """
    if system == "win32":
        return ["/O2"]
    return ["-O3", "-g0", "-Wno-unused-function", "-Wno-psabi", "-ffp-contract=off"]


def vector_flags(name, system):
    """Return extra compiler flags for a module whose loops select between numbers.

    gcc vectorizes such loops only if it may ignore floating-point exception flags, which nothing reads.
    """
    return ["-fno-trapping-math"] if name == "bgfast.evaluation._cubeful" and system != "win32" else []


debug = os.environ.get("BGFAST_DEBUG", "")
if debug not in SANITIZERS:
    raise SystemExit(f"BGFAST_DEBUG is {debug!r}; expected '1' or 'threads'")
is_scalar = os.environ.get("BGFAST_SCALAR") == "1"
sanitizer_flags = ["-O1", "-g1", "-Wno-psabi", f"-fsanitize={SANITIZERS[debug]}", "-fno-omit-frame-pointer"]
macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]
if is_scalar:
    macros.append(("BGFAST_SCALAR", "1"))


def extension(name, path=None):
    """Return the extension of a module; the shared module has no source."""
    files = set() if path is None else dependencies_of(path)
    needs_numpy = any("cimport numpy" in file.read_text(encoding="utf-8") for file in files)
    return Extension(
        name,
        [] if path is None else [path.as_posix()],
        include_dirs=[*HEADER_FOLDERS, *([numpy.get_include()] if needs_numpy else [])],
        define_macros=macros,
        depends=sorted(file.as_posix() for file in files),
        extra_compile_args=cpu_flags(name, sys.platform)
        + vector_flags(name, sys.platform)
        + (sanitizer_flags if debug else optimizing_flags(sys.platform)),
        extra_link_args=sanitizer_flags if debug else [],
    )


extensions = [extension(SHARED)]
extensions += [
    extension(name, path) for name, path in MODULES.items() if runs_on(name, sysconfig.get_platform())
]
# Callers check arguments, and C division is intended. A debug build checks indices.
directives = {"language_level": 3, "auto_pickle": False, "freethreading_compatible": True, "cdivision": True}
directives |= dict.fromkeys(("boundscheck", "wraparound", "initializedcheck"), debug == "1")
# Special builds share no files with the normal build.
folder = os.path.join("build", *[f"debug-{debug}"] * bool(debug), *["scalar"] * is_scalar)

# Cython's worker processes may import this file.
if __name__ == "__main__":
    setup(
        ext_modules=cythonize(
            extensions,
            nthreads=os.cpu_count() or 1,
            shared_utility_qualified_name=SHARED,
            build_dir=folder if debug == "1" else None,
            compiler_directives=directives,
        ),
        options={"build": {"build_base": folder}, "build_ext": {"parallel": os.cpu_count()}},
    )
