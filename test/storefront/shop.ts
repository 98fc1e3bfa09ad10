import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BrowserContext, type Cookie, expect } from '@playwright/test'
import { composeScript, type ScriptSources } from '../../engine/script/compose.ts'
import { withConfig } from '../../scripts/build/build-storefront.ts'
import type { Beacon, ShopperEvent } from '../../domain/events/event.ts'
import type { ScriptConfig, ScriptTest } from '../../domain/script/script-config.ts'

/** The shipped scripts, as the build wrote them. */
export const builtScripts = (): { sources: ScriptSources; preview: string } => ({
  sources: JSON.parse(readFileSync('public/built/storefront.json', 'utf8')) as ScriptSources,
  preview: readFileSync('public/built/preview.js', 'utf8'),
})

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void | Promise<void>
export type ShopOptions = {
  tests?: ScriptTest[]
  always?: ScriptConfig['always']
  /** For each path the HTML of a page's body, or a handler that sends the whole response. */
  pages?: Record<string, string | Handler>
  previewing?: ScriptConfig['previewing']
  /** Settings that follow from the store's feature flags. */
  switches?: Pick<
    ScriptConfig,
    'debug' | 'keepsReferrer' | 'ignoresView' | 'isSparing' | 'asksConsent'
  >
  /** HTML in every head, after the script. */
  head?: string
  /** Runs before the script's own first line. */
  firstLine?: string
  /** Response headers of every page. */
  headers?: Record<string, string>
}
export type Shop = {
  origin: string
  /** Beacons that the collector accepted (with 2xx), in order of arrival. */
  beacons: Beacon[]
  /**
   * Events that the collector accepted, each once even if it came several times, in the order in
   * which they happened (beacons may arrive in another order).
   */
  events: () => ShopperEvent[]
  /**
   * `status` is what the collector answers; `requests` counts its requests, and `times` are their
   * times in milliseconds.
   */
  collector: { status: number; requests: number; times: number[] }
  /** Requests to /cart…, as "METHOD path body". */
  cart: string[]
  /** The head with which every page begins. */
  head: string
  close: () => Promise<void>
}

/**
 * Starts a shop with a few static pages that have the built script first in the head, and a
 * collector on another origin.
 */
export async function openShop({
  tests = [],
  always = [],
  pages = {},
  previewing,
  switches = {},
  head = '',
  headers = {},
  firstLine = '',
}: ShopOptions): Promise<Shop> {
  const { sources, preview } = builtScripts()
  const beacons: Beacon[] = []
  const cart: string[] = []
  const collector = { status: 204, requests: 0, times: [] as number[] }

  const engine = await listen((request, response, body) => {
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    if (request.url!.startsWith('/s/preview.js')) {
      const isGood =
        new URL(request.url!, 'http://engine').searchParams.get('token') === 'good' &&
        new URL(request.url!, 'http://engine').searchParams.get('shop') === 'pots.example'
      response
        .writeHead(isGood ? 200 : 403, { 'content-type': 'text/javascript' })
        .end(isGood ? withConfig(preview, { ...config(), ...(previewing && { previewing }) }) : '')
      return
    }
    collector.requests++
    collector.times.push(performance.now())
    if (collector.status < 300) beacons.push(JSON.parse(body) as Beacon)
    response.writeHead(collector.status).end()
  })
  const config = (): ScriptConfig => ({
    shop: 'pots.example',
    collect: `${originOf(engine)}/collect`,
    preview: `${originOf(engine)}/s/preview.js?shop=pots.example&token=`,
    ...switches,
    tests,
    always,
  })
  const start = `<!doctype html><html lang="en"><head><meta charset="utf-8"><script src="/assets/twinshelf.js"></script><title>Pots</title>${head}</head>`

  const shop = await listen(async (request, response, body) => {
    const path = request.url!.replace(/\?.*/, '').replace(/^\/en\//, '/')
    if (path === '/assets/twinshelf.js')
      return void response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(firstLine + composeScript(sources, config()))
    const page = pages[path]
    if (path.startsWith('/cart')) cart.push(`${request.method} ${request.url} ${body}`)
    if (typeof page === 'function') return page(request, response, body)
    if (path.startsWith('/cart/add')) response.setHeader('set-cookie', 'cart=cart-1; path=/')
    if (path.startsWith('/cart') && page === undefined)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    response
      .writeHead(page === undefined ? 404 : 200, {
        'content-type': 'text/html; charset=utf-8',
        ...headers,
      })
      .end(`${start}<body>${page ?? 'Not found'}</body></html>`)
  })

  return {
    origin: originOf(shop),
    beacons,
    collector,
    cart,
    head: start,
    events: () =>
      [
        ...new Map(
          beacons.flatMap(beacon => beacon.events).map(event => [event.id, event]),
        ).values(),
      ].sort((a, b) => a.at - b.at),
    close: async () => {
      await Promise.all([shop, engine].map(stop))
    },
  }
}

/** A handler that sends a page in pieces with a pause (milliseconds) between them. */
export const inPieces =
  (shop: () => Shop, pieces: string[], pause: number): Handler =>
  async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.write(shop().head)
    for (const piece of pieces) {
      await new Promise(resolve => {
        setTimeout(resolve, pause)
      })
      response.write(piece)
    }
    response.end()
  }

function listen(
  answer: (
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ) => void | Promise<void>,
): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => void answer(request, response, Buffer.concat(chunks).toString()))
  })
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}
const originOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const stop = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.closeAllConnections()
    server.close(() => resolve())
  })

/** The script's cookie, once it is there: the script stores after the next paint. */
export async function cookieOf(context: BrowserContext): Promise<Cookie> {
  await expect.poll(async () => (await context.cookies()).length).toBe(1)
  return (await context.cookies())[0]!
}
