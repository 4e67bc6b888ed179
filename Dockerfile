# To pin what the tag means today, append its digest: node:24.21.0-alpine3.24@sha256:… (docs/delivery.md).
FROM node:24.21.0-alpine3.24 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
# Types, source maps and documents of packages are a quarter of their bytes.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) -delete \
  && rm node_modules/shop-web

FROM node:24.21.0-alpine3.24 AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web web
RUN --mount=type=cache,target=/root/.npm npm ci --workspace=web --ignore-scripts && npm run bundle --workspace=web

FROM node:24.21.0-alpine3.24 AS shop
# The package managers aren't needed any more, and what they bundle would be reported as vulnerable.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
  /usr/local/bin/yarn /usr/local/bin/yarnpkg /usr/local/include \
  && install -d -o node -g node /data /app/.cache
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/app/.cache
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY src src
COPY plugins plugins
COPY routes routes
COPY db db
COPY jobs jobs
COPY --from=web /app/web/dist web/dist
USER node
# Compiles all code now, with the options that will run it: with a read-only root no container could keep its own cache.
RUN ["sh", "src/server.sh", "--eval", "import('/app/src/start.ts')"]
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "src/server.sh"]

# For the profile "demo" of compose.yaml.
FROM shop AS demo
COPY demo demo
CMD ["node", "demo/server.ts"]

# The last stage is what `docker build .` makes.
FROM shop
