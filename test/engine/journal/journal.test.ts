import t, { type Test } from 'tap'
import { startJournal } from '../../../engine/journal/journal.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { assignedTypes } from '../../../domain/themes/template.ts'
import { like } from '../support/like.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const { call, db, now, platform, close } = await startWithShop({}, {}, withAllChanges)
t.teardown(close)
const journal = startJournal({ db, platform, clock: () => now.at })
const { id: storeId } = await call('storeInfo', {})
const [live, other] = [...(await platform.themes(firstShop))].sort(
  (a, b) => Number(b.role === 'live') - Number(a.role === 'live'),
)
const themeId = live!.id
const [mug, bowl] = (
  await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 2 })
).items
const templates = ['templates/', 'sections/', 'snippets/', 'config/', 'layout/', 'assets/']

/** Everything in the shop that a test can change. */
async function shopState() {
  const files = await Promise.all(
    (await platform.themes(firstShop)).map(async theme =>
      (await platform.themeFiles(firstShop, theme.id, templates)).map(
        ({ name, body }) => `${theme.id} ${name} ${body}`,
      ),
    ),
  )
  const resources = await Promise.all(
    assignedTypes.map(type => platform.resources(firstShop, type)),
  )
  return {
    files: files.flat().sort(),
    resources: resources.flat().map(({ type, id, suffix }) => `${type} ${id} ${suffix}`),
    live: (await platform.themes(firstShop)).find(each => each.role === 'live')!.id,
    prices: (await platform.productsById(firstShop, [mug!.id, bowl!.id])).flatMap(({ variants }) =>
      variants.map(({ id, price }) => `${id} ${price}`),
    ),
    redirects: (await platform.urlRedirects(firstShop)).map(
      ({ path, target }) => `${path} ${target}`,
    ),
  }
}
const untouched = await shopState()
const bodyOf = async (name: string, of = platform as Platform) =>
  (await of.themeFiles(firstShop, themeId, [name]))[0]?.body ?? null
const story = (await bodyOf('templates/product.story.json'))!
const changedBy = (title: string) => JSON.stringify({ ...(JSON.parse(story) as object), title })
/** A draft that owns the changes. The engine undoes changes that have no draft or test. */
const newDraft = async () => (await call('createDraft', { body: { kind: 'Template' } })).id
const restore = (testId: string) => journal.restore(storeId, { testId })
/**
 * Restores and checks that `undone` changes were undone, that the shop is as before to the byte,
 * and that nothing is left to undo.
 */
async function isAsBefore(t: Test, testId: string, undone: number) {
  t.same(await restore(testId), { undone, kept: [] })
  t.same(await shopState(), untouched)
  t.same(await restore(testId), { undone: 0, kept: [] }, 'a second restore has nothing to undo')
}

t.test('every kind of change is made, and undone to the last byte', async t => {
  const testId = await newDraft(),
    of = { storeId, testId }
  const variants = (await platform.productsById(firstShop, [mug!.id]))[0]!.variants
  await journal.writeFiles({
    ...of,
    themeId,
    files: [
      { name: 'templates/product.ts-new000.json', body: story },
      { name: 'templates/product.story.json', body: changedBy('A') },
    ],
  })
  await journal.writeFiles({
    ...of,
    themeId,
    files: [{ name: 'templates/product.ts-new000.json', body: changedBy('B') }],
  })
  await journal.assignTemplates({
    ...of,
    assignments: [
      { type: 'product', id: mug!.id, suffix: 'ts-new000' },
      { type: 'product', id: bowl!.id, suffix: 'ts-new000' },
    ],
  })
  await journal.setPrices({
    ...of,
    productId: mug!.id,
    prices: variants.map(({ id, price }) => ({ variantId: id, price: price + 150 })),
  })
  await journal.publishTheme({ ...of, themeId: other!.id })
  await journal.redirect({ ...of, path: '/pages/gift-guide', target: '/pages/about' })
  await journal.redirect({ ...of, path: '/pages/gift-guide', target: '/collections/all' })
  t.equal(await bodyOf('templates/product.ts-new000.json'), changedBy('B'))
  t.equal(
    await journal.lastWritten(storeId, testId, 'templates/product.ts-new000.json'),
    changedBy('B'),
  )
  const changed = await shopState()
  t.equal(changed.live, other!.id)
  t.same(changed.redirects, ['/pages/gift-guide /collections/all'])
  t.ok(changed.resources.includes(`product ${mug!.id} ts-new000`))
  t.not(changed.prices.join(), untouched.prices.join())
  const remaining = await journal.remaining(storeId)
  t.match(
    remaining.join('; '),
    /Template product\.ts-new000 of theme \w+.*Template of product .*Price of .*The live theme; Redirect of \/pages\/gift-guide$/,
  )
  const steps: number[] = []
  const { undone, kept } = await journal.restore(storeId, {
    testId,
    onStep: async done => {
      steps.push(done)
    },
  })
  t.same(kept, [])
  t.equal(undone, 3 + 2 + variants.length + 1 + 2)
  t.same(await shopState(), untouched)
  t.ok(
    steps.every((step, i) => i === 0 || step > steps[i - 1]!),
    'the progress only grows',
  )
  t.equal(steps.at(-1), 1)
  t.same(await journal.remaining(storeId), [])
})

