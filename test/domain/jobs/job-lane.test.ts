import t from 'tap'
import { jobKinds } from '../../../domain/jobs/job.ts'
import {
  jobLaneNames,
  jobLanes,
  laneOf,
  maxJobs,
  tooManyJobs,
  turnsOf,
} from '../../../domain/jobs/job-lane.ts'

t.test('every kind of work has one lane', async t => {
  t.same(
    jobLaneNames.flatMap(lane => [...jobLanes[lane].kinds]).toSorted(),
    [...jobKinds].toSorted(),
  )
  for (const kind of jobKinds)
    t.ok((jobLanes[laneOf(kind)].kinds as readonly string[]).includes(kind))
  for (const { slots, perStore } of Object.values(jobLanes))
    t.ok(perStore < slots, 'no store fills a lane')
})

t.test(
  'a full lane does not stop the others, and a store with a running job waits for stores without one',
  async t => {
    const pictures = (storeId: string) => ({ storeId, kind: 'screenshots' as const }),
      start = (storeId: string) => ({ storeId, kind: 'scheduledStart' as const })
    const kinds = [...jobKinds]
    t.same(
      turnsOf(kinds, [], [], true).map(({ lane, without }) => [lane, without]),
      [
        ['prompt', []],
        ['figures', []],
        ['browser', []],
        ['pictures', []],
        ['mail', []],
        ['nightly', []],
      ],
    )
    const full = [pictures('a'), pictures('b')]
    t.same(
      turnsOf(kinds, full, full, true).map(({ lane }) => lane),
      ['prompt', 'figures', 'pictures', 'mail', 'nightly'],
    )
    const elsewhere = turnsOf(kinds, [], full, false).find(({ lane }) => lane === 'browser')
    t.same(elsewhere?.without, ['a', 'b'], 'jobs in other processes count for a store’s share too')
    const one = [start('a')]
    t.same(turnsOf(kinds, one, one, true).find(({ lane }) => lane === 'prompt')?.without, ['a'])
    t.same(
      turnsOf(kinds, one, one, false).find(({ lane }) => lane === 'prompt')?.without,
      [],
      'no other store waits: the store may run a second job',
    )
    const two = [start('a'), start('a')]
    t.same(
      turnsOf(kinds, two, two, false).find(({ lane }) => lane === 'prompt')?.without,
      ['a'],
      'the store may not run a third job',
    )
    t.same(
      turnsOf(['rebuild'], [], [], true),
      [{ lane: 'figures', kinds: ['rebuild'], without: [] }],
      'a kind without a handler in this process gets no turn',
    )
  },
)

t.test('the message about too many jobs names their number', async t => {
  t.match(tooManyJobs('screenshots'), new RegExp(`^${maxJobs.screenshots} jobs`))
})
