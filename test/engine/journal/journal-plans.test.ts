import t, { type Test } from 'tap'
import { StepRefused } from '../../../engine/journal/journal-contract.ts'
import { startJournal } from '../../../engine/journal/journal.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'
import { VendorProblem } from '../../../domain/problem.ts'
import { launchedFrom } from '../support/launched.ts'
import { firstShop } from '../support/small-shop.ts'
import { staffCaller } from '../../server/support/staff.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

// Each write of a theme file is checked by the shop, which takes a while on a busy machine.
t.setTimeout(300_000)
const { call, db, engine, now, platform, shop, close } = await startWithShop(
  {},
  {},
  // Without webhooks the engine runs no checks of its own, which would resume plans too.
  { engineOrigin: 'http://127.0.0.1:9', ...withAllChanges },
)
t.teardown(close)
shop.capabilities.set({ wholeWrites: false })
const { id: storeId } = await call('storeInfo', {})
const theme = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!
const { items } = await platform.searchProducts(firstShop, {
  query: '',
  direction: 'forward',
  pageSize: 2,
})
const [mug, bowl] = items
const variants = (await platform.productsById(firstShop, [mug!.id]))[0]!.variants
const [story] = await platform.themeFiles(firstShop, theme.id, ['templates/product.story.json'])
const names = ['a', 'b'].map(end => `templates/product.ts-plan-${end}.json`)
const steps = [
  { themeId: theme.id, files: names.map(name => ({ name, body: story!.body })) },
  {
    assignments: [mug!, bowl!].map(({ id }) => ({
      type: 'product' as const,
      id,
      suffix: 'ts-plan-a',
    })),
  },
  {
    productId: mug!.id,
    prices: variants.map(({ id, price }) => ({ variantId: id, price: price + 100 })),
  },
]
const writes = 3
const journal = startJournal({ db, platform, clock: () => now.at })
const journalOn = (over: Partial<Platform>) =>
  startJournal({ db, platform: { ...platform, ...over }, clock: () => now.at })

async function state() {
  const [whole] = await platform.productsById(firstShop, [mug!.id])
  return {
    files: (await platform.themeFiles(firstShop, theme.id, names)).map(({ name }) => name),
    suffixes: (await platform.resources(firstShop, 'product'))
      .filter(({ id }) => id === mug!.id || id === bowl!.id)
      .map(({ suffix }) => suffix),
    prices: whole!.variants.map(({ price }) => price),
  }
}
const before = await state()
const after = {
  files: names,
  suffixes: ['ts-plan-a', 'ts-plan-a'],
  prices: before.prices.map(price => price + 100),
}
const newDraft = async () => (await call('createDraft', { body: { kind: 'Template' } })).id
const rowsOf = (testId: string) =>
  db.kysely.selectFrom('journal').select(['what', 'state']).where('test_id', '=', testId).execute()
const plans = () => db.kysely.selectFrom('journal_plans').select('state').execute()

/** The calls that write, with what happens before and after each. */
function writing(
  at: (call: number, isDone: boolean, name: string) => void | Promise<void>,
): Partial<Platform> {
  let calls = 0
  type AnyWrite = (...of: unknown[]) => Promise<void>
  const wrapped = (name: keyof Platform): AnyWrite => {
    const write = platform[name] as AnyWrite
    return async (...of) => {
      const call = calls++
      await at(call, false, name)
      await write(...of)
      await at(call, true, name)
    }
  }
  return {
    writeThemeFiles: wrapped('writeThemeFiles'),
    deleteThemeFiles: wrapped('deleteThemeFiles'),
    assignTemplates: wrapped('assignTemplates'),
    setPrices: wrapped('setPrices'),
  }
}
const killedAt = (step: number, when: boolean) =>
  journalOn(
    writing((call, isDone) => {
      if (call === step && isDone === when) throw new Error('killed')
    }),
  )

async function isAsBefore(t: Test, testId: string) {
  t.same((await journal.restore(storeId, { testId })).kept, [])
  t.same(await state(), before)
  t.same(await plans(), [])
}

