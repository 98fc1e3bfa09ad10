import t from 'tap'
import { progressTone, usageOf } from '../../../domain/plans/usage.ts'

const of = (sessions: number, sessionLimit = 1000) => usageOf({ sessions, sessionLimit })

t.test('icon and amber at 80% or more, rose at 90% or more, capped at 100%', async t => {
  for (const [sessions, colour, filled, isWarned] of [
    [0, 'emerald', 0, false],
    [799, 'emerald', 79, false],
    [800, 'amber', 80, true],
    [899, 'amber', 89, true],
    [900, 'rose', 90, true],
    [1000, 'rose', 100, true],
    [2500, 'rose', 100, true],
  ] as const)
    t.match(of(sessions), { colour, filled, isWarned }, `${sessions} of 1000`)
  t.equal(of(2500).percent, 250, 'the percentage itself is not capped')
  t.match(of(5, 0), { percent: 0, colour: 'emerald', isWarned: false }, 'no plan, no usage')
})

t.test('an unknown progress-bar colour raises an error', async t => {
  t.same(['emerald', 'amber', 'rose'].map(progressTone), [undefined, 'warn', 'bad'])
  for (const colour of ['red', '', 'constructor'])
    t.throws(() => progressTone(colour), { message: `Unknown progress-bar colour "${colour}".` })
})
