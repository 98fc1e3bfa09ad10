#!/bin/sh
# Docker mounts the volume as root. So give the volume to the account that runs the program (node), start the browser's
# launcher under an account that cannot read it (browser), then run the program as node.
set -e
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$DATA_DIR"
  find "$DATA_DIR" ! -user node -exec chown node:node {} +
  chmod 700 "$DATA_DIR"
  case "${CHROMIUM_PATH:-} $*" in
    off*) ;;
    *dist/main.js* | *dist/engine.js*)
      install -d -o browser -g node -m 0750 /run/twinshelf
      export CHROMIUM_LAUNCHER=/run/twinshelf/chromium.sock
      env -i PATH="$PATH" CHROMIUM_PATH="${CHROMIUM_PATH:-}" CHROMIUM_LAUNCHER="$CHROMIUM_LAUNCHER" setpriv --reuid=browser --regid=browser --clear-groups \
        sh -c 'while :; do node /app/dist/launcher.js "$CHROMIUM_LAUNCHER" || sleep 5; done' &
      ;;
  esac
  exec setpriv --reuid=node --regid=node --init-groups "$@"
fi
exec "$@"
