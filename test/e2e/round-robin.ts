import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'

export type AppProcesses = { close: () => Promise<void> }

/**
 * Starts several processes of the app and a proxy on `port` that sends each request to the next
 * process.
 */
export async function startAppProcesses(
  count: number,
  port: number,
  about: { origin: string; shopOrigin: string; engineOrigin: string },
): Promise<AppProcesses> {
  const children = Array.from({ length: count }, () =>
    fork('test/e2e/app-process.ts', [JSON.stringify(about)], {
      execArgv: ['--import=./jsx.js', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  const ports = await Promise.all(children.map(portOf))
  let turn = 0
  const next = () => ports[turn++ % ports.length]!
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const passed = request({ port: next(), method, path, headers }, answer => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    // When the page goes away before its request is complete, cancel the forwarded request.
    incoming.on('error', () => passed.destroy())
    incoming.pipe(passed)
  })
  proxy.on('upgrade', ({ method, url, rawHeaders }, socket, head) => {
    const passed = connect(next())
    const lines = rawHeaders.map((text, i) => text + (i % 2 === 0 ? ': ' : '\r\n')).join('')
    passed.write(`${method} ${url} HTTP/1.1\r\n${lines}\r\n`)
    passed.write(head)
    socket.pipe(passed).pipe(socket)
    for (const side of [socket, passed])
      side.on('error', () => {
        socket.destroy()
        passed.destroy()
      })
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    close: async () => {
      proxy.close()
      proxy.closeAllConnections()
      await Promise.all(
        children.map(async child => {
          const gone = once(child, 'exit')
          child.disconnect()
          await gone
        }),
      )
    },
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [{ port }] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('An app process ended.')
    }),
  ])) as [{ port: number }]
  return port
}
