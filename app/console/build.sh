#!/bin/sh
# Fetches what package.json pins and puts it into static/vendor; needs Node. Whoever runs the console needs neither.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cp "$here/package.json" "$made/"
(cd "$made" && npm install --silent --no-audit --no-fund --ignore-scripts --no-package-lock)
MADE=$made HERE=$here node -e '
const fs = require("fs"), { MADE, HERE } = process.env;
const hash = (text) => require("crypto").createHash("sha256").update(text).digest("hex");
for (const [name, one] of Object.entries(require(`${HERE}/package.json`).vendored)) {
  const text = fs.readFileSync(`${MADE}/node_modules/${one.from}`), found = hash(text);
  if (found !== one.sha256) throw new Error(`${name}: package.json has sha256 ${one.sha256}, the registry ${found}`);
  fs.writeFileSync(`${HERE}/static/vendor/${name}`, text);
}'
