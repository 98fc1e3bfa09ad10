import { createServer } from 'node:http'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { plainBrandStyle, plainFonts } from '../../../domain/brand/brand-style-by-hand.ts'
import { fontKey } from '../../../domain/brand/brand-style-form.ts'
import { appConfig } from '../../../server/config.ts'
import { buildApp } from '../../../server/app.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { startWithShop } from '../../engine/support/with-shop.ts'
import { textOf } from '../support/merchant.ts'

const origin = 'http://localhost:3000'
const own = await startWithShop()
const { app, close } = await buildApp({
  config: appConfig({ APP_ORIGIN: origin }),
  upstreamOrigin: own.engineOrigin,
  timeouts: { firstWait: 5, longestWait: 10 },
})
t.teardown(async () => {
  await close()
  await own.close()
})
const jar = new Map<string, string>()
const send = async (options: InjectOptions) => {
  const response = await app.inject({
    ...options,
    headers: {
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      host: 'localhost:3000',
      ...options.headers,
    },
  })
  for (const { name, value } of response.cookies) jar.set(name, value)
  return response
}
await send({ url: `/?id_token=${await own.idToken()}` })
const get = (url: string) => send({ url })
const post = (url: string, fields: Record<string, string> = {}) =>
  send({
    url,
    method: 'POST',
    payload: new URLSearchParams(fields).toString(),
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
  })
const kept = () => own.call('brandStyle', {}).catch((error: { status: number }) => error.status)
const markIn = (html: string): string => /name="mark" value="([^"]+)"/.exec(html)![1]!
const idIn = (html: string): string => /name="id" value="([^"]*)"/.exec(html)![1]!
/** A form's fields as a browser would send them back. */
function fieldsIn(html: string): Record<string, string> {
  const fields: Record<string, string> = { id: idIn(html) }
  for (const [, tag] of html.matchAll(/<(input[^>]*)>/g)) {
    const [, name] = / name="([^"]+)"/.exec(tag!) ?? [],
      [, type] = / type="([^"]+)"/.exec(tag!) ?? [],
      [, value = 'on'] = / value="([^"]*)"/.exec(tag!) ?? []
    if (name && (type === 'color' || / checked/.test(tag!))) fields[name] = value
  }
  for (const [, name, options] of html.matchAll(
    /<select[^>]* name="([^"]+)"[^>]*>(.*?)<\/select>/gs,
  ))
    fields[name!] =
      / value="([^"]*)"/.exec(/<option[^>]*selected[^>]*>/.exec(options!)?.[0] ?? '')?.[1] ?? ''
  return fields
}

t.test('without a brand style each page says so and links to the import', async t => {
  for (const path of [
    '/settings/brand-styles',
    '/import-brand-styles/edit',
    '/import-brand-styles/edit/Product',
  ]) {
    const { statusCode, body } = await get(path)
    t.equal(statusCode, 200, path)
    t.match(textOf(body), 'No brand styles yet')
    t.match(body, 'href="/import-brand-styles"')
  }
  t.equal((await post('/import-brand-styles/edit/Product', {})).statusCode, 404)
  t.equal(await kept(), 404)
})

