import t from 'tap'
import {
  changedFlags,
  flagGroups,
  flagsOf,
  flagWords,
  publishesScript,
} from '../../domain/feature-flag.ts'
import { featureFlags } from '../../domain/stores/store.ts'

t.test('each flag has a label, an effect and one group', async t => {
  t.equal(new Set(featureFlags.map(flag => flagWords[flag].label)).size, featureFlags.length)
  for (const flag of featureFlags)
    t.match(flagWords[flag], { label: /^[A-Z]\w+/, effect: /^[A-Z].+\.$/ }, flag)
  t.same(
    [...flagsOf('feature'), ...flagsOf('script')],
    [...flagsOf('feature'), ...flagsOf('script')].filter(flag => featureFlags.includes(flag)),
  )
  t.equal(flagsOf('feature').length + flagsOf('script').length, featureFlags.length)
  t.same(Object.keys(flagGroups), ['feature', 'script'])
})

t.test('a change of a script flag publishes the script again', async t => {
  for (const [flag, on, off] of [
    ['InstallScript', true, false],
    ['DebugScriptLogging', true, true],
    ['UseOldInlineScript', true, true],
    ['ApiTesting', false, false],
    ['PriceTesting', false, false],
  ] as const)
    t.same([publishesScript([flag], []), publishesScript([], [flag])], [on, off], flag)
})

t.test('switched flags are changed, and flags that others switched meanwhile stay', async t => {
  t.same(
    changedFlags(['DomTesting', 'ApiTesting'], {
      on: ['VisitorReporting'],
      off: ['ApiTesting', 'PriceTesting'],
    }),
    ['VisitorReporting', 'DomTesting'],
  )
  t.same(changedFlags(['a flag of long ago', 'ApiTesting'], { on: ['ApiTesting'], off: [] }), [
    'ApiTesting',
  ])
})
