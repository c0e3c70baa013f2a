"""Build the Cython extensions; everything else about the package is said in pyproject.toml.

BGFAST_DEBUG=1 builds with all of Cython's checks, AddressSanitizer and UBSan.
BGFAST_DEBUG=threads builds with ThreadSanitizer.
BGFAST_SCALAR=1 builds the portable code path without vector instructions.
"""

import os
import sys
import sysconfig


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

# What takes longest to compile comes first, so that at the end no processor waits for it.
MODULES = [
    "bgfast.position.objects",
    "bgfast.core.board.board",
    "bgfast.core.generator.rules",
    "bgfast.core.generator.portable",
    "bgfast.core.generator.portable_rules",
    "bgfast.core.generator.x86_v3",
    "bgfast.core.generator.x86_v3_rules",
    "bgfast.core.generator.generator",
    "bgfast.core.network.network",
    "bgfast.core.network.portable_network",
    "bgfast.core.network.arm_dot_network",
    "bgfast.core.network.x86_v3_network",
    "bgfast.core.network.x86_vnni_network",
    "bgfast.core.board.result",
    "bgfast.analysis.perft._perft",
    "bgfast.batch._ordered_fill",
    "bgfast.analysis.bearoff._bearoff",
    "bgfast.batch._successors",
    "bgfast.batch._selection",
    "bgfast.analysis.perft._levels",
    "bgfast.batch._encoders",
    "bgfast.batch._position_ids",
    "bgfast.batch._results",
    "bgfast.batch._random_successors",
    "bgfast.batch._random_positions",
    "bgfast.batch._random_dice",
    "bgfast.batch._request",
    "bgfast.common._threads",
    "bgfast.analysis.cube._stakes",
    "bgfast.analysis.cube._efficiency",
    "bgfast.analysis.cube._cubeful",
    "bgfast.games._turns",
    "bgfast.records.formats._mat",
    "bgfast.analysis.evaluators._evaluators",
    "bgfast.analysis.evaluators._network",
    "bgfast.analysis.evaluators._with_bearoff",
    "bgfast.analysis.evaluators._lookahead",
    "bgfast.analysis.training._learner",
    "bgfast.analysis.training._positions",
    "bgfast.analysis.rollouts._cube_states",
    "bgfast.analysis.rollouts._dice",
    "bgfast.analysis.rollouts._luck",
    "bgfast.analysis.rollouts._trials",
    "bgfast.analysis.environments._vector_env",
    "bgfast.capi",
]
# What Cython itself adds to each module that has memoryviews, compiled once for all of them.
SHARED = "bgfast.core._cyutility"
# The rooms that have headers of their own.
HEADERS = ("core/board", "core/generator", "core/network", "analysis/cube", "batch", "common", "include")
NEEDS_NUMPY = {"bgfast.position.objects"}
GENERATOR = "bgfast/core/generator"
NETWORK = "bgfast/core/network"
STANDARD = [f"{GENERATOR}/{name}.pxi" for name in ("kernel", "standard", "batches")]
ANY_RULES = [f"{GENERATOR}/{name}.pxi" for name in ("kernel", "levels", "forfeits", "any_rules", "batches")]
CUBE = [f"bgfast/analysis/cube/{name}.h" for name in ("cube_values", "cube_efficiency")]
LAYOUT = [f"{NETWORK}/{name}.h" for name in ("lanes", "network_layout", "learner_layout")]
KERNELS = [
    f"{NETWORK}/{name}.h"
    for name in ("position_features", "dense", "network_accumulator", "network_forward", "network_tables")
]
LEARNING = [f"{NETWORK}/network.pxi", f"{NETWORK}/network_learning.h", *KERNELS, *LAYOUT]
ALWAYS = ["bgfast/core/board/row.h", "bgfast/core/board/rolls.h", "bgfast/core/generator/cpu.h"]
INCLUDED = {
    "bgfast.analysis.cube._stakes": CUBE,
    "bgfast.analysis.cube._efficiency": CUBE,
    "bgfast.analysis.cube._cubeful": [*CUBE, "bgfast/analysis/cube/cube_blocks.h"],
    "bgfast.batch._ordered_fill": ["bgfast/batch/new_pages.h"],
    "bgfast.common._threads": ["bgfast/common/watch.h"],
    "bgfast.core.generator.portable": STANDARD,
    "bgfast.core.generator.portable_rules": ANY_RULES,
    "bgfast.core.generator.x86_v3": STANDARD,
    "bgfast.core.generator.x86_v3_rules": ANY_RULES,
    "bgfast.core.network.portable_network": LEARNING,
    "bgfast.core.network.arm_dot_network": LEARNING,
    "bgfast.core.network.x86_v3_network": LEARNING,
    "bgfast.core.network.x86_vnni_network": LEARNING,
    "bgfast.core.network.network": LAYOUT,
    "bgfast.analysis.evaluators._evaluators": CUBE,
    "bgfast.analysis.evaluators._network": [*CUBE, *LAYOUT],
    "bgfast.analysis.evaluators._with_bearoff": [*CUBE, *LAYOUT],
    "bgfast.analysis.evaluators._lookahead": [*CUBE, *LAYOUT],
    "bgfast.analysis.training._learner": LAYOUT,
    "bgfast.analysis.training._positions": [*CUBE, *LAYOUT],
    "bgfast.analysis.rollouts._cube_states": CUBE,
    "bgfast.analysis.rollouts._luck": [*CUBE, *LAYOUT],
    "bgfast.analysis.rollouts._trials": CUBE,
    "bgfast.capi": ["bgfast/include/bgfast.h", *LAYOUT],
}
SANITIZERS = {"": "", "1": "address,undefined,float-cast-overflow", "threads": "thread"}


