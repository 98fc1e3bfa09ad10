# Stage 1 builds with every dependency; stage 2 holds what production runs and nothing else.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-slim
# The browser that looks at the shop's pages before a launch and takes pictures of arms: some 400 MB of the image, and
# 300 MB of memory while it runs. CHROMIUM_PATH=off does without.
RUN apt-get update && apt-get install -y --no-install-recommends chromium fonts-liberation && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Containers let no browser build its sandbox, as a rule; set it to `on` where yours does.
ENV NODE_ENV=production PORT=8080 DEMO_SHOP_HOST=0.0.0.0 DATA_DIR=/data CHROMIUM_SANDBOX=off
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/public ./public
COPY --from=build /app/demo-shop/themes ./demo-shop/themes
COPY --from=build /app/demo-shop/platform ./demo-shop/platform
COPY docker-entrypoint.sh ./
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/app/docker-entrypoint.sh"]
# Node itself, not npm: npm would swallow the stop signal.
CMD ["node", "--enable-source-maps", "dist/main.js"]
