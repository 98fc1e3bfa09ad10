import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { maxJobs } from '../../../domain/jobs/job-lane.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { Trx } from '../../../engine/db/types.ts'
import type { JobRun, NewJob } from '../../../engine/jobs/jobs.ts'
import { startJobs } from '../../../engine/jobs/run.ts'
import { minute, second } from '../../../domain/time-units.ts'
import { freshDb } from '../support/harness.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'

const db = await freshDb()
t.teardown(() => db.close())
const store = await seedStore(db),
  otherStore = await seedStore(db, { shop: secondShop })
const start = new Date('2026-11-10T12:00:00Z')

/** The jobs of one process, with a clock that the test sets (`now.at`). */
function worker(
  t: { teardown: (end: () => Promise<void>) => void },
  handlers: Partial<Record<JobKind, (run: JobRun) => Promise<void>>>,
) {
  const now = { at: start }
  const jobs = startJobs({ db, clock: () => now.at, log: quietLog })
  for (const [kind, handler] of Object.entries(handlers)) jobs.on(kind as JobKind, handler)
  t.teardown(() => jobs.stop())
  const add = (job: Partial<NewJob> = {}) =>
    jobs.add(db.kysely, { storeId: store, kind: 'rebuild', ...job })
  return { jobs, now, add }
}
const jobRow = (id: string) =>
  db.kysely.selectFrom('jobs').selectAll().where('job_id', '=', id).executeTakeFirst()
const emptied = () => db.kysely.deleteFrom('jobs').execute()

t.test('a job runs once, when it is due, and reports its progress', async t => {
  await emptied()
  const seen: unknown[] = []
  const { jobs, now, add } = worker(t, {
    rebuild: async run => {
      seen.push([run.storeId, run.payload, run.state])
      await run.progress(0.5, 'Half of it')
      seen.push((await jobRow(run.id))!.status)
    },
  })
  const id = await add({ payload: { of: 'it' }, runAt: new Date(start.getTime() + minute) })
  await jobs.runNow()
  t.match(await jobRow(id), { status: 'queued', progress: 0, created_at: start })
  now.at = new Date(start.getTime() + minute)
  await jobs.runNow()
  await jobs.runNow()
  t.same(seen, [[store, { of: 'it' }, {}], 'updated'])
  t.match(await jobRow(id), {
    status: 'completed',
    progress: 1,
    message: 'Half of it',
    updated_at: now.at,
    lease: null,
  })
})

t.test(
  'a refusal ends a job at once with its message; other errors are retried from the checkpoint, five times with longer waits',
  async t => {
    await emptied()
    const states: unknown[] = []
    const { jobs, now, add } = worker(t, {
      rebuild: async () => {
        throw new HttpProblem(404, 'There is no such test.')
      },
      rollupRepair: async run => {
        states.push(run.state)
        await run.checkpoint({ step: states.length })
        throw new Error('a secret of ours')
      },
    })
    const refused = await add(),
      failing = await add({ kind: 'rollupRepair' })
    const waits: number[] = []
    for (let run = 0; run < 5; run++) {
      await jobs.runNow()
      const row = (await jobRow(failing))!
      if (row.status === 'queued') {
        waits.push((row.run_at.getTime() - now.at.getTime()) / second)
        now.at = new Date(row.run_at.getTime() - 1)
        await jobs.runNow()
        now.at = row.run_at
      }
    }
    t.match(await jobRow(refused), {
      status: 'errored',
      message: 'There is no such test.',
      attempts: 0,
    })
    t.match(await jobRow(failing), {
      status: 'errored',
      message: /^This did not work after 5 attempts/,
    })
    t.same(waits, [2, 8, 32, 128])
    t.same(states, [{}, { step: 1 }, { step: 2 }, { step: 3 }, { step: 4 }])
  },
)

t.test(
  'a job that was promised to people is retried until it is done: after five attempts once an hour',
  async t => {
    await emptied()
    let runs = 0,
      isBroken = true
    const { jobs, now, add } = worker(t, {
      shopperErasure: async () => {
        runs++
        if (isBroken) throw new Error('the disk is full')
      },
    })
    const id = await add({ kind: 'shopperErasure' })
    const waits: number[] = []
    for (let run = 0; run < 30; run++) {
      await jobs.runNow()
      const row = (await jobRow(id))!
      waits.push((row.run_at.getTime() - now.at.getTime()) / second)
      now.at = row.run_at
    }
    t.same(waits.slice(0, 6), [2, 8, 32, 128, 3600, 3600])
    t.match(await jobRow(id), { status: 'queued', attempts: 30 })
    await sql`update jobs set starts = 20`.execute(db.kysely)
    await jobs.runNow()
    t.equal(runs, 30, 'a job that crashed its process too often waits for an hour')
    isBroken = false
    now.at = (await jobRow(id))!.run_at
    await jobs.runNow()
    t.match(await jobRow(id), { status: 'completed' })
  },
)

