import { readFileSync } from 'node:fs'
import t from 'tap'
import { designParts } from '../../../views/design/design.tsx'
import { tokens } from '../../../views/design/design-tokens.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const { get, close } = await startMerchant()
t.teardown(close)

t.test('the page shows every token of the stylesheet', async t => {
  const css = readFileSync('public/styles/tokens.css', 'utf8')
  const real = [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].flatMap(([, name, value]) =>
    name!.startsWith('--pico-') ? [] : [[name, value!.trim()]],
  )
  t.same(
    Object.values(tokens)
      .flat()
      .map(([name, value]) => [name, value])
      .sort(),
    real.sort(),
  )
  const { body } = await get('/devTest/design')
  for (const [name] of real) t.ok(body.includes(`<code>${name}</code>`), `${name} is shown`)
})

for (const part of Object.keys(designParts)) {
  t.test(`${part}: each component is shown in light and dark, and does nothing`, async t => {
    const { statusCode, body } = await get(`/devTest/design?part=${part}`)
    t.equal(statusCode, 200)
    t.match(body, /<title>Design system \| Twinshelf/)
    const panes = (scheme: string) => body.split(`design-pane design-${scheme}`).length - 1
    t.ok(panes('light') > 0)
    t.equal(panes('light'), panes('dark'))
    t.notMatch(body, /data-island=/)

    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
    t.same(
      ids.filter((id, i) => ids.indexOf(id) !== i),
      [],
      'no id occurs twice',
    )
    const named = [
      ...body.matchAll(
        / (?:for|data-modal|list|aria-controls|aria-labelledby|aria-describedby)="([^"]+)"/g,
      ),
    ].flatMap(([, names]) => names!.split(' '))
    t.same(
      named.filter(id => !ids.includes(id)),
      [],
      'every referenced id exists',
    )

    const specimens = [...body.matchAll(/<figure class="design-specimen">[\s\S]*?<\/figure>/g)]
      .map(([html]) => html)
      .join('')
    t.same(
      [
        ...new Set(
          [...specimens.matchAll(/ (?:href|action|formaction)="([^"]*)"/g)].map(([, to]) => to!),
        ),
      ].filter(to => !to.startsWith('#')),
      [],
      'no link leads to another page',
    )
    t.notMatch(specimens, /<script/)
    t.notMatch(specimens, /method="(?!dialog)|type="submit"| hx-/)
    t.equal(
      specimens.split('<button').length,
      specimens.split(/<button[^>]* type="button"/).length,
      'no button submits',
    )
  })
}

t.test('an unknown part is 404', async t => {
  for (const part of ['none', 'constructor', '']) {
    const { statusCode, body } = await get(`/devTest/design?part=${part}`)
    t.equal(statusCode, 404, part)
    t.match(textOf(body), /The design system has no such part/)
  }
})
