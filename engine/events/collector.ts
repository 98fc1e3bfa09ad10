import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { BeaconInput } from '../../domain/events/event-schema.ts'
import { beaconLimits, type Beacon } from '../../domain/events/event.ts'
import {
  addressShare,
  eventsPerMinute,
  networkShare,
  weightOf,
} from '../../domain/events/event-limit.ts'
import { isImported } from '../../domain/imports/imported.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { Disk } from '../db/disk.ts'
import { clientOf } from '../../domain/events/client-address.ts'
import { type Limits, ownLimits } from '../http/shared-limits.ts'
import { eventStores } from './event-stores.ts'
import type { CollectTokens } from './collect-tokens.ts'
import { notNow, startIngest } from './ingest.ts'
import { visitorLimits } from './visitor-limits.ts'
import { networkOf, type NetworkHash } from './networks/networks.ts'
import { limitable, tooMany } from '../http/limits.ts'
import type { CollectorMeter } from '../operators/metrics.ts'
import { agentOf, countryOf } from './visit-agent.ts'

const replayHeader = 'x-twinshelf-replay'
/** Header with the visitor's country for a replayed beacon, which no CDN edge has seen. */
const replayCountryHeader = 'x-twinshelf-country'

/**
 * `perAddress` limits beacons per minute; `eventsPerAddress` and `eventsPerShop` limit events per
 * minute. Without `eventsPerShop` the limit follows from the shop's plan. `countryHeader` names the
 * header in which the CDN edge sends the visitor's country; without it the country stays unknown.
 */
export type CollectorOptions = {
  db: Db
  clock: () => Date
  replayKey?: string | undefined
  /** Whether the shoppers of this shop are simulated; by default those of every shop. */
  canReplay?: (shop: string) => boolean
  perAddress: number
  eventsPerAddress: number
  eventsPerShop?: number | undefined
  countryHeader?: string | undefined
  networks?: NetworkHash
  tokens?: CollectTokens
  meter?: CollectorMeter
  /** Called with the address of each live request. */ sawAddress?: (address: string) => void
  disk?: Disk
  /** By default this process counts alone. */
  limits?: Limits
}

/**
 * POST /collect: answers 204 once the beacon's events are committed. Beacons come as text/plain,
 * which browsers send without a CORS preflight. With `replayKey`, a beacon whose body is signed
 * with that key counts as received at its `sent` time: so simulated shoppers send events of the
 * past, from countries of their own. All other beacons are limited; the limit per
 * address applies before the body is read.
 */