t.test('writing what is already there is not recorded as a change', async t => {
  const testId = await newDraft()
  await journal.writeFiles({
    storeId,
    testId,
    themeId,
    files: [{ name: 'templates/product.story.json', body: story }],
  })
  await journal.publishTheme({ storeId, testId, themeId })
  t.same(await restore(testId), { undone: 0, kept: [] })
})

t.test(
  'a later edit of the merchant stays and is listed, and a file they deleted is listed as gone',
  async t => {
    const testId = await newDraft(),
      name = 'templates/product.ts-edited.json'
    await journal.writeFiles({
      storeId,
      testId,
      themeId,
      files: [
        { name, body: story },
        { name: 'templates/product.ts-gone00.json', body: story },
        { name: 'templates/product.ts-plain0.json', body: story },
      ],
    })
    await platform.writeThemeFiles(firstShop, themeId, [{ name, body: changedBy('By hand') }])
    await journal.writeFiles({
      storeId,
      testId,
      themeId,
      files: [{ name: 'templates/product.ts-gone00.json', body: changedBy('Ours') }],
    })
    await platform.deleteThemeFiles(firstShop, themeId, ['templates/product.ts-gone00.json'])
    const { undone, kept } = await restore(testId)
    t.same(
      kept.map(({ what, why }) => [what.split(' of theme')[0], why]),
      [
        ['Template product.ts-gone00', 'gone'],
        ['Template product.ts-edited', 'edited'],
      ],
    )
    t.equal(
      undone,
      2,
      'the untouched copy, and the deleted file, which did not exist before either',
    )
    t.equal(await bodyOf(name), changedBy('By hand'))
    t.same(
      (await restore(testId)).kept.map(({ why }) => why),
      ['gone', 'edited'],
      'a second restore lists them again',
    )
    await platform.writeThemeFiles(firstShop, themeId, [{ name, body: story }])
    t.equal(
      (await restore(testId)).undone,
      1,
      'when the merchant restores our content, we can undo it',
    )
    t.same(await shopState(), untouched)
  },
)

t.test(
  'a template of ours is not deleted while a page that the merchant assigned it to uses it',
  async t => {
    const testId = await newDraft()
    await journal.writeFiles({
      storeId,
      testId,
      themeId,
      files: [{ name: 'templates/product.ts-used00.json', body: story }],
    })
    await platform.assignTemplates(firstShop, [
      { type: 'product', id: bowl!.id, suffix: 'ts-used00' },
    ])
    t.match(await restore(testId), { undone: 0, kept: [{ why: 'edited' }] })
    await platform.assignTemplates(firstShop, [
      {
        type: 'product',
        id: bowl!.id,
        suffix: untouched.resources
          .find(each => each.startsWith(`product ${bowl!.id} `))!
          .split(' ')[2]!,
      },
    ])
    await isAsBefore(t, testId, 1)
  },
)

t.test('an applied change stays until it is reopened, then it can be undone', async t => {
  const testId = await newDraft()
  await journal.redirect({ storeId, testId, path: '/pages/about', target: '/' })
  await journal.keep(storeId, testId)
  t.same(await restore(testId), {
    undone: 0,
    kept: [{ what: 'Redirect of /pages/about', why: 'applied' }],
  })
  t.same(await journal.remaining(storeId), [], 'the change belongs to the merchant now')
  t.same((await shopState()).redirects, ['/pages/about /'])
  await journal.reopen(storeId, testId)
  await isAsBefore(t, testId, 1)
})

