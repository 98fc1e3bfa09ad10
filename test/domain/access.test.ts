import t from 'tap'
import {
  aboutCapability,
  can,
  type Capability,
  capabilities,
  closedMessage,
  opensWith,
} from '../../domain/access.ts'
import { planLevels } from '../../domain/plans/plan-level.ts'
import { storeFeatures } from '../../domain/stores/store.ts'
import { kindAvailable, kindWords, testKindNames } from '../../domain/tests/test-kind.ts'

type Level = keyof typeof planLevels
/**
 * All plan levels; 'none' is a store without a plan. In each row of the table: the levels that
 * include the capability, and the levels at which the feature flag opens it.
 */
const everyLevel: (Level | 'none')[] = ['none', 'Grandfathered', 'Core', 'Advanced', 'Pro']
const table: [
  words: string,
  capabilities: Capability[],
  byPlan: Level[],
  withFlag: (Level | 'none')[],
][] = [
  [
    'Grandfathered, or Advanced or higher, or the feature flag',
    ['VisitorReporting', 'CustomAudiences', 'LiftAssists', 'SubscriptionReporting'],
    ['Grandfathered', 'Advanced', 'Pro'],
    everyLevel,
  ],
  ['Core or higher, or the flag', ['UrlRedirectTests'], ['Core', 'Advanced', 'Pro'], everyLevel],
  [
    'Grandfathered with the flag, or Advanced or higher',
    ['Ga4Integration'],
    ['Advanced', 'Pro'],
    ['Grandfathered', 'Advanced', 'Pro'],
  ],
  ['Advanced or higher, or the flag', ['ApiTesting'], ['Advanced', 'Pro'], everyLevel],
  ['Flag only (per store)', ['PriceTesting', 'DomTesting'], [], everyLevel],
  [
    'Grandfathered, or Advanced or higher',
    ['ChannelsReporting'],
    ['Grandfathered', 'Advanced', 'Pro'],
    ['Grandfathered', 'Advanced', 'Pro'],
  ],
  // Not in the table of permissions: the tiers say that Advanced adds it.
  ['Advanced or higher', ['CountrySegmentation'], ['Advanced', 'Pro'], ['Advanced', 'Pro']],
]

for (const [words, named, byPlan, withFlag] of table)
  for (const capability of named) {
    t.test(`${capability}: ${words}`, async t => {
      for (const level of everyLevel) {
        const plan = level === 'none' ? undefined : { level: planLevels[level] }
        t.equal(
          can(capability, { plan, features: [] }),
          (byPlan as string[]).includes(level),
          `${level} without a flag`,
        )
        const own = storeFeatures.filter(feature => feature === capability)
        t.equal(
          can(capability, { plan, features: own }),
          withFlag.includes(level),
          `${level} with the flag`,
        )
        t.equal(
          can(capability, {
            plan,
            features: storeFeatures.filter(feature => feature !== capability),
          }),
          (byPlan as string[]).includes(level),
          `${level} with every other flag`,
        )
      }
    })
  }

t.test('every capability has its row, and a message for stores without it', async t => {
  t.same(table.flatMap(([, named]) => named).sort(), [...capabilities].sort())
  t.equal(
    closedMessage('CustomAudiences'),
    'Custom audiences come with the Advanced plan and above.',
  )
  t.equal(
    closedMessage('UrlRedirectTests'),
    'URL redirect tests come with the Core plan and above.',
  )
  t.equal(closedMessage('LiftAssists'), 'Lift Assist comes with the Advanced plan and above.')
  t.equal(
    closedMessage('PriceTesting'),
    'Price testing feature is not enabled for this store. Please contact support to enable this feature.',
    'requirement 25.1',
  )
})

t.test(
  'the words about a closed capability: its name, what it does, and the lowest plan level that includes it',
  async t => {
    for (const capability of capabilities) {
      const { name, verb, what } = aboutCapability(capability)
      t.ok(closedMessage(capability).startsWith(name))
      t.match(
        what,
        verb === 'are' ? /^They .*\.$/ : /^It .*\.$/,
        `${capability}: one whole sentence that agrees with its name`,
      )
      const level = opensWith(capability)
      const opening = everyLevel.filter(
        each =>
          each !== 'none' &&
          each !== 'Grandfathered' &&
          can(capability, { plan: { level: planLevels[each] }, features: [] }),
      )
      t.equal(level, opening[0] ?? null, capability)
    }
  },
)

t.test(
  'the words about an available kind of test: one sentence, with abbreviations in capitals',
  async t => {
    t.same(testKindNames.map(kindAvailable), [
      'Theme tests are available for your store.',
      'Template tests are available for your store.',
      'Page content tests are available for your store.',
      'URL redirect tests are available for your store.',
      'Page element tests are available for your store.',
      'API tests are available for your store.',
      'Price tests are available for your store.',
    ])
    t.same(
      [kindWords('Api'), kindWords('UrlRedirect'), kindWords('PageElement')],
      ['API', 'URL redirect', 'page element'],
    )
  },
)