V3 = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
VNNI = [*V3, "-mavx512f", "-mavx512bw", "-mavx512vnni"]


def runs_on(name, machine):
    """Return whether a module can run on a machine that is what `sysconfig.get_platform()` ends with."""
    if ".arm_" in name:
        return machine.endswith(("aarch64", "arm64", "universal2")) and not machine.startswith("win")
    return ".x86_" not in name or machine.endswith(("x86_64", "amd64", "universal2"))


def cpu_flags(name, system):
    """Return the compiler's flags for a module that runs only on the processors it is chosen for.

    `system` is `sys.platform`.
    """
    if ".arm_" in name:
        flag = "-march=armv8.2-a+dotprod"
        return ["-Xarch_arm64", flag] if system == "darwin" else [flag]
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
    return ["-fno-trapping-math"] if name == "bgfast.analysis.cube._cubeful" and system != "win32" else []


debug = os.environ.get("BGFAST_DEBUG", "")
if debug not in SANITIZERS:
    raise SystemExit(f"BGFAST_DEBUG is {debug!r}; expected '1' or 'threads'")
scalar = os.environ.get("BGFAST_SCALAR") == "1"
sanitize = ["-O1", "-g1", "-Wno-psabi", f"-fsanitize={SANITIZERS[debug]}", "-fno-omit-frame-pointer"]
macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]
if scalar:
    macros.append(("BGFAST_SCALAR", "1"))


def extension(name, sources):
    """Return how one module is built."""
    return Extension(
        name,
        sources,
        include_dirs=[f"bgfast/{room}" for room in HEADERS]
        + ([numpy.get_include()] if name in NEEDS_NUMPY else []),
        define_macros=macros,
        depends=[*ALWAYS, *INCLUDED.get(name, [])],
        extra_compile_args=cpu_flags(name, sys.platform)
        + vector_flags(name, sys.platform)
        + (sanitize if debug else optimizing_flags(sys.platform)),
        extra_link_args=sanitize if debug else [],
    )


modules = [name for name in MODULES if runs_on(name, sysconfig.get_platform())]
extensions = [
    extension(SHARED, []),
    *(extension(name, [name.replace(".", "/") + ".pyx"]) for name in modules),
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
