#!/usr/bin/env bash
# Tests on other processors and under other Pythons.
#
#   .ci/platforms.sh arm64 [CASES [FILE]]  NEON under qemu-user: CASES (20,000 by default) against the reference, and
#                                          digests of all results against this processor's, or those in FILE; from
#                                          20,000 cases also the suite, the tests, the scalar build, perft to depth 3 and
#                                          instruction counts
#   .ci/platforms.sh python [3.X ...]      the quick tests under CPython 3.10, 3.12, 3.13 and 3.14, or the given ones
#   .ci/platforms.sh nogil                 free-threaded CPython, built from Debian's source: the quick tests, shared
#                                          objects in threads, and the speed-up by a second thread
#   .ci/platforms.sh tsan                  the threads with CPython and bgfast built with ThreadSanitizer
#   .ci/platforms.sh windows               clang parses the C like Microsoft's compiler; nothing is run
#   .ci/platforms.sh refused               32-bit and big-endian systems, emulated: setup.py refuses them
#   .ci/platforms.sh oldest                the quick tests with the oldest supported versions of all requirements
#   .ci/platforms.sh wheel                 two wheels of one commit are equal; wheel and sdist outside the tree
#
# Needs Debian with apt-get, as root, and a Python with venv. Downloads and builds are kept in BGFAST_PLATFORMS, by
# default ~/.cache/bgfast-platforms. The exit status is 77 if packages are unavailable.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=${BGFAST_PLATFORMS:-$HOME/.cache/bgfast-platforms}
mkdir -p "$work"
export PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH
TESTS=('pytest>=8' 'hypothesis>=6.8' 'pytest-benchmark>=4' 'pytest-xdist>=3.5' 'pytest-timeout>=2.2')
X86_WHEELS=(manylinux_2_28_x86_64 manylinux_2_27_x86_64 manylinux_2_17_x86_64 manylinux2014_x86_64)
ARM_WHEELS=(manylinux_2_28_aarch64 manylinux_2_27_aarch64 manylinux_2_17_aarch64 manylinux2014_aarch64)
ccache=
if command -v ccache > /dev/null; then ccache="ccache " && export CCACHE_NOHASHDIR=1; fi

step() { printf '\n--- %s (%d s)\n' "$1" "$SECONDS"; }
unavailable() {
    echo "UNAVAILABLE: $1"
    [ ! -e "$work/log" ] || tail -3 "$work/log"
    exit 77
}

# ---- downloads ------------------------------------------------------------------------------------------------------

# Install Debian packages on this system.
install_packages() {
    local package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || {
            { apt-get -qq update || true
              DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"; } > "$work/log" 2>&1 ||
                unavailable "$*"
            return
        }
    done
}

# apt-get for a Debian suite and a processor, with separate lists, independent of this system.
apt_get_for() {
    local suite=$1 arch=$2 apt=$work/apt-$1-$2 mirror
    shift 2
    if [ ! -e "$apt/updated" ]; then
        mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
        : > "$apt/status"
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | sed -n 1p)
        printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
            deb "$mirror" "$suite" deb-src "$mirror" "$suite" > "$apt/sources.list"
        touch "$apt/updated"
        apt_get_for "$suite" "$arch" update > "$work/log" 2>&1 || { rm -r "$apt"; unavailable "Debian $suite $arch"; }
    fi
    apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$apt" \
        -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
        -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root \
        -o APT::Install-Recommends=false "$@"
}

# Packages and their dependencies, unpacked into a folder.
unpack_packages() {
    local folder=$1 suite=$2 arch=$3 package
    shift 3
    [ ! -e "$folder/unpacked" ] || return 0
    rm -rf "$folder" "$work/apt-$suite-$arch"
    mkdir -p "$folder"
    apt_get_for "$suite" "$arch" -y --download-only install "$@" > "$work/log" 2>&1 ||
        { rm -r "$work/apt-$suite-$arch"; unavailable "$* of Debian $suite $arch"; }
    for package in "$work/apt-$suite-$arch"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
    touch "$folder/unpacked"
}

# A Python environment in $1 for the interpreter $2, with the requirements of the tests.
make_environment() {
    [ ! -x "$1/bin/pytest" ] || return 0
    rm -rf "$1"
    "$2" -m venv "$1"
    "$1/bin/pip" install -q --only-binary :all: numpy cython 'setuptools>=77' "${TESTS[@]}" > "$work/log" 2>&1 || unavailable "NumPy for $2"
}

