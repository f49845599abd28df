# One image for web, worker and beat; docker-compose.yml says which it becomes.

FROM node:22.17.0-bookworm-slim AS front-end
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY static static
RUN node static/build.mjs

FROM python:3.11.13-slim-bookworm AS packages
WORKDIR /src
COPY requirements-bootstrap.lock requirements.lock ./
RUN python -m venv /opt/quadern \
 && /opt/quadern/bin/pip install --no-cache-dir --require-hashes -r requirements-bootstrap.lock \
 && /opt/quadern/bin/uv pip install --no-cache --python /opt/quadern/bin/python --require-hashes -r requirements.lock \
 && /opt/quadern/bin/pip uninstall --yes uv

FROM python:3.11.13-slim-bookworm
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      tesseract-ocr tesseract-ocr-cat tesseract-ocr-spa tesseract-ocr-por tesseract-ocr-nld tesseract-ocr-eng \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /app quadern \
 && install -d -o quadern -g quadern /data
COPY --from=packages /opt/quadern /opt/quadern
WORKDIR /app
COPY manage.py ./
COPY config config
COPY apps apps
COPY templates templates
COPY locale locale
COPY demo demo
COPY --from=front-end /src/static/dist static/dist
RUN /opt/quadern/bin/python -c "import pathlib, polib; [polib.pofile(str(f)).save_as_mofile(str(f.with_suffix('.mo'))) for f in pathlib.Path('locale').rglob('*.po')]"
ENV PATH=/opt/quadern/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MALLOC_ARENA_MAX=2 \
    DJANGO_SETTINGS_MODULE=config.settings.production \
    QUADERN_DATA=/data
USER quadern
VOLUME /data
EXPOSE 8000
CMD ["daphne", "-e", "tcp:8000:interface=0.0.0.0:backlog=1024", "--access-log", "-", "--server-name", "quadern", "config.asgi:application"]
