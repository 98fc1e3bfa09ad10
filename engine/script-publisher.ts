import { sql, type Transaction } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import { holdCause } from '../domain/hold-cause.ts'
import type { PriceRuleSet } from '../domain/price-test.ts'
import type { Db } from './db/connection.ts'
import type { Schema } from './db/schema.ts'
import { isBeingUninstalled } from './installed.ts'
import type { Platform } from './platform/adapter.ts'
import { addPriceRules, joinedRules, type RefusedRule } from './price-charging.ts'
import { priceRules } from './price-rules.ts'
import { packScript, readRuntime, scriptBody, scriptSwitches } from './script-body.ts'
import { scriptTests } from './script-tests.ts'
import { changeStatus, heldTest } from './test-statuses.ts'

/**
 * Keeps every shop's published script equal to its running tests. A change asks for publication in its own
 * transaction, so that a crash loses none; publishing goes on until the shop has taken the newest.
 */
export type ScriptPublisher = {
  request: (trx: Transaction<Schema>, storeId: string) => Promise<void>
  /** Tries at once. Never throws: what fails is tried again later. */
  publish: (storeId: string) => Promise<void>
  stop: () => Promise<void>
}

export type PublisherOptions = {
  db: Db
  clock: () => Date
  platform: Platform
  /** Where scripts find the collector and previews. */
  publicOrigin: string
  log: FastifyBaseLogger
  /** Milliseconds between looks at the outbox, and the first wait after a failure. */
  every?: number
  runtimeFile?: URL | undefined
}

const leaseSeconds = 15
const longestWait = 300
/** What is asked for while the app is taken off the shop waits: until it is off, when nothing is published, or until that was given up. */
const isWanted = sql<boolean>`not ${isBeingUninstalled(sql`published_scripts.store_id`)}`