# The same for the interpreter of version $2 unpacked into $1 and launched by $3; the tags of its wheels follow.
# $1/env/bin/python runs it, and so do its child processes. Its library is located without environment variables, which
# `python -I` ignores.
make_foreign_environment() {
    local folder=$1 version=$2 launcher=$3 platforms=() platform site=$1/env/lib/python$2/site-packages
    shift 3
    for platform in "$@"; do platforms+=(--platform "$platform"); done
    [ -e "$site/pytest" ] ||
        python3 -m pip install -q --target "$site" --python-version "$version" --implementation cp \
            --abi "cp${version/./}" --abi none "${platforms[@]}" --only-binary=:all: \
            numpy cython 'setuptools>=77' "${TESTS[@]}" > "$work/log" 2>&1 || unavailable "NumPy for $version in $folder"
    mkdir -p "$folder/env/bin"
    echo "home = $folder/usr/bin" > "$folder/env/pyvenv.cfg"
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$launcher" "$folder/usr/bin/python$version" > "$folder/env/bin/python"
    chmod +x "$folder/env/bin/python"
    # Python.h includes a file of the processor's folder, which compilers search below their own root only.
    (cd "$folder/usr/include/python$version" && ln -sf ../*-linux-gnu* .)
    compiler_flags="--sysroot=$folder -I$folder/usr/include/python$version -I$folder/usr/include"
}

# ---- builds and tests ------------------------------------------------------------------------------------------------

# Work in a copy of this tree without compiled files, but with Cython's C files.
copy_tree() {
    cd "$root"
    rm -rf "$1"
    mkdir -p "$1"
    { git ls-files -z --cached --others --exclude-standard; find bgfast -name '*.c' -print0; } |
        tar -c --null --ignore-failed-read -T - | tar -x -C "$1"
    cd "$1"
    if [ -z "$(find bgfast -name '*.c' -print -quit)" ]; then
        make_environment "$work/this" python3
        "$work/this/bin/python" setup.py -q --version > /dev/null   # writes the C, which is the same for all
    fi
    export PYTHONPATH=$PWD
}

# Compile in place by a command, with the metadata of an installation.
compile_in_place() {
    find bgfast -name '*.c' -exec touch {} +   # newer than Cython and NumPy, to avoid rebuilding
    "$@" setup.py build_ext --inplace egg_info > build.log 2>&1 || { tail -5 build.log; return 1; }
    if grep Cythonizing build.log; then echo "Cython ran again; expected existing C files"; return 1; fi
}

run_quick_tests() { "$@" -m pytest -q -p no:cacheprovider; }

digests_of_this_processor() {
    make_environment "$work/this" python3
    copy_tree "$work/tree-this"
    CC="${ccache}cc" compile_in_place "$work/this/bin/python"
    "$work/this/bin/python" -m tests.tools.fingerprint --perft 3 2> /dev/null
}

arm64() {
    local cases=${1:-20000} expected=${2:-} folder=$work/arm64 python=$work/arm64/env/bin/python version suite
    step "arm64: compiler, emulator, CPython and NumPy"
    install_packages gcc-aarch64-linux-gnu qemu-user-static
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    unpack_packages "$folder" "$suite" arm64 python3 libpython3-dev libstdc++6
    version=$(basename "$(readlink "$folder/usr/bin/python3")")
    version=${version#python}
    make_foreign_environment "$folder" "$version" "qemu-aarch64-static -L $folder -0 \"\$0\"" "${ARM_WHEELS[@]}"
    if [ -z "$expected" ]; then
        step "this processor: digests"
        (digests_of_this_processor) > "$work/digests"
        expected=$work/digests
    fi
    step "arm64: built"
    copy_tree "$work/tree-arm64"
    export CC="${ccache}aarch64-linux-gnu-gcc" CFLAGS=$compiler_flags LDFLAGS="--sysroot=$folder"
    compile_in_place "$python"
    "$python" -c 'from bgfast.core.generator import portable as p; assert p.VECTORS == "neon", p.VECTORS'
    step "arm64: $cases cases against the reference"
    "$python" -m tests.tools.fuzz --jobs 1 --cases "$cases" --seed 11 --keep "$PWD/kept.jsonl" 2> /dev/null
    step "arm64: all results compared with this processor"
    "$python" -m tests.tools.fingerprint $(grep -q 'perft from' "$expected" && echo --perft 3) 2> times > digests
    diff "$expected" digests
    echo "equal to the last bit: $(wc -l < digests) groups"
    [ "$cases" -ge 20000 ] || return 0
    step "arm64: $((cases / 5)) cases under other rules"
    "$python" -m tests.tools.fuzz --rules --jobs 1 --cases $((cases / 5)) --seed 12 --keep "$PWD/kept.jsonl" 2> /dev/null
    step "arm64: the published suite"
    "$python" -m bgfast suite run -q --engine bgfast --perft 1
    step "arm64: the build without vectors"
    copy_tree "$work/tree-arm64-scalar"
    BGFAST_SCALAR=1 compile_in_place "$python"
    "$python" -c 'from bgfast.core.generator import portable as p; assert p.VECTORS == "scalar", p.VECTORS'
    "$python" -m tests.tools.fingerprint --perft 3 2> times > digests
    diff "$expected" digests
    step "arm64: instructions, NEON and scalar"
    install_packages gcc qemu-user
    gcc -O1 -shared -fPIC "$root/.ci/count_instructions.c" -o "$work/count_instructions.so"
    python3 "$root/.ci/instructions.py" "$work/tree-arm64" "$work/tree-arm64-scalar" -- env PYTHONHOME="$folder/usr" \
        qemu-aarch64 -plugin "$work/count_instructions.so" -L "$folder" "$folder/usr/bin/python$version" \
        "$folder/env/lib/python$version/site-packages"
    step "arm64: tests"
    cd "$work/tree-arm64"
    export PYTHONPATH=$PWD BGFAST_TEST_SLOWNESS=20
    run_quick_tests "$python"
}

python() {
    local version interpreter python failed=
    [ $# -gt 0 ] || set -- 3.10 3.12 3.13 3.14
    for version in "$@"; do
        [[ $version =~ ^3\.[1-9][0-9]$ ]] || { echo "Python $version: expected a version from 3.10 on, such as 3.14"; exit 2; }
    done
    for version in "$@"; do
        interpreter=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python3 2> /dev/null | tail -1 || true)
        interpreter=${interpreter:-$(command -v "python$version" || true)}
        step "CPython $version: ${interpreter:-from Debian sid}"
        if [ -n "$interpreter" ]; then
            make_environment "$work/python-$version" "$interpreter"
            python=$work/python-$version/bin/python
            compiler_flags=
        else
            local folder=$work/python-$version
            unpack_packages "$folder" sid amd64 "python$version" "libpython$version-dev" libstdc++6
            make_foreign_environment "$folder" "$version" "$folder/usr/lib64/ld-linux-x86-64.so.2 --argv0 \"\$0\" \
                --library-path $folder/usr/lib/x86_64-linux-gnu" "${X86_WHEELS[@]}"
            python=$folder/env/bin/python
        fi
        copy_tree "$work/tree-$version"
        CC="${ccache}gcc" CFLAGS=$compiler_flags LDFLAGS=${compiler_flags%% *} compile_in_place "$python"
        "$python" -VV
        run_quick_tests "$python" || failed+=" $version"
    done
    [ -z "$failed" ] || { echo "failed:$failed"; return 1; }
}

# Debian's newest CPython source, in $work/cpython.
fetch_cpython() {
    [ ! -e "$work/cpython" ] || return 0
    mkdir -p "$work/source"
    cd "$work/source"
    apt_get_for sid amd64 source --download-only python3.14 > "$work/log" 2>&1 ||
        apt_get_for trixie amd64 source --download-only python3.13 > "$work/log" 2>&1 || unavailable "CPython's source"
    mkdir "$work/cpython"
    tar -x --strip-components=1 -C "$work/cpython" -f python3*.orig.tar.xz
}

# Free-threaded CPython in $work/cpython-$1; options of configure follow.
build_free_threaded() {
    local folder=$work/cpython-$1 build=$work/build-$1
    shift
    [ ! -x "$folder/bin/python3" ] || return 0
    install_packages gcc make xz-utils zlib1g-dev libssl-dev libffi-dev libbz2-dev liblzma-dev libsqlite3-dev
    fetch_cpython
    mkdir -p "$build"
    cd "$build"
    # Races in CPython itself must not end the build.
    export TSAN_OPTIONS=report_bugs=0:exitcode=0
    { CC="${ccache}gcc" ../cpython/configure -q --disable-gil --disable-test-modules --prefix="$folder" "$@" &&
      make -s -j "$(nproc)" && make -s install; } > "$build/log" 2>&1 || { tail -5 "$build/log"; return 1; }
    unset TSAN_OPTIONS
}

nogil() {
    step "free-threaded CPython"
    build_free_threaded nogil
    make_environment "$work/nogil" "$work/cpython-nogil/bin/python3"
    copy_tree "$work/tree-nogil"
    CC="${ccache}gcc" compile_in_place "$work/nogil/bin/python"
    export PYTHON_GIL=0
    step "free-threaded: threads that share everything"
    "$work/nogil/bin/python" -m pytest -q -p no:cacheprovider -m '' tests/test_shared_by_threads.py
    step "free-threaded: the quick tests"
    run_quick_tests "$work/nogil/bin/python"
    step "free-threaded: two threads, which need both processors"
    "$work/nogil/bin/python" -m tests.tools.two_threads --least 1.9 1.8
}

tsan() {
    step "free-threaded CPython, and one with ThreadSanitizer"
    build_free_threaded nogil
    make_environment "$work/nogil" "$work/cpython-nogil/bin/python3"
    build_free_threaded tsan --with-thread-sanitizer
    copy_tree "$work/tree-tsan"
    # Build by the plain one: with ThreadSanitizer setup.py and pip take many minutes, and builds work with both.
    CC="${ccache}gcc" BGFAST_DEBUG=threads compile_in_place "$work/nogil/bin/python"
    export PYTHONPATH+=:$(echo "$work"/nogil/lib/python3*/site-packages)
    step "ThreadSanitizer: threads that share everything"
    # CPython's list of its own races.
    cat "$work/cpython/Tools/tsan/suppressions_free_threading.txt" .ci/thread_sanitizer.supp > "$work/suppressions"
    TSAN_OPTIONS="exitcode=66 suppressions=$work/suppressions" \
        BGFAST_CPU=portable PYTHON_GIL=0 \
        "$work/cpython-tsan/bin/python3" -m pytest -q -p no:cacheprovider tests/test_shared_by_threads.py
}

