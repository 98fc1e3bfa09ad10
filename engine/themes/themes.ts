import type { MissingTemplate } from '../../domain/themes/theme.ts'
import { assignedTypes, templateTypes } from '../../domain/themes/template.ts'
import { StoreBusy } from '../db/busy.ts'
import type { EngineContext } from '../context.ts'
import { announce } from '../hub/announce.ts'
import { isAssignedType, templatesOf } from './live-templates.ts'
import type { Platform } from '../platform/adapter.ts'
import type { ThemeRecord } from '../platform/themes.ts'
import { notFound, type Serve } from '../http/routes.ts'
import { themesAlike } from './themes-alike.ts'
import { maxTries, storeVersion } from '../db/store-version.ts'
import { productsChanged } from '../prices/test-products.ts'
import {
  isFirstDelivery,
  UnknownShop,
  type EventHandlers,
  type WebhookHandler,
} from '../orders/webhooks.ts'

export function themes(serve: Serve, { db: { kysely }, platform, clock }: EngineContext): void {
  serve('themes', async (_, { shop }) =>
    (await platform.themes(shop))
      .map(theme => ({
        ...themeRecord(theme),
        adminUrl: platform.themeUrl(shop, theme.id),
        fileUrl: platform.themeFileUrl(shop, theme.id),
      }))
      .sort(
        (a, b) =>
          Number(b.role === 'live') - Number(a.role === 'live') || a.name.localeCompare(b.name),
      ),
  )

  serve('themeIsCompatible', async ({ params: { id }, query: { force } }, { storeId, shop }) => {
    const all = await platform.themes(shop),
      theme = all.find(each => each.id === id),
      live = all.find(({ role }) => role === 'live')
    if (!theme) throw notFound('theme')
    const live_version = live ? `${live.id} ${live.updatedAt}` : ''
    const known = force
      ? undefined
      : await kysely
          .selectFrom('theme_checks')
          .selectAll()
          .where('store_id', '=', storeId)
          .where('theme_id', '=', id)
          .where('version', '=', theme.updatedAt)
          .executeTakeFirst()
    if (known?.live_version === live_version)
      return compatibility(theme, known.missing, known.is_same_as_live, known.checked_at)
    const missing = known?.missing ?? (await missingTemplates(platform, shop, theme.id)),
      checked_at = known?.checked_at ?? clock()
    const is_same_as_live =
      live !== undefined && live.id !== id && (await themesAlike(platform, shop, [live.id, id]))
    const row = {
      store_id: storeId,
      theme_id: id,
      version: theme.updatedAt,
      live_version,
      missing: JSON.stringify(missing),
      is_same_as_live,
      checked_at,
    }
    await kysely
      .insertInto('theme_checks')
      .values(row)
      .onConflict(oc => oc.columns(['store_id', 'theme_id']).doUpdateSet(row))
      .execute()
    return compatibility(theme, missing, is_same_as_live, checked_at)
  })
}

/**
 * The templates that the shop's pages use and this theme does not have. For types with assignment:
 * each suffix that is in use; for all other types: the type's own template.
 */
export async function missingTemplates(
  platform: Platform,
  shop: string,
  themeId: string,
): Promise<MissingTemplate[]> {
  const there = new Set(
    (await templatesOf(platform, shop, themeId)).map(each => `${each.type} ${each.suffix}`),
  )
  const needed = new Map<string, MissingTemplate>()
  const need = (type: MissingTemplate['type'], suffix: string): MissingTemplate => {
    const key = `${type} ${suffix}`,
      entry = needed.get(key) ?? { type, suffix, assignedCount: 0, titles: [] }
    needed.set(key, entry)
    return entry
  }
  for (const type of templateTypes) if (!isAssignedType(type)) need(type, '')
  for (const type of assignedTypes)
    for (const { suffix, count, titles } of await platform.templateUses(shop, type)) {
      const entry = need(type, suffix)
      entry.assignedCount = count
      entry.titles.push(...titles)
    }
  return [...needed].filter(([key]) => !there.has(key)).map(([, entry]) => entry)
}

const themeRecord = ({ id, name, role, createdAt, updatedAt }: ThemeRecord) => ({
  id,
  name,
  role,
  createdAt,
  updatedAt,
})

