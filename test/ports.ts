import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that no other server gets until `release`. After that its own server should listen at
 * once.
 */
export type HeldPort = { port: number; release: () => Promise<void> }

/**
 * Finds a port for a server whose address must be known before it listens. Its number is below the
 * ports that systems assign automatically (from 32768 on Linux), so that no connection and no
 * server with port 0 takes it in between.
 */
export async function holdPort(): Promise<HeldPort> {
  for (;;) {
    const port = first + (next++ % portsEach),
      server = createServer()
    // Listen on every address: another server on one of them would answer requests by another host
    // name.
    server.listen(port).unref()
    const isFree = await once(server, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
      },
    )
    if (isFree)
      return {
        port,
        release: async () => {
          server.close()
          await once(server, 'close')
        },
      }
  }
}

/**
 * A free port for a server in another process. It is released at once, because another process can
 * only get the number.
 */
export async function freePort(): Promise<number> {
  const { port, release } = await holdPort()
  await release()
  return port
}

// Test files that run at the same time use different ranges of ports, chosen by the number of their
// process among those that Playwright or scripts/testing/suites.ts runs.
const portsEach = 500,
  ranges = 24
const lane =
  Number(process.env['TEST_PARALLEL_INDEX'] ?? process.env['TAP_JOB_ID'] ?? process.pid) % ranges
const first = 20_000 + lane * portsEach
// Count up: a server may not listen yet on a port that was given out.
let next = randomInt(portsEach)