t.test('a merchant imports, reviews and keeps a brand style', async t => {
  const about = await get('/import-brand-styles')
  t.equal(about.statusCode, 200)
  t.match(textOf(about.body), 'Read my shop')
  t.notMatch(textOf(about.body), 'Saved now')
  const read = await post('/import-brand-styles?shop=fern-and-kiln.demo-shop.test')
  t.equal(read.statusCode, 303)
  t.equal(
    read.headers.location,
    '/import-brand-styles/review?shop=fern-and-kiln.demo-shop.test',
    'the address has nothing of the style that was read',
  )
  t.equal(await kept(), 404, 'reading the shop stores nothing')

  const review = await get('/import-brand-styles/review')
  const text = textOf(review.body)
  for (const found of [
    'Georgia',
    'Inter',
    'Title',
    'Body',
    'Label',
    'Button text',
    'Content',
    'Product',
    'Highlight',
    'Semi-round',
    'Filled, medium',
    'Outline, medium',
    '#7a4a2b',
    '#efe7da',
  ])
    t.match(text, found)
  t.match(review.body, 'fill="#efe7da"', 'the pattern is drawn in its colours')
  t.match(review.body, 'font-family="&quot;Georgia&quot;, serif"')
  t.notMatch(review.body, / style="/, 'without a style attribute')
  t.equal(
    (await post('/import-brand-styles/review', { mark: markIn(review.body) })).headers.location,
    '/settings/brand-styles',
  )
  const style = await own.call('brandStyle', {})
  t.match(style, { title: { family: 'Georgia' }, patterns: { length: Number } })

  const settings = await get('/settings/brand-styles')
  t.match(textOf(settings.body), /Brand styles saved\./)
  t.match(textOf(settings.body), /Last changed on \d+ \w+ \d{4} at \d\d:\d\d\./)
  for (const href of [
    '/import-brand-styles/edit',
    '/import-brand-styles/edit/Product',
    '/import-brand-styles/edit/Highlight',
  ])
    t.match(settings.body, `href="${href}"`)
  t.match(textOf((await get('/import-brand-styles')).body), 'Saved now')
  t.match(
    textOf((await get('/import-brand-styles/review')).body),
    'This replaces the brand styles of',
  )
})

t.test('the shown style is stored; a shop that changed meanwhile is shown again', async t => {
  const shown = await get('/import-brand-styles/review')
  const before = await kept()
  for (const mark of ['', 'x', markIn(shown.body).slice(1)])
    t.equal((await post('/import-brand-styles/review', { mark })).statusCode, 409)
  const [live, other] = [...(await own.platform.themes(firstShop))].sort(theme =>
    theme.role === 'live' ? -1 : 1,
  )
  await own.platform.publishTheme(firstShop, other!.id)
  const changed = await post('/import-brand-styles/review', { mark: markIn(shown.body) })
  t.equal(changed.statusCode, 409)
  t.match(textOf(changed.body), 'Your shop has changed since it was shown.')
  t.match(textOf(changed.body), 'Avenir Next')
  t.same(await kept(), before, 'nothing was stored')
  const edit = await post('/import-brand-styles/review', {
    mark: markIn(changed.body),
    edit: 'Product',
  })
  t.equal(
    edit.headers.location,
    '/import-brand-styles/edit/Product',
    'the style is stored and then edited',
  )
  t.match(await kept(), { title: { family: 'Avenir Next' } })
  await own.platform.publishTheme(firstShop, live!.id)
  const anew = markIn((await get('/import-brand-styles/review')).body)
  t.equal(
    (await post('/import-brand-styles/review', { mark: anew, edit: '//evil.example' })).headers
      .location,
    '/settings/brand-styles',
  )
})

t.test(
  'a pattern is edited; a wrong value is named at its field, and the form keeps all values',
  async t => {
    const path = '/import-brand-styles/edit/Highlight'
    const form = fieldsIn((await get(path)).body)
    t.match(form, {
      shape: String,
      buttonStyle: 'Filled',
      buttonSize: 'medium',
      background: '#efe7da',
    })
    const before = await own.call('brandStyle', {})
    for (const [fields, field, message] of [
      [{ buttonSize: 'huge' }, 'buttonSize', 'A button is large, medium or small, not "huge".'],
      [{ shape: 'Star' }, 'shape', 'Choose one of None, SemiRound, Round.'],
      [{ buttonStyle: '' }, 'buttonStyle', 'Choose one of Filled'],
      [{ heading: 'javascript:alert(1)' }, 'heading', 'Write the colour as #'],
      [{ 'without.buttonBackground': 'on' }, 'buttonBackground', 'A filled button needs a colour.'],
    ] as const) {
      const { statusCode, body } = await post(path, { ...form, text: '#010203', ...fields })
      t.equal(statusCode, 422, field)
      t.match(body, `id="${field}-problem"`, field)
      t.match(textOf(body), message)
      t.match(body, 'aria-invalid="true"')
      t.match(body, 'value="#010203"', 'the form keeps the chosen colour')
      t.match(textOf(body), 'Nothing was saved.')
    }
    t.same(await own.call('brandStyle', {}), before)
    const shown = await post(path, { ...form, background: '#010203', act: 'show' })
    t.equal(shown.statusCode, 200)
    t.match(shown.body, 'fill="#010203"', 'the sample shows it')
    t.same(await own.call('brandStyle', {}), before, 'showing it saves nothing')

    const { 'without.buttonBorder': _, ...bordered } = form
    const saved = await post(path, {
      ...bordered,
      background: '#010203',
      buttonSize: 'large',
      shape: 'Round',
      buttonBorder: '#ff0000',
      act: 'save',
    })
    t.same([saved.statusCode, saved.headers.location], [303, '/settings/brand-styles'])
    const after = (await own.call('brandStyle', {}))!
    t.match(
      after.patterns.find(pattern => pattern.kind === 'Highlight'),
      {
        shape: 'Round',
        buttonSize: 'large',
        colours: { background: '#010203', buttonBorder: '#ff0000' },
      },
    )
    t.same(
      after.patterns.filter(pattern => pattern.kind !== 'Highlight'),
      before!.patterns.filter(pattern => pattern.kind !== 'Highlight'),
      'the other patterns do not change',
    )
    t.equal(after.id, before!.id)
    t.match(textOf((await get('/settings/brand-styles')).body), 'Brand styles saved.')
  },
)

t.test('fonts are edited: each must be in the list', async t => {
  const path = '/import-brand-styles/edit'
  const form = fieldsIn((await get(path)).body)
  t.equal(form['title'], 'Georgia|400|normal')
  const [other] = (await own.call('brandFonts', {})).filter(font => font.family !== 'Georgia')
  for (const label of ['', 'Comic Sans|400|normal', '<script>']) {
    const { statusCode, body } = await post(path, { ...form, title: fontKey(other!), label })
    t.equal(statusCode, 422, label)
    t.match(body, 'id="label-problem"')
    t.notMatch(body, '<script>"')
    t.match(body, `value="${fontKey(other!)}" selected`, 'the form keeps the other choice')
  }
  t.equal((await post(path, { ...form, title: fontKey(other!) })).statusCode, 303)
  t.match(await own.call('brandStyle', {}), {
    title: { family: other!.family, weight: other!.weight },
    body: { family: 'Georgia' },
  })
})

t.test('an unknown pattern is 404', async t => {
  for (const name of ['Nothing', 'product', 'Product-9', 'Product-1', '__proto__', 'Product%2F2'])
    t.equal((await get(`/import-brand-styles/edit/${name}`)).statusCode, 404, name)
  t.equal((await post('/import-brand-styles/edit/Product-9', {})).statusCode, 404)
})

t.test(
  'a brand style that another person imported meanwhile is reported, and the form keeps its text',
  async t => {
    const path = '/import-brand-styles/edit/Highlight'
    const form = fieldsIn((await get(path)).body)
    await post('/import-brand-styles/review', {
      mark: markIn((await get('/import-brand-styles/review')).body),
    })
    const conflict = await post(path, { ...form, text: '#010203' })
    t.equal(conflict.statusCode, 409)
    t.match(textOf(conflict.body), 'Another brand style was imported since you opened this.')
    t.match(conflict.body, 'value="#010203"')
    t.not(idIn(conflict.body), form['id'])
    t.equal(
      (await post(path, { ...form, text: '#010203', id: idIn(conflict.body) })).statusCode,
      303,
    )
    t.match(
      (await own.call('brandStyle', {}))!.patterns.find(pattern => pattern.kind === 'Highlight'),
      { colours: { text: '#010203' } },
    )
  },
)

t.test('a shop with a password, or one that is down, has a message', async t => {
  const before = await kept()
  const redirect = await own.platform.createUrlRedirect(firstShop, {
    path: '/',
    target: '/pages/about',
  })
  for (const answer of [
    await post('/import-brand-styles'),
    await get('/import-brand-styles/review'),
    await post('/import-brand-styles/review', { mark: 'x' }),
  ]) {
    t.equal(answer.statusCode, 409)
    t.match(
      textOf(answer.body),
      'Your shop could not be read. The shop’s home page asks for a password or redirects elsewhere.',
    )
    t.match(textOf(answer.body), 'Try again')
  }
  await own.platform.deleteUrlRedirect(firstShop, redirect.id)
  await own.shop.app.close()
  const down = await post('/import-brand-styles')
  t.equal(down.statusCode, 502)
  t.match(
    textOf(down.body),
    /Your shop could not be read\. It did not answer, or did not send a page\. Nothing was changed\. Request [0-9a-f-]{36}/,
  )
  t.same(await kept(), before)
  t.equal(
    (await get('/import-brand-styles/edit')).statusCode,
    200,
    'stored fonts can still be chosen',
  )
})

t.test('a shop that never answers does not block the page', async t => {
  const silent = createServer(() => {}).listen(Number(new URL(own.shopOrigin).port), '127.0.0.1')
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  // The page's own API calls have a short timeout and four tries. The shop has one try with a
  // longer timeout.
  const hasty = await buildApp({
    config: appConfig({ APP_ORIGIN: origin }),
    upstreamOrigin: own.engineOrigin,
    timeouts: { timeout: 300, deadline: 60_000, firstWait: 5, longestWait: 10 },
  })
  t.teardown(hasty.close)
  const answer = await hasty.app.inject({
    url: '/import-brand-styles',
    method: 'POST',
    payload: '',
    headers: {
      origin,
      host: 'localhost:3000',
      'content-type': 'application/x-www-form-urlencoded',
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  })
  t.equal(answer.statusCode, 504)
  t.match(textOf(answer.body), 'Your shop could not be read. It took too long to answer.')
})
t.test('without a browser the page says why, and the style is filled in by hand', async t => {
  const bare = await startWithShop({}, { CHROMIUM_PATH: 'off' })
  t.teardown(bare.close)
  const { app: other, close: end } = await buildApp({
    config: appConfig({ APP_ORIGIN: origin }),
    upstreamOrigin: bare.engineOrigin,
    timeouts: { firstWait: 5, longestWait: 10 },
  })
  t.teardown(end)
  const signedIn = await other.inject({
    url: `/?id_token=${await bare.idToken()}`,
    headers: { host: 'localhost:3000' },
  })
  const headers = {
    origin,
    host: 'localhost:3000',
    cookie: signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    'content-type': 'application/x-www-form-urlencoded',
  }
  const send = (act: string) =>
    other.inject({ url: '/import-brand-styles', method: 'POST', payload: `act=${act}`, headers })
  const refused = await send('')
  t.equal(refused.statusCode, 409)
  t.match(
    textOf(refused.body),
    /This server has no Chrome, Chromium or Edge to open your shop’s pages with\..*Fill it in by hand/s,
  )
  t.equal((await send('by-hand')).headers.location, '/settings/brand-styles')
  t.match(await bare.call('brandStyle', {}), { ...plainBrandStyle, id: String, updatedAt: String })
  t.same(await bare.call('brandFonts', {}), plainFonts, 'these fonts can be chosen')
  const edit = await other.inject({ url: '/import-brand-styles/edit', headers })
  t.match(textOf(edit.body), 'Verdana')
  t.equal((await send('by-hand')).headers.location, '/settings/brand-styles')
  t.notMatch(
    textOf((await send('')).body),
    'Fill it in by hand',
    'with a stored style, filling in by hand is not offered',
  )
})
