import t from 'tap'
import { code, text } from './tree.ts'

// Only the demo platform's adapter and the places that compose platforms name a platform
// (docs/architecture.md). Every other text that does is listed here with its reason.

/** Files that may name platforms anywhere: they choose which platforms there are. */
const composition = [
  'engine/platform/index.ts',
  'engine/platform/platform-keys.ts',
  'engine/platform/platform-names.ts',
  'server/main.ts',
]

const onPurpose: { words: RegExp; reason: string; files: string[] }[] = [
  {
    words: /\bisDemo\b/g,
    reason: 'a field of the API: sent names never change',
    files: [
      'domain/staff/staff-list.ts',
      'domain/stores/store.ts',
      'domain/tests/ab-test.ts',
      'engine/staff/admin-overview.ts',
      'engine/staff/admin-stores.ts',
      'engine/staff/admin-tests.ts',
      'engine/stores/stores.ts',
      'engine/tests/ab-tests-answer.ts',
      'server/tests/tests-list.ts',
      'views/design/design-components-larger.tsx',
      'views/design/design-example-figures.ts',
      'views/design/design-example-tests.ts',
      'views/design/design-examples.ts',
      'views/reports/report-head.tsx',
      'views/sample-label.tsx',
      'views/settings/account.tsx',
      'views/staff/admin-features.tsx',
      'views/staff/admin-home-search.tsx',
      'views/staff/admin-trial.tsx',
      'views/staff/leads/admin-lead.tsx',
      'views/staff/uninstalls-card.tsx',
      'views/tests/tests-list.tsx',
    ],
  },
  {
    words: /\bis_demo\b/g,
    reason: 'a column of the database: stored names never change',
    files: [
      'engine/db/migrations/0001-core.ts',
      'engine/db/schema.ts',
      'engine/staff/admin-app-stats.ts',
      'engine/staff/admin-overview.ts',
      'engine/staff/admin-stores.ts',
      'engine/staff/admin-tests.ts',
      'engine/stores/stores.ts',
      'engine/tests/ab-tests-answer.ts',
      'engine/tests/test-lists.ts',
    ],
  },
  {
    words: /Demo data/g,
    reason: 'the label of made-up figures, which tells merchants and staff what they see',
    files: ['views/sample-label.tsx'],
  },
  {
    words: /'demo-(data|shop)'/g,
    reason: 'names in the data folder: stored names never change',
    files: ['server/first-run.ts'],
  },
  {
    words: /\bDEMO_(SHOP|DATA)\b|[Tt]he demo shop\b|fills the demo shop|no demo shop|'demo'/g,
    reason: 'the keys that switch the demo shop off, and what they do',
    files: ['server/product-config.ts'],
  },
  {
    words: /\bshopify(\.com)?\b/g,
    reason: 'sites that send visitors to shops, a list of the web as it is',
    files: ['domain/events/channel-sources.ts'],
  },
]

const names = /demo|shopify/i
const layers = /^(engine|server|domain|views|islands|storefront)\//

t.test('only composition, the adapters and the listed texts name a platform', async t => {
  const strangers = code()
    .filter(file => layers.test(file) && !/^engine\/platform\/(demo|shopify)\//.test(file))
    .filter(file => !composition.includes(file))
    .flatMap(file => {
      const allowed = onPurpose.filter(({ files }) => files.includes(file))
      return text(file)
        .split('\n')
        .map(line => allowed.reduce((left, { words }) => left.replaceAll(words, ''), line))
        .flatMap((line, i) => (names.test(line) ? [`${file}:${i + 1}`] : []))
    })
  t.same(strangers, [])
})

t.test('the list names no file that does not need it', async t => {
  const stale = onPurpose.flatMap(({ words, reason, files }) =>
    files.filter(file => text(file).search(words) < 0).map(file => `${file}: ${reason}`),
  )
  t.same(stale, [])
  t.same(
    composition.filter(file => !names.test(text(file))),
    [],
  )
})
