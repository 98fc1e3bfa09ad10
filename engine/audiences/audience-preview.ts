import { dayPeriod } from '../events/fold/periods.ts'
import { sql } from 'kysely'
import { audienceFields } from '../../domain/audiences/audience-field.ts'
import { audienceCapability } from '../../domain/audiences/audience.ts'
import { type AudienceValues, builtInAudiences } from '../../domain/audiences/audience-match.ts'
import { isInAnyAudience } from '../../domain/audiences/audience-visit.ts'
import {
  channelLabels,
  channelOf,
  channels,
  referrerHost,
  trafficSource,
} from '../../domain/events/channel.ts'
import { devices } from '../../domain/device.ts'
import { eventKinds } from '../../domain/events/event.ts'
import { asksForUnkept } from '../../domain/stores/kept-address.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { day } from '../../domain/time-units.ts'
import { access } from '../plans/access.ts'
import { notAside } from '../events/store/visitors-aside.ts'
import { sampleSeed } from '../session/sample-seed.ts'
import type { EngineContext } from '../context.ts'
import { isId, type Serve } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

/**
 * `lookedBack`: number of full days that a preview looks back. `sampled`: maximum number of events
 * that it uses, the latest ones, so that nobody waits for millions.
 */
const lookedBack = 28,
  sampled = 20_000

export type AudiencePreview = {
  visitors: number
  matching: number
  share: number | null
  isBlind: boolean
}
type Chosen = { id: string; values: AudienceValues }
type Context = Pick<EngineContext, 'db' | 'clock' | 'config'>

/** Serves an estimate of how many of the shop's visitors would have been in an audience. */
export function audiencePreview(serve: Serve, context: EngineContext): void {
  serve('previewAudience', async ({ body: { values, audienceIds } }, { storeId }) => {
    if ((values === undefined) === (audienceIds === undefined)) {
      const message = 'Send either conditions or audiences.'
      throw new HttpProblem(400, message, [{ field: 'values', message }])
    }
    // A built-in audience needs no capability, as in a draft.
    const needed = values ? 'CustomAudiences' : audienceCapability(audienceIds!)
    if (needed) (await access(context, storeId)).require(needed)
    return previewOf(
      context,
      storeId,
      values
        ? [{ id: '', values: values as AudienceValues }]
        : await audiencesById(context, storeId, audienceIds!),
    )
  })
}

/**
 * Estimates how many visitors of the last 28 full days are in any of these audiences, each judged
 * by their first visit of those days. `share` is null without visits. `isBlind`: an audience asks
 * for parts of addresses that are not stored.
 */