export const collector: FastifyPluginAsyncTypebox<CollectorOptions> = async (
  app,
  {
    db,
    clock,
    replayKey,
    canReplay = () => true,
    perAddress,
    eventsPerAddress,
    eventsPerShop,
    countryHeader,
    networks,
    tokens,
    meter,
    sawAddress,
    disk,
    limits = ownLimits,
  },
) => {
  await limitable(app, limits)
  const stores = eventStores(db, clock)
  const ingest = startIngest({
    db,
    stores,
    onError: error => {
      disk?.failed(error)
      app.log.error({ err: error }, 'events not stored')
    },
  })
  app.addHook('onClose', () => ingest.close())

  const replayed = new WeakSet<FastifyRequest>()
  /** Clients that sent an invalid signature within a minute, as far as this process has seen. */
  const forgers = ownLimits.budget('forgers')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['text/plain', 'application/json'],
    { parseAs: 'string', bodyLimit: beaconLimits.bytes },
    (request, body, done) => {
      const signature = request.headers[replayHeader]
      if (signature !== undefined) {
        if (!replayKey || !isSignature(String(signature), String(body), replayKey)) {
          forgers.take(clientOf(request.ip), 1, 1)
          return done(new HttpProblem(401, 'The replay signature is not valid.'))
        }
        replayed.add(request)
      }
      parseJson(request, String(body), done)
    },
  )

  // Lets the shop's page read the status, so that it knows whether to send again. The answer
  // contains nothing else.
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.origin)
      reply.header('access-control-allow-origin', request.headers.origin).header('vary', 'origin')
  })

  if (sawAddress)
    app.addHook('onRequest', async request => {
      if (request.headers[replayHeader] === undefined) sawAddress(request.ip)
    })

  if (meter)
    app.addHook('onResponse', async (request, reply) => {
      const events = (request.body as Partial<Beacon> | null | undefined)?.events
      meter.answered(reply.statusCode, Array.isArray(events) ? events.length : 0)
    })

  // Three separate budgets: a client can invent any number of addresses, also within one network,
  // and a full budget forgets its oldest key.
  const addresses = limits.budget('events of an address'),
    networkShares = limits.budget('events of a network'),
    shops = limits.budget('events of a shop'),
    withinLimits = visitorLimits()
  // The signature is over the body, and the limit applies before the body is read. So the header
  // alone is believed, until a client sends one that proves wrong: then its beacons are limited.
  const isReplay = (request: FastifyRequest) =>
    replayKey !== undefined &&
    request.headers[replayHeader] !== undefined &&
    forgers.take(clientOf(request.ip), 0, 0) === 0

  app.post(
    '/collect',
    {
      schema: { body: BeaconInput },
      config: { rateLimit: { max: perAddress, allowList: isReplay } },
    },
    async (request, reply) => {
      const beacon = request.body
      if (isImported(beacon.visitor))
        throw new HttpProblem(400, 'This visitor id belongs to an imported test.', [
          { field: 'visitor', message: 'Must not begin like the ids of imported tests.' },
        ])
      const store = await stores.byShop(beacon.shop).catch((error: unknown) => {
        request.log.error({ err: error }, 'shop not looked up')
        throw notNow()
      })
      if (!store) throw new HttpProblem(404, 'There is no such shop here.')
      if (replayed.has(request) && !canReplay(store.shop))
        throw new HttpProblem(401, 'The replay signature is not valid.')
      // A page without a referrer and a sandboxed page send no origin. There the token of the
      // shop's script is enough, with a lower limit.
      const { origin = 'null' } = request.headers,
        hasOrigin = store.origins.has(origin),
        hasToken = () => tokens?.holds(store.shop, tokenIn(request)) === true
      if (!hasOrigin && origin !== 'null' && hasToken()) {
        reply.header('retry-after', 60)
        throw unknownDomain()
      }
      if (!hasOrigin && (origin !== 'null' || !(replayed.has(request) || hasToken())))
        throw new HttpProblem(403, 'Events come from the shop’s own pages.')
      // Refuses events before they fill the disk space that the app itself needs. Browsers keep
      // their events and send them again.
      if (disk?.isHeldBack()) throw notNow()
      if (!replayed.has(request)) {
        const weight = weightOf(beacon),
          client = clientOf(request.ip),
          network = networkOf(request.ip) ?? client,
          ofShop = eventsPerShop ?? eventsPerMinute(store.planVisitors)
        const take = (kind: string, part: number): number =>
          addresses.take(`${kind}${client}`, weight, eventsPerAddress * part) ||
          addresses.take(`${kind}${store.id} ${client}`, weight, addressShare(ofShop) * part) ||
          networkShares.take(
            `${kind}${store.id} ${network}`,
            weight,
            networkShare(ofShop) * part,
          ) ||
          shops.take(`${kind}${store.id}`, weight, ofShop * part)
        const wait = (hasOrigin ? 0 : take('no origin ', withoutOrigin)) || take('', 1)
        if (wait > 0) {
          reply.header('retry-after', wait)
          throw tooMany()
        }
      }
      const isReplayed = replayed.has(request)
      // No real browser exceeds these limits, so no event that counts is lost. The 204 tells the
      // sender not to send the rest again.
      const taken = isReplayed ? beacon : withinLimits(store.id, beacon)
      if (!taken || taken.events.length === 0) return reply.code(204).send()
      const received = isReplayed ? beacon.sent : clock().getTime()
      const told =
        (isReplayed && request.headers[replayCountryHeader]) ||
        (countryHeader && request.headers[countryHeader])
      const ended = meter?.begun()
      await ingest
        .submit({
          beacon: taken,
          arrival: {
            ...agentOf(request.headers['user-agent']),
            received,
            country: told ? countryOf(told) : null,
            network: networks?.(store.id, request.ip) ?? null,
          },
        })
        .finally(ended)
      return reply.code(204).send()
    },
  )
}

/**
 * The shop's script runs on an origin that we do not know. The platform may not have told us yet
 * that the shop has a new domain. After a 403 the script removes its events; after a 429 it keeps
 * them, at most two days.
 */
const unknownDomain = (): HttpProblem =>
  new HttpProblem(429, 'The shop is not known to have this domain. Send these events again later.')

/** The part of each limit that events without an origin may use. */
const withoutOrigin = 0.1

const tokenIn = ({ url }: FastifyRequest): string => url.slice(url.indexOf('?') + 1)

function isSignature(signature: string, body: string, key: string): boolean {
  const given = Buffer.from(signature, 'hex'),
    right = createHmac('sha256', key).update(body).digest()
  return given.length === right.length && timingSafeEqual(given, right)
}
