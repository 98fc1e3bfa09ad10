import { sql } from 'kysely'
import {
  choiceLimits,
  choiceOf,
  type ChoicePicture,
  needsPicture,
} from '../../../domain/drafts/pictures/choice-picture.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { placesOf } from './choice-places.ts'
import type { EngineContext } from '../../context.ts'
import { shopHosts } from '../draft-rows.ts'
import { notFound, type Serve } from '../../http/routes.ts'
import type { ShopBrowser, ShopPages } from '../../browser/shop-browser.ts'
import type { Reader } from '../../db/types.ts'

/**
 * `inOneGo`: how many pictures we draw before other jobs may use the browser. `maxFailures`: after
 * this many failures in a row, all waiting pictures of the shop fail.
 */
const inOneGo = 6,
  maxFailures = 3
const failed = 'The shop’s page could not be drawn.'

/**
 * Small pictures of what a draft can choose. We draw them when a merchant looks at the choices, and
 * keep them.
 */
export function choicePictures(
  serve: Serve,
  { db, clock, jobs, platform, log }: EngineContext,
  browser: ShopBrowser,
): void {
  serve('choicePictures', async (_, { storeId }) => ({
    canDraw: browser.isThere(),
    pictures: await rowsOf(db.kysely, storeId),
  }))

  serve('drawChoicePictures', async ({ body: { choices } }, { storeId }) => {
    const wrong = choices.findIndex(({ of }) => choiceOf(of) === null)
    if (wrong >= 0)
      throw new HttpProblem(400, 'There is no such choice.', [
        { field: `choices.${wrong}.of`, message: 'Name a theme, template or page.' },
      ])
    const names = [...new Set(choices.map(({ of }) => of))]
    if (!browser.isThere())
      return { canDraw: false, pictures: await rowsOf(db.kysely, storeId, names) }
    const now = clock()
    await db.kysely.transaction().execute(async trx => {
      const known = new Map((await rowsOf(trx, storeId, names)).map(each => [each.of, each]))
      const recently = new Set(
        (
          await trx
            .selectFrom('choice_pictures')
            .select('choice')
            .where('store_id', '=', storeId)
            .where('choice', 'in', names)
            .where('problem', 'is not', null)
            .where('tried_at', '>', new Date(now.getTime() - choiceLimits.retry))
            .execute()
        ).map(({ choice }) => choice),
      )
      for (const { of, version } of choices) {
        const is_waiting = needsPicture(known.get(of), version, now) && !recently.has(of)
        await trx
          .insertInto('choice_pictures')
          .values({ store_id: storeId, choice: of, version, is_waiting, asked_at: now })
          .onConflict(conflict =>
            conflict.columns(['store_id', 'choice']).doUpdateSet({
              version,
              asked_at: now,
              is_waiting: sql<boolean>`choice_pictures.is_waiting or ${is_waiting}`,
            }),
          )
          .execute()
      }
      await keepFew(trx, storeId)
      const waits = await trx
        .selectFrom('choice_pictures')
        .select('choice')
        .where('store_id', '=', storeId)
        .where('is_waiting', '=', true)
        .limit(1)
        .executeTakeFirst()
      // A job that is just ending may not have seen the new rows, so we add one.
      if (waits)
        await jobs.add(trx, { storeId, kind: 'choicePictures', key: 'choicePictures', runAt: now })
    })
    return { canDraw: true, pictures: await rowsOf(db.kysely, storeId, names) }
  })

  serve('choicePicture', async ({ query: { of } }, { storeId }) => {
    const row = await db.kysely
      .selectFrom('choice_pictures')
      .select('image')
      .where('store_id', '=', storeId)
      .where('choice', '=', of)
      .executeTakeFirst()
    if (!row?.image) throw notFound('picture')
    return { type: 'image/jpeg', body: Buffer.from(row.image) }
  })

  jobs.on('choicePictures', async ({ storeId, signal }) => {
    const hosts = await shopHosts(db.kysely, storeId)
    const waiting = db.kysely
      .selectFrom('choice_pictures')
      .select(['choice', 'version'])
      .where('store_id', '=', storeId)
      .where('is_waiting', '=', true)
    const write = (
      choice: string,
      columns:
        | { problem: string }
        | { image: Uint8Array; taken_at: Date; drawn_version: string; problem: null },
    ) =>
      db.kysely
        .updateTable('choice_pictures')
        .set({ ...columns, tried_at: clock(), is_waiting: false })
        .where('store_id', '=', storeId)
        .where('choice', '=', choice)
        .execute()
    const giveUp = async (problem: string) => {
      for (const { choice } of await waiting.execute()) await write(choice, { problem })
    }
    let failures = 0
    for (;;) {
      // The choices that were asked for last come first, because they are still on the screen.
      const next = await waiting
        .orderBy('asked_at', 'desc')
        .orderBy('choice')
        .limit(inOneGo)
        .execute()
      if (next.length === 0) return
      let drawn: string | null = null
      try {
        const places = await placesOf(
          platform,
          hosts,
          next.map(({ choice }) => choice),
        )
        const draw = async (pages: ShopPages) => {
          for (const { choice, version } of next) {
            const url = places.get(choice)
            drawn = choice
            if (!url) await write(choice, { problem: 'The shop has no page for it.' })
            else {
              const { image, status, end } = await pages.small(url)
              const problem = problemOf(status, end)
              await write(
                choice,
                problem
                  ? { problem }
                  : { image, taken_at: clock(), drawn_version: version, problem: null },
              )
              if (!problem) failures = 0
            }
            drawn = null
            // A merchant who launches a test waits for the browser; nobody waits for a picture.
            if (pages.isWaitedFor()) return
          }
        }
        await browser.use(hosts, signal, draw, { isPatient: true })
      } catch (error) {
        if (signal.aborted || (!drawn && !(error instanceof HttpProblem))) throw error
        log.warn({ err: error }, 'picture of a choice not drawn')
        const problem = error instanceof HttpProblem ? error.message : failed
        if (drawn) await write(drawn, { problem })
        if (!drawn || ++failures >= maxFailures) await giveUp(problem)
      }
    }
  })
}

/** Why this is not the page that was asked for; null when it is. */
function problemOf(status: number | null, end: string): string | null {
  if (end === '/password' || status === 401 || status === 403)
    return 'The shop asks for a password.'
  return status === 200 ? null : failed
}

async function rowsOf(reader: Reader, storeId: string, names?: string[]): Promise<ChoicePicture[]> {
  const rows = await reader
    .selectFrom('choice_pictures')
    .select(['choice', 'version', 'taken_at', 'drawn_version', 'problem', 'is_waiting'])
    .where('store_id', '=', storeId)
    .$if(names !== undefined, own => own.where('choice', 'in', names!))
    .orderBy('choice')
    .execute()
  return rows.map(row => ({
    of: row.choice,
    version: row.drawn_version ?? row.version,
    takenAt: row.taken_at?.toISOString() ?? null,
    problem: row.problem,
    isDrawing: row.is_waiting,
  }))
}

/**
 * Deletes all but the pictures that were asked for last, because a shop may have thousands of
 * pages.
 */
const keepFew = (reader: Reader, storeId: string) =>
  sql`
  delete from choice_pictures where store_id = ${storeId} and choice in (
    select choice from choice_pictures where store_id = ${storeId} order by asked_at desc, choice offset ${choiceLimits.kept})`.execute(
    reader,
  )
