import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

export type TemporaryPostgres = {
  url: string
  stop: () => Promise<void>
  /**
   * Stops the server and starts it on the same data and port: cleanly, or (`crash`) as if it had
   * been killed.
   */
  restart: (options?: { crash?: boolean }) => Promise<void>
}

/**
 * Starts a temporary Postgres for tests and benches: data in a temporary folder, a free loopback
 * port; `stop` removes it. Uses the server binaries of the machine; null when there are none.
 * `lasting: false`: the data need not survive a power cut, so it never waits for the disk.
 */
export async function startPostgres({ lasting = true } = {}): Promise<TemporaryPostgres | null> {
  const bin = findBinaries()
  if (!bin) return null
  const account = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-postgres-'))
  const data = join(folder, 'data')
  if (account) chownSync(folder, account.uid, account.gid)
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'twinshelf', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder, ...account },
  )
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    log_min_messages: 'fatal',
    ...(!lasting && {
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
      // Machine code for a query takes longer than the query on the few rows of a test.
      jit: 'off',
    }),
  }
  const begin = () => {
    const server = spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      { stdio: ['ignore', 'ignore', 'ignore'], cwd: folder, ...account },
    )
    return { server, exited: new Promise<void>(resolve => server.once('exit', () => resolve())) }
  }
  let running = begin()
  const end = async (signal: NodeJS.Signals) => {
    running.server.kill(signal)
    await running.exited
  }
  const stop = async () => {
    await end('SIGINT')
    rmSync(folder, { recursive: true, force: true })
  }
  const isReady = () => {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-t', '1'], {
        stdio: 'ignore',
      })
      return true
    } catch {
      return false
    }
  }
  const ready = async () => {
    const deadline = Date.now() + 30_000
    while (!isReady()) {
      if (running.server.exitCode !== null || Date.now() > deadline) {
        await stop()
        throw new Error('The temporary Postgres did not start.')
      }
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  await ready()
  return {
    url: `postgres://twinshelf@127.0.0.1:${port}/postgres`,
    stop,
    restart: async ({ crash = false } = {}) => {
      // SIGQUIT ends Postgres without a checkpoint, so it recovers from its log.
      await end(crash ? 'SIGQUIT' : 'SIGINT')
      running = begin()
      await ready()
    },
  }
}

function findBinaries(): string | null {
  const folders = (process.env['PATH'] ?? '').split(':')
  // Debian and Homebrew do not put the server's binaries on the PATH. They have one folder per
  // version: take the newest.
  const byVersion = globSync([
    '/usr/lib/postgresql/*/bin',
    '/opt/homebrew/opt/postgresql@*/bin',
    '/usr/local/opt/postgresql@*/bin',
  ])
  byVersion.sort((a, b) => Number(b.match(/\d+/)?.[0]) - Number(a.match(/\d+/)?.[0]))
  return (
    [...folders, ...byVersion].find(folder =>
      ['initdb', 'postgres', 'pg_isready'].every(name => existsSync(join(folder, name))),
    ) ?? null
  )
}

/**
 * Postgres refuses to run as root. Returns another account of the machine then; null when we are
 * not root.
 */
function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const idOf = (flag: string, name: string) =>
    Number(
      execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) }
    } catch {
      /* no such account */
    }
  }
  throw new Error(
    'Postgres cannot run as root, and there is no account "postgres" or "nobody" to run it as.',
  )
}
