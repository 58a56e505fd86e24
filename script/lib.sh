# What the scripts beside this one share. Sourced, never run; bash 3.2 is enough.

# With --help a script prints the comment that it begins with.
case ${1:-} in -h | --help)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit
    ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$1"
    exit 1
}

# Runs a command with the rights to install packages.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        fail "Installing packages needs root: run “$*” as root, then this again."
    fi
}

has_library() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }

# Prints the missing packages of this system. Arguments are pairs “check:package”; check is a command, a library of
# pkg-config as “lib=NAME”, or a file as “file=PATH”.
missing_packages() {
    local pair check
    for pair in "$@"; do
        check=${pair%%:*}
        case $check in
            lib=*) has_library "${check#lib=}" || printf '%s ' "${pair#*:}" ;;
            file=*) [ -e "${check#file=}" ] || printf '%s ' "${pair#*:}" ;;
            *) command -v "$check" >/dev/null 2>&1 || PATH=$PATH:/usr/sbin:/sbin command -v "$check" >/dev/null 2>&1 ||
                printf '%s ' "${pair#*:}" ;;
        esac
    done
}

install_debian() {
    local missing
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    say "Installing: $missing"
    export DEBIAN_FRONTEND=noninteractive
    # The lists may be old or absent. If they cannot be fetched, installing reports what is wrong.
    as_root apt-get update -qq >&2 || true
    # shellcheck disable=SC2086 # one word a package
    as_root apt-get install -y -qq --no-install-recommends $missing >&2 ||
        fail "These packages are needed and could not be installed: $missing"
}

install_mac() {
    local missing
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    command -v brew >/dev/null 2>&1 || fail "These packages are needed: $missing(Homebrew, https://brew.sh, has them.)"
    say "Installing: $missing"
    # shellcheck disable=SC2086 # one word a package
    brew install $missing >&2
}

# Installs what building and running needs.
install_for_build() {
    command -v swift >/dev/null 2>&1 ||
        fail "Swift 6.2 or later is needed: https://www.swift.org/install says how to get it."
    if command -v apt-get >/dev/null 2>&1; then
        install_debian pkg-config:pkg-config lib=libsodium:libsodium-dev lib=libqrencode:libqrencode-dev \
            lib=sqlite3:libsqlite3-dev
    elif [ "$(uname)" = Darwin ]; then
        install_mac pkg-config:pkgconf lib=libsodium:libsodium lib=libqrencode:qrencode
    else
        pkg-config --exists libsodium libqrencode sqlite3 ||
            fail "The headers of libsodium, libqrencode and SQLite, and pkg-config, are needed; please install them."
    fi
    install_for_helper
}

# Installs what the helper program needs. Package.swift builds it where STREAKMESH_INTERNET is 1; the node works without it.
install_for_helper() {
    # In subshells: without these packages there is less, but there is something.
    if command -v apt-get >/dev/null 2>&1; then
        (install_debian lib=libtorrent-rasterbar:libtorrent-rasterbar-dev lib=miniupnpc:libminiupnpc-dev) || true
    elif [ "$(uname)" = Darwin ]; then
        (install_mac lib=libtorrent-rasterbar:libtorrent-rasterbar lib=miniupnpc:miniupnpc) || true
        # The compiler does not look there by itself.
        local prefix
        prefix=$(brew --prefix 2>/dev/null) || prefix=/opt/homebrew
        export CPATH=$prefix/include${CPATH:+:$CPATH} LIBRARY_PATH=$prefix/lib:$prefix/opt/openssl@3/lib${LIBRARY_PATH:+:$LIBRARY_PATH}
    fi
    export STREAKMESH_INTERNET=0
    if has_library libtorrent-rasterbar && has_library miniupnpc; then
        STREAKMESH_INTERNET=1
    else
        say "Without libtorrent-rasterbar and miniupnpc there is no helper program: no UPnP, and nobody is found by the DHT."
    fi
}

# Installs what the tests in network namespaces need, if they can run here.
install_for_network_tests() {
    command -v apt-get >/dev/null 2>&1 || return 0
    install_debian ip:iproute2 nft:nftables tcpdump:tcpdump miniupnpd:miniupnpd-nftables \
        file=/usr/lib/python3/dist-packages/libtorrent.egg-info:python3-libtorrent
}

# Prints the name of a Python that can make virtual environments.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$name"
            return
        fi
    done
    return 1
}

# make_venv FOLDER REQUIREMENTS PYTHON: a virtual environment with these packages, unless it is there.
make_venv() {
    local venv=$1 requirements=$2 python=$3
    # A copy of the requirements beside the packages shows whether these are the right ones.
    if cmp -s "$requirements" "$venv/requirements.txt"; then return; fi
    rm -rf "$venv"
    mkdir -p "$(dirname "$venv")"
    "$python" -m venv "$venv" >&2 || return 1
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 -r "$requirements" >&2 || return 1
    cp "$requirements" "$venv/requirements.txt"
}

# Whether this machine lets us make network namespaces.
can_make_namespaces() {
    [ "$(uname)" = Linux ] && [ "$(id -u)" -eq 0 ] && command -v ip >/dev/null 2>&1 || return 1
    local name="streakmesh-probe-$$"
    ip netns add "$name" 2>/dev/null && ip netns delete "$name"
}

# Builds the optimised program unless STREAKMESH names one, and leaves its path in $streakmesh.
build_program() {
    if [ -n "${STREAKMESH:-}" ]; then
        streakmesh=$STREAKMESH
        return
    fi
    install_for_build
    say "Building; the first time takes a few minutes."
    swift build -c release --product streakmesh >&2
    # The node looks for it beside itself.
    if [ "$STREAKMESH_INTERNET" = 1 ]; then swift build -c release --product streakmesh-internet >&2; fi
    streakmesh=$(swift build -c release --show-bin-path)/streakmesh
}
