#!/bin/sh
# Runs the shop, or Node with the given arguments, with the options of production (docs/performance.md).
case "$(node --version)" in
v2[4-9].* | v[3-9]?.*) ;;
*) echo "The shop needs Node 24 or later, not $(node --version): run it with npm, or install Node 24." >&2 && exit 1 ;;
esac
export MALLOC_ARENA_MAX=1 NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/node}"
# Node's --env-file-if-exists says each time that there is none.
[ ! -f .env ] || set -- --env-file=.env "${@:-src/server.ts}"
exec node --max-semi-space-size=8 --max-old-space-size=1536 "${@:-src/server.ts}"