for (const isDone of [false, true])
  for (let step = 0; step < writes; step++)
    t.test(
      `a crash ${isDone ? 'after' : 'before'} the write of step ${step + 1}: the plan is resumed`,
      async t => {
        const [same, other] = [await newDraft(), await newDraft()]
        await t.rejects(killedAt(step, isDone).makeAll({ storeId, testId: same }, steps), /killed/)
        t.same(await plans(), [{ state: 'running' }])
        await journal.makeAll({ storeId, testId: same }, steps)
        t.same(await state(), after, 'by the same call')
        await isAsBefore(t, same)

        await t.rejects(killedAt(step, isDone).makeAll({ storeId, testId: other }, steps), /killed/)
        t.same(await journal.resume(storeId), [])
        t.same(await plans(), [{ state: 'running' }], 'its process may still be alive')
        await db.kysely
          .updateTable('journal_plans')
          .set({ until: new Date(0) })
          .execute()
        t.same(await journal.resume(storeId), [])
        t.same(await state(), after, 'by itself')
        await isAsBefore(t, other)
      },
    )

t.test('a plan that was undone is not made again', async t => {
  const testId = await newDraft()
  await t.rejects(killedAt(1, true).makeAll({ storeId, testId }, steps), /killed/)
  await isAsBefore(t, testId)
  t.same(await journal.resume(storeId), [])
  t.same(await state(), before)
})

for (const [at, item, name] of [
  [1, names[1]!, 'Template product.ts-plan-b of theme Kiln'],
  [2, bowl!.id, `Template of product ${bowl!.title}`],
  [3, variants.at(-1)!.id, `Price of ${mug!.title}, ${variants.at(-1)!.title}`],
] as const)
  t.test(`a refusal in step ${at} is undone in reverse, with names`, async t => {
    const testId = await newDraft()
    let isRefusing = true
    shop.parts.refuse = refused => (refused === item && isRefusing ? 'Refused in this test.' : null)
    const order: string[] = []
    const noted = journalOn(
      writing((_, isDone, name) => {
        if (!isDone) order.push(name)
      }),
    )
    const error: unknown = await noted
      .makeAll({ storeId, testId }, steps)
      .catch((error: unknown) => error)
    shop.parts.refuse = null
    isRefusing = false
    t.ok(error instanceof StepRefused)
    t.match(error, {
      status: 422,
      message: `${name}: Refused in this test. What was done before was put back.`,
      notUndone: [],
    })
    t.same(await state(), before)
    t.same(await rowsOf(testId), [], 'nothing is stored about it')
    t.same(await plans(), [])
    const tried = ['writeThemeFiles', 'assignTemplates', 'setPrices'].slice(0, at)
    const back = ['setPrices', 'assignTemplates', 'deleteThemeFiles'].slice(writes - at)
    t.same(order, [...tried, ...back])
  })

t.test('what the shop refuses to put back is named, and the rest is undone', async t => {
  const testId = await newDraft()
  let written = 0
  const item = names[0]!
  shop.parts.refuse = refused =>
    refused === variants.at(-1)!.id || (refused === item && ++written > 1)
      ? 'The theme is locked.'
      : null
  const error: unknown = await journal
    .makeAll({ storeId, testId }, steps)
    .catch((error: unknown) => error)
  shop.parts.refuse = null
  t.match(error, {
    message: /put back, except: Template product\.ts-plan-a of theme Kiln\.$/,
    notUndone: ['Template product.ts-plan-a of theme Kiln'],
  })
  t.same(await state(), { ...before, files: [item] })
  t.match(await rowsOf(testId), [{ state: 'left' }])
  await engine.samples.staff()
  const staff = staffCaller({ engine: { engine } })
  const { email, password } = developmentStaff
  const { token } = await staff('staffSignIn', { body: { email, password } })
  const page = await staff('adminStore', { params: { id: storeId } }, token!)
  t.match(page.notUndone, [
    { what: 'Template product.ts-plan-a of theme Kiln', why: 'The theme is locked.' },
  ])
  await isAsBefore(t, testId)
})

