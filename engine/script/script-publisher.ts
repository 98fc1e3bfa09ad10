import { sql } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import { isCounted } from '../../domain/script/needed-parts.ts'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import type { CollectTokens } from '../events/collect-tokens.ts'
import type { Db } from '../db/connection.ts'
import type { Platform } from '../platform/adapter.ts'
import {
  addPriceRules,
  chargedAlready,
  doGoAway,
  isRefusal,
  joinedRules,
} from '../prices/price-charging.ts'
import { priceRules } from '../prices/price-rules.ts'
import { pageApisAsker, partOf, pixelSettings, publishPixel } from './pixel-publication.ts'
import { etagOf, packScript, readRuntime, scriptBody, scriptSwitches } from './script-body.ts'
import { isWanted, PublicationStopped, type ScriptLease, takeScript } from './script-lease.ts'
import { whileOurs } from './while-ours.ts'
import { holdRefused, inOrderOfStart, leftOutOf } from './script-refusals.ts'
import { scriptTests } from './script-tests.ts'
import type { Trx } from '../db/types.ts'

/**
 * Keeps every shop's published script equal to its running tests. A change requests a publication
 * in its own transaction, so that a crash loses none. Publishing is repeated until the shop has
 * taken the newest script.
 */
export type ScriptPublisher = {
  request: (trx: Trx, storeId: string) => Promise<void>
  /** Publishes now. Never throws: a publication that fails is tried again later. */
  publish: (storeId: string) => Promise<void>
  stop: () => Promise<void>
}

export type PublisherOptions = {
  db: Db
  clock: () => Date
  platform: Platform
  /** Where scripts find the collector and previews. */
  publicOrigin: string
  tokens: CollectTokens
  log: FastifyBaseLogger
  /** Milliseconds between two checks of the outbox, and the first wait after a failure. */
  every?: number
  runtimeFile?: URL | undefined
}

const longestWait = 300

type IsIn = (testId: string) => boolean