t.test('a key stands for one unfinished job of a store', async t => {
  await emptied()
  let runs = 0
  let meanwhile: () => Promise<unknown> = async () => {}
  const { jobs, now, add } = worker(t, {
    testCheck: async () => {
      runs++
      await meanwhile()
      meanwhile = async () => {}
    },
  })
  const later = new Date(start.getTime() + minute),
    key = 'check'
  const check = { kind: 'testCheck' as const, key }
  const id = await add(check)
  t.equal(await add({ ...check, runAt: later }), id, 'the same job')
  t.not(await add({ ...check, storeId: otherStore, runAt: later }), id, 'another store has its own')
  t.same((await jobRow(id))!.run_at, later, 'the job runs at the later time')
  await jobs.runNow()
  t.equal(runs, 0)
  t.equal(await add(check), id)
  meanwhile = () => add(check)
  await jobs.runNow()
  t.equal(runs, 1, 'added again during a run without a time, it does not run again')
  t.match(await jobRow(id), { status: 'completed' })

  const next = await add(check)
  t.not(next, id, 'a finished job is not used again')
  meanwhile = () => add({ ...check, runAt: now.at })
  await jobs.runNow()
  t.equal(runs, 3, 'added again during a run with a time, it runs once more')
  t.match(await jobRow(next), { status: 'completed', rerun_at: null })
  await add(check)
  meanwhile = async () => {
    await db.kysely
      .updateTable('jobs')
      .set({ leased_until: new Date(0) })
      .where('status', '=', 'active')
      .execute()
    await add({ ...check, runAt: now.at })
  }
  await jobs.runNow()
  t.equal(runs, 5, 'also when the lease of the run has expired')

  const cancelled = await add({ ...check, runAt: later })
  await jobs.cancel(db.kysely, store, key)
  t.equal(await jobRow(cancelled), undefined)
  const running = await add(check)
  meanwhile = async () => jobs.cancel(db.kysely, store, key)
  await jobs.runNow()
  t.match(await jobRow(running), { status: 'completed' }, 'a running job is not cancelled')
})

t.test('a job belongs to the transaction that makes it needed', async t => {
  await emptied()
  const { jobs } = worker(t, { rebuild: async () => {} })
  await t.rejects(
    db.kysely.transaction().execute(async trx => {
      await jobs.add(trx, { storeId: store, kind: 'rebuild' })
      throw new Error('changed my mind')
    }),
  )
  t.same(await db.kysely.selectFrom('jobs').select('job_id').execute(), [])
})

t.test('several processes share the work, and each job runs once', async t => {
  await emptied()
  const runs: string[] = []
  const handlers = {
    testCheck: async (run: JobRun) => {
      runs.push(run.id)
      await run.progress(0.5, 'going')
    },
  }
  const [one, other] = [worker(t, handlers), worker(t, handlers)]
  const ids = await Promise.all(Array.from({ length: 30 }, () => one.add({ kind: 'testCheck' })))
  await Promise.all([one.jobs.runNow(), other.jobs.runNow(), one.jobs.runNow()])
  t.same(runs.toSorted(), ids.toSorted())
})

t.test('a process leaves jobs without a handler here to other processes', async t => {
  await emptied()
  const [older, newer] = [
    worker(t, { rebuild: async () => {} }),
    worker(t, { uninstall: async () => {} }),
  ]
  const id = await older.add({ kind: 'uninstall' })
  await older.jobs.runNow()
  t.match(await jobRow(id), { status: 'queued' })
  await newer.jobs.runNow()
  t.match(await jobRow(id), { status: 'completed' })
})