export async function previewOf(
  { db, clock, config }: Context,
  storeId: string,
  audiences: readonly Chosen[],
): Promise<AudiencePreview> {
  const isBlind = audiences.some(({ values }) => asksForUnkept(values))
  const store = await db.kysely
    .selectFrom('stores')
    .select(['time_zone', 'shop', 'domain', 'origin'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const dayBefore = (days: number) => dayIn(store.time_zone, clock().getTime() - days * day)
  const from = dayBefore(lookedBack),
    to = dayBefore(0)
  const {
    rows: [past],
  } = await sql<{ visitors: number }>`
    select count(distinct visitor_id)::int as visitors from store_visitors where store_id = ${storeId} and not is_aside and period >= ${dayPeriod(from)} and period < ${dayPeriod(to)}`.execute(
    db.kysely,
  )
  const visits = await firstVisits(db, storeId, from, to, sampleSeed({ config }))
  if (!past || past.visitors === 0 || visits.length === 0)
    return { visitors: past?.visitors ?? 0, matching: 0, share: null, isBlind }
  const ownHosts = new Set([store.shop, store.domain, URL.parse(store.origin)?.hostname ?? ''])
  const share = visits.filter(visit => isAmong(audiences, visit, ownHosts)).length / visits.length
  return { visitors: past.visitors, matching: Math.round(share * past.visitors), share, isBlind }
}

type VisitRow = {
  channel: number | null
  landing: string
  referrer: string
  country: string | null
  device: number
  isNew: boolean
}

/**
 * Judges a visitor as the storefront script does (storefront/entry.ts), as far as addresses are
 * stored.
 */
function isAmong(
  audiences: readonly Chosen[],
  { channel, landing, referrer, country, device, isNew }: VisitRow,
  ownHosts: ReadonlySet<string>,
): boolean {
  const facts = {
    channel:
      channelLabels[
        (channel === null ? undefined : channels[channel]) ??
          channelOf(trafficSource(landing, referrerHost(referrer, ownHosts)))
      ],
    landing,
    query: new URLSearchParams(landing.split('?')[1]),
    referrer,
    country,
  }
  const visit = Object.fromEntries(audienceFields.map(({ name, read }) => [name, read(facts)]))
  return isInAnyAudience(audiences, visit, {
    isReturning: !isNew,
    device: devices[device] ?? 'desktop',
  })
}

/**
 * `rowsAtOnce`: rows per statement. PGlite has one connection, and shoppers' events are stored
 * between two statements. `maxRows`: rows of any kind that are read in all.
 */
const rowsAtOnce = 2_000,
  maxRows = 100_000
type EventRow = {
  id: string
  fits: boolean
  visitor: string
  session: string
  at: Date
  path: string
  channel: number | null
  landing: string | null
  referrer: string | null
  country: string | null
  device: number
  isNew: boolean
}
type Visit = VisitRow & { at: number; firstPath: string; hasLanding: boolean }

/**
 * Returns one visit per visitor: the first one among the latest events. Reads day by day from the
 * last day on, a page of rows at a time.
 */
async function firstVisits(
  { kysely }: Context['db'],
  storeId: string,
  from: string,
  to: string,
  seed: string,
): Promise<VisitRow[]> {
  const visits = new Map<string, Map<string, Visit>>()
  let fitting = 0,
    read = 0
  for (
    let at = Date.parse(to) - day;
    at >= Date.parse(from) && fitting < sampled && read < maxRows;
    at -= day
  ) {
    const on = new Date(at).toISOString().slice(0, 10)
    // If the day has more events than are needed, reads one in `part`, chosen by a hash that no
    // sender knows.
    const part = Math.ceil((await eventsOn(kysely, storeId, on)) / (sampled - fitting)) || 1
    for (let after = ''; fitting < sampled && read < maxRows;) {
      const { rows } = await sql<EventRow>`
        select id, not is_bot and visitor_id not like ${importedLike} and ${sql.raw(notAside())} and kind in (${eventKinds.indexOf('exposure')}, ${eventKinds.indexOf('view')}) as fits,
          visitor_id as visitor, session_id as session, at, path, channel, landing, referrer, country, device, is_new as "isNew"
        from events where store_id = ${storeId} and day = ${on} and id > ${after} and (${part} = 1 or hashtextextended(id, ${seed}::int8) % ${part} = 0) order by id limit ${rowsAtOnce}`.execute(
        kysely,
      )
      read += rows.length
      for (const row of rows) if (row.fits && fitting++ < sampled) addTo(visits, row)
      if (rows.length < rowsAtOnce) break
      after = rows.at(-1)!.id
    }
  }
  return [...visits.values()].map(own =>
    [...own.values()].reduce((first, visit) => (visit.at < first.at ? visit : first)),
  )
}

async function eventsOn(kysely: Context['db']['kysely'], storeId: string, day: string) {
  const { rows } = await sql<{ events: number }>`
    select count(*)::int as events from events where store_id = ${storeId} and day = ${day}`.execute(
    kysely,
  )
  return rows[0]!.events
}

/**
 * Adds an event to its visitor's visits. A visit whose events have no landing page gets the path of
 * its earliest event.
 */
function addTo(
  visits: Map<string, Map<string, Visit>>,
  {
    visitor,
    session,
    at: moment,
    path,
    channel,
    landing,
    referrer,
    country,
    device,
    isNew,
  }: EventRow,
): void {
  const own = visits.get(visitor) ?? new Map<string, Visit>(),
    known = own.get(session),
    at = moment.getTime()
  visits.set(visitor, own)
  const isEarlier = !known || at < known.at,
    firstPath = isEarlier ? path : known.firstPath,
    hasLanding = landing !== null || (known?.hasLanding ?? false)
  own.set(session, {
    at: isEarlier ? at : known.at,
    firstPath,
    hasLanding,
    landing: landing ?? (known?.hasLanding ? known.landing : firstPath),
    channel: channel ?? known?.channel ?? null,
    referrer: referrer ?? known?.referrer ?? '',
    country: country ?? known?.country ?? null,
    device: Math.min(device, known?.device ?? device),
    isNew: isNew || (known?.isNew ?? false),
  })
}

/**
 * Reads these audiences of the store. Throws HttpProblem 400 for one that the store does not have.
 */
export async function audiencesById(
  { db: { kysely } }: Context,
  storeId: string,
  ids: readonly string[],
): Promise<Chosen[]> {
  const own = ids.filter(isId)
  const rows =
    own.length > 0
      ? await kysely
          .selectFrom('audiences')
          .select(['audience_id', 'conditions'])
          .where('store_id', '=', storeId)
          .where('audience_id', 'in', own)
          .execute()
      : []
  const known = new Map(rows.map(row => [row.audience_id, row.conditions as AudienceValues]))
  return ids.map((id, i) => {
    if (builtInAudiences.some(each => each.id === id)) return { id, values: {} }
    const values = known.get(id)
    const message = 'This audience is no longer there.'
    if (!values) throw new HttpProblem(400, message, [{ field: `audienceIds.${i}`, message }])
    return { id, values }
  })
}
