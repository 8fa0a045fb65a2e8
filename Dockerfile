# A static binary and nothing else. gate needs git and Go: run it in a golang image.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -tags minimal -trimpath -ldflags '-s -w' -o /poolbench ./cmd/poolbench

FROM gcr.io/distroless/static:nonroot
COPY --from=build /poolbench /poolbench
COPY LICENSE THIRD_PARTY.md /
WORKDIR /out
ENTRYPOINT ["/poolbench"]
