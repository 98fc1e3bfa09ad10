import t from 'tap'
import { startingFiles } from '../../demo-shop/themes/theme-files.ts'
import { isOwnLiquid } from '../../demo-shop/themes/shown-theme.ts'
import { bearer, openShop } from './support/demo-shop.ts'

const theme = '160002'
const { app } = await openShop(t)
const put = (name: string, body: string) =>
  app.inject({
    method: 'PUT',
    url: `/admin/api/themes/${theme}/files.json`,
    headers: bearer,
    payload: { files: [{ name, body }] },
  })
const page = (url = '/pages/about') =>
  app.inject({ url: `${url}?preview_theme_id=${theme}`, headers: { accept: 'text/html' } })
/** Appends this Liquid to a section of the about page and requests the page. */
const section = startingFiles('harbour').get('sections/main-page.liquid')!
const drawn = async (liquid: string) => {
  t.equal((await put('sections/main-page.liquid', section + liquid)).statusCode, 200)
  // Another process draws. Processor time does not depend on what else the machine does.
  const before = process.cpuUsage()
  const answer = await page()
  const { user, system } = process.cpuUsage(before)
  const worked = (user + system) / 1000
  return { ...answer, statusCode: answer.statusCode, body: answer.body, worked }
}

/**
 * Where LiquidJS stops the template itself, the page shows the error in its place (200). Otherwise
 * the whole page fails.
 */
const hostile: [why: string, liquid: string, status: number][] = [
  [
    'loops in loops',
    '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}',
    200,
  ],
  ['a huge range', '{% for a in (1..9000000000) %}{{ a }}{% endfor %}', 200],
  [
    'a string that doubles',
    '{% assign s = "aaaaaaaaaa" %}{% for i in (1..64) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
    200,
  ],
  [
    'a string that is replaced by itself',
    '{% assign s = "aaaaaaaaaa" %}{% for i in (1..9) %}{% assign s = s | replace: "a", s %}{% endfor %}{{ s }}',
    200,
  ],
  ['a snippet without an end', '{% render "endless" %}', 200],
  [
    'a filter that works for half a minute',
    '{{ (1..2400000) | where_exp: "i", "i contains i" | size }}',
    503,
  ],
]

t.test('hostile Liquid does not block the process, and the shop still works', async t => {
  t.equal(
    (await put('snippets/endless.liquid', '{% render "endless" %}{% render "endless" %}'))
      .statusCode,
    200,
  )
  for (const [why, liquid, status] of hostile) {
    const { statusCode, body, worked } = await drawn(liquid)
    t.match(
      [statusCode, body],
      [status, status === 503 ? /takes too long or too much/ : /Liquid error/],
      why,
    )
    t.ok(worked < 1_500, `${why}: this process worked for ${Math.round(worked)} ms`)
    t.equal(
      (await app.inject('/products/oak-spoon')).statusCode,
      200,
      `${why}: the published theme still works`,
    )
  }
  t.match(
    await drawn('<p>{{ 1 | plus: 2 }} and {{ cart.item_count }}</p>'),
    { statusCode: 200, body: /<p>3 and 0<\/p>/ },
    'good Liquid works again after that',
  )
})

t.test('a template with invalid Liquid is refused with the reason', async t => {
  t.match((await put('sections/main-page.liquid', '{% if %}{% nonsense %}')).json(), {
    fields: [{ field: 'sections/main-page.liquid', message: /invalid value expression/ }],
  })
  const deep = '{% if a %}'.repeat(50_000)
  t.match(await put('sections/main-page.liquid', deep), { statusCode: /^(422|503)$/ })
  t.equal((await put('sections/main-page.liquid', section)).statusCode, 200)
  t.equal((await page()).statusCode, 200)
})

t.test('only the shop’s starting files and copies of its templates run in this process', t => {
  const starting = startingFiles('harbour')
  const own = (more: [string, string][]) => isOwnLiquid(new Map([...starting, ...more]), starting)
  const copy = [...starting].find(([name]) => /^templates\/.*\.liquid$/.test(name))
  t.equal(own([]), true)
  t.equal(
    own([
      ['templates/page.mine.json', '{"sections":{},"order":[]}'],
      ['config/settings_data.json', '{}'],
      ['assets/x.js', 'x'],
    ]),
    true,
  )
  if (copy) t.equal(own([['templates/page.mine.liquid', copy[1]]]), true)
  for (const name of [
    'layout/theme.liquid',
    'sections/new.liquid',
    'snippets/new.liquid',
    'templates/page.mine.liquid',
    'sections/hero.liquid',
  ])
    t.equal(own([[name, '{{ 1 }}']]), false, name)
  t.end()
})
