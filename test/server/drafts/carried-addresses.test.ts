import t from 'tap'
import { stepsOf } from '../../../domain/drafts/draft-steps.ts'
import type { ChoiceShown } from '../../../domain/drafts/pictures/choice-picture.ts'
import { paths } from '../../../domain/paths.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { stageAboutPage } from '../../engine/support/about-page.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { carriedAddresses } from '../support/carried-addresses.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

// A program that ends at once: pictures are asked for, and none is taken.
const { get, post, call, put, platform, db, storeId, close } = await startShopMerchant(
  {},
  { CHROMIUM_PATH: '/bin/true' },
)
t.teardown(close)
await put({
  feature_flags: JSON.stringify([
    'PriceTesting',
    'DomTesting',
    'ApiTesting',
    'UrlRedirectTests',
  ]) as never,
  plan_id: 'core-100k-monthly',
  onboarded: true,
  has_subscribed: true,
  subscription_status: 'Active',
  subscription_id: 'sub-1',
})
const carried = { host: 'aG9z', shop: firstShop, code: 'SAVE20' },
  withCarried = (path: string) =>
    `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(carried)}`
const { id: page } = await stageAboutPage(platform, firstShop)

t.test('every step of every kind carries host, shop and code, also for its scripts', async t => {
  const [kept, lost] = [new Set<string>(), new Set<string>()]
  for (const kind of testKindNames) {
    const { id } = await call('createDraft', { body: { kind, title: 'Carried' } }),
      params = { id }
    if (kind === 'PageContent') {
      await call('setControl', { params, body: { type: 'page', suffix: 'about' } })
      await call('setVariant', { params, body: { granular: [page] } })
    }
    for (const step of stepsOf(kind)) {
      const { body } = await get(withCarried(`${paths.draft(id)}?step=${step}`))
      const found = carriedAddresses(body, `${kind} ${step}`, carried)
      for (const each of found.kept) kept.add(each.replaceAll(id, ':id'))
      for (const each of found.lost) lost.add(each.replaceAll(id, ':id'))
    }
  }
  t.same([...lost], [])
  for (const script of [
    /^Theme theme: <span.* data-to="/,
    /^PageElement changes: props of an island: \/tests\/draft\/edit\/:id\/uploads/,
    /^PageContent content: props of an island: \/tests\/draft\/edit\/:id\/uploads/,
  ])
    t.ok(
      [...kept].some(each => script.test(each)),
      `${script} was looked at`,
    )
})

t.test('the addresses of pictures that a script asks for carry them too', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Theme', title: 'Pictures' } })
  const [theme] = await call('themes', {}),
    choice = `theme:${theme!.id}`
  const at = new Date('2026-05-04T10:00:00Z')
  await db.kysely
    .insertInto('choice_pictures')
    .values({
      store_id: storeId,
      choice,
      version: theme!.updatedAt,
      drawn_version: theme!.updatedAt,
      is_waiting: false,
      asked_at: at,
      taken_at: at,
      image: Buffer.from('a picture'),
    })
    .execute()
  const answer = await post(withCarried(paths.draftChoices(id)), {
    of: choice,
    version: theme!.updatedAt,
  })
  const [shown] = answer.json<ChoiceShown[]>()
  t.equal(shown!.src, withCarried(paths.draftChoices(id, choice, at.toISOString())))
  t.match(await get(shown!.src!), { statusCode: 200, body: 'a picture' })
  t.match(
    (await get(withCarried(`${paths.draft(id)}?step=theme`))).body,
    `src="${shown!.src!.replaceAll('&', '&amp;')}"`,
    'the page has the same address, so its script does not load it again',
  )
})