t.test('a job whose process stops continues elsewhere from its checkpoint', async t => {
  await emptied()
  const states: unknown[] = []
  const begun = Promise.withResolvers<void>()
  const first = worker(t, {
    rebuild: async run => {
      await run.checkpoint({ done: ['first half'] })
      begun.resolve()
      await new Promise(resolve => run.signal.addEventListener('abort', resolve))
    },
  })
  const id = await first.add()
  void first.jobs.runNow()
  await begun.promise
  await first.jobs.stop()
  t.match(await jobRow(id), { status: 'active', starts: 0, lease: null })
  const next = worker(t, {
    rebuild: async run => {
      states.push(run.state)
    },
  })
  await next.jobs.runNow()
  t.same(states, [{ done: ['first half'] }])
  t.match(await jobRow(id), { status: 'completed' })
})

t.test('a run whose lease has expired is taken over and can write nothing more', async t => {
  await emptied()
  const begun = Promise.withResolvers<void>(),
    goOn = Promise.withResolvers<void>()
  const refusals: string[] = []
  let runs = 0
  // Either process may take the second run, so both have the same handler.
  const handler = async (run: JobRun): Promise<void> => {
    if (++runs > 1) return run.progress(0.3, 'in time')
    begun.resolve()
    await goOn.promise
    for (const write of [
      () => run.progress(0.9, 'late'),
      () => run.checkpoint({ late: true }),
      () => db.kysely.transaction().execute(trx => run.checkpoint({ late: true }, trx)),
    ])
      await write().catch((error: Error) => refusals.push(error.constructor.name))
  }
  const slow = worker(t, { rebuild: handler })
  const id = await slow.add()
  const slowRun = slow.jobs.runNow()
  await begun.promise
  // As if the process had not renewed its lease for fifteen seconds.
  await db.kysely
    .updateTable('jobs')
    .set({ leased_until: new Date(0) })
    .where('job_id', '=', id)
    .execute()
  const next = worker(t, { rebuild: handler })
  await next.jobs.runNow()
  goOn.resolve()
  await slowRun
  t.same(refusals, ['LeaseLost', 'LeaseLost', 'LeaseLost'])
  t.match(await jobRow(id), { status: 'completed', message: 'in time', state: {}, starts: 2 })
})

t.test('a process does not take over its own run, however late it renews the lease', async t => {
  await emptied()
  const begun = Promise.withResolvers<void>(),
    goOn = Promise.withResolvers<void>()
  const runs: string[] = []
  const { jobs, now, add } = worker(t, {
    rebuild: async run => {
      runs.push(run.id)
      begun.resolve()
      await goOn.promise
      await run.progress(0.9, 'still ours')
    },
    testCheck: async run => {
      runs.push(run.id)
      goOn.resolve()
    },
  })
  const slow = await add()
  const done = jobs.runNow()
  await begun.promise
  // As if a long transaction had delayed the renewal of the lease.
  await db.kysely
    .updateTable('jobs')
    .set({ leased_until: new Date(0) })
    .where('job_id', '=', slow)
    .execute()
  now.at = new Date(start.getTime() + second)
  // This job is due later, so the slow job would be taken first.
  const next = await add({ kind: 'testCheck' })
  await Promise.all([done, jobs.runNow()])
  t.same(runs, [slow, next])
  t.match(await jobRow(slow), { status: 'completed', message: 'still ours', starts: 1 })
})

t.test('a job that crashes its process again and again is stopped', async t => {
  await emptied()
  const { jobs, add } = worker(t, { rebuild: async () => void t.fail('it ran') })
  const id = await add()
  await db.kysely.updateTable('jobs').set({ starts: 20 }).where('job_id', '=', id).execute()
  await jobs.runNow()
  t.match(await jobRow(id), { status: 'errored', message: /crashed repeatedly and was stopped/ })
})

t.test('a kind has one handler', async t => {
  const { jobs } = worker(t, { rebuild: async () => {} })
  t.throws(() => jobs.on('rebuild', async () => {}))
})