windows() {
    local folder=$work/windows file failed=
    step "Windows: headers of CPython, NumPy and MinGW"
    install_packages clang mingw-w64-x86-64-dev
    fetch_cpython
    [ -e "$folder/numpy" ] ||
        python3 -m pip install -q --target "$folder" --platform win_amd64 --python-version 3.13 --no-deps \
            --only-binary=:all: numpy > "$work/log" 2>&1 || unavailable "NumPy for Windows"
    cp "$work"/cpython/PC/pyconfig.h* "$folder/pyconfig.h"
    : > "$folder/complex.h"   # MinGW's types differ from Microsoft's
    copy_tree "$work/tree-windows"
    step "Windows: the C of every module"
    for file in $(find bgfast -name '*.c' | sort); do
        clang --target=x86_64-pc-windows-msvc -fms-extensions -fms-compatibility-version=19.38 -fsyntax-only -fno-builtin \
            -Wno-everything -Werror=vla -Werror=gnu -Werror=implicit-function-declaration -include "$root/.ci/windows.h" \
            -isystem "$folder" -isystem "$work/cpython/Include" -isystem "$folder/numpy/_core/include" \
            -isystem /usr/x86_64-w64-mingw32/include -Ibgfast/core -Ibgfast/core/generator -Ibgfast/core/network -Ibgfast/batch -Ibgfast/common -Ibgfast/include \
            -DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION -DNPY_TARGET_VERSION=NPY_2_0_API_VERSION \
            $([[ $file != *x86_v3* ]] || echo -mavx2 -U__POPCNT__) $([[ $file != *x86_vnni* ]] || echo -mavx2 -mavx512f -mavx512bw -mavx512vnni -U__POPCNT__) "$file" || failed+=" $file"
    done
    [ -z "$failed" ] || { echo "failed:$failed"; return 1; }
    echo "$(find bgfast -name '*.c' | wc -l) files, no error"
}

