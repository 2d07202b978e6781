# queueproof with k6 in it. Reports go to /data/reports/latest: mount a folder there that user 1000 may write to.
#   docker build -t queueproof .
#   docker run --rm queueproof contract
#   docker run --rm --network host queueproof contract --base-url http://127.0.0.1:8080 --endpoint ID --api-key KEY

# The base images are pinned: the tag says what each is, the digest which one. How to renew them: docs/security.md.
FROM golang:1.26.4-bookworm@sha256:b305420a68d0f229d91eb3b3ed9e519fcf2cf5461da4bef997bf927e8c0bfd2b AS k6
RUN CGO_ENABLED=0 GOBIN=/out go install go.k6.io/k6@v1.8.1

FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
COPY --from=k6 /out/k6 /usr/local/bin/k6
COPY --from=build /build/package.json /build/README.md /opt/queueproof/
COPY --from=build /build/node_modules /opt/queueproof/node_modules
COPY --from=build /build/dist /opt/queueproof/dist
COPY --from=build /build/openapi /opt/queueproof/openapi
COPY --from=build /build/scenarios /opt/queueproof/scenarios
COPY --from=build /build/docs /opt/queueproof/docs
COPY --from=build /build/reference/console/page /opt/queueproof/reference/console/page
RUN ln -s /opt/queueproof/dist/cli/main.js /usr/local/bin/queueproof \
  && chmod 755 /opt/queueproof/dist/cli/main.js \
  && install -d -o 1000 -g 1000 /data
WORKDIR /data
USER 1000
ENV NODE_ENV=production K6_PATH=/usr/local/bin/k6
ENTRYPOINT ["queueproof"]
CMD ["--help"]
