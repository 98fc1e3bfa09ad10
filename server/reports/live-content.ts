import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bytesOfText, keptWithin, type Kept } from '../../domain/stores/shoppers/kept.ts'
import { minute as minuteLength } from '../../domain/time-units.ts'
import { neverKept } from '../http/security.ts'
import { isAdmitted, storeOf } from '../session/visit.ts'

/**
 * Which figures a page shows: those of a test's report or, without `test`, those of the list.
 * `revision` is the API's revision of what is shown.
 */
export type Figures = { revision: string; test?: string }

/**
 * An open page asks for new figures with this header, which names their revision. The answer is
 * only the page's content.
 */
const header = 'twinshelf-figures'
const maxBytes = 16 * 1024 * 1024
export type DrawnContent = {
  kept: Kept<Buffer>
  minute: () => number
  underWay: Map<string, Promise<void>>
}

/**
 * When a store has new figures, all its open pages request them at once. The first request renders
 * the content, and the others get the same content from a cache. The key holds everything that the
 * content depends on: the store, the address, the revision that was really shown, the minute, and
 * the other cookies of the browser.
 */
export function liveContent(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  const own: DrawnContent = {
    kept: keptWithin(maxBytes),
    minute: () => Math.floor(clock().getTime() / minuteLength),
    underWay: new Map(),
  }
  app.decorate('drawnContent', own)
  app.addHook('preHandler', async (request, reply) => {
    const wanted = wantedOf(request)
    if (wanted === null) return
    const key = keyOf(request, wanted, own.minute())
    await own.underWay.get(key)
    const known = own.kept.get(key)
    if (known) return answer(reply, known)
    // What has broken off already settles nothing: no hook hears of its end.
    if (own.underWay.has(key) || request.raw.destroyed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    own.underWay.set(key, promise)
    request.settleContent = () => {
      own.underWay.delete(key)
      resolve()
    }
  })
  // Whatever the answer was, the requests that waited for it now continue.
  app.addHook('onResponse', async request => settle(request))
  app.addHook('onRequestAbort', async request => settle(request))
}

/** Whether an open page asks for its content only. */
export const asksContent = (request: FastifyRequest): boolean => wantedOf(request) !== null

/** Answers an open page with its new content, and caches the content for other pages. */
export function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  html: string,
  figures: Figures | null,
): FastifyReply {
  const { drawnContent: own } = request.server,
    bytes = Buffer.from(html)
  if (own && figures && reply.statusCode === 200) {
    // Cached under the revision that it shows, which need not be the one that was asked for.
    const key = keyOf(request, figures.revision, own.minute())
    own.kept.set(key, bytes, bytesOfText(key) + bytes.length)
  }
  settle(request)
  return answer(reply, bytes)
}

const answer = (reply: FastifyReply, html: Buffer) =>
  neverKept(reply).type('text/html; charset=utf-8').send(html)
const settle = (request: FastifyRequest) => request.settleContent?.()

function wantedOf(request: FastifyRequest): string | null {
  const wanted = request.headers[header]
  return request.method === 'GET' &&
    typeof wanted === 'string' &&
    /^[\d-]{1,200}$/.test(wanted) &&
    isAdmitted(request)
    ? wanted
    : null
}

function keyOf(request: FastifyRequest, revision: string, minute: number): string {
  // The session's cookies only say which store it is, and the key holds that. Toasts are not in the
  // content.
  const cookies = Object.entries(request.cookies)
    .filter(([name]) => !/^(__Host-)?(ts_|toasts)/.test(name))
    .toSorted()
  return JSON.stringify([storeOf(request).id, revision, minute, request.url, cookies])
}
