# Stage 1 builds with all dependencies. Stage 2 contains only what production runs. At a release, `npm run pin` adds the
# digest of the base image after its version.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
# The browser checks the shop's pages before a launch and takes pictures of arms. It takes about 400 MB of the image, and
# 300 MB of memory while it runs. CHROMIUM_PATH=off switches it off.
# It runs under its own account, which can read neither the data nor the environment of this program.
RUN apt-get update && apt-get install -y --no-install-recommends chromium chromium-sandbox fonts-liberation tini && rm -rf /var/lib/apt/lists/* \
  && useradd --system --user-group --no-create-home --shell /usr/sbin/nologin browser
WORKDIR /app
ENV NODE_ENV=production PORT=8080 DEMO_SHOP_HOST=0.0.0.0 DATA_DIR=/data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/public ./public
COPY --from=build /app/demo-shop/themes ./demo-shop/themes
COPY --from=build /app/demo-shop/platform ./demo-shop/platform
COPY --from=build /app/demo-shop/shopify/schema ./demo-shop/shopify/schema
COPY docker-entrypoint.sh ./
VOLUME /data
EXPOSE 8080
# Killed browsers leave zombie processes, which the first process of a container must reap. tini does that.
ENTRYPOINT ["/usr/bin/tini", "-s", "--", "/app/docker-entrypoint.sh"]
# Start Node directly: npm would not pass on the stop signal.
CMD ["node", "--enable-source-maps", "dist/main.js"]