t.test(
  'fifty drafts that wait for pictures do not delay another store’s start, or its pictures for long',
  async t => {
    await emptied()
    const runs: string[] = [],
      full = Promise.withResolvers<void>(),
      started = Promise.withResolvers<void>(),
      drawn = Promise.withResolvers<void>(),
      goOn = Promise.withResolvers<void>()
    const storeNames = new Map([
      [store, 'busy'],
      [otherStore, 'other'],
    ])
    const { jobs } = worker(t, {
      screenshots: async run => {
        runs.push(storeNames.get(run.storeId)!)
        if (run.storeId === otherStore) return drawn.resolve()
        full.resolve()
        await goOn.promise
      },
      scheduledStart: async () => started.resolve(),
    })
    // Inserted directly, because the API accepts fewer jobs of one store.
    await db.kysely
      .insertInto('jobs')
      .values(
        Array.from({ length: 50 }, (_, i) => ({
          store_id: store,
          job_id: randomUUID(),
          kind: 'screenshots' as const,
          key: `pictures ${i}`,
          payload: '{}',
          state: '{}',
          message: null,
          run_at: new Date(start.getTime() - minute),
          created_at: start,
          updated_at: start,
        })),
      )
      .execute()
    const done = jobs.runNow()
    await full.promise
    await jobs.add(db.kysely, { storeId: otherStore, kind: 'scheduledStart', key: 'start' })
    await jobs.add(db.kysely, { storeId: otherStore, kind: 'screenshots', key: 'pictures' })
    jobs.wake()
    void jobs.runNow()
    await Promise.all([started.promise, drawn.promise])
    t.same(runs, ['busy', 'other'], 'a store draws one draft at a time, however many wait')
    goOn.resolve()
    await done
    t.equal(runs.length, 51)
  },
)

t.test('a job that ends during the search for the next one does not delay that one', async t => {
  await emptied()
  const goOn = Promise.withResolvers<void>(),
    ended = Promise.withResolvers<void>(),
    begun = Promise.withResolvers<void>(),
    runs: string[] = []
  let isHeld = false
  /** With `isHeld`, a search that found no job returns only after the running job has ended. */
  const late = new Proxy(db.kysely, {
    get: (kysely, name) => {
      const value: unknown = Reflect.get(kysely, name, kysely)
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(kysely) : value
      return () => ({
        execute: async (work: (trx: Trx) => Promise<unknown>) => {
          const found = await kysely.transaction().execute(work)
          if (found !== null) return found
          begun.resolve()
          if (isHeld) await (goOn.resolve(), ended.promise)
          return null
        },
      })
    },
  })
  const jobs = startJobs({
    db: { ...db, kysely: late },
    clock: () => start,
    log: quietLog,
    onEnd: () => setImmediate(ended.resolve),
  })
  t.teardown(() => jobs.stop())
  jobs.on('screenshots', async run => {
    runs.push(run.id)
    await goOn.promise
  })
  const asked: string[] = []
  for (const key of ['first', 'second'])
    asked.push(await jobs.add(db.kysely, { storeId: store, kind: 'screenshots', key }))
  const first = jobs.runNow()
  await begun.promise
  isHeld = true
  await jobs.runNow()
  t.same(runs.toSorted(), asked.toSorted())
  await first
})

t.test(
  'a store’s waiting jobs of each kind are limited, and adding a waiting job again does not count',
  async t => {
    await emptied()
    const { add } = worker(t, {})
    const pictures = (i: number, storeId = store) =>
      add({ storeId, kind: 'screenshots', key: `pictures ${i}` })
    for (let i = 0; i < maxJobs.screenshots!; i++) await pictures(i)
    await t.rejects(pictures(maxJobs.screenshots!), { status: 429, message: /waiting already/ })
    await pictures(3)
    await pictures(1, otherStore)
    await add({ kind: 'launchCheck', key: 'draft' })
    await db.kysely
      .updateTable('jobs')
      .set({ status: 'completed' })
      .where('key', '=', 'pictures 3')
      .where('store_id', '=', store)
      .execute()
    await pictures(maxJobs.screenshots!)
  },
)

t.test(
  'a job that is added again while it runs starts from the beginning afterwards, and keeps its due time until then',
  async t => {
    await emptied()
    const seen: unknown[] = []
    const { jobs, now, add } = worker(t, {
      rebuild: async run => {
        if (seen.push(run.state) > 1) return
        const dueAt = (await jobRow(run.id))!.run_at
        await run.checkpoint({ step: 1 })
        await add({ key: 'one', runAt: new Date(start.getTime() + minute) })
        t.same((await jobRow(run.id))!.run_at, dueAt, 'the due time of the running job stays')
      },
    })
    const id = await add({ key: 'one' })
    await jobs.runNow()
    t.match(
      await jobRow(id),
      {
        status: 'queued',
        progress: 0,
        state: {},
        run_at: new Date(start.getTime() + minute),
        rerun_at: null,
      },
      'the job is queued again',
    )
    now.at = new Date(start.getTime() + minute)
    await jobs.runNow()
    t.same(
      [seen, (await jobRow(id))!.status],
      [[{}, {}], 'completed'],
      'the second run starts without the first one’s checkpoint',
    )
  },
)
