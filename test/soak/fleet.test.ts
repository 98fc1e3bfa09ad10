import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import type { Deeds } from '../../demo-shop/shoppers/deeds.ts'
import { runShoppers } from '../../demo-shop/shoppers/run.ts'
import { paths } from '../../domain/paths.ts'
import { postgresLimits } from '../../engine/http/limit-stores.ts'
import { importTest } from '../../engine/imports/imports.ts'
import { add } from '../../engine/jobs/queue.ts'
import { wakeJobs } from '../../engine/hub/announce.ts'
import { quietLog } from '../engine/support/quiet-log.ts'
import { settledLimits, takeInTurn } from '../engine/support/processes/settled-limits.ts'
import { appSecret, firstShop } from '../engine/support/small-shop.ts'
import { changeOf } from '../engine/support/shops/launch-shop.ts'
import { startFleet } from './fleet/processes.ts'
import { browserAt, clientOf } from './fleet/visitors.ts'

/** How often each process is killed. */
const rounds = Number(process.env['FLEET_ROUNDS'] ?? 1)
t.setTimeout(600_000 + rounds * 240_000)

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Waits for a condition; fails with these words after a minute. */
async function eventually(words: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await setTimeout(100))
    if (Date.now() > end) throw new Error(`Not within a minute: ${words}`)
}

