import { Agent, type Dispatcher, request } from 'undici'
import { VendorProblem } from '../../domain/problem.ts'
import { type VendorCalls, vendorCalls } from '../http/vendor-calls.ts'
import { publicAgent } from '../http/public-hosts.ts'
import type { PlatformAdapter } from './adapter.ts'
import { Throttled } from './rate.ts'

const pageBytes = 2_000_000
/** Timeout for a page in a job, in milliseconds. */
const pageTimeout = 5_000

/**
 * Fetches pages of the live shop as the public sees them. A merchant wrote the page's address, so
 * we connect only to public addresses; a shop on this machine is the only exception. We do not
 * follow redirects, because they could lead anywhere. Calls throw `Throttled` when the shop lets us
 * read no more pages for a while (page-reads.ts waits).
 */
export function livePages(
  shopOrigin: string,
  timed: VendorCalls = vendorCalls('shop'),
): Pick<PlatformAdapter, 'pageExists' | 'fetchPage' | 'close'> {
  const isLocal = ['localhost', '127.0.0.1'].includes(new URL(shopOrigin).hostname)
  const agent = isLocal
    ? new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 10_000 })
    : publicAgent()
  const ask = (url: string, signal: AbortSignal) =>
    request(url, {
      dispatcher: agent,
      headersTimeout: pageTimeout,
      bodyTimeout: pageTimeout,
      signal,
    })
  return {
    close: () => agent.close(),
    pageExists: (_, url) =>
      timed(pageTimeout, async signal => {
        const response = await ask(url, signal)
        await response.body.dump({ limit: pageBytes })
        refusedNow(response)
        return response.statusCode === 200
      }),
    fetchPage: (_, url) =>
      timed(pageTimeout, async signal => {
        const chunks: Buffer[] = []
        let size = 0
        const response = await ask(url, signal)
        const { statusCode, headers, body } = response
        for await (const chunk of body as AsyncIterable<Buffer>) {
          size += chunk.length
          if (size > pageBytes)
            throw new VendorProblem('shop', 502, 'The page is larger than 2 MB.')
          chunks.push(chunk)
        }
        refusedNow(response)
        const type = String(headers['content-type'] ?? '')
        const { location } = headers
        return {
          status: statusCode,
          type,
          text: textOf(Buffer.concat(chunks), type),
          ...(typeof location === 'string' && { location }),
        }
      }),
  }
}

/** Throws when the shop lets a program read no more pages for now: it tells nothing of a page. */
function refusedNow({ statusCode, headers }: Dispatcher.ResponseData): void {
  if (statusCode !== 429) return
  const wait = Number(headers['retry-after'])
  throw new Throttled('Your shop lets us read no more pages for a moment.', wait > 0 ? wait : 5)
}

/**
 * Decodes text with the encoding that its type names; with UTF-8 when the type names none or an
 * unknown one.
 */
function textOf(bytes: Buffer, type: string): string {
  const named = /charset="?([\w-]+)/i.exec(type)?.[1]
  try {
    return new TextDecoder(named).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
