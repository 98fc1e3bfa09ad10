import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { neededHtmx } from '../../scripts/build/htmx.ts'

// The build leaves out what no page needs of htmx (scripts/build/htmx.ts). What follows must not be
// used before its method there is needed again.

const whole = readFileSync('node_modules/htmx.org/dist/htmx.esm.js', 'utf8'),
  sources = globSync('{views,server,islands}/**/*.{ts,tsx}').map(file => ({
    file,
    text: readFileSync(file, 'utf8'),
  }))
/** Attributes that begin with `hx-`, and the values that are written beside them. */
const attributes = sources.flatMap(({ file, text }) =>
  [
    ...text.matchAll(
      /\b(hx-[a-z-]+)(?::inherited)?'?(?:(?:=|: )(?:\{[`']?|\{ \w+: |["'`])([^"'`}]*))?/g,
    ),
  ].map(([, name, value = '']) => ({ file, name: name!, value })),
)
const of = (name: string) => attributes.filter(each => each.name === name)

const needed = [
  'hx-boost',
  'hx-get',
  'hx-ignore',
  'hx-include',
  'hx-post',
  'hx-preserve',
  'hx-push-url',
  'hx-replace-url',
  'hx-select',
  'hx-select-oob',
  'hx-swap',
  'hx-swap-oob',
  'hx-sync',
  'hx-target',
  'hx-trigger',
  'hx-vals',
]
/** Headers of requests, and of answers that the app's own scripts or htmx understand. */
const headers = ['hx-current-url', 'hx-redirect', 'hx-refresh', 'hx-request', 'hx-request-type']

t.test('pages use only what is bundled of htmx', async t => {
  t.same(
    [...new Set(attributes.map(({ name }) => name))].toSorted(),
    [...needed, ...headers].toSorted(),
    'attributes and headers',
  )
  const events = of('hx-trigger').flatMap(({ value }) => value.split(/,\s*/))
  t.ok(events.length > 5)
  for (const event of events)
    t.match(
      event,
      /^((input|change|submit|live:job)( (delay:250ms|target:select|from:document))?|every 2s)?$/,
    )
  t.ok(of('hx-swap').length > 5)
  for (const { file, value } of of('hx-swap'))
    t.match(value, /^((outerHTML|innerHTML)( strip:true)?( show:none)?)?$/, file)
  for (const { file, name, value } of attributes)
    t.notMatch(value, /^(js:|javascript:|next\b|previous\b|<)/, `${file}: ${name}`)
  for (const { file, text } of sources)
    t.notMatch(text, /<hx-|data-hx-|htmx\.(on|onLoad|registerExtension)\b/, file)
})

t.test('the options of htmx switch off what is left out', async t => {
  const [, options] =
    /<meta name="htmx-config" content='([^']*)'>/.exec(readFileSync('views/document.ts', 'utf8')) ??
    []
  t.same(JSON.parse(options!), { includeIndicatorCSS: false, defaultSettleDelay: 0, prefix: '' })
})

t.test('the build fails if a version of htmx no longer has what is left out', async t => {
  t.ok(neededHtmx(whole).length < whole.length * 0.8)
  t.throws(() => neededHtmx(whole.replaceAll('#morphNode', '#morphOne')), /no method #morphNode/)
  t.throws(() => neededHtmx(whole.replaceAll('hxOnNodes', 'nodes')), /no part .*hxOnNodes/)
})