refused() {
    local arch emulator output suite
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    install_packages qemu-user-static
    for arch in armhf s390x; do
        step "$arch"
        unpack_packages "$work/$arch" "$suite" "$arch" python3
        emulator=qemu-${arch/armhf/arm}-static
        output=$(cd "$root" && PYTHONHOME=$work/$arch/usr "$emulator" -L "$work/$arch" "$work/$arch/usr/bin/python3" \
            setup.py build_ext 2>&1) && { echo "built: $output"; return 1; }
        echo "$output"
        [[ $output == 'bgfast needs a '* && $output != *$'\n'* ]]
    done
}

oldest() {
    step "the oldest versions"
    local python
    python=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.10.*/bin/python3 2> /dev/null | tail -1 || true)
    python=${python:-$(command -v python3.10 || command -v python3)}
    [ -x "$work/oldest/bin/pytest" ] || {
        rm -rf "$work/oldest"
        "$python" -m venv "$work/oldest"
        # The minimum versions of pyproject.toml.
        sed -n 's/^\(requires\|dependencies\|test\|ci\) = \[\(.*\)\]$/\2/p' pyproject.toml | tr -d ' "' | tr ',' '\n' |
            sed -n 's/>=/==/p' | sort -u | tee /dev/stderr | xargs "$work/oldest/bin/pip" install -q > "$work/log" 2>&1 ||
            unavailable "the oldest versions for $python"
    }
    copy_tree "$work/tree-oldest"
    find bgfast -name '*.c' -delete   # use the oldest Cython's C
    CC="${ccache}gcc" "$work/oldest/bin/python" setup.py build_ext --inplace egg_info > build.log 2>&1 || { tail build.log; return 1; }
    run_quick_tests "$work/oldest/bin/python"
}

