import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import type { ShopCapabilities } from '../admin/capabilities.ts'
import type { Database } from '../database.ts'
import type { ShowPage } from './show-page.ts'

/** How long a signature is valid, in milliseconds. */
const signatureLife = 5 * minute
/** Addresses that are counted at once. More of them share the oldest one's place. */
const maxAddresses = 1_000

/** The key that the merchant gives to programs which may read any number of pages. */
export function openReaderKey(db: Database): string {
  db.exec(
    'create table if not exists reader_key (id integer primary key check (id = 1), key text not null) strict',
  )
  const insert = db.prepare('insert into reader_key (id, key) values (1, ?) on conflict do nothing')
  insert.run(randomBytes(24).toString('base64url'))
  return (db.prepare('select key from reader_key').get() as { key: string }).key
}

/** What a program sends in `x-demo-signature`, beside the time in `x-demo-signed-at` (seconds). */
export const readerSignature = (key: string, signedAt: string, url: string): string =>
  createHmac('sha256', key).update(`${signedAt} ${url}`).digest('base64url')

/**
 * Lets a program without the merchant's signature read only so many pages a minute, counted by its
 * address. Others get 429 with Retry-After. Browsers of shoppers are not counted.
 */
export function limitReads(
  show: ShowPage,
  { capabilities, key, clock }: { capabilities: ShopCapabilities; key: string; clock: () => Date },
): ShowPage {
  const readsOf = new Map<string, number[]>()
  return async (request, reply, ...page) => {
    const limit = capabilities.current().unsignedReads
    const now = clock().getTime()
    if (limit !== null && isProgram(request) && !isSigned(request, key, now)) {
      const reads = (readsOf.get(request.ip) ?? []).filter(at => at > now - minute)
      const wait = reads.length >= limit ? reads.at(-limit)! + minute - now : 0
      if (wait > 0) {
        reply.header('retry-after', String(Math.ceil(wait / 1_000)))
        throw new HttpProblem(
          429,
          `A program without the merchant’s signature may read ${limit} pages a minute.`,
        )
      }
      readsOf.delete(request.ip)
      readsOf.set(request.ip, [...reads, now])
      if (readsOf.size > maxAddresses) readsOf.delete(readsOf.keys().next().value!)
    }
    return show(request, reply, ...page)
  }
}

/** Browsers say how a page was asked for, or at least who they are. */
const isProgram = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-mode'] === undefined && !headers['user-agent']?.includes('Mozilla/')

function isSigned({ headers, url }: FastifyRequest, key: string, now: number): boolean {
  const [signedAt, given] = [headers['x-demo-signed-at'], headers['x-demo-signature']]
  if (typeof signedAt !== 'string' || typeof given !== 'string') return false
  if (!(Math.abs(Number(signedAt) * 1_000 - now) <= signatureLife)) return false
  const right = Buffer.from(readerSignature(key, signedAt, url))
  const said = Buffer.from(given)
  return said.length === right.length && timingSafeEqual(said, right)
}
