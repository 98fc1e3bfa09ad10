import { lookup } from 'node:dns/promises'
import { sql, type Kysely, type Transaction } from 'kysely'
import { HttpProblem } from '../domain/problem.ts'
import { type ScreenshotDevice, screenshotDeviceNames, screenshotDevices } from '../domain/screenshot.ts'
import { type Chromium, findChromium, openChromium } from './chromium.ts'
import type { EngineContext } from './context.ts'
import type { Schema } from './db/schema.ts'
import { shopHosts } from './drafts.ts'
import type { JobRun } from './jobs/jobs.ts'
import type { Previews } from './previews.ts'
import { isPublicAddress } from './public-hosts.ts'
import type { ShopHosts } from './redirect-urls.ts'
import { knownId, notFound, type Serve } from './routes.ts'
import { testedPages } from './script-body.ts'

type Reader = Kysely<Schema> | Transaction<Schema>
/** A draft or test whose arms are drawn, control's hypothesis first. */
type Drawn = { of: 'draft' | 'test'; id: string; pages: string[]; hypotheses: [string, string] }
/** Serves what is asked of our own public side, so that drawing needs no way out to it. */
export type OwnAnswer = (path: string) => Promise<{ type: string; body: Buffer } | null>

/** Longest that one picture may take, for the first the browser's own start included. Milliseconds. */
const pictureTime = 30_000
// What the preview adds to the page is not the arm's.
const withoutBar = 'document.querySelector("twinshelf-preview")?.remove(); document.body?.style.removeProperty("padding-bottom")'

/** Real pictures of a test's arms, drawn from their previews by a Chromium without a window. */
export function screenshots(serve: Serve, context: EngineContext, previews: Previews, ownAnswer: OwnAnswer): void {
  const { db, clock, config, jobs, log } = context
  const noChromium = () => new HttpProblem(503, 'Pictures need a Chromium, and none was found on this server. Its operator can name one in CHROMIUM_PATH.')
  let turn: Promise<unknown> = Promise.resolve()

  serve('refreshScreenshots', async ({ params: { id } }, { storeId }) => {
    const drawn = await drawnOf(db.kysely, storeId, { hypothesis: knownId(id, 'hypothesis') })
    if (!drawn) throw notFound('hypothesis')
    return start(storeId, id)
  })

  serve('updateDraftScreenshots', async ({ params: { id } }, { storeId }) => {
    const drawn = await drawnOf(db.kysely, storeId, { draft: knownId(id, 'draft') })
    if (!drawn) throw notFound('draft')
    return start(storeId, ...drawn.hypotheses)
  })

  serve('screenshot', async ({ params: { id, device } }, { storeId }) => {
    const row = await db.kysely.selectFrom('screenshots').select('image').where('store_id', '=', storeId)
      .where('hypothesis_id', '=', knownId(id, 'hypothesis')).where('device', '=', device).executeTakeFirst()
    if (!row) throw notFound('picture')
    return { type: 'image/jpeg', body: Buffer.from(row.image) }
  })

  async function start(storeId: string, ...hypotheses: string[]): Promise<{ jobId: string }> {
    if (!findChromium(config.CHROMIUM_PATH)) throw noChromium()
    return { jobId: await db.kysely.transaction().execute(trx => jobs.add(trx, { storeId, kind: 'screenshots', payload: { hypotheses }, key: `screenshots ${hypotheses.join(' ')}` })) }
  }

  jobs.on('screenshots', async run => {
    // One browser at a time: each takes some hundred megabytes.
    const own = turn.catch(() => {}).then(() => draw(run))
    turn = own
    await own
  })

  async function draw({ storeId, payload, state, progress, checkpoint, signal }: JobRun): Promise<void> {
    signal.throwIfAborted()
    const path = findChromium(config.CHROMIUM_PATH)
    if (!path) throw noChromium()
    const wanted = (payload['hypotheses'] as string[]).flatMap(hypothesis => screenshotDeviceNames.map(device => ({ hypothesis, device })))
    const done = new Set((state['done'] as string[] | undefined) ?? [])
    const hosts = await shopHosts(db.kysely, storeId)
    const slow = new AbortController()
    const chromium = openChromium({ path, hasSandbox: config.CHROMIUM_SANDBOX === 'on', resolverRules: await rulesFor(hosts), signal: AbortSignal.any([signal, slow.signal]) })
    try {
      for (const [i, { hypothesis, device }] of wanted.entries()) {
        const key = `${hypothesis} ${device}`
        if (done.has(key)) continue
        await progress(i / wanted.length, `Taking picture ${i + 1} of ${wanted.length}`)
        const drawn = await drawnOf(db.kysely, storeId, { hypothesis })
        // Deleted since it was asked for: nothing is left to draw.
        if (!drawn) continue
        const url = (await previews.urls({ storeId, of: drawn.of, id: drawn.id, hosts, pages: drawn.pages }))[drawn.hypotheses[0] === hypothesis ? 0 : 1]
        const timer = setTimeout(() => slow.abort(), pictureTime)
        const taken = { image: await picture(chromium, hosts, url, device).finally(() => clearTimeout(timer)), taken_at: clock() }
        done.add(key)
        await db.kysely.transaction().execute(async trx => {
          await trx.insertInto('screenshots').values({ store_id: storeId, hypothesis_id: hypothesis, device, ...taken })
            .onConflict(conflict => conflict.columns(['store_id', 'hypothesis_id', 'device']).doUpdateSet(taken)).execute()
          await checkpoint({ done: [...done] }, trx)
        })
      }
    } catch (error) {
      if (!slow.signal.aborted || signal.aborted) throw error
      log.warn({ err: error }, 'picture not taken in time')
      throw new HttpProblem(504, 'The shop’s page took longer than half a minute to draw.')
    } finally {
      await chromium.close()
    }
    await removeOrphans(db.kysely, storeId)
  }

  function picture(chromium: Chromium, hosts: ShopHosts, url: string, device: ScreenshotDevice): Promise<Buffer> {
    const own = new URL(config.PUBLIC_ORIGIN)
    return chromium.picture({
      url, ...screenshotDevices[device], before: withoutBar,
      mayFetch: request => isOfShop(request, hosts),
      answer: async request => (request.origin === own.origin && request.pathname === '/s/preview.js' ? ownAnswer(request.pathname + request.search) : null),
    })
  }
}

