#!/usr/bin/env bash
# Makes sure that there is a C compiler: Go's race detector needs one to link with. Where there is none it installs
# Debian's, saying so first, or says what to install and fails.
set -euo pipefail
source "$(dirname "$0")/debian.sh"

found() { command -v "$(go env CC)" >/dev/null; }

found && exit
if can_install; then
	say "no C compiler found, which Go's race detector needs; installing Debian's packages gcc and libc6-dev"
	install_packages gcc libc6-dev && found && exit
fi
say "no C compiler found, which Go's race detector needs, and none could be installed."
say "Install one (Debian, Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc; macOS: xcode-select --install)."
exit 1
