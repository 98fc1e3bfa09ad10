import { sql } from 'kysely'
import { screenshotDeviceNames } from '../../../domain/drafts/pictures/screenshot.ts'
import type { EngineContext } from '../../context.ts'
import { shopHosts } from '../draft-rows.ts'
import type { Previews } from '../previews.ts'
import { knownId, notFound, type Serve } from '../../http/routes.ts'
import { testedPages } from '../../script/script-body.ts'
import { noChromium, type ShopBrowser } from '../../browser/shop-browser.ts'
import type { Reader } from '../../db/types.ts'

/** A draft or test whose arms we draw. `hypotheses` has control's id first. */
type Drawn = { of: 'draft' | 'test'; id: string; pages: string[]; hypotheses: [string, string] }
// Removes what the preview adds to the page, because that is not part of the arm.
const withoutBar =
  'document.querySelector("twinshelf-preview")?.remove(); document.body?.style.removeProperty("padding-bottom")'

/** Screenshots of a test's arms: a headless Chromium opens the arms' previews. */
export function screenshots(
  serve: Serve,
  { db, clock, jobs }: EngineContext,
  previews: Previews,
  browser: ShopBrowser,
): void {
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
    const row = await db.kysely
      .selectFrom('screenshots')
      .select('image')
      .where('store_id', '=', storeId)
      .where('hypothesis_id', '=', knownId(id, 'hypothesis'))
      .where('device', '=', device)
      .executeTakeFirst()
    if (!row) throw notFound('picture')
    return { type: 'image/jpeg', body: Buffer.from(row.image) }
  })

  async function start(storeId: string, ...hypotheses: string[]): Promise<{ jobId: string }> {
    if (!browser.isThere()) throw noChromium()
    return {
      jobId: await db.kysely.transaction().execute(trx =>
        jobs.add(trx, {
          storeId,
          kind: 'screenshots',
          payload: { hypotheses },
          key: `screenshots ${hypotheses.join(' ')}`,
          // Pictures that a running job has taken already may show the arm before an edit.
          runAt: clock(),
        }),
      ),
    }
  }

  jobs.on('screenshots', async ({ storeId, payload, state, progress, checkpoint, signal }) => {
    const wanted = (payload['hypotheses'] as string[]).flatMap(hypothesis =>
      screenshotDeviceNames.map(device => ({ hypothesis, device })),
    )
    const done = new Set((state['done'] as string[] | undefined) ?? [])
    const hosts = await shopHosts(db.kysely, storeId)
    await browser.use(hosts, signal, async pages => {
      for (const [i, { hypothesis, device }] of wanted.entries()) {
        const key = `${hypothesis} ${device}`
        if (done.has(key)) continue
        await progress(i / wanted.length, `Taking picture ${i + 1} of ${wanted.length}`)
        const drawn = await drawnOf(db.kysely, storeId, { hypothesis })
        // The draft or test was deleted after the request, so there is nothing to draw.
        if (!drawn) continue
        const url = (
          await previews.urls({ storeId, of: drawn.of, id: drawn.id, hosts, pages: drawn.pages })
        )[drawn.hypotheses[0] === hypothesis ? 0 : 1]
        const taken = { image: await pages.picture(url, device, withoutBar), taken_at: clock() }
        done.add(key)
        await db.kysely.transaction().execute(async trx => {
          await trx
            .insertInto('screenshots')
            .values({ store_id: storeId, hypothesis_id: hypothesis, device, ...taken })
            .onConflict(conflict =>
              conflict.columns(['store_id', 'hypothesis_id', 'device']).doUpdateSet(taken),
            )
            .execute()
          await checkpoint({ done: [...done] }, trx)
        })
      }
    })
    await removeOrphans(db.kysely, storeId)
  })
}

async function drawnOf(
  reader: Reader,
  storeId: string,
  by: { hypothesis: string } | { draft: string },
): Promise<Drawn | null> {
  const columns = [
    'kind',
    'control_url',
    'dom_selectors',
    'control_hypothesis_id',
    'variant_hypothesis_id',
  ] as const
  const drafts = reader
    .selectFrom('drafts')
    .select([...columns, 'draft_id'])
    .where('store_id', '=', storeId)
  const draft = await (
    'draft' in by
      ? drafts.where('draft_id', '=', by.draft)
      : drafts.where(eb =>
          eb.or([
            eb('control_hypothesis_id', '=', by.hypothesis),
            eb('variant_hypothesis_id', '=', by.hypothesis),
          ]),
        )
  ).executeTakeFirst()
  if (draft)
    return {
      of: 'draft',
      id: draft.draft_id,
      pages: testedPages(draft),
      hypotheses: [draft.control_hypothesis_id, draft.variant_hypothesis_id],
    }
  if ('draft' in by) return null
  const test = await reader
    .selectFrom('tests')
    .select(['test_id', 'pages', 'control_hypothesis_id', 'variant_hypothesis_id'])
    .where('store_id', '=', storeId)
    .where(eb =>
      eb.or([
        eb('control_hypothesis_id', '=', by.hypothesis),
        eb('variant_hypothesis_id', '=', by.hypothesis),
      ]),
    )
    .executeTakeFirst()
  return test
    ? {
        of: 'test',
        id: test.test_id,
        pages: test.pages,
        hypotheses: [test.control_hypothesis_id, test.variant_hypothesis_id],
      }
    : null
}

/** Deletes the screenshots of deleted drafts and tests. */
const removeOrphans = (reader: Reader, storeId: string) =>
  sql`
  delete from screenshots s where s.store_id = ${storeId}
    and not exists (select 1 from drafts d where d.store_id = s.store_id and s.hypothesis_id in (d.control_hypothesis_id, d.variant_hypothesis_id))
    and not exists (select 1 from tests t where t.store_id = s.store_id and s.hypothesis_id in (t.control_hypothesis_id, t.variant_hypothesis_id))`.execute(
    reader,
  )
