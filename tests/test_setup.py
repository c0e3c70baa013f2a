"""Compiler options and machine checks in setup.py, and the configuration of wheels."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="setup.py is not part of a wheel")

CUBEFUL = "bgfast.evaluation._cubeful"
X86_V3 = "bgfast.core.generator.x86_v3"
NETWORKS = ["bgfast.core.network.x86_v3_network", "bgfast.core.network.x86_vnni_network"]
GCC_FLAGS = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]


def read_setup(**switches: str) -> dict[str, Any]:
    """Run setup.py without building, with `switches` in the environment; return its namespace."""
    pytest.importorskip("Cython")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for name in ("BGFAST_DEBUG", "BGFAST_SCALAR"):
            patch.delenv(name, raising=False)
        for name, value in switches.items():
            patch.setenv(name, value)
        return runpy.run_path(str(ROOT / "setup.py"), run_name="setup")


@pytest.fixture(scope="module")
def setup() -> dict[str, Any]:
    return read_setup()


def test_every_source_is_a_module_with_its_dependencies(setup: dict[str, Any]) -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("bgfast/**/*.pyx")]
    assert sorted(setup["MODULES"]) == sorted(names)
    extensions = {extension.name: extension for extension in setup["extensions"]}
    network = extensions["bgfast.core.network.portable_network"]
    folder = "bgfast/core/network"
    parts = ["network.pxi", "network_learning.h", "dense.h", "network_layout.h", "lanes.h", "network.pxd"]
    assert {f"{folder}/{part}" for part in parts} <= set(network.depends)
    assert "bgfast/core/row.h" in extensions["bgfast.capi"].depends
    numpy_modules = [name for name, e in extensions.items() if any("numpy" in d for d in e.include_dirs)]
    assert numpy_modules == ["bgfast.position.objects"]


def test_processor_specific_modules_have_flags_and_machines(setup: dict[str, Any]) -> None:
    runs_on, cpu_flags = setup["runs_on"], setup["cpu_flags"]
    for system, machine, flags in (
        ("linux", "linux-x86_64", GCC_FLAGS),
        ("freebsd14", "freebsd-14.0-release-amd64", GCC_FLAGS),
        ("win32", "win-amd64", ["/arch:AVX2"]),
    ):
        assert runs_on(X86_V3, machine)
        assert cpu_flags(X86_V3, system) == flags
        assert cpu_flags("bgfast.core.generator.portable", system) == []
        vnni = ["/arch:AVX512"] if system == "win32" else [*flags, "-mavx512f", "-mavx512bw", "-mavx512vnni"]
        assert cpu_flags(NETWORKS[1], system) == vnni
    for machine in ("linux-aarch64", "win-arm64", "macosx-11.0-arm64"):
        assert sorted(name for name in setup["MODULES"] if not runs_on(name, machine)) == [X86_V3, *NETWORKS]
    # On Macs one build may contain code for both processors.
    for machine in ("macosx-10.13-x86_64", "macosx-11.0-universal2"):
        assert runs_on(X86_V3, machine)
    flags = cpu_flags(X86_V3, "darwin")
    assert (flags[1::2], set(flags[::2])) == (GCC_FLAGS, {"-Xarch_x86_64"})
    assert cpu_flags("bgfast.core.generator.portable", "darwin") == []


def test_every_module_has_its_flags(setup: dict[str, Any]) -> None:
    assert setup["optimizing_flags"]("win32") == ["/O2"]
    assert not any(flag.startswith("/") for flag in setup["optimizing_flags"]("darwin"))
    for system in ("linux", "darwin"):
        assert "-ffp-contract=off" in setup["optimizing_flags"](system)
    extensions = setup["extensions"]
    x86_modules = {extension.name for extension in extensions if setup["cpu_flags"](extension.name, "linux")}
    assert x86_modules == {X86_V3, *NETWORKS}
    no_trapping = "-fno-trapping-math"
    modules = {extension.name for extension in extensions if no_trapping in extension.extra_compile_args}
    assert modules == ({CUBEFUL} if sys.platform != "win32" else set())
    assert setup["vector_flags"](CUBEFUL, "win32") == []
    for extension in extensions:
        assert extension.extra_compile_args[-1] == setup["optimizing_flags"](sys.platform)[-1]


def test_special_builds_use_their_own_folders_and_flags(setup: dict[str, Any]) -> None:
    scalar_build, thread_build = read_setup(BGFAST_SCALAR="1"), read_setup(BGFAST_DEBUG="threads")
    assert len({str(build["folder"]) for build in (setup, scalar_build, thread_build)}) == 3
    for extension, scalar_extension, thread_extension in zip(
        setup["extensions"], scalar_build["extensions"], thread_build["extensions"], strict=True
    ):
        assert set(scalar_extension.define_macros) - set(extension.define_macros) == {("BGFAST_SCALAR", "1")}
        assert "-fsanitize=thread" in thread_extension.extra_compile_args
        assert "-fsanitize=thread" in thread_extension.extra_link_args
        flags = extension.extra_compile_args + extension.extra_link_args
        assert not any("-fsanitize" in flag for flag in flags)
    with pytest.raises(SystemExit, match="BGFAST_DEBUG is '2'; expected"):
        read_setup(BGFAST_DEBUG="2")


def test_unsupported_machines_are_refused(setup: dict[str, Any]) -> None:
    refusal = setup["refusal"]
    assert refusal(2**63 - 1, "little") == ""
    assert "32 bits" in refusal(2**31 - 1, "little")
    assert "big-endian" in refusal(2**63 - 1, "big")
    assert refusal(2**31 - 1, "big").count("\n") == 0


def test_wheels_are_built_for_all_supported_pythons() -> None:
    tomllib = pytest.importorskip("tomllib", reason="CPython 3.10 does not read TOML")
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    oldest = content["project"]["requires-python"].removeprefix(">=3.")
    wheels = content["tool"]["cibuildwheel"]
    minors = {int(name.removeprefix("cp3").rstrip("t-*")) for name in wheels["build"].split()}
    assert min(minors) == int(oldest)
    # Classifiers name only versions under which the tests have passed.
    versions = {line.rsplit(" ", 1)[1] for line in content["project"]["classifiers"] if " :: 3." in line}
    assert versions
    assert versions <= {f"3.{minor}" for minor in minors}


def test_only_pushed_tags_publish() -> None:
    path = ROOT / ".github" / "workflows" / "wheels.yml"
    if not path.exists():
        pytest.skip("the workflows are not part of an sdist")
    workflow = path.read_text(encoding="utf-8")
    assert "secrets." not in workflow
    preamble, *jobs = re.split(r"^  (?=\w+:$)", workflow.partition("\njobs:\n")[2], flags=re.MULTILINE)
    assert not preamble.strip()
    (publishing_job,) = (job for job in jobs if "id-token: write" in job or "pypi-publish" in job)
    assert "if: github.event_name == 'push' && github.ref_type == 'tag'\n" in publishing_job
    needed_jobs = {job.partition(":")[0] for job in jobs} - {"publish"}
    assert f"needs: [{', '.join(sorted(needed_jobs, reverse=True))}]\n" in publishing_job


def test_an_import_without_a_build_explains_what_to_run(tmp_path: Path) -> None:
    def built_files(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name.endswith((".so", ".pyd", ".c")) or name == "__pycache__"]

    shutil.copytree(ROOT / "bgfast", tmp_path / "bgfast", ignore=built_files)
    for arguments in (["-c", "import bgfast; bgfast.Position"], ["-m", "bgfast", "plays", "31"]):
        completed = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert completed.returncode
        assert "in the clone run pip install -e . --config-settings editable_mode=compat" in completed.stderr
