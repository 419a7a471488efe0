# The workbench on the files of a folder, for this computer alone:
#   docker build -t evosdc .
#   docker run --rm -it --network host --user "$(id -u):$(id -g)" -v "$PWD:/data" evosdc
# and open the address that it prints. Any other command, without a network:
#   docker run --rm --network none --user "$(id -u):$(id -g)" -v "$PWD:/data" evosdc protect patients.csv --time 60s
FROM python:3.12-slim AS build
COPY . /source
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheels /source

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN wheel=$(echo /wheels/*.whl) \
    && pip install --no-cache-dir "${wheel}[analysis,certified,social]" \
    && rm -r /wheels
# Whoever runs the container writes what numba compiles there.
ENV HOME=/tmp NUMBA_CACHE_DIR=/tmp/kernels
WORKDIR /data
ENTRYPOINT ["evosdc"]
CMD ["app", "/data", "--no-browser", "--port", "8000"]
