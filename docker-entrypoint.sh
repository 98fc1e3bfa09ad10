#!/bin/sh
# A volume is mounted as root: hand it to the account that runs the program, then become that account for good.
set -e
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$DATA_DIR"
  find "$DATA_DIR" ! -user node -exec chown node:node {} +
  exec setpriv --reuid=node --regid=node --init-groups "$@"
fi
exec "$@"
