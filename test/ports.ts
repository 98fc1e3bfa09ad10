import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that nobody else gets until `release`, after which its own server is to listen at once. */
export type HeldPort = { port: number; release: () => Promise<void> }

/**
 * For a server whose address must be known before it listens. Below the ports that systems give out by themselves
 * (from 32768 on Linux), so that no connection, and nobody who listens on any port, takes it in between.
 */
export async function holdPort(): Promise<HeldPort> {
  for (;;) {
    const port = first + (next++ % portsEach),
      server = createServer()
    // On every address: somebody else's server on one of them would be met by another's name.
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

/** The same for a server in another process, which can only be told the number. */
export async function freePort(): Promise<number> {
  const { port, release } = await holdPort()
  await release()
  return port
}

// Test files that run at the same moment, by Playwright's number or by tap's, have ports of their own.
const portsEach = 500,
  lanes = 24
const lane =
  Number(process.env['TEST_PARALLEL_INDEX'] ?? process.env['TAP_JOB_ID'] ?? process.pid) % lanes
const first = 20_000 + lane * portsEach
// One after the other: what was given out may not be listened on yet.
let next = randomInt(portsEach)
