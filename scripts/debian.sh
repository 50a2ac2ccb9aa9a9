# Installs Debian's packages, for the scripts beside this one, which source it. All talk goes to stderr.

say() { echo "$(basename "$0"): $*" >&2; }

# as_root runs its arguments as root, or fails where that is not to be had.
as_root() {
	if ((EUID == 0)); then
		"$@"
	elif [[ -t 0 ]]; then
		sudo "$@"
	else
		sudo -n "$@" # nobody is there to type a password
	fi
}

# can_install tells whether this machine takes Debian's packages from us.
can_install() {
	command -v apt-get >/dev/null && as_root true
}

# install_packages installs the packages that its arguments name, quietly but for what goes wrong.
install_packages() {
	as_root apt-get update -qq </dev/null >/dev/null &&
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}
