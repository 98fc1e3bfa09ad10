import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type ChromiumProcess, type ChromiumStart, startChromium } from './chromium-process.ts'

type Order = Omit<ChromiumStart, 'path'>
/** As long as an order may be: rules name a handful of hosts. */
const longestOrder = 10_000
const rules = /^[\w ,.*~:[\]-]{1,5000}$/
/** One for jobs, one for whoever waits, and those that are just ending. */
const maxAtOnce = 4

/**
 * Starts browsers for another account of this machine. A connection to its socket is one browser: the order in the first
 * line, then the browser's own messages; the connection's end is the browser's. Which program it is nobody can order.
 */
export async function launchBrowsers(socketPath: string, path: string): Promise<Server> {
  const server = createServer(socket => serve(socket, path))
  server.maxConnections = maxAtOnce
  rmSync(socketPath, { force: true })
  server.listen(socketPath)
  await once(server, 'listening')
  // Who may come this far is decided by the folder it lies in.
  chmodSync(socketPath, 0o666)
  return server
}

function serve(socket: Socket, path: string): void {
  let head = Buffer.alloc(0)
  const end = () => void socket.destroy()
  socket.on('error', end)
  const take = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const at = head.indexOf('\n')
    if (at < 0) return head.length > longestOrder ? end() : undefined
    socket.off('data', take)
    socket.pause()
    const order = orderIn(head.subarray(0, at).toString())
    if (!order) return end()
    const browser = startChromium({ ...order, path })
    browser.input.on('error', end)
    browser.output.on('error', end)
    browser.input.write(head.subarray(at + 1))
    socket.pipe(browser.input)
    browser.output.pipe(socket)
    socket.once('close', browser.kill)
    if (socket.destroyed) browser.kill()
    void browser.gone.then(end)
  }
  socket.on('data', take)
}

function orderIn(line: string): Order | null {
  try {
    const { hasSandbox, resolverRules } = JSON.parse(line) as Partial<Record<keyof Order, unknown>>
    return typeof hasSandbox === 'boolean' &&
      typeof resolverRules === 'string' &&
      rules.test(resolverRules)
      ? { hasSandbox, resolverRules }
      : null
  } catch {
    return null
  }
}

/** A browser that the launcher at this socket starts. */
export function orderChromium(socketPath: string, order: Order): ChromiumProcess {
  const socket = connect(socketPath)
  socket.on('error', () => {})
  socket.write(
    `${JSON.stringify({ hasSandbox: order.hasSandbox, resolverRules: order.resolverRules })}\n`,
  )
  return {
    input: socket,
    output: socket,
    kill: () => void socket.destroy(),
    gone: new Promise(resolve => void socket.once('close', () => resolve())),
  }
}
