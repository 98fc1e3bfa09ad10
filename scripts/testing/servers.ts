import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

/** A server of the machine that a test started, on a free loopback port. */
export type TestServer = {
  port: number
  stop: () => Promise<void>
  /** Ends it at once (SIGKILL); `start` starts it again on the same port. */
  kill: () => Promise<void>
  start: () => Promise<void>
}

const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/**
 * Path of a server's program. Installs Debian's package of the same name if it is missing and that
 * is possible; else throws.
 */
function programOf(name: string): string {
  const find = () =>
    [...(process.env['PATH'] ?? '').split(':'), ...folders]
      .map(folder => join(folder, name))
      .find(path => existsSync(path))
  const found = find()
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    console.log(`No ${name} here: installing it …`)
    const install = `apt-get install -qy ${name}`
    // A package's own service would only be in the way.
    execFileSync(
      '/bin/sh',
      [
        '-c',
        `export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1; ${install} || { apt-get update -q && ${install}; }`,
      ],
      { stdio: 'ignore', timeout: 300_000 },
    )
  }
  const installed = find()
  if (!installed) throw new Error(`There is no ${name} on this machine. Install it for this test.`)
  return installed
}

/** Settles when something accepts connections on this port. Throws after ten seconds. */
export async function listens(port: number): Promise<void> {
  for (const end = Date.now() + 10_000; ; await setTimeout(25)) {
    const isThere = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      })
      socket.on('error', () => resolve(false))
    })
    if (isThere) return
    if (Date.now() > end) throw new Error(`Nothing listens on port ${port}.`)
  }
}

async function startServer(
  name: string,
  port: number,
  args: readonly string[],
  onStop = () => {},
): Promise<TestServer> {
  const program = programOf(name)
  const begin = () => spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore'], cwd: tmpdir() })
  let child = begin()
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await exited
  }
  await listens(port)
  return {
    port,
    kill: () => end('SIGKILL'),
    start: async () => {
      child = begin()
      await listens(port)
    },
    stop: async () => {
      await end('SIGKILL')
      onStop()
    },
  }
}

/** A Redis that keeps nothing on the disk. */
export async function startRedis(): Promise<TestServer> {
  const port = await freePort()
  const args = `--port ${port} --bind 127.0.0.1 --appendonly no --dir ${tmpdir()} --save`
  return startServer('redis-server', port, [...args.split(' '), ''])
}

function withConfig(name: string, text: string): { file: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), `twinshelf-${name}-`)),
    file = join(folder, `${name}.cfg`)
  writeFileSync(file, text, { mode: 0o644 })
  // pgbouncer reads it under another account.
  execFileSync('chmod', ['755', folder])
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** PgBouncer in transaction mode before the Postgres at this URL; returns it and its own URL. */
export async function startPgbouncer(url: string): Promise<TestServer & { url: string }> {
  const port = await freePort(),
    { hostname, port: serverPort, username, pathname } = new URL(url)
  const { file, remove } = withConfig(
    'pgbouncer',
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
server_reset_query =
ignore_startup_parameters = extra_float_digits
`,
  )
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const server = await startServer('pgbouncer', port, [...account, '-q', file], remove)
  return { ...server, url: `postgres://${username}@127.0.0.1:${port}${pathname}` }
}

/** A group of servers behind one port, and the path that says whether a server may get requests. */
export type Balanced = { servers: readonly number[]; health: string }

/** haproxy before several groups; returns the port of each. It passes on WebSockets. */
export async function startHaproxy<N extends string>(
  groups: Record<N, Balanced>,
): Promise<{ ports: Record<N, number>; stop: () => Promise<void> }> {
  const names = Object.keys(groups) as N[]
  const ports = Object.fromEntries(
    await Promise.all(names.map(async name => [name, await freePort()] as const)),
  ) as Record<N, number>
  const { file, remove } = withConfig(
    'haproxy',
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 5s
  option forwardfor
  option redispatch
  retries 2
  retry-on conn-failure
${names
  .map(
    name => `listen ${name}
  bind 127.0.0.1:${ports[name]}
  balance roundrobin
  option httpchk GET ${groups[name].health}
  http-check expect status 200
  default-server check inter 200ms fall 1 rise 1 on-marked-down shutdown-sessions
${groups[name].servers.map((port, i) => `  server ${name}${i} 127.0.0.1:${port}`).join('\n')}
`,
  )
  .join('')}`,
  )
  const { stop } = await startServer('haproxy', ports[names[0]!], ['-db', '-f', file], remove)
  return { ports, stop }
}
