#!/bin/sh
# The documents as a site that opens from disk, in results/site: packaging/site/build.sh MALLARD
# MALLARD is the path of the command, which prints its own reference.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
case ${1:?the path of the command mallard is missing} in
  /*) command=$1 ;;
  *) command=$PWD/$1 ;;
esac
cd "$root"
pages=build/site/pages
tools=build/site/tools
zensical=zensical==0.0.73
iframe_worker=iframe-worker@1.0.4
rm -rf "$pages" results/site
mkdir -p "$pages" results
cp packaging/site/mkdocs.yml build/site
if [ ! -e "$tools/node_modules/iframe-worker" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" -q install --disable-pip-version-check "$zensical"
  npm install --silent --no-audit --no-fund --prefix "$tools" "$iframe_worker"
fi

node packaging/site/pages.mjs "$pages"
node packaging/site/api.mjs "$pages"
"$command" man --markdown >"$pages/commands.md"
"$tools/bin/zensical" build --strict --clean -f build/site/mkdocs.yml >build/site/log 2>&1 ||
  { cat build/site/log >&2; exit 1; }
rm build/site/html/404.html  # its paths begin at a server's root, where nothing says that the site will be
# Its search needs a worker that a page from disk may start; zensical names the network's.
cp "$tools/node_modules/iframe-worker/shim/index.js" build/site/html/assets/javascripts/iframe-worker.js
sed -i 's#https://unpkg.com/iframe-worker/shim#assets/javascripts/iframe-worker.js#' build/site/html/*.html
node packaging/site/check.mjs build/site/html
mv build/site/html results/site
echo "The site is $root/results/site/index.html: open it in any browser."