/**
 * Says in words which templates of the shop's pages a theme lacks; null if it has them all. Asks
 * the shop.
 */
export async function themeLacks(
  platform: Platform,
  shop: string,
  theme: Pick<ThemeRecord, 'id' | 'name'>,
): Promise<string | null> {
  return missingWords(theme, await missingTemplates(platform, shop, theme.id))
}

/** Says in words which templates a theme lacks; null if none. */
function missingWords(
  { name }: Pick<ThemeRecord, 'name'>,
  missing: readonly MissingTemplate[],
): string | null {
  const parts = missing.map(
    ({ type, suffix, assignedCount }) =>
      `${suffix ? `${type}.${suffix}` : type}${assignedCount > 0 ? ` (used by ${assignedCount})` : ''}`,
  )
  return missing.length > 0
    ? `${name} lacks templates that the shop uses: ${parts.join(', ')}.`
    : null
}

const compatibility = (
  theme: ThemeRecord,
  missing: MissingTemplate[],
  isSameAsLive: boolean,
  checkedAt: Date,
) => ({
  isCompatible: missing.length === 0,
  isSameAsLive,
  missing,
  message: missingWords(theme, missing),
  checkedAt: checkedAt.toISOString(),
})

/**
 * The handlers of what happens to the shop's themes and products. They check running tests again at
 * once, and tell open pages about changed themes.
 */
export function themeEvents(context: EngineContext): Pick<EventHandlers, ThemeEvent> {
  const {
    db: { kysely },
    platform,
    clock,
    jobs,
  } = context
  const topic =
    (
      act: (
        store: { storeId: string; shop: string },
        body: unknown,
      ) => Promise<{ themeId?: string }>,
      isOfThemes: boolean,
    ): WebhookHandler =>
    async (delivery, body) => {
      // Another delivery may have stored newer facts than we were told. Then we ask again, so the
      // facts that stay were asked for last.
      for (let tries = 0; tries < maxTries; tries++) if (await isTaken()) return
      throw new StoreBusy()

      async function isTaken(): Promise<boolean> {
        const store = await kysely
          .selectFrom('stores')
          .select(['store_id as storeId', 'shop', 'status', storeVersion])
          .where('shop', '=', delivery.shop)
          .executeTakeFirst()
        if (!store) throw new UnknownShop()
        if (store.status !== 'installed') return true
        // Asks the shop itself, because the delivery may be late; and outside the transaction,
        // because that may take long.
        const { themeId } = await act(store, body)
        return kysely.transaction().execute(async trx => {
          const now = await trx
            .selectFrom('stores')
            .select(['theme_id', storeVersion])
            .where('store_id', '=', store.storeId)
            .forNoKeyUpdate()
            .executeTakeFirst()
          const isOther = themeId !== undefined && now?.theme_id !== themeId
          if (isOther && now?.version !== store.version) return false
          if (!(await isFirstDelivery(trx, store.storeId, delivery, clock()))) return true
          if (isOther)
            await trx
              .updateTable('stores')
              .set({ theme_id: themeId, updated_at: clock() })
              .where('store_id', '=', store.storeId)
              .execute()
          await jobs.add(trx, {
            storeId: store.storeId,
            kind: 'testCheck',
            key: 'testCheck',
            runAt: clock(),
          })
          if (isOfThemes) await announce(trx, store.storeId, 'ThemesUpdated')
          return true
        })
      }
    }
  const ofThemes = topic(
    async ({ shop }) => ({ themeId: (await platform.shop(shop)).themeId }),
    true,
  )
  const ofProducts: WebhookHandler = async (delivery, body, adapter) => {
    const { productId } = adapter.parseProduct(body)
    await topic(async ({ storeId }) => {
      await productsChanged(context, storeId, [productId])
      return {}
    }, false)(delivery, body, adapter)
  }
  return {
    themesCreated: ofThemes,
    themesPublished: ofThemes,
    themesUpdated: ofThemes,
    themesDeleted: ofThemes,
    productsUpdated: ofProducts,
    productsDeleted: ofProducts,
  }
}
type ThemeEvent =
  | 'themesCreated'
  | 'themesPublished'
  | 'themesUpdated'
  | 'themesDeleted'
  | 'productsUpdated'
  | 'productsDeleted'
