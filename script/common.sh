# shellcheck shell=bash
# What the scripts beside this file share. Sourced, after which the top folder is the current one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() {
    printf '%s\n' "$*" >&2
}

# configure DIR COMPILER MESON-OPTION...: sets a build directory up when it is missing or belongs
# to another place, and makes sure of the options otherwise. Costs nothing when all is well.
configure() {
    local dir=$1 compiler=$2
    shift 2
    if [[ -d $dir ]] && ! grep -qsF "\"source\": \"$PWD\"" "$dir/meson-info/meson-info.json"; then
        rm -rf "$dir"
    fi
    if [[ ! -f $dir/build.ninja ]]; then
        rm -rf "$dir"
        CC=$compiler meson setup "$dir" "$@" || return
    elif [[ $# -gt 0 && $* != "$(cat "$dir/options.txt" 2>/dev/null)" ]]; then
        meson configure "$dir" "$@" || return
    fi
    if [[ $# -gt 0 && $* != "$(cat "$dir/options.txt" 2>/dev/null)" ]]; then
        printf '%s\n' "$*" >"$dir/options.txt"
    fi
}

# The three builds of the tests, and the one of the fuzzers. Hundreds of test programs are linked for the
# sanitizers: lld takes half the time, and stacks need no more than lines.
sanitized=(-Dwerror=true -Db_lundef=false -Dc_args=-gline-tables-only -Dc_link_args=-fuse-ld=lld)

configure_plain() {
    configure build gcc -Dwerror=true
}

configure_asan() {
    configure build-asan clang "${sanitized[@]}" -Db_sanitize=address,undefined
}

configure_tsan() {
    configure build-tsan clang "${sanitized[@]}" -Db_sanitize=thread
}

configure_fuzz() {
    configure build-fuzz clang -Dfuzzers=true -Db_sanitize=address,undefined -Db_lundef=false
}

# make_in BUILD [OPTION]...: one at a time, as two steps may want the same build.
make_in() {
    flock "$1" ninja -C "$@"
}

# Our own C files, committed or about to be.
c_files() {
    find src fuzz bench examples -name '*.[ch]' 2>/dev/null | sort || true
}

# Installs the node packages when the lock file has changed since the last time.
node_packages() {
    if [[ ! -f package-lock.json ]]; then
        say "package-lock.json is missing: the node packages of the tests cannot be installed"
        return 1
    fi
    if ! cmp -s package-lock.json node_modules/.installed-lock.json; then
        # npm would empty the folder that a link leads to.
        [[ ! -L node_modules ]] || rm node_modules
        npm ci --no-audit --no-fund && cp package-lock.json node_modules/.installed-lock.json
    fi
}

# Redocly's tools need a newer node than Debian 12 has. Without one their part is left out, but not in
# CI, and never in silence.
redocly_can_run() {
    if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; then
        return 0
    fi
    say "left out: redocly needs node 20.19 or later, this is $(node --version)"
    [[ ${CI:-} != true ]] || exit 1
    return 1
}