async function drawnOf(reader: Reader, storeId: string, by: { hypothesis: string } | { draft: string }): Promise<Drawn | null> {
  const columns = ['kind', 'control_url', 'dom_selectors', 'control_hypothesis_id', 'variant_hypothesis_id'] as const
  const drafts = reader.selectFrom('drafts').select([...columns, 'draft_id']).where('store_id', '=', storeId)
  const draft = await ('draft' in by ? drafts.where('draft_id', '=', by.draft) : drafts.where(eb => eb.or([eb('control_hypothesis_id', '=', by.hypothesis), eb('variant_hypothesis_id', '=', by.hypothesis)]))).executeTakeFirst()
  if (draft) return { of: 'draft', id: draft.draft_id, pages: testedPages(draft), hypotheses: [draft.control_hypothesis_id, draft.variant_hypothesis_id] }
  if ('draft' in by) return null
  const test = await reader.selectFrom('tests').select(['test_id', 'pages', 'control_hypothesis_id', 'variant_hypothesis_id']).where('store_id', '=', storeId)
    .where(eb => eb.or([eb('control_hypothesis_id', '=', by.hypothesis), eb('variant_hypothesis_id', '=', by.hypothesis)])).executeTakeFirst()
  return test ? { of: 'test', id: test.test_id, pages: test.pages, hypotheses: [test.control_hypothesis_id, test.variant_hypothesis_id] } : null
}

/** Pictures of drafts and tests that are gone. */
const removeOrphans = (reader: Reader, storeId: string) => sql`
  delete from screenshots s where s.store_id = ${storeId}
    and not exists (select 1 from drafts d where d.store_id = s.store_id and s.hypothesis_id in (d.control_hypothesis_id, d.variant_hypothesis_id))
    and not exists (select 1 from tests t where t.store_id = s.store_id and s.hypothesis_id in (t.control_hypothesis_id, t.variant_hypothesis_id))`.execute(reader)

const localNames = ['localhost', '127.0.0.1']
const namesOf = ({ shop, domain, origin }: ShopHosts): string[] => [...new Set([new URL(origin).hostname, shop, domain].map(name => name.toLowerCase()))]

const isOfShop = (url: URL, hosts: ShopHosts): boolean => url.origin === hosts.origin || (url.port === '' && /^https?:$/.test(url.protocol) && namesOf(hosts).includes(url.hostname))

/**
 * Where names lead for the browser: the shop's own to the public addresses they have now, all others nowhere. A shop on
 * this very machine is the one exception, as everywhere.
 */
async function rulesFor(hosts: ShopHosts): Promise<string> {
  const [main = '', ...others] = namesOf(hosts)
  if (localNames.includes(main)) return `EXCLUDE ${main},MAP * ~NOTFOUND`
  const rules: string[] = []
  for (const name of [main, ...others]) {
    const addresses = await lookup(name, { all: true }).catch(() => [])
    const [first] = addresses
    if (first && addresses.every(({ address }) => isPublicAddress(address))) rules.push(`MAP ${name} ${first.family === 6 ? `[${first.address}]` : first.address}`)
  }
  return [...rules, 'MAP * ~NOTFOUND'].join(',')
}