# A folder with links to all commands of PATH except compilers.
link_all_but_compilers() {
    local folders folder
    mkdir "$1"
    IFS=: read -ra folders <<< "$PATH"
    for folder in "${folders[@]}"; do
        find "$folder" -maxdepth 1 ! -type d -executable -exec ln -s -t "$1" {} + 2> /dev/null || true   # the first one counts
    done
    find "$1" -regextype egrep -regex '.*/([^/]*-)?(cc|c\+\+|c89|c99|cpp|tcc|[^/]*gcc|g\+\+|clang|clang\+\+)(-[0-9.]+)?' -delete
    if PATH=$1 command -v cc gcc g++ c++ clang; then echo "there is still a compiler"; return 1; fi
}

# A wheel and an sdist from one commit, in $work/wheels/dist.
build_distributions() {
    local time place from=$root
    time=$(git log -1 --format=%ct)
    step "two wheels from one commit"
    make_environment "$work/this" python3
    [ -x "$work/this/bin/pyproject-build" ] ||
        "$work/this/bin/pip" install -q build > "$work/log" 2>&1 || unavailable "build"
    rm -rf "$work/wheels"
    for place in first a/much/longer/second; do
        git clone -q "$from" "$work/wheels/$place"
        (cd "$work/wheels/$place" && CC="${ccache}gcc" SOURCE_DATE_EPOCH=$time "$work/this/bin/python" -m build -w \
            -o "$work/wheels/$place.dist" > "$work/log-wheel" 2>&1) || { tail -5 "$work/log-wheel"; return 1; }
        (cd "$work/wheels/$place.dist" && sha256sum *.whl)
        from=$work/wheels/first   # independent of later commits
        export CCACHE_DISABLE=1   # compile the second one afresh
    done
    unset CCACHE_DISABLE
    mv "$work/wheels/first.dist" "$work/wheels/dist"
    cmp "$work"/wheels/dist/*.whl "$work"/wheels/a/much/longer/second.dist/*.whl
    step "the sdist"
    (cd "$work/wheels/first" && SOURCE_DATE_EPOCH=$time "$work/this/bin/python" -m build -s -o "$work/wheels/dist" \
        > "$work/log-wheel" 2>&1) || { tail -5 "$work/log-wheel"; return 1; }
}

# Install a build into a separate environment; run the commit's tests outside the tree.
test_outside_the_tree() {
    local archive env=$work/wheels/env dist=$work/wheels/dist compilers=$PATH
    (cd "$dist" && wc -c *)
    rm -rf "$work/wheels/outside" "$work/wheels/bin"
    mkdir "$work/wheels/outside"
    (cd "$work/wheels/first" &&
        cp -r README.md CHANGELOG.md pyproject.toml tests benchmarks docs examples "$work/wheels/outside")
    link_all_but_compilers "$work/wheels/bin"
    unset PYTHONPATH CC CXX
    for archive in whl tar.gz; do
        step "the $archive, outside the tree"
        rm -rf "$env"
        python3 -m venv "$env"
        if [ "$archive" = whl ]; then   # without a compiler, and nothing built from source
            export PATH=$work/wheels/bin
            CC=/bin/false "$env/bin/python" -m pip install -q --only-binary :all: "$(ls "$dist"/*.whl)[test]"
            du -sb --exclude __pycache__ "$env"/lib/python3*/site-packages/bgfast
            (cd "$work/wheels/outside" && "$env/bin/python" "$root/.ci/import_cost.py")
        else
            export PATH=$compilers
            CC="${ccache}gcc" "$env/bin/pip" install -q "$(ls "$dist"/*.tar.gz)[test]"
        fi
        (cd "$work/wheels/outside" && run_quick_tests "$env/bin/python")
    done
}

wheel() {
    build_distributions
    test_outside_the_tree
}

case ${1:-} in
    arm64 | python | nogil | tsan | windows | refused | oldest | wheel) "$@" ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
