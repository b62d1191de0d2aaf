#!/usr/bin/env bash
# Finds the programs by others that benchmarks and tests compare with, `tools.sh nginx wrk`, and fetches from Debian's
# packages what the system does not have: unpacked into .build/tools, installed nowhere, no service started. Says on the
# error output what it does, and prints `NAME PATH` for each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# find_tool NAME PACKAGE PATH-IN-PACKAGE
find_tool() {
  local name=$1 package=$2 folder=$PWD/.build/tools path
  path=$(command -v "$name" || true)
  [ -n "$path" ] || path=$folder/$3
  if [ ! -x "$path" ]; then
    command -v apt-get >/dev/null || { echo "$name is not installed; install it and try again." >&2; exit 1; }
    echo "Unpacking Debian's package $package into .build/tools (nothing is installed)" >&2
    mkdir -p "$folder/packages"
    rm -f "$folder/packages/$package"_*.deb
    (cd "$folder/packages" && apt-get -qq download "$package" >&2)
    dpkg -x "$folder/packages/$package"_*.deb "$folder"
  fi
  [ -x "$path" ] || { echo "$name cannot be had from the package $package." >&2; exit 1; }
  echo "$name $path"
}

for name in "$@"; do
  case $name in
    nginx) find_tool nginx nginx usr/sbin/nginx ;;
    wrk) find_tool wrk wrk usr/bin/wrk ;;
    *) echo "There is no tool \"$name\" here." >&2; exit 64 ;;
  esac
done
