# Stage 1 builds with every dependency; stage 2 holds what production runs and nothing else. `npm run pin` writes the
# digest of the base image behind its version; a release is built with it.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
# The browser that looks at the shop's pages before a launch and takes pictures of arms: some 400 MB of the image, and
# 300 MB of memory while it runs. CHROMIUM_PATH=off does without.
# It runs under an account of its own, which reads neither the data nor what this program was started with.
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
COPY docker-entrypoint.sh ./
VOLUME /data
EXPOSE 8080
# Browsers that are killed leave processes behind, and the first process of a container has to take them away.
ENTRYPOINT ["/usr/bin/tini", "-s", "--", "/app/docker-entrypoint.sh"]
# Node itself, not npm: npm would swallow the stop signal.
CMD ["node", "--enable-source-maps", "dist/main.js"]
