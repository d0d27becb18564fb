# npm installs the exact Node version of the service, which needs libatomic1; the Node of the build image only runs npm.
FROM node:24-trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/link-node.mjs scripts/
RUN npm ci
COPY . .
# --no-save keeps the time stamp of the lockfile: a newer lockfile would make the build look outdated.
RUN npm run build && npm prune --omit=dev --no-save && node scripts/link-node.mjs

FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libatomic1 tini && rm -rf /var/lib/apt/lists/* \
  && useradd --system --create-home --uid 10001 vendops && install -d -o vendops /var/lib/vendops
WORKDIR /app
COPY --from=build /app /app
ENV PATH=/app/node_modules/.bin:$PATH HOST=0.0.0.0 PORT=8080 DATABASE_URL=sqlite:/var/lib/vendops/vendops.db DATA_DIR=/var/lib/vendops
USER vendops
VOLUME /var/lib/vendops
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "bin/vendops.js", "serve"]
