import t from 'tap'
import type { DraftStep } from '../../../domain/drafts/draft-steps.ts'
import { neverSwapped, unusedVariant } from '../../../domain/drafts/swap-control.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import {
  act,
  call,
  edit,
  get,
  newDraft,
  platform,
  stored,
  swapOf,
} from '../support/draft-kinds-shop.ts'
import { textOf } from '../support/merchant.ts'

const shown = async (id: string, step: DraftStep) => (await get(edit(id, step))).body

t.test('kinds whose variant the shop cannot show have a disabled swap with the reason', async t => {
  const steps = { PageElement: 'pages', Api: 'code', Price: 'products' } as const
  t.same(
    Object.keys(steps),
    testKindNames.filter(kind => neverSwapped[kind]),
  )
  for (const [kind, step] of Object.entries(steps) as [keyof typeof steps, DraftStep][]) {
    const id = await newDraft(kind)
    if (kind === 'Price') {
      const [product] = await platform.resources(firstShop, 'product')
      await call('upsertProducts', {
        query: { testDraftId: id },
        body: { products: [{ productId: product!.id }] },
      })
    }
    const body = await shown(id, step)
    t.equal(swapOf(body), 'disabled', kind)
    t.ok(textOf(body).includes(neverSwapped[kind]!), `${kind} says why`)
    t.match(body, /aria-describedby="swap-reason"/)
  }
})

t.test('themes can be swapped; the step says when the control is not the live theme', async t => {
  const id = await newDraft('Theme'),
    themes = await platform.themes(firstShop)
  const live = themes.find(({ role }) => role === 'live')!,
    other = themes.find(({ role }) => role !== 'live')!
  t.equal(swapOf(await shown(id, 'theme')), 'none', 'without a variant there is nothing to swap')
  t.equal(swapOf((await act(id, 'theme', `theme.choose:${other.id}`)).body), 'enabled')
  const swapped = await act(id, 'theme', 'theme.swap:')
  t.match(await stored(id), { control: { themeId: other.id }, variant: { themeId: live.id } })
  t.match(
    textOf(swapped.body),
    new RegExp(`The control must be your live theme, ${live.name}\\. Publish ${other.name}`),
  )
  t.notMatch(textOf(swapped.body), /the same as your live theme/)
  const kept = (themeId: string, control: string) =>
    act(id, 'theme', 'theme.restore:', { restore: JSON.stringify({ themeId, control }) })
  await kept(other.id, live.id)
  t.match(await stored(id), { control: { themeId: live.id } }, 'undo')
  await kept(live.id, other.id)
  t.match(await stored(id), { control: { themeId: other.id } }, 'redo')
  await act(id, 'theme', `theme.choose:${other.id}`)
  t.match(
    await stored(id),
    { control: { themeId: live.id }, variant: { themeId: other.id } },
    'choosing a theme makes the live theme the control again',
  )
})

t.test('page content is swapped only when the page uses the copy', async t => {
  const [about] = await platform.resources(firstShop, 'page')
  const assign = (suffix: string) =>
    platform.assignTemplates(firstShop, [{ type: 'page', id: about!.id, suffix }])
  const { themeId } = await call('storeInfo', {}),
    [file] = await platform.themeFiles(firstShop, themeId!, ['templates/page.guide.json'])
  await platform.writeThemeFiles(firstShop, themeId!, [
    { name: 'templates/page.swapped.json', body: file!.body },
  ])
  await assign('swapped')
  const id = await newDraft('PageContent')
  const made = await act(id, 'page', `page.choose:page:swapped:${about!.id}`)
  t.equal(swapOf(made.body), 'disabled')
  t.ok(textOf(made.body).includes(unusedVariant))
  t.equal((await act(id, 'page', 'page.swap:')).statusCode, 422, 'a posted swap is refused too')
  const copy = (await stored(id)).variant!.suffix!
  await assign(copy)
  t.equal(swapOf(await shown(id, 'page')), 'enabled')
  await act(id, 'page', 'page.swap:')
  t.match(await stored(id), {
    control: { suffix: copy },
    variant: { suffix: 'swapped' },
    resourceIds: [about!.id],
  })
})
