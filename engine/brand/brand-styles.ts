import { randomUUID } from 'node:crypto'
import type { BrandStyle } from '../../domain/brand/brand-style.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { mergeFonts } from './brand-reader-fonts.ts'
import { type Brand, readBrand, type Reading } from './brand-reader.ts'
import type { EngineContext } from '../context.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import { notFound, type Serve } from '../http/routes.ts'
import { noChromium, type ShopBrowser } from '../browser/shop-browser.ts'

/**
 * The API of brand styles: we read them from the live shop and store one when the merchant saves
 * it.
 */
export function brandStyles(
  serve: Serve,
  { db, clock, platform, log }: EngineContext,
  browser: ShopBrowser,
): void {
  const read = oncePerShop(async (storeId, before) => {
    if (!browser.isThere()) throw noChromium(409)
    return readBrand(platform, browser, await shopHosts(db.kysely, storeId), before)
  })

  serve('brandStyle', async (_, { storeId }) => {
    const row = await kept(storeId)
    if (!row) throw notFound('brand style')
    return answer(row)
  })

  serve('brandFonts', async (_, { storeId }) => {
    const row = await kept(storeId)
    try {
      return mergeFonts((await read(storeId)).fonts, row?.fonts ?? [])
    } catch (error) {
      // If the shop is down, the merchant still gets the fonts that we stored.
      if (!row || !(error instanceof HttpProblem)) throw error
      log.warn({ err: error }, 'fonts of the shop not read')
      return row.fonts
    }
  })

  serve('generateBrandStyle', async (_, { storeId }) => read(storeId))

  serve(
    'saveBrandStyle',
    async (
      {
        body: {
          brandStyle: { id, updatedAt: _, ...style },
          availableFonts,
          update,
        },
      },
      { storeId },
    ) => {
      const values = {
        brand_style_id: randomUUID(),
        style: JSON.stringify(style),
        fonts: JSON.stringify(availableFonts),
        updated_at: clock(),
      }
      if (!update) {
        return answer(
          await db.kysely
            .insertInto('brand_styles')
            .values({ store_id: storeId, ...values })
            .onConflict(conflict => conflict.column('store_id').doUpdateSet(values))
            .returningAll()
            .executeTakeFirstOrThrow(),
        )
      }
      const { style: text, fonts, updated_at } = values
      const row = await db.kysely
        .updateTable('brand_styles')
        .set({ style: text, fonts, updated_at })
        .where('store_id', '=', storeId)
        .where(eb => eb.cast<string>('brand_style_id', 'text'), '=', id ?? '')
        .returningAll()
        .executeTakeFirst()
      if (row) return answer(row)
      if (!(await kept(storeId))) throw notFound('brand style')
      throw new HttpProblem(409, 'Another brand style was imported since you opened this one.', [
        { field: 'brandStyle.id', message: 'is not the stored one' },
      ])
    },
  )

  const kept = (storeId: string) =>
    db.kysely
      .selectFrom('brand_styles')
      .selectAll()
      .where('store_id', '=', storeId)
      .executeTakeFirst()
}

const answer = ({
  brand_style_id,
  style,
  updated_at,
}: {
  brand_style_id: string
  style: Omit<BrandStyle, 'id' | 'updatedAt'>
  updated_at: Date
}): BrandStyle => ({ id: brand_style_id, ...style, updatedAt: updated_at.toISOString() })

/** How many shops' last readings we keep in memory. */
const remembered = 100

/**
 * Runs one reading per shop at a time, because it takes half a dozen fetches of the shop. Requests
 * that arrive meanwhile get the same answer.
 */
function oncePerShop(
  read: (storeId: string, before: Reading | undefined) => Promise<Reading>,
): (storeId: string) => Promise<Brand> {
  const running = new Map<string, Promise<Brand>>()
  const last = new Map<string, Reading>()
  return storeId => {
    const known = running.get(storeId)
    if (known) return known
    const made = read(storeId, last.get(storeId))
      .then(reading => {
        last.delete(storeId)
        last.set(storeId, reading)
        if (last.size > remembered) last.delete(last.keys().next().value!)
        return reading.brand
      })
      .finally(() => running.delete(storeId))
    running.set(storeId, made)
    return made
  }
}