export function startPublisher({
  db,
  clock,
  platform,
  publicOrigin,
  tokens,
  log,
  every = 1_000,
  runtimeFile,
}: PublisherOptions): ScriptPublisher {
  const { kysely } = db
  const askApis = pageApisAsker(platform)
  const underWay = new Map<string, Promise<void>>()
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  async function publishStore(storeId: string): Promise<void> {
    for (;;) {
      const lease = await takeScript(db, storeId)
      if (!lease) return
      try {
        await publishOnce(storeId, lease)
      } catch (error) {
        if (error instanceof PublicationStopped) return void (await lease.release())
        const wait = Math.min(longestWait, (every / 1000) * 2 ** lease.attempts)
        log.warn({ err: error, storeId, wait }, 'script not published')
        await lease.release({
          attempts: lease.attempts + 1,
          next_attempt_at: sql`now() + make_interval(secs => ${wait})`,
          last_error: error instanceof Error ? error.message : String(error),
        })
        return
      }
    }
  }

  async function publishOnce(storeId: string, lease: ScriptLease): Promise<void> {
    const { wanted, charged, isRestored } = lease
    const runtime = await readRuntime(runtimeFile)
    const { shop, status, feature_flags, consent_rule } = await kysely
      .selectFrom('stores')
      .select(['shop', 'status', 'feature_flags', 'consent_rule'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    if (status === 'uninstalled') return void (await lease.release({ published: wanted }))
    const { pageApis, failure } = await askApis(shop)
    const config = {
      ...scriptAddresses(publicOrigin, shop, tokens),
      ...scriptSwitches(feature_flags),
      ...(consent_rule === 'afterConsent' && { asksConsent: true as const }),
      ...(await scriptTests(kysely, storeId, clock())),
      ...(pageApis && { pageApis }),
    }
    const configOf = (isIn: IsIn) => ({
      ...config,
      tests: config.tests.filter(({ id }) => isIn(id)),
    })
    const bodyOf = (isIn: IsIn) => scriptBody(runtime.sources, configOf(isIn))
    // From here on our own address serves the script, even if the shop cannot be reached.
    const make = async (isIn: IsIn = () => true) => {
      const script = await packScript(bodyOf(isIn))
      await lease.hold({ ...script, runtime: releaseOf(runtime.hash) })
      return { ...script, isIn }
    }
    const lent = whileOurs(lease, platform),
      { priceRules: rulesHeld, setPriceRules, publishScript } = lent
    const put = (body: Buffer, isIn: IsIn) =>
      publishScript(shop, body, {
        config: configOf(isIn),
        etag: etagOf(body),
        isInline: feature_flags.includes('UseOldInlineScript'),
        ...partOf(runtime.sources, config),
      })
    const hold = (what: Pick<Parameters<typeof holdRefused>[1], 'cause' | 'refused'>) =>
      holdRefused({ kysely, clock, log }, { storeId, lease, ...what })
    /**
     * Publishes a script. Returns null if the shop refuses it: then the tests that it refuses are
     * on hold, and a publication without them is requested.
     */
    const show = async ({ body, isIn }: { body: Buffer; isIn: IsIn }) => {
      try {
        return await put(body, isIn)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const running = (await inOrderOfStart(kysely, storeId)).filter(isIn)
        // The shop shows the remaining tests at once, so that ended tests leave its pages whatever
        // it refuses.
        const leftOut = await leftOutOf(running, without => {
          const isLeft = (id: string) => isIn(id) && !without.has(id)
          return put(bodyOf(isLeft), isLeft)
        })
        if (leftOut.length === 0) throw error
        const { message } = error
        await hold({ cause: 'scriptRefused', refused: leftOut.map(id => ({ id, message })) })
        return null
      }
    }
    const note = (known: PriceRuleSet[]) => lease.hold({ price_rules: JSON.stringify(known) })

    let script = await make()
    if (failure !== null) throw failure
    // The shop must charge a price from the first page that shows it until no page shows it any
    // more.
    const rules = await priceRules(db, storeId)
    // Asks the shop for its rules, because rules that we noted as sent may have been refused or
    // never arrived.
    let held = isRestored || rules.length + charged.length > 0 ? await rulesHeld(shop) : []
    // Notes all rules that the shop may have before it sends them. After a crash in between, the
    // shop is asked again.
    if (rules.length + held.length > 0) await note(joinedRules(rules, held))
    const first = await addPriceRules({ setPriceRules }, shop, rules, held)
    let { refused } = first
    if (first.isCrowded) {
      // Removes the rules that must go first; meanwhile no page shows the tests of the new rules.
      const staying = chargedAlready(rules, held)
      const isWaiting = (testId: string) =>
        rules.some(({ id }) => id === testId) && !staying.some(({ id }) => id === testId)
      if (!(await show(await make(testId => !isWaiting(testId))))) return
      await setPriceRules(shop, staying)
      held = staying
      refused = (await addPriceRules({ setPriceRules }, shop, rules, held)).refused
      if (refused.length === 0) script = await make()
    }
    if (refused.length > 0) return hold({ cause: 'priceRefused', refused })
    const shown = await show(script)
    if (!shown) return
    if (doGoAway(rules, held)) await setPriceRules(shop, rules)
    await publishPixel(lent, runtime.sources, pixelSettings(publicOrigin, shop, tokens), {
      hasTests: config.tests.some(isCounted),
      log,
    })
    if (held.length + charged.length > 0) await note(rules)
    await lease.release({
      published: wanted,
      url: shown.url,
      published_at: sql`now()`,
      attempts: 0,
      last_error: null,
    })
  }

  const publish = (storeId: string): Promise<void> => {
    // One publication after the other: a change that is requested during one may not be part of it.
    const next = (underWay.get(storeId) ?? Promise.resolve())
      .then(() => publishStore(storeId))
      .catch(error => log.error({ err: error, storeId }, 'script outbox not reached'))
      .finally(() => {
        if (underWay.get(storeId) === next) underWay.delete(storeId)
      })
    underWay.set(storeId, next)
    return next
  }

  let isRenewed = false
  async function look(): Promise<void> {
    if (!isRenewed)
      await renew().then(
        () => {
          isRenewed = true
        },
        (error: unknown) => log.error({ err: error }, 'storefront runtime not read'),
      )
    try {
      const due = await kysely
        .selectFrom('published_scripts')
        .select('store_id')
        .whereRef('wanted', '>', 'published')
        .where('next_attempt_at', '<=', sql<Date>`now()`)
        .where('leased_until', '<', sql<Date>`now()`)
        .where(isWanted)
        .limit(20)
        .execute()
      for (const { store_id } of due) if (!isStopped) await publish(store_id)
    } catch (error) {
      log.error({ err: error }, 'script outbox not reached')
    }
    if (!isStopped)
      timer = setTimeout(() => {
        looking = look()
      }, every).unref()
  }

  // A script contains our own addresses, so a new address needs a new script.
  const releaseOf = (hash: string): string => `${hash} ${publicOrigin}`

  /**
   * Requests a publication of every script that was made with another release of the runtime, or
   * with another public address of ours.
   */
  async function renew(): Promise<void> {
    const { hash } = await readRuntime(runtimeFile)
    await kysely
      .updateTable('published_scripts')
      .set({ wanted: sql`wanted + 1`, next_attempt_at: sql`now()` })
      .where('runtime', 'is distinct from', releaseOf(hash))
      .whereRef('wanted', '=', 'published')
      .execute()
  }

  let looking = look()

  return {
    request: async (trx, storeId) => {
      await trx
        .insertInto('published_scripts')
        .values({ store_id: storeId, wanted: 1, next_attempt_at: sql<Date>`now()` })
        .onConflict(oc =>
          oc.column('store_id').doUpdateSet({
            wanted: sql`published_scripts.wanted + 1`,
            next_attempt_at: sql<Date>`now()`,
          }),
        )
        .execute()
    },
    publish,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await looking
      await Promise.all(underWay.values())
    },
  }
}

/**
 * The shop and the addresses that its script calls: the collector, and previews, which refuse
 * another shop's script.
 */
export const scriptAddresses = (
  publicOrigin: string,
  shop: string,
  { of }: CollectTokens,
): { shop: string; collect: string; preview: string } => ({
  shop,
  collect: `${publicOrigin}/collect?${of(shop)}`,
  preview: `${publicOrigin}/s/preview.js?shop=${encodeURIComponent(shop)}&token=`,
})