t.test('a shop that stops answering while we undo is put back later', async t => {
  const testId = await newDraft()
  shop.parts.refuse = refused => (refused === variants[0]!.id ? 'No.' : null)
  const silent = journalOn({
    deleteThemeFiles: () => Promise.reject(new VendorProblem('shop', 504, 'Silent.')),
  })
  await t.rejects(silent.makeAll({ storeId, testId }, steps), {
    message: /is put back as soon as the shop answers\.$/,
  })
  shop.parts.refuse = null
  t.same(await plans(), [{ state: 'undoing' }])
  t.match(await journal.resume(storeId), [{ testId, notUndone: [], message: /was put back\.$/ }])
  t.same(await state(), before)
  t.same(await plans(), [])
})

t.test('what somebody changed between two steps stays theirs', async t => {
  const testId = await newDraft()
  const meddled = journalOn(
    writing(async (call, isDone) => {
      if (call === 0 && isDone)
        await platform.setPrices(firstShop, mug!.id, [{ variantId: variants[0]!.id, price: 4200 }])
    }),
  )
  await t.rejects(meddled.makeAll({ storeId, testId }, steps), {
    status: 409,
    message:
      /^Price of .* was changed in the shop meanwhile\. What was done before was put back\.$/,
  })
  t.same(await state(), { ...before, prices: [4200, ...before.prices.slice(1)] })
  await platform.setPrices(firstShop, mug!.id, [
    { variantId: variants[0]!.id, price: before.prices[0]! },
  ])
})

t.test('steps are no larger than one call may be', async t => {
  const testId = await newDraft()
  const sizes: number[] = []
  const many = journalOn({
    writeThemeFiles: async (shop, themeId, files) => {
      sizes.push(files.length)
      await platform.writeThemeFiles(shop, themeId, files)
    },
  })
  await many.writeFiles({
    storeId,
    testId,
    themeId: theme.id,
    files: Array.from({ length: 60 }, (_, n) => ({
      name: `templates/product.ts-many-${n}.json`,
      body: story!.body,
    })),
  })
  t.same(sizes, [50, 10])
  t.equal((await journal.restore(storeId, { testId })).undone, 60)
})

t.test('each step of a long application keeps other processes from continuing it', async t => {
  const testId = await launchedFrom(db, storeId, await newDraft())
  const set = (applying_arm: 'variant' | null) =>
    db.kysely
      .updateTable('tests')
      .set({ applying_arm, applying_until: new Date(0) })
      .where('test_id', '=', testId)
      .execute()
  const isLeased = async () => {
    const { applying_until } = await db.kysely
      .selectFrom('tests')
      .select('applying_until')
      .where('test_id', '=', testId)
      .executeTakeFirstOrThrow()
    return applying_until > new Date()
  }
  await set('variant')
  const leased: boolean[] = []
  const slow = journalOn(
    writing(async (_, isDone) => {
      // Each step takes longer than a lease.
      if (isDone) await set('variant')
      else leased.push(await isLeased())
    }),
  )
  await slow.makeAll({ storeId, testId }, steps)
  t.same(leased, [true, true, true])
  await set(null)
  await isAsBefore(t, testId)
})

t.test('an arm that the shop refuses in part is not applied, and the test says why', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Both dearer' } })
  for (const product of items)
    await call('createTestProduct', {
      body: { testDraftId: id, productId: product.id, rule: { kind: 'amount', value: 250 } },
    })
  const test = await launchedFrom(db, storeId, id)
  const [, other] = await platform.productsById(
    firstShop,
    items.map(each => each.id),
  )
  const refused = other!.variants[0]!.id
  shop.parts.refuse = item => (item === refused ? 'The price is locked.' : null)
  const words = /Price of .*: The price is locked\. What was done before was put back\.$/
  await t.rejects(call('applyTest', { params: { id: test }, body: { arm: 'variant' } }), {
    message: words,
  })
  shop.parts.refuse = null
  t.same(await state(), before)
  const { appliedArm, events } = await call('test', { params: { id: test } })
  t.equal(appliedArm, null)
  t.match(events.at(-1)!.detail, /^Variant not applied\. Price of .*: The price is locked\./)
  await call('applyTest', { params: { id: test }, body: { arm: 'variant' } })
  await call('applyTest', { params: { id: test }, body: { arm: 'control' } })
  t.same(await state(), before)
})
