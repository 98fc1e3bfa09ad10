import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, type FrameLocator, type Page } from '@playwright/test'
import { type Call, callPath } from '../../../domain/api/call.ts'
import { type CallName, contract, type Input, type Output } from '../../../domain/api/contract.ts'
import { holdPort } from '../../ports.ts'
import { type Product, startProduct } from '../product.ts'

/**
 * The product on distinct sites: the app is in a frame of another site, and a proxy strips the
 * cookies that it sets. `admin`: the page of the back office that shows the app.
 */
export type EmbeddedProduct = Product & {
  /** The app as browsers reach it. */
  origin: string
}

export async function startEmbedded(): Promise<EmbeddedProduct> {
  const shop = await holdPort()
  const proxy = await startProxy()
  await shop.release()
  const origin = `http://app.localhost:${proxy.port}`,
    admin = `http://admin.localhost:${shop.port}`
  const product = await startProduct({
    APP_ORIGIN: origin,
    DEMO_SHOP_PORT: String(shop.port),
    DEMO_SHOP_ORIGIN: `http://localhost:${shop.port}`,
    DEMO_ADMIN_ORIGIN: admin,
  }).catch((error: unknown) => {
    proxy.close()
    throw error
  })
  proxy.to(Number(new URL(product.app).port))
  return {
    ...product,
    shop: `http://localhost:${shop.port}`,
    origin,
    admin: `${admin}/admin/apps/twinshelf`,
    stop: async () => {
      proxy.close()
      return product.stop()
    },
  }
}

/** Passes everything on to the app, except the cookies that the app sets. */
async function startProxy() {
  let port = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer((incoming, answer) => {
    const onward = request(
      { port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      response => {
        const { 'set-cookie': _, ...headers } = response.headers
        answer.writeHead(response.statusCode ?? 502, headers)
        response.pipe(answer)
      },
    )
    onward.on('error', () => answer.destroy())
    incoming.on('error', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (incoming, near: Socket, head) => {
    const far = connect(port)
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`]
    for (let i = 0; i < incoming.rawHeaders.length; i += 2)
      lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`)
    far.write(`${lines.join('\r\n')}\r\n\r\n`)
    far.write(head)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as { port: number }
  return {
    port: own,
    to: (app: number) => {
      port = app
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Opens a page of the app in the frame of the admin. */
export async function openEmbedded(
  page: Page,
  { admin }: EmbeddedProduct,
  path = '',
): Promise<FrameLocator> {
  await page.goto(`${admin}${path}`)
  const app = page.frameLocator('iframe')
  await expect(app.locator('main#content h1')).toBeVisible()
  return app
}

/** Calls the engine's API as the merchant whom the admin of this page signs in. */
export async function callAs<N extends CallName>(
  page: Page,
  { engine }: EmbeddedProduct,
  name: N,
  input: Input<N>,
): Promise<Output<N>> {
  const { idToken } = await page.evaluate(async () => {
    const answer = await fetch('/admin/apps/twinshelf/id-token')
    return (await answer.json()) as { idToken: string }
  })
  const send = async (path: string, method: string, body: unknown, token?: string) => {
    const answer = await fetch(engine + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as unknown
  }
  const { token } = (await send('/auth', 'POST', { idToken })) as { token: string }
  const { method, path }: Call = contract[name],
    { params = {}, body } = input as { params?: Record<string, string>; body?: object }
  return (await send(callPath(path, 'demo', params), method, body, token)) as Output<N>
}
