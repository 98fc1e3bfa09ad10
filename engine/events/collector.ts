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
import { clientOf, eventBudget } from '../http/event-budget.ts'
import { eventStores } from './event-stores.ts'
import type { CollectTokens } from './collect-tokens.ts'
import { notNow, startIngest } from './ingest.ts'
import { visitorLimits } from './visitor-limits.ts'
import { networkOf, type NetworkHash } from './networks/networks.ts'
import { limitable, tooMany } from '../http/limits.ts'
import type { CollectorMeter } from '../operators/metrics.ts'
import { agentOf, countryOf } from './visit-agent.ts'

const replayHeader = 'x-twinshelf-replay'
/** Country of a replayed beacon's visitor, whom no edge has seen. */
const replayCountryHeader = 'x-twinshelf-country'

/** Limits are beacons (`perAddress`) and events a minute; without `eventsPerShop` the shop's plan says how many. `countryHeader` is the one by which the edge says where a visitor is; without it nobody knows. */
export type CollectorOptions = {
  db: Db
  clock: () => Date
  replayKey?: string | undefined
  perAddress: number
  eventsPerAddress: number
  eventsPerShop?: number | undefined
  countryHeader?: string | undefined
  networks?: NetworkHash
  tokens?: CollectTokens
  meter?: CollectorMeter
  /** Told about the address of each request. */ sawAddress?: (address: string) => void
  disk?: Disk
}

/**
 * POST /collect: answers 204 once the beacon's events are committed. Beacons come as text/plain, which no browser asks
 * leave for. With `replayKey`, one whose body is signed with it is taken as received when it says it was sent: so the
 * demo shop's simulated shoppers reach into the past, from countries of their own. All others are limited, by address before their body is read.
 */
export const collector: FastifyPluginAsyncTypebox<CollectorOptions> = async (
  app,
  {
    db,
    clock,
    replayKey,
    perAddress,
    eventsPerAddress,
    eventsPerShop,
    countryHeader,
    networks,
    tokens,
    meter,
    sawAddress,
    disk,
  },
) => {
  await limitable(app)
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
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['text/plain', 'application/json'],
    { parseAs: 'string', bodyLimit: beaconLimits.bytes },
    (request, body, done) => {
      const signature = request.headers[replayHeader]
      if (signature !== undefined) {
        if (!replayKey || !isSignature(String(signature), String(body), replayKey))
          return done(new HttpProblem(401, 'The replay signature is not valid.'))
        replayed.add(request)
      }
      parseJson(request, String(body), done)
    },
  )

  // A page of the shop may read the status, to know whether to send again; there is nothing else to read.
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

  // Apart: addresses can be made up in any number, also within one network, and the oldest key gives way.
  const addresses = eventBudget(),
    networkShares = eventBudget(),
    shops = eventBudget(),
    withinLimits = visitorLimits()
  // A signature that does not hold is a 401 before anything is parsed.
  const isReplay = (request: FastifyRequest) =>
    replayKey !== undefined && request.headers[replayHeader] !== undefined

  app.post(
    '/collect',
    {
      schema: { body: BeaconInput },
      config: { rateLimit: { max: perAddress, allowList: isReplay } },
    },
    async (request, reply) => {
      const beacon = request.body
      if (isImported(beacon.visitor))
        throw new HttpProblem(400, 'No visitor of the shop is called so.', [
          { field: 'visitor', message: 'Ids that begin so are those of imported tests.' },
        ])
      const store = await stores.byShop(beacon.shop).catch((error: unknown) => {
        request.log.error({ err: error }, 'shop not looked up')
        throw notNow()
      })
      if (!store) throw new HttpProblem(404, 'There is no such shop here.')
      // A page without a referrer and a sandboxed one have no origin: there the token of the shop's script stands in, for less.
      const { origin = 'null' } = request.headers,
        hasOrigin = store.origins.has(origin)
      if (
        !hasOrigin &&
        (origin !== 'null' ||
          !(replayed.has(request) || tokens?.holds(store.shop, tokenIn(request))))
      )
        throw new HttpProblem(403, 'Events come from the shop’s own pages.')
      // Before what the app itself needs is used up; browsers keep their events.
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
      // No browser sends more, so nothing that counts is lost, and nobody need send the rest again.
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

/** Of each limit, the part that events without an origin may take. */
const withoutOrigin = 0.1

const tokenIn = ({ url }: FastifyRequest): string => url.slice(url.indexOf('?') + 1)

function isSignature(signature: string, body: string, key: string): boolean {
  const given = Buffer.from(signature, 'hex'),
    right = createHmac('sha256', key).update(body).digest()
  return given.length === right.length && timingSafeEqual(given, right)
}
