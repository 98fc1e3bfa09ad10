import t from 'tap'
import {
  embedFields,
  type EmbedHead,
  embedKeys,
  maxEmbedField,
  publishedIn,
} from '../../../domain/script/embed-fields.ts'
import { escapedSize, splitText } from '../../../domain/split-text.ts'
import type { ScriptConfig, ScriptPrice, ScriptTest } from '../../../domain/script/script-config.ts'

const addresses = {
  shop: 'fern.example',
  collect: 'https://app.example/collect?q',
  preview: 'https://app.example/s/preview.js?token=',
}
const button: ScriptTest = {
  id: 'a',
  weights: [0.5, 0.5],
  pages: ['/products/*'],
  changes: [{ selector: '.buy', kind: 'html', value: '<b>Buy</b>', name: '' }],
}
const priced = (products: number, variants: number): ScriptTest => ({
  id: 'p',
  weights: [0.5, 0.5],
  pages: ['*'],
  prices: Object.fromEntries(
    Array.from({ length: products }, (_, i) => [
      `mug-${i}`,
      Array.from({ length: variants }, (_, n): ScriptPrice => [
        `${40_000 + i * 3000 + n}`,
        1900,
        1700,
      ]),
    ]),
  ),
})
const fieldsOf = (config: Partial<ScriptConfig>) => {
  const { fields, problem } = embedFields({ ...addresses, tests: [], ...config })
  if (!fields) throw new Error(problem)
  return fields
}
const headOf = (config: Partial<ScriptConfig>) =>
  JSON.parse(fieldsOf(config)[0]!.value) as EmbedHead

t.test('the first field names the runtime and the parts that the tests need', async t => {
  const { v, runtime, parts } = headOf({ tests: [button], asksConsent: true })
  t.same([v, runtime, parts], [1, 'asksConsent', ['elements', 'speed']])
  t.same(headOf({}).parts, [])
  t.same(headOf({ always: button.changes! }).parts, ['elements', 'pages', 'always'])
})

t.test('pages get the rounding of markets only with price tests', async t => {
  const markets = { 7: [100, 95] as [number, number] }
  const headWith = (test: ScriptTest) =>
    JSON.parse(
      embedFields({ ...addresses, tests: [test] }, { markets }).fields![0]!.value,
    ) as EmbedHead
  t.same(headWith(priced(1, 1)).markets, markets)
  t.same(headWith(button).markets, undefined)
})

t.test('the configuration is read back from the fields', async t => {
  const values = fieldsOf({ tests: [button], always: button.changes! }).map(({ value }) => value)
  t.same(publishedIn(values), {
    ...addresses,
    tests: [{ ...button, changes: [['.buy', 'html', '<b>Buy</b>']] }],
    always: [['.buy', 'html', '<b>Buy</b>']],
  })
  t.notMatch(headOf({ tests: [button] }).text, '<', 'it can be pasted into a page as it is')
})

t.test('a test that leads to another kind of address is left out', async t => {
  const values = fieldsOf({
    tests: [{ id: 'r', weights: [0.5, 0.5], pages: ['/'], to: 'javascript:alert(1)' }],
  }).map(({ value }) => value)
  t.same(publishedIn(values).tests, [])
})

t.test('a large configuration is split over the keys, and a larger one refused', async t => {
  const tests = [priced(6, 2048)]
  const fields = fieldsOf({ tests })
  t.ok(fields.length > 1)
  t.same(
    fields.map(({ key }) => key),
    embedKeys.slice(0, fields.length),
  )
  for (const { value } of fields) t.ok(Buffer.byteLength(value) <= maxEmbedField)
  t.same(publishedIn(fields.map(({ value }) => value)).tests, tests)
  const { problem, fields: none } = embedFields({ ...addresses, tests: [priced(16, 2048)] })
  t.notOk(none)
  t.match(problem, /need \d{3} kB .* takes at most 480 kB\. End a test, /)
})

t.test('pieces of a text have their size as JSON, and no character is cut', async t => {
  const text = '"\\ä€😀\u0001 \ud800x'.repeat(9)
  t.equal(escapedSize(text), Buffer.byteLength(JSON.stringify(text)) - 2)
  for (const size of [6, 7, 10, 1000]) {
    const pieces = splitText(text, size)
    t.equal(pieces.join(''), text)
    for (const piece of pieces) t.ok(Buffer.byteLength(JSON.stringify(piece)) - 2 <= size)
  }
  t.same(splitText('', 10), [''])
})
