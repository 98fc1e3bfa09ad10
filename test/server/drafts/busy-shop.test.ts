import t from 'tap'
import type * as DraftShop from '../support/draft-kinds-shop.ts'
import { textOf } from '../support/merchant.ts'

// A shop of its own, because files share the other one: it lets a program read one page a minute.
// It answers everything else.
const own = '../support/draft-kinds-shop.ts?busy'
const { act, call, edit, get, newDraft, now, post, shop, stored } = (await import(
  own
)) as typeof DraftShop
const reason = 'Your shop lets a program read only so many of its pages a minute. Try again in '
const id = await newDraft('UrlRedirect')
await act(id, 'pages', 'save', { controlUrl: '/pages/about', redirectUrl: '/pages/faq' })
await post(edit(id), { act: 'save', title: 'A shorter guide' })
now.at = new Date(now.at.getTime() + 61_000)
shop.capabilities.set({ unsignedReads: 1 })

t.test('an address that could not be looked at is saved, and its field says why', async t => {
  const typed = { controlUrl: '/pages/about', redirectUrl: '/pages/shipping' }
  await call('validateRedirectUrl', { query: { redirectUrl: '/pages/faq' } })
  const saved = await act(id, 'pages', 'save', typed)
  t.equal(saved.statusCode, 200)
  t.match(
    textOf(saved.body),
    'Your shop lets us look at no more of its pages for a moment, so this',
  )
  t.notMatch(textOf(saved.body), /did not answer|does not answer|no page at/)
  t.match(await stored(id), typed)
  const onward = await act(id, 'pages', 'go:split', { redirectUrl: '/pages/faq' })
  t.match(textOf(onward.body), 'Your shop lets us look at no more of its pages', 'on the next page')
})

t.test('the check list says why the launch cannot be checked, and when to try again', async t => {
  const page = textOf((await get(edit(id, 'review'))).body)
  t.match(page, `${reason}`)
  t.match(page, 'The launch cannot be checked before that.')
  t.notMatch(page, /does not answer|did not answer/)
})

t.test('a launch is refused with that reason; the draft is saved', async t => {
  const launched = await post(edit(id), { act: 'launch', title: 'A guide in short' })
  t.equal(launched.statusCode, 422)
  t.match(textOf(launched.body), `Not launched. Your draft is saved. ${reason}`)
  t.equal((await stored(id)).title, 'A guide in short')
})
