# Images with pmc. `docker build -t pmc .` makes the one with a Rust toolchain, in which compiled verifiers take over on
# large models; `docker build --target interpreter -t pmc .` makes a small one, which interprets every model.
#
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/models" pmc verify model.pml
#
# Trails and pages are written to the folder that is mounted.

ARG RUST=1.95
ARG DEBIAN=trixie

FROM rust:${RUST}-slim-${DEBIAN} AS build
WORKDIR /source
COPY . .
RUN cargo install --locked --path compiler --root /installed

FROM debian:${DEBIAN}-slim AS interpreter
COPY --from=build /installed/bin/pmc /usr/local/bin/pmc
WORKDIR /models
ENTRYPOINT ["pmc"]
CMD ["--help"]

# The toolchain brings cargo, rustc and a linker, which is all that a verifier needs: it uses no package.
FROM rust:${RUST}-slim-${DEBIAN}
COPY --from=build /installed/bin/pmc /usr/local/bin/pmc
# The searches are built here, so that the first verification of a user does not wait for them; whoever runs the image
# may add to the cache.
ENV PMC_CACHE=/var/cache/pmc
RUN echo 'byte x; init { x = 1; assert(x == 1) }' > /tmp/first.pml \
    && pmc verify --engine compiled /tmp/first.pml \
    && rm /tmp/first.pml \
    && chmod -R a+rwX /var/cache/pmc
WORKDIR /models
ENTRYPOINT ["pmc"]
CMD ["--help"]
