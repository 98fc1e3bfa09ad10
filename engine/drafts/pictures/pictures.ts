import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { pictureLimits } from '../../../domain/drafts/pictures/picture.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { EngineContext } from '../../context.ts'
import { requireDraft } from '../draft-rows.ts'
import { type PictureFile, readPicture, wrongPicture } from './picture-file.ts'
import { forgetPictures } from './picture-shown.ts'
import type { Serve } from '../../http/routes.ts'

/**
 * Pictures that merchants upload for a variant. We store them, and publish them on the shop's own
 * asset host through the journal.
 */
export function pictures(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    platform,
    journal,
  } = context
  serve('addPicture', async ({ params: { id }, body: { file } }, { storeId, shop }) => {
    const { draft_id: draftId } = await requireDraft(kysely, storeId, id)
    const bytes = Buffer.from(file, 'base64')
    // We do not use a regular expression here, because it may run out of stack on millions of
    // characters.
    if (bytes.toString('base64') !== file) throw wrongPicture('encoding')
    const picture = await readPicture(bytes)
    // The same picture in the same draft gets the same name; in another draft it gets another name.
    const hash = createHash('sha256')
      .update(draftId)
      .update(picture.body)
      .digest('hex')
      .slice(0, 32)
    const name = `twinshelf-${hash}.${picture.extension}`
    const isNew = await store(context, storeId, name, picture)
    try {
      await journal.putPictures({ storeId, testId: draftId, isDraft: true, names: [name] })
    } catch (error) {
      if (isNew)
        await kysely
          .deleteFrom('pictures')
          .where('store_id', '=', storeId)
          .where('name', '=', name)
          .execute()
      throw error
    }
    const there = await platform.picture(shop, name)
    if (!there) throw new HttpProblem(502, 'The shop did not keep the picture.')
    return {
      address: there.url,
      width: picture.width,
      height: picture.height,
      bytes: picture.body.length,
    }
  })
}

/**
 * Stores a picture. Returns false if it was stored before. Throws HttpProblem 400 when the store
 * has too many pictures.
 */
async function store(
  context: EngineContext,
  storeId: string,
  name: string,
  { type, body }: PictureFile,
): Promise<boolean> {
  const {
    db: { kysely },
    clock,
  } = context
  return kysely.transaction().execute(async trx => {
    // The lock makes two uploads at once count one after the other.
    await trx
      .selectFrom('stores')
      .select('store_id')
      .where('store_id', '=', storeId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    // If its first upload was cut off, nothing but the time of this one keeps the picture.
    const known = await trx
      .updateTable('pictures')
      .set({ created_at: clock() })
      .where('store_id', '=', storeId)
      .where('name', '=', name)
      .returning('name')
      .executeTakeFirst()
    if (known) return false
    await forgetPictures(context, trx, storeId)
    const { count, total } = await trx
      .selectFrom('pictures')
      .where('store_id', '=', storeId)
      .select([
        sql<number>`count(*)::int`.as('count'),
        sql<number>`coalesce(sum(bytes), 0)::int`.as('total'),
      ])
      .executeTakeFirstOrThrow()
    if (count >= pictureLimits.count) throw wrongPicture('count')
    if (total + body.length > pictureLimits.total) throw wrongPicture('total')
    await trx
      .insertInto('pictures')
      .values({ store_id: storeId, name, type, body, bytes: body.length, created_at: clock() })
      .execute()
    return true
  })
}
