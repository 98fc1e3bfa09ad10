import t from 'tap'
import { embedFiles } from '../../../scripts/build/build-embed.ts'
import { bundleStorefront } from '../../../scripts/build/build-storefront.ts'

/** The parts as shoppers load them: minified, and with their declarations written alike. */
const { sources, pieces } = await bundleStorefront()
type Asked = { audiences: object[] }
type Visit = { session: { landing: string; referrer: string; isNew: boolean } }
type Rule = (test: Asked, visit: Visit, facts: { country: string }, agent: string) => boolean
const made = (code: string): unknown => new Function('location', `return ${code}`)({ hostname: 'a.shop' }) // prettier-ignore

t.test('conditions of audiences hold in the script that shoppers load', async t => {
  const channel = made(sources.parts.channel) as (landing: string, referrer: string) => string
  const rule = (made(sources.parts.audience) as (channel: unknown) => Rule)(channel)
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile'
  const isIn = (audience: object, landing = '/', referrer = '') =>
    rule(
      { audiences: [audience] },
      { session: { landing, referrer, isNew: true } },
      { country: 'US' },
      phone,
    )
  t.equal(isIn({ 1: { operator: 'Equals', value: 'News' } }, '/?utm_source=news'), true)
  t.equal(isIn({ 1: { operator: 'Equals', value: 'News' } }, '/?utm_source=other'), false)
  t.equal(isIn({ 1: { operator: 'DoesNotContain', value: 'new' } }, '/?utm_source=news'), false)
  const from = (value: string) => ({ 0: { operator: 'Equals', value } })
  t.equal(isIn(from('Organic search'), '/', 'https://www.google.com/'), true)
  t.equal(isIn(from('Organic search'), '/', 'https://news.example.com/'), false)
  t.equal(isIn(from('Paid social'), '/?utm_source=facebook&utm_medium=cpc'), true)
  t.equal(isIn(from('Direct')), true)
  t.equal(isIn(from('Email'), '/?utm_medium=email'), true)
})

t.test('no declaration without a value stands behind the code that uses it', async t => {
  const files = { ...sources.runtimes, ...sources.parts, ...sources.acts, ...(await embedFiles(pieces)) } // prettier-ignore
  for (const [name, code] of Object.entries(files))
    t.notMatch(code, /[;}]let [\w$]+(,[\w$]+)*;?\}/, name)
})

t.test('what the shop’s code reads is not changed with the declarations', async t => {
  const files = await embedFiles(pieces)
  for (const code of [sources.parts.api, files['most.js'], files['all.js']])
    t.match(code, /"variant":"control"/)
})
