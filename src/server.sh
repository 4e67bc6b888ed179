#!/bin/sh
# Runs the shop, or Node with the given arguments, with the options of production (docs/performance.md).
export MALLOC_ARENA_MAX=1 NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/node}"
exec node --max-semi-space-size=8 --max-old-space-size=1536 "${@:-src/server.ts}"