export function startPublisher({ db, clock, platform, publicOrigin, log, every = 1_000, runtimeFile }: PublisherOptions): ScriptPublisher {
  const { kysely } = db
  const underWay = new Map<string, Promise<void>>()
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  async function publishStore(storeId: string): Promise<void> {
    for (;;) {
      // Times are the database's: they are about processes taking turns, not about when a test ran.
      const row = await kysely.updateTable('published_scripts').set({ leased_until: sql`now() + make_interval(secs => ${leaseSeconds})` })
        .where('store_id', '=', storeId).whereRef('wanted', '>', 'published').where('leased_until', '<', sql<Date>`now()`).where(isWanted)
        .returning(['wanted', 'attempts', 'price_rules']).executeTakeFirst()
      if (!row) return
      try {
        await publishOnce(storeId, row.wanted, row.price_rules)
      } catch (error) {
        const wait = Math.min(longestWait, every / 1000 * 2 ** row.attempts)
        log.warn({ err: error, storeId, wait }, 'script not published')
        await kysely.updateTable('published_scripts').set({
          attempts: row.attempts + 1, next_attempt_at: sql`now() + make_interval(secs => ${wait})`, leased_until: sql`'-infinity'`,
          last_error: error instanceof Error ? error.message : String(error),
        }).where('store_id', '=', storeId).execute()
        return
      }
    }
  }

  async function publishOnce(storeId: string, wanted: number, charged: PriceRuleSet[]): Promise<void> {
    const runtime = await readRuntime(runtimeFile)
    const { shop, status, feature_flags } = await kysely.selectFrom('stores').select(['shop', 'status', 'feature_flags']).where('store_id', '=', storeId).executeTakeFirstOrThrow()
    if (status === 'uninstalled') {
      await kysely.updateTable('published_scripts').set({ published: wanted, leased_until: sql`'-infinity'` }).where('store_id', '=', storeId).execute()
      return
    }
    const script = await packScript(scriptBody(runtime.sources, { ...scriptAddresses(publicOrigin), shop, ...scriptSwitches(feature_flags), ...await scriptTests(kysely, storeId, clock()) }))
    // Our own address serves it from here on, whether or not the shop can be reached.
    await kysely.updateTable('published_scripts').set({ ...script, runtime: releaseOf(runtime.hash) }).where('store_id', '=', storeId).execute()
    // What is shown is charged from its first page on, and until no page shows it any more.
    const rules = await priceRules(db, storeId)
    const note = (known: PriceRuleSet[]) => kysely.updateTable('published_scripts').set({ price_rules: JSON.stringify(known) }).where('store_id', '=', storeId).execute()
    // What it really holds, the shop alone can tell: what we noted it was told may have been refused, or not have come.
    const held = rules.length + charged.length > 0 ? await platform.priceRules(shop) : []
    // All that the shop may hold is noted before it is told: after a crash in between it is asked again.
    if (rules.length + held.length > 0) await note(joinedRules(rules, held))
    const refused = await addPriceRules(platform, shop, rules, held)
    if (refused.length > 0) return holdRefused(storeId, refused)
    const { url } = await platform.publishScript(shop, script.body, { isInline: feature_flags.includes('UseOldInlineScript') })
    if (held.some(old => !rules.some(({ id }) => id === old.id))) await platform.setPriceRules(shop, rules)
    if (held.length + charged.length > 0) await note(rules)
    await kysely.updateTable('published_scripts').set({
      published: wanted, url, published_at: sql`now()`, attempts: 0, last_error: null, leased_until: sql`'-infinity'`,
    }).where('store_id', '=', storeId).execute()
  }

  /** What the shop does not charge is not shown: the tests stop with the shop's words, and the others are published without them. */
  async function holdRefused(storeId: string, refused: readonly RefusedRule[]): Promise<void> {
    await kysely.transaction().execute(async trx => {
      for (const { id, message } of refused) {
        const test = await heldTest(trx, storeId, id)
        if (test?.status === 'Active') await changeStatus(trx, test, 'OnHold', clock(), holdCause('priceRefused', `The shop refuses the prices of this test: ${message}`))
      }
      await trx.updateTable('published_scripts').set({ wanted: sql`wanted + 1`, leased_until: sql`'-infinity'` }).where('store_id', '=', storeId).execute()
    })
    log.warn({ storeId, refused }, 'price rules refused by the shop')
  }

  const publish = (storeId: string): Promise<void> => {
    // One after the other: what is asked for during a publication is not in it for certain.
    const next = (underWay.get(storeId) ?? Promise.resolve()).then(() => publishStore(storeId))
      .catch(error => log.error({ err: error, storeId }, 'script outbox not reached'))
      .finally(() => { if (underWay.get(storeId) === next) underWay.delete(storeId) })
    underWay.set(storeId, next)
    return next
  }

  async function look(): Promise<void> {
    try {
      const due = await kysely.selectFrom('published_scripts').select('store_id').whereRef('wanted', '>', 'published')
        .where('next_attempt_at', '<=', sql<Date>`now()`).where('leased_until', '<', sql<Date>`now()`).where(isWanted).limit(20).execute()
      for (const { store_id } of due) if (!isStopped) await publish(store_id)
    } catch (error) {
      log.error({ err: error }, 'script outbox not reached')
    }
    if (!isStopped) timer = setTimeout(() => { looking = look() }, every).unref()
  }

  // A script carries our own addresses, so they are part of what it was made with.
  const releaseOf = (hash: string): string => `${hash} ${publicOrigin}`

  /** A new release of the runtime, or a new public address of ours, is a change to every script. */
  async function renew(): Promise<void> {
    const { hash } = await readRuntime(runtimeFile)
    await kysely.updateTable('published_scripts').set({ wanted: sql`wanted + 1`, next_attempt_at: sql`now()` })
      .where('runtime', 'is distinct from', releaseOf(hash)).whereRef('wanted', '=', 'published').execute()
  }

  let looking = renew().catch(error => log.error({ err: error }, 'storefront runtime not read')).then(look)

  return {
    request: async (trx, storeId) => {
      await trx.insertInto('published_scripts').values({ store_id: storeId, wanted: 1, next_attempt_at: sql<Date>`now()` })
        .onConflict(oc => oc.column('store_id').doUpdateSet({ wanted: sql`published_scripts.wanted + 1`, next_attempt_at: sql<Date>`now()` })).execute()
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

export const scriptAddresses = (publicOrigin: string): { collect: string; preview: string } =>
  ({ collect: `${publicOrigin}/collect`, preview: `${publicOrigin}/s/preview.js` })
