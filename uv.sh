#!/bin/sh
# Runs uv of the environment in folder $1, with all further arguments. uv does not read pip's configuration: what that
# says of package indexes is passed on, unless uv is configured itself.
set -eu
bin=$1
shift

is_set() { env | grep -q "^$1="; }
pass_on() {  # variable, value
    if [ -n "$2" ] && ! is_set "$1"; then export "$1=$2"; fi
}
configuration=$("$bin/python" -m pip config list)
pip_setting() {  # several values are set apart by spaces; pip lists a variable's value first, and it counts first
    printf '%s\n' "$configuration" | sed -nE "s/^(:env:|global|install)\.$1=['\"](.*)['\"]\$/\2/p" | head -n 1 |
        sed 's/\\n/ /g; s/^ *//; s/ *$//'
}

uv_has_index=no
for variable in UV_DEFAULT_INDEX UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_CONFIG_FILE; do
    if is_set $variable; then uv_has_index=yes; fi
done
for file in "${XDG_CONFIG_HOME:-${HOME:-}/.config}/uv/uv.toml" /etc/uv/uv.toml; do
    if [ -f "$file" ]; then uv_has_index=yes; fi
done
if [ $uv_has_index = no ]; then
    pass_on UV_DEFAULT_INDEX "$(pip_setting index-url)"
    pass_on UV_INDEX "$(pip_setting extra-index-url)"
    if is_set UV_INDEX; then pass_on UV_INDEX_STRATEGY unsafe-best-match; fi  # as pip: the best version of all indexes
    pass_on UV_FIND_LINKS "$(pip_setting find-links | tr ' ' ',')"
    pass_on UV_INSECURE_HOST "$(pip_setting trusted-host)"
fi
pass_on SSL_CERT_FILE "$(pip_setting cert)"
pass_on ALL_PROXY "$(pip_setting proxy)"
exec "$bin/uv" "$@"