t.test(
  'three engines and three apps behind PgBouncer and haproxy are killed one after another: nothing that was acknowledged is lost',
  async t => {
    const fleet = await startFleet(t)
    const { db, apps, engines } = fleet
    const browser = browserAt(fleet.app)
    t.ok((await browser.signIn()).status < 400, 'signed in')
    const client = await clientOf(fleet.engine)
    const { call } = client
    const { id: storeId } = await call('storeInfo', {})

    const launch = async (title: string, pattern: string): Promise<string> => {
      const { id, hypotheses } = await call('createDraft', { body: { kind: 'PageElement', title } })
      await call('setDomSelectors', {
        params: { id: hypotheses[1]!.id },
        body: { domSelectors: changeOf(pattern) },
      })
      return (await call('launchDraft', { params: { id } })).testId
    }
    const counted = await launch('Counted', '/products/*'),
      switched = await launch('Paused and resumed', '/pages/*')
    const published = async () => {
      const { rows } = await sql<{ is_new: boolean }>`
        select wanted = published as is_new from published_scripts where store_id = ${storeId}`.execute(
        db.kysely,
      )
      return rows[0]?.is_new === true
    }
    await eventually('the script is published', published)

    const over = new AbortController(),
      isOver = () => over.signal.aborted
    const deeds: Deeds[] = []
    const shoppers = async (): Promise<void> => {
      for (let n = 0; !isOver() || n === 0; n++)
        deeds.push(
          await runShoppers({
            shopOrigin: fleet.shopOrigin,
            appSecret,
            visitors: 60,
            lift: 0.3,
            seed: `fleet ${n}`,
            atOnce: 8,
          }),
        )
    }

    /** The title of each draft as it was acknowledged last. */
    const titles = new Map<string, string>()
    const uploads: string[] = []
    const drafting = async (): Promise<void> => {
      while (!isOver()) {
        const { id } = await call('createDraft', { body: { kind: 'PageElement', title: 'New' } })
        for (let n = 0; n < 3; n++) {
          const title = `Draft ${titles.size}, save ${n}`
          await call('updateDraft', { params: { id }, body: { title } })
          titles.set(id, title)
          const page = await browser.get(paths.draft(id))
          if (page.status !== 200 || !page.text.includes(title))
            t.fail(`an app shows ${page.status} and not the title that was just saved`)
        }
        const form = new FormData()
        form.set('file', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'p.png')
        const uploaded = await browser.post(paths.draftUploads(id), form)
        if (uploaded.status === 200) uploads.push((JSON.parse(uploaded.text) as { id: string }).id)
        else t.fail(`an upload answers ${uploaded.status}: ${uploaded.text}`)
        // Two windows renew the same session at once, each through another app.
        browser.forgetAccess()
        const both = await Promise.all([browser.get(paths.home()), browser.get(paths.help())])
        t.same(
          both.map(({ status }) => status),
          [200, 200],
          'both windows have a session',
        )
      }
    }
    const switching = async (): Promise<void> => {
      for (let isOn = true; !isOver(); isOn = !isOn) {
        const status = isOn ? 'Paused' : 'Active'
        await call('updateTest', { params: { id: switched }, body: { status } }).catch(
          async (error: unknown) => {
            // It was done, and its answer was lost with the process.
            const { status: now } = await call('test', { params: { id: switched } })
            if (now !== status) throw error
          },
        )
        await setTimeout(300)
      }
    }
    /** Jobs that this store asked for, and an open page that must hear of each. */
    const page = browser.listen()
    const jobs: string[] = []
    const working = async (): Promise<void> => {
      while (!isOver()) {
        const key = `soak ${randomUUID()}`
        jobs.push(await add(db.kysely, { storeId, kind: 'testCheck', key }, new Date()))
        await wakeJobs(db.kysely)
        await setTimeout(1_000)
      }
    }
    const loads = [shoppers(), drafting(), switching(), working()]
    // A load that fails must end the others.
    const failed = Promise.all(loads).catch((error: unknown) => {
      over.abort()
      throw error
    })
    failed.catch(() => {})

    await setTimeout(2_000)
    for (let round = 0; round < rounds && !isOver(); round++)
      for (const each of [0, 1, 2].flatMap(i => [engines[i]!, apps[i]!])) {
        if (isOver()) break
        await each.kill()
        await setTimeout(2_000)
        await each.start()
        await setTimeout(2_000)
        t.comment(`${each.name} was killed and started again`)
      }
    over.abort()
    await failed

    t.test('jobs: each ran to its end, and the open page heard of them', async t => {
      await eventually('every job is done', async () => {
        const { rows } = await sql<{ left: number }>`
          select count(*)::int as left from jobs where job_id = any(${jobs}::uuid[]) and status not in ('completed', 'errored')`.execute(
          db.kysely,
        )
        return rows[0]!.left === 0
      })
      const { rows } = await sql<{ status: string }>`
        select distinct status from jobs where job_id = any(${jobs}::uuid[])`.execute(db.kysely)
      t.same(rows, [{ status: 'completed' }], `all ${jobs.length} are completed`)
      const last = await add(db.kysely, { storeId, kind: 'testCheck', key: 'last' }, new Date())
      await wakeJobs(db.kysely)
      const ends = () =>
        page.heard.flatMap(each =>
          each.type === 'job' && each.job.status === 'completed' ? each.job.id : [],
        )
      await eventually('the page hears of a job', () => ends().includes(last))
      t.comment(
        `${new Set(ends()).size} of ${jobs.length + 1} ends heard over ${page.connections()} connections`,
      )
      t.ok(page.connections() > 1, 'its connection was lost at least once')
      page.close()
    })

    t.test('drafts and uploads are as they were acknowledged', async t => {
      const rows = await db.kysely
        .selectFrom('drafts')
        .select(['draft_id', 'title'])
        .where('store_id', '=', storeId)
        .execute()
      const stored = new Map(rows.map(row => [row.draft_id, row.title]))
      t.ok(titles.size >= 3, `${titles.size} drafts`)
      for (const [id, title] of titles) t.equal(stored.get(id), title)
      const { rows: pictures } = await sql<{ n: number }>`
        select count(*)::int as n from pictures where store_id = ${storeId}`.execute(db.kysely)
      t.ok(uploads.length >= 2 && pictures[0]!.n >= 1, `${uploads.length} uploads`)
    })

    t.test('the newest script is on the shop', async t => {
      await call('updateTest', { params: { id: switched }, body: { status: 'Ended' } })
      await eventually('the last script is published', published)
      const script = await fetch(`${fleet.app}/s/${firstShop}.js`).then(answer => answer.text())
      t.match(script, counted)
      t.notMatch(script, switched, 'a test that has ended is not in it')
    })

    t.test('acknowledged is stored is reported', async t => {
      await fleet.shop.delivered()
      const sum = (of: (deeds: Deeds) => number) => deeds.reduce((all, each) => all + of(each), 0)
      const { rows } = await sql<{ events: number; ids: number }>`
        select count(*)::int as events, count(distinct id)::int as ids from events where store_id = ${storeId}`.execute(
        db.kysely,
      )
      t.same(rows, [{ events: sum(d => d.events), ids: sum(d => d.events) }], 'events, each once')
      const { rows: orders } = await sql<{ n: number }>`
        select count(*)::int as n from orders where store_id = ${storeId}`.execute(db.kysely)
      t.same(orders, [{ n: sum(d => d.orders) }], 'orders')
      const arm = (i: 0 | 1) => {
        const own = deeds.map(each => each.tests.find(({ id }) => id === counted)!.arms[i])
        const of = (name: keyof (typeof own)[0]) => own.reduce((all, one) => all + one[name], 0)
        return { exposed: of('exposed'), orders: of('orders'), revenue: of('revenue') }
      }
      const told = async () => {
        const { summary } = await call('test', { params: { id: counted } })
        return ([0, 1] as const).map(i => ({
          exposed: summary.visitors[i],
          orders: summary.ledger.arms[i].orders,
          revenue: summary.ledger.arms[i].amount,
        }))
      }
      const wanted = [arm(0), arm(1)]
      await eventually(
        'the report says it',
        async () => JSON.stringify(await told()) === JSON.stringify(wanted),
      ).catch(() => {})
      t.same(await told(), wanted, 'the report')
      t.comment(
        `${sum(d => d.visitors)} shoppers, ${sum(d => d.events)} events, ${sum(d => d.orders)} orders, sent again ${sum(d => d.retries)} times; the merchant was put off: ${JSON.stringify([...browser.refused])}`,
      )
    })

    t.test('every app shows at once what changed elsewhere', async t => {
      const own = apps.map(({ port }) => `http://127.0.0.1:${port}`)
      for (const at of own) t.equal((await browser.get(paths.home(), at)).status, 200)
      await db.kysely
        .updateTable('stores')
        .set({ plan_id: null, subscription_id: null, subscription_status: null, trial: false })
        .where('store_id', '=', storeId)
        .execute()
      for (const at of own) t.match((await browser.get(paths.home(), at)).status, 302)
    })

    t.test('limits are counted through the pooler', async t => {
      const secret = new Uint8Array(32),
        all = [0, 1].map(() =>
          settledLimits(postgresLimits(fleet.pooled.pool!, { secret, log: quietLog })),
        )
      const passed = await takeInTurn(all, { key: '203.0.113.9', most: 40, times: 60 })
      t.ok(passed >= 38 && passed <= 46, `${passed} of 120 passed, for a limit of 40`)
    })

    t.test('an import, which needs a session of its own, runs beside the pooler', async t => {
      const csv =
        'visitor,arm,time,event\na,control,2026-11-02T14:05:00Z,exposure\nb,variant,2026-11-02T14:06:00Z,exposure\n'
      const { testId } = await importTest(
        { ...fleet.pooled, sessionUrl: fleet.db.pool!.options.connectionString! },
        Readable.from([csv]),
        {
          shop: firstShop,
          options: { title: 'Past', goal: 'ConversionRate', weights: [0.5, 0.5], skipBad: false },
          now: new Date(),
        },
      )
      t.ok(testId)
    })
  },
)
