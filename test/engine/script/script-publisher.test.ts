import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { PriceRuleSet } from '../../../domain/prices/price-test.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { ScriptConfig } from '../../../domain/script/script-config.ts'
import { restoreBackup, writeBackup } from '../../../engine/operators/backup.ts'
import type { Db } from '../../../engine/db/connection.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { startPublisher } from '../../../engine/script/script-publisher.ts'
import { emptyDb, freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { shopTokens } from '../support/traffic.ts'

/** Runs a script as a browser does; returns the ids of its tests. */
function testsOf(script: string): string[] {
  const page = createContext({})
  runInContext(script, page)
  return (page as { ran: ScriptConfig }).ran.tests.map(({ id }) => id)
}

/**
 * A publisher with a fake shop that accepts at most `maxRules` price rules. `told` lists the calls
 * to the shop.
 */
async function publisherBeside(
  t: Test,
  maxRules: number,
  onAsked: (told: string, scene: { db: Db; store: string }) => Promise<void> = async () => {},
) {
  const db = await freshDb(),
    store = await seedStore(db),
    folder = t.testdir({
      'storefront.js': '(()=>{const config=__TWINSHELF_CONFIG__;globalThis.ran=config})()',
    })
  const told: string[] = []
  const state = { held: [] as PriceRuleSet[], shown: [] as string[], maxScript: Infinity }
  const prices = new Set<string>()
  const shownUncharged = () =>
    state.shown.filter(id => prices.has(id) && !state.held.some(rule => rule.id === id))
  const hear = async (what: string) => {
    told.push(what)
    await onAsked(what, { db, store })
  }
  const platform = {
    priceRules: async () => {
      await hear('asked')
      return state.held
    },
    setPriceRules: async (_: string, rules: readonly PriceRuleSet[]) => {
      await hear(`${rules.length} rules`)
      if (rules.length > maxRules || rules.some(({ prices }) => prices['13']))
        throw new HttpProblem(422, 'No.')
      state.held = [...rules]
      t.same(shownUncharged(), [], 'prices that are shown keep their rules')
    },
    pageApis: async () => null,
    publishScript: async (_: string, script: Buffer) => {
      await hear('script')
      if (script.length > state.maxScript) throw new HttpProblem(413, 'Too large.')
      state.shown = testsOf(script.toString())
      t.same(shownUncharged(), [], 'all prices that are shown have rules')
      return { url: 'https://shop.example.test/twinshelf.js' }
    },
  } as unknown as Platform
  const log = {
    warn: () => {},
    error: (said: object) => {
      throw new Error('not expected', { cause: said })
    },
  } as unknown as FastifyBaseLogger
  const publisher = startPublisher({
    db,
    clock: () => new Date(),
    platform,
    publicOrigin: 'https://app.example.test',
    tokens: shopTokens,
    log,
    every: 600_000,
    runtimeFile: pathToFileURL(join(folder, 'storefront.js')),
  })
  t.teardown(async () => {
    await publisher.stop()
    await db.close()
  })
  const priced = async (variant: string) => {
    const id = await seedTest(db, store, { kind: 'Price' })
    prices.add(id)
    await db.kysely
      .insertInto('test_products')
      .values({
        store_id: store,
        test_product_id: randomUUID(),
        test_id: id,
        draft_id: randomUUID(),
        product_id: variant,
        handle: variant,
        path: `/products/${variant}`,
        title: variant,
        image: null,
        rule: null,
        currency: 'USD',
        errors: '[]',
        variants: JSON.stringify([
          { id: variant, title: variant, controlPrice: 100, variantPrice: 200 },
        ]),
        created_at: new Date(),
        updated_at: new Date(),
      })
      .execute()
    return id
  }
  const publish = async () => {
    await db.kysely.transaction().execute(trx => publisher.request(trx, store))
    await publisher.publish(store)
  }
  /** A test with one change of `size` characters, running since this day of November. */
  const changing = (size: number, day: number) =>
    seedTest(db, store, {
      kind: 'PageElement',
      start_at: new Date(Date.UTC(2026, 10, day)),
      dom_selectors: JSON.stringify([
        {
          id: randomUUID(),
          actions: [{ selector: 'h1', kind: 'text', value: 'x'.repeat(size), name: '' }],
          urlPatterns: ['/'],
        },
      ]),
    })
  const holds = () =>
    db.kysely
      .selectFrom('tests')
      .select(['test_id', 'hold_cause'])
      .where('store_id', '=', store)
      .where('status', '=', 'OnHold')
      .execute()
  const end = (id: string) =>
    db.kysely.updateTable('tests').set({ status: 'Ended' }).where('test_id', '=', id).execute()
  const row = () =>
    db.kysely
      .selectFrom('published_scripts')
      .select(['wanted', 'published', 'attempts', sql<boolean>`leased_until > now()`.as('isTaken')])
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
  return { db, store, told, state, priced, changing, holds, end, publish, row }
}

t.test(
  'if new rules do not fit beside old ones, the old ones are removed first; tests whose rules are refused are put on hold',
  async t => {
    const { db, store, told, state, priced, publish, row } = await publisherBeside(t, 4)
    const old = [await priced('1'), await priced('2'), await priced('3')],
      stays = await priced('4')
    await publish()
    t.same(state.held.map(({ id }) => id).sort(), [...old, stays].sort())
    await db.kysely
      .updateTable('tests')
      .set({ status: 'Ended' })
      .where('test_id', 'in', old)
      .execute()
    const coming = [await priced('5'), await priced('6')]
    told.length = 0
    await publish()
    t.same(told, ['asked', '6 rules', 'script', '1 rules', '3 rules', 'script'])
    for (const known of [state.held.map(({ id }) => id), state.shown])
      t.same([...known].sort(), [stays, ...coming].sort())

    await db.kysely
      .updateTable('tests')
      .set({ status: 'Ended' })
      .where('test_id', 'in', [stays])
      .execute()
    const refused = await Promise.all([priced('13'), priced('13')]),
      taken = await priced('7')
    await publish()
    const held = await db.kysely
      .selectFrom('tests')
      .select(['test_id', 'status', 'hold_cause'])
      .where('store_id', '=', store)
      .where('status', '=', 'OnHold')
      .execute()
    t.same(held.map(test => test.test_id).sort(), [...refused].sort())
    t.match(held[0]!.hold_cause, { cause: 'priceRefused', message: /No\./ })
    t.same(state.shown.toSorted(), [...coming, taken].sort())
    t.match(await row(), { attempts: 0, isTaken: false })
    t.equal((await row()).published, (await row()).wanted)
  },
)

t.test(
  'a script that the shop refuses is published without the test that is too large, and without ended tests',
  async t => {
    const { told, state, priced, changing, holds, end, publish, row } = await publisherBeside(t, 4)
    state.maxScript = 15_000
    const [over, first, stays] = [await priced('1'), await changing(8_000, 3), await priced('2')]
    await publish()
    t.same(state.shown.toSorted(), [over, first, stays].sort())
    await end(over)
    const tooMuch = await changing(8_000, 4),
      small = await changing(100, 5)
    told.length = 0
    await publish()
    // Refused with all tests and without the last one, accepted without the last two, refused
    // without only the second last. Then it starts again.
    t.same(told, ['asked', 'script', 'script', 'script', 'script', 'asked', 'script', '1 rules'])
    t.match(await holds(), [
      {
        test_id: tooMuch,
        hold_cause: { cause: 'scriptRefused', message: /refuses its script .*: Too large\./ },
      },
    ])
    t.same(state.shown.toSorted(), [first, stays, small].sort())
    t.same(
      state.held.map(({ id }) => id),
      [stays],
      'the ended test is no longer charged',
    )
    t.match(await row(), { attempts: 0, isTaken: false })
    t.equal((await row()).published, (await row()).wanted)
  },
)

t.test(
  'when old rules are removed first, a refused script also puts the test that is too large on hold',
  async t => {
    const { state, priced, changing, holds, end, publish, row } = await publisherBeside(t, 1)
    state.maxScript = 15_000
    const [over, first] = [await priced('1'), await changing(8_000, 3)]
    await publish()
    await end(over)
    const [next, tooMuch] = [await priced('2'), await changing(8_000, 4)]
    await publish()
    t.match(await holds(), [{ test_id: tooMuch, hold_cause: { cause: 'scriptRefused' } }])
    t.same(state.shown.toSorted(), [first, next].sort())
    t.same(
      state.held.map(({ id }) => id),
      [next],
    )
    t.equal((await row()).published, (await row()).wanted)
  },
)

t.test('when the shop refuses every script, no test is put on hold', async t => {
  const { state, priced, changing, holds, end, publish, row } = await publisherBeside(t, 4)
  const over = await priced('1')
  await publish()
  await end(over)
  await changing(100, 3)
  state.maxScript = 1
  await publish()
  t.same(await holds(), [])
  t.same(state.shown, [over])
  t.equal(state.held.length, 1, 'the prices that are shown are still charged')
  t.match(await row(), { attempts: 1, isTaken: false })
})

t.test(
  'a publication renews its lease before each call to the shop, and stops when it lost the lease or the app is uninstalled',
  async t => {
    const leases: number[] = []
    let at = '1 rules'
    let happen: (scene: { db: Db; store: string }) => Promise<unknown> = async () => {}
    const { db, told, priced, publish, row } = await publisherBeside(t, 10, async (what, scene) => {
      leases.push(
        (
          await scene.db.kysely
            .selectFrom('published_scripts')
            .select(sql<number>`extract(epoch from leased_until)::float8`.as('at'))
            .executeTakeFirstOrThrow()
        ).at,
      )
      if (what === at) await happen(scene)
    })
    await priced('1')
    happen = scene =>
      scene.db.kysely
        .updateTable('published_scripts')
        .set({ leased_until: sql`now() + interval '1 hour'` })
        .execute()
    await publish()
    t.same(told, ['asked', '1 rules'], 'another process has taken it over')
    t.ok(leases[1]! > leases[0]!, 'the lease was renewed before the second call')
    t.match(await row(), { published: 0, attempts: 0, isTaken: true })

    await db.kysely
      .updateTable('published_scripts')
      .set({ leased_until: sql`'-infinity'` })
      .execute()
    told.length = 0
    at = 'asked'
    happen = scene =>
      scene.db.kysely
        .insertInto('jobs')
        .values({
          store_id: scene.store,
          job_id: randomUUID(),
          kind: 'uninstall',
          key: 'uninstall',
          payload: '{}',
          state: '{}',
          message: null,
          run_at: new Date('2099-01-01'),
          created_at: new Date(),
          updated_at: new Date(),
        })
        .execute()
    await publish()
    t.same(told, ['asked'], 'the app is being uninstalled')
    t.match(await row(), { published: 0, attempts: 0, isTaken: false })
  },
)

t.test(
  'after a restore the shop is asked for its price rules, and rules without a test in this database are removed',
  async t => {
    const { db, told, state, publish, row } = await publisherBeside(t, 10)
    await publish()
    t.same(told, ['script'], 'without price tests the shop is not asked')
    state.held = [{ id: 'of-a-test-that-was-lost' }] as PriceRuleSet[]
    const out = new PassThrough(),
      copied = buffer(out)
    await writeBackup(db, out)
    const restored = await emptyDb()
    t.teardown(() => restored.close())
    await restoreBackup(restored, Readable.from([await copied]))
    const { wanted, published } = await restored.kysely
      .selectFrom('published_scripts')
      .select(['wanted', 'published'])
      .executeTakeFirstOrThrow()
    t.ok(wanted > published, 'the script is due to be published again')
    await db.kysely.updateTable('published_scripts').set({ wanted, published }).execute()
    told.length = 0
    await publish()
    t.same(told, ['asked', 'script', '0 rules'])
    t.same(state.held, [])
    t.equal((await row()).published, (await row()).wanted)
  },
)
