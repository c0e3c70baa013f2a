"""Build the Cython extensions; pyproject.toml describes the rest of the package.

Each .pyx file is a module; includes, headers and cimports are found in its text.

BGFAST_DEBUG=1 builds with all of Cython's checks, AddressSanitizer and UBSan.
BGFAST_DEBUG=threads builds with ThreadSanitizer.
BGFAST_SCALAR=1 builds the portable code path without vector instructions.
"""

import os
import re
import sys
import sysconfig
from pathlib import Path


def refusal(largest, order):
    """Return why there is nothing to build for these numbers of Python: `sys.maxsize` and `sys.byteorder`."""
    if largest < 2**63 - 1:
        return "bgfast needs a 64-bit Python on a 64-bit processor; this one has 32 bits"
    if order != "little":
        return "bgfast needs a processor that puts the low byte first; on this one it is the high byte"
    return ""


# Before NumPy and Cython are looked for, which some of these systems have not either.
if refusal(sys.maxsize, sys.byteorder):
    raise SystemExit(refusal(sys.maxsize, sys.byteorder))

import numpy  # noqa: E402
from Cython.Build import cythonize  # noqa: E402
from setuptools import Extension, setup  # noqa: E402

# Cython's own code for memoryviews, compiled once for all modules.
SHARED = "bgfast.core._cyutility"
PACKAGE = Path("bgfast")
# The files that a Cython or C file is made of: includes, headers, and the declarations of what it cimports.
INCLUDED = re.compile(r'^[ \t]*(?:include|#[ \t]*include|cdef extern from)[ \t]+"([^"]+)"', re.MULTILINE)
CIMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+(bgfast[\w.]*)[ \t]+)?cimport[ \t]+(\([^)]*\)|[^\n#]*)", re.MULTILINE
)
HEADERS = sorted({path.parent.as_posix() for path in PACKAGE.rglob("*.h")})


def parts_of(path, known=()):
    """Return a source file and all files of the package that it is compiled from."""
    parts = {path, *known}
    text = path.read_text(encoding="utf-8")
    named = [Path(folder, name) for name in INCLUDED.findall(text) for folder in (path.parent, *HEADERS)]
    for package, names in CIMPORTED.findall(text):
        modules = [name.split()[0] for name in names.strip("() ").split(",") if name.split()]
        imported = [package, *(f"{package}.{name}" for name in modules)] if package else modules
        named += [Path(*name.split(".")).with_suffix(".pxd") for name in imported]
    named.append(path.with_suffix(".pxd"))
    for part in named:
        part = Path(os.path.normpath(part))
        if part not in parts and part.is_file():
            parts |= parts_of(part, parts)
    return parts


def size_of(path):
    """Return how much source a module is compiled from, in bytes."""
    return sum(part.stat().st_size for part in parts_of(path))


# The largest first, so that at the end of a build no processor waits for it.
SOURCES = sorted(PACKAGE.rglob("*.pyx"), key=size_of, reverse=True)
MODULES = {".".join(path.with_suffix("").parts): path for path in SOURCES}
SANITIZERS = {"": "", "1": "address,undefined,float-cast-overflow", "threads": "thread"}


V3 = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
VNNI = [*V3, "-mavx512f", "-mavx512bw", "-mavx512vnni"]


def runs_on(name, machine):
    """Return whether a module can run on a machine that is what `sysconfig.get_platform()` ends with."""
    return ".x86_" not in name or machine.endswith(("x86_64", "amd64", "universal2"))


def cpu_flags(name, system):
    """Return the compiler's flags for a module that runs only on the processors it is chosen for.

    `system` is `sys.platform`.
    """
    if ".x86_" not in name:
        return []
    vnni = "x86_vnni" in name
    flags = VNNI if vnni else V3
    if system == "darwin":  # one call of the compiler may be for both kinds of processor
        return [part for flag in flags for part in ("-Xarch_x86_64", flag)]
    if system == "win32":
        return ["/arch:AVX512" if vnni else "/arch:AVX2"]
    return flags


def optimizing_flags(system):
    """Return the compiler's flags for every module.

    They are not left to those of the Python that builds: at -O2 gcc does not unroll the generator's stores;
    with -g it takes a third longer for files that are five times as large. Of what Cython compiles for
    several sinks, not each module of the generator uses all. A product and a sum stay two roundings
    everywhere, so that the network says the same on every processor; Microsoft's compiler joins them only
    when asked to.
    """
    if system == "win32":
        return ["/O2"]
    return ["-O3", "-g0", "-Wno-unused-function", "-Wno-psabi", "-ffp-contract=off"]


def vector_flags(name, system):
    """Return the compiler's flags for a module whose loops choose between numbers.

    gcc makes vectors of such loops only if it need not ask which comparison would raise a flag of the
    processor, which nobody reads.
    """
    return ["-fno-trapping-math"] if name == "bgfast.evaluation.cube._cubeful" and system != "win32" else []


debug = os.environ.get("BGFAST_DEBUG", "")
if debug not in SANITIZERS:
    raise SystemExit(f"BGFAST_DEBUG is {debug!r}; expected '1' or 'threads'")
scalar = os.environ.get("BGFAST_SCALAR") == "1"
sanitize = ["-O1", "-g1", "-Wno-psabi", f"-fsanitize={SANITIZERS[debug]}", "-fno-omit-frame-pointer"]
macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]
if scalar:
    macros.append(("BGFAST_SCALAR", "1"))


def extension(name, path=None):
    """Return how one module is built; the shared one has no source of its own."""
    parts = set() if path is None else parts_of(path)
    needs_numpy = any("cimport numpy" in part.read_text(encoding="utf-8") for part in parts)
    return Extension(
        name,
        [] if path is None else [path.as_posix()],
        include_dirs=[*HEADERS, *([numpy.get_include()] if needs_numpy else [])],
        define_macros=macros,
        depends=sorted(part.as_posix() for part in parts),
        extra_compile_args=cpu_flags(name, sys.platform)
        + vector_flags(name, sys.platform)
        + (sanitize if debug else optimizing_flags(sys.platform)),
        extra_link_args=sanitize if debug else [],
    )


extensions = [extension(SHARED)]
extensions += [
    extension(name, path) for name, path in MODULES.items() if runs_on(name, sysconfig.get_platform())
]
checks = {"boundscheck": True, "wraparound": True, "initializedcheck": True, "cdivision": False}
# A special build must not take over what a usual one has made, nor leave anything to it.
folder = os.path.join("build", *[f"debug-{debug}"] * bool(debug), *["scalar"] * scalar)

# Processes that work for Cython may begin by reading this file.
if __name__ == "__main__":
    setup(
        ext_modules=cythonize(
            extensions,
            nthreads=os.cpu_count() or 1,
            shared_utility_qualified_name=SHARED,
            build_dir=folder if debug == "1" else None,
            compiler_directives=checks if debug == "1" else {},
        ),
        options={"build": {"build_base": folder}, "build_ext": {"parallel": os.cpu_count()}},
    )
