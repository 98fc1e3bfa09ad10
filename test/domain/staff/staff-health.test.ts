import t from 'tap'
import { scriptStandingOf, storeTroublesOf } from '../../../domain/staff/staff-health.ts'

t.test('a script is missing, broken, being published or installed', async t => {
  for (const [state, finding, standing] of [
    ['none', null, 'missing'],
    ['published', 'missing', 'missing'],
    ['failing', null, 'broken'],
    ['failing', 'answers', 'broken'],
    ['published', 'differs', 'broken'],
    ['waiting', 'unreachable', 'broken'],
    ['waiting', null, 'waiting'],
    ['published', null, 'installed'],
    ['published', 'answers', 'installed'],
  ] as const)
    t.equal(scriptStandingOf({ state, finding }), standing, `${state}, ${finding}`)
})

t.test(
  'a store’s problems are listed, the worst first; an uninstalled store has no problems',
  async t => {
    const day = 86_400_000,
      sound = {
        status: 'active',
        script: { state: 'published', check: null },
        runningTests: 1,
        lastEventDay: '2026-11-19',
        twoDaysAgo: '2026-11-18',
        installedFor: 30 * day,
        hasLapsed: false,
        isOnTrial: false,
        visitors: 999,
        visitorLimit: 1_000,
        reconciled: null,
      } as unknown as Parameters<typeof storeTroublesOf>[0]
    const troubles = (over: object) => storeTroublesOf({ ...sound, ...over })
    t.same(troubles({}), [])
    t.same(troubles({ visitors: 1_000 }), ['overLimit'], 'the store has reached its limit')
    for (const over of [{ isOnTrial: true }, { visitorLimit: null }, { visitorLimit: 0 }])
      t.same(troubles({ visitors: 5_000, ...over }), [], 'the store has no visitor limit')
    t.same(troubles({ lastEventDay: '2026-11-18' }), ['noEvents'])
    t.same(troubles({ lastEventDay: null }), ['noEvents'])
    t.same(
      troubles({ lastEventDay: null, installedFor: 2 * day }),
      [],
      'the app was just installed',
    )
    t.same(troubles({ lastEventDay: null, runningTests: 0 }), [], 'no test is running')
    t.same(troubles({ script: { state: 'published', check: { finding: 'answers' } } }), [])
    const all = {
      script: { state: 'failing', check: { finding: 'differs' } },
      lastEventDay: null,
      hasLapsed: true,
      visitors: 2_000,
    }
    t.same(troubles(all), ['scriptFailing', 'scriptAmiss', 'noEvents', 'subscription', 'overLimit'])
    t.same(troubles({ script: { state: 'none', check: null } }), ['noScript'])
    t.same(troubles({ reconciled: { at: '', found: {} } }), [])
    t.same(troubles({ reconciled: { at: '', found: { orders: 1 } } }), ['webhooksLost'])
    t.same(troubles({ ...all, status: 'uninstalled' }), [])
  },
)
