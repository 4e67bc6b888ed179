#!/bin/sh
# Builds web/ after `npm ci`. After `npm ci --omit=dev` there is nothing to build with, and the shop starts without a console.
[ -f web/vite.config.ts ] && [ -e node_modules/vite ] && [ -e node_modules/react ] || exit 0
exec npm run build --silent --workspace=web