t.test(
  'when two tests change one file, the shop is as before after both have ended, in any order',
  async t => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const tests = [await newDraft(), await newDraft()],
        name = 'templates/product.story.json'
      await journal.writeFiles({
        storeId,
        testId: tests[0]!,
        themeId,
        files: [{ name, body: changedBy('One') }],
      })
      await journal.writeFiles({
        storeId,
        testId: tests[1]!,
        themeId,
        files: [{ name, body: changedBy('Two') }],
      })
      t.same((await restore(tests[order[0]]!)).kept, [])
      t.equal(
        await bodyOf(name),
        changedBy(order[0] === 0 ? 'Two' : 'One'),
        'the change of the other test stays while it runs',
      )
      await isAsBefore(t, tests[order[1]]!, 1)
    }
  },
)

t.test('a crash between row and change, or between undoing and its row, does no harm', async t => {
  const testId = await newDraft(),
    name = 'templates/product.ts-crash0.json'
  const dying = {
    ...platform,
    writeThemeFiles: () => Promise.reject(new Error('killed')),
    deleteThemeFiles: async (...of: Parameters<Platform['deleteThemeFiles']>) => {
      await platform.deleteThemeFiles(...of)
      throw new Error('killed')
    },
  }
  const killed = startJournal({ db, platform: dying, clock: () => now.at })
  await t.rejects(
    killed.writeFiles({ storeId, testId, themeId, files: [{ name, body: story }] }),
    /killed/,
  )
  t.same(
    (await journal.remaining(storeId)).length,
    1,
    'the change is recorded although it was not made',
  )
  await isAsBefore(t, testId, 1)
  await journal.writeFiles({ storeId, testId, themeId, files: [{ name, body: story }] })
  await t.rejects(killed.restore(storeId, { testId }), /killed/)
  await isAsBefore(t, testId, 1)
})

t.test(
  'a merchant’s own redirect is restored wherever its replacement was interrupted',
  async t => {
    const path = '/pages/gift-guide',
      own = `${path} /pages/about`
    await platform.createUrlRedirect(firstShop, { path, target: '/pages/about' })
    const redirects = async () => (await shopState()).redirects
    const rowsOf = (testId: string) =>
      db.kysely.selectFrom('journal').select('state').where('test_id', '=', testId).execute()
    /** The shop makes no redirect, for so many times. */
    const failing = (times: number, status: number) =>
      startJournal({
        db,
        clock: () => now.at,
        platform: {
          ...platform,
          createUrlRedirect: (...of) =>
            times-- > 0
              ? Promise.reject(new HttpProblem(status, 'It failed.'))
              : platform.createUrlRedirect(...of),
        },
      })
    for (const status of [502, 422])
      for (const times of [1, 2]) {
        const testId = await newDraft(),
          of = { storeId, testId, path, target: '/collections/all' }
        await t.rejects(failing(times, status).redirect(of), like({ status }))
        t.same(await redirects(), times === 1 ? [own] : [], `put back at once, or left for undoing`)
        t.equal((await rowsOf(testId)).length, status === 422 && times === 1 ? 0 : 1)
        t.same((await restore(testId)).kept, [])
        t.same(await redirects(), [own])

        await journal.redirect(of)
        const undoing = failing(times, status).restore(storeId, { testId })
        if (status === 502) await t.rejects(undoing, like({ status }))
        else t.match(await undoing, { undone: 0, kept: [{ why: 'refused' }] })
        t.same(await restore(testId), { undone: 1, kept: [] })
        t.same(await redirects(), [own])
      }
    const [made] = await platform.urlRedirects(firstShop)
    await platform.deleteUrlRedirect(firstShop, made!.id)
    t.same(await shopState(), untouched)
  },
)

t.test('a refusal of the shop is passed on, and nothing is left to undo', async t => {
  const testId = await newDraft()
  await t.rejects(
    journal.writeFiles({
      storeId,
      testId,
      themeId,
      files: [{ name: 'templates/product.ts-bad000.json', body: 'not JSON' }],
    }),
    like({ status: 422 }),
  )
  await t.rejects(journal.publishTheme({ storeId, testId, themeId: 'none' }), like({ status: 404 }))
  await t.rejects(
    journal.assignTemplates({
      storeId,
      testId,
      assignments: [{ type: 'product', id: 'none', suffix: '' }],
    }),
    like({ status: 404 }),
  )
  await isAsBefore(t, testId, 0)
  t.same(
    await db.kysely.selectFrom('journal').select('what').where('test_id', '=', testId).execute(),
    [],
    'the refused changes have no rows',
  )
})
