import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type ChromiumProcess, type ChromiumStart, startChromium } from './chromium-process.ts'

type Order = Omit<ChromiumStart, 'path'>
/** Maximum length of an order, in bytes. The rules name a handful of hosts. */
const longestOrder = 10_000
const rules = /^[\w ,.*~:[\]-]{1,5000}$/
/**
 * Milliseconds in which the order must arrive: a silent connection must not take the place of a
 * browser.
 */
const orderTimeout = 5_000
/** One browser for jobs, one for requests that wait, and two that may still be closing. */
const maxAtOnce = 4

/**
 * A server that starts browsers for another account of this machine. Each connection to its socket
 * is one browser: the first line is the order as JSON, the rest are the browser's messages. The
 * browser ends when the connection ends. An order cannot choose the program: that is always `path`.
 */
export async function launchBrowsers(socketPath: string, path: string): Promise<Server> {
  const server = createServer(socket => serve(socket, path))
  server.maxConnections = maxAtOnce
  rmSync(socketPath, { force: true })
  server.listen(socketPath)
  await once(server, 'listening')
  // The permissions of its folder decide who can reach the socket.
  chmodSync(socketPath, 0o666)
  return server
}

function serve(socket: Socket, path: string): void {
  let head = Buffer.alloc(0)
  const end = () => void socket.destroy()
  socket.on('error', end)
  const late = setTimeout(end, orderTimeout)
  socket.once('close', () => clearTimeout(late))
  const take = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const at = head.indexOf('\n')
    if (at < 0) return head.length > longestOrder ? end() : undefined
    clearTimeout(late)
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

/** Lets the launcher at this socket start a browser. */
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
