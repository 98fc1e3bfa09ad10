import type { Arm } from '../../domain/arm.ts'
import { type Lack, lackOf, redirectLack } from '../../domain/platform/kind-needs.ts'
import { templateStem } from '../../domain/themes/template.ts'
import type { EngineContext } from '../context.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import { addressOn, shopPath } from '../drafts/redirect-urls.ts'
import { notFound } from '../http/routes.ts'
import { refuseFor } from '../platform/store-capabilities.ts'
import { findTemplate, isAssignedType, liveTheme } from '../themes/live-templates.ts'
import type { TestRow } from './test-statuses.ts'

type Asking = Pick<EngineContext, 'db' | 'platform'>

/**
 * Throws HttpProblem 409 when the shop does not let us make the arm permanent. Asked before the
 * test ends, so that nothing has changed then.
 */
export async function requireMeans(
  context: Asking,
  storeId: string,
  testId: string,
  arm: Arm,
): Promise<void> {
  refuseFor(await lackFor(context, await requireTest(context, storeId, testId), arm))
}

async function requireTest({ db }: Asking, storeId: string, testId: string): Promise<TestRow> {
  const test = await db.kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  if (!test) throw notFound('test')
  return test
}

/** What the dialog before an application has to know of the shop. */
export async function applyAnswer(
  context: Asking,
  storeId: string,
  testId: string,
  arm: Arm,
): Promise<{ lack: Lack | null; byScript: Lack | null }> {
  const test = await requireTest(context, storeId, testId)
  return {
    lack: await lackFor(context, test, arm),
    byScript: arm === 'variant' ? await shopRedirectLack(context, test) : null,
  }
}

/**
 * Why our script, and not the shop, sends the visitors of a redirect test's control on when its
 * variant is applied, and how the shop could; null when the shop does, and for other tests.
 */
export async function shopRedirectLack(
  { db, platform }: Asking,
  { store_id, kind, control_url }: Pick<TestRow, 'store_id' | 'kind' | 'control_url'>,
): Promise<Lack | null> {
  if (kind !== 'UrlRedirect') return null
  const hosts = await shopHosts(db.kysely, store_id)
  const store = await platform.capabilities(hosts.shop, { isFresh: true })
  const path = shopPath(control_url, hosts)
  // The shop is asked only where its answer matters.
  const isPageThere =
    store.redirects === 'missingPages' &&
    path !== null &&
    (await platform.pageExists(hosts.shop, addressOn(hosts, path)))
  return redirectLack(store, isPageThere)
}

/** What the shop, as it is now, lacks for making an arm permanent; null when it lacks nothing. */
async function lackFor(context: Asking, test: TestRow, arm: Arm): Promise<Lack | null> {
  const { store_id: storeId, test_id: testId } = test
  if (test.applied_arm === arm) return null
  const { shop } = await shopHosts(context.db.kysely, storeId)
  const store = await context.platform.capabilities(shop, { isFresh: true })
  switch (test.kind) {
    case 'Theme': {
      const target = arm === 'control' ? test.control_target : test.variant_target
      const theme = (await context.platform.themes(shop)).find(({ id }) => id === target?.themeId)
      // The merchant may have published it themselves. One that is gone has its own refusal.
      return !theme || theme.role === 'live' ? null : lackOf('publishThemes', store, theme.name)
    }
    case 'Template':
    case 'PageContent':
      return arm === 'variant' ? lackOfTemplate(context, shop, test) : lackOfOriginal(context, test)
    // Our script makes a redirect permanent where the shop does not (`shopRedirectLack`).
    case 'UrlRedirect':
    case 'PageElement':
    case 'Api':
    case 'Price':
      return null
  }

  /** What the merchant has done in the shop already needs nothing. */
  async function lackOfTemplate(
    { platform }: Asking,
    of: string,
    { control_target: control, variant_target: variant }: TestRow,
  ): Promise<Lack | null> {
    if (!control?.templateType || variant?.suffix == null) return null
    const type = control.templateType,
      from = templateStem(type, variant.suffix)
    const ifGone = lackOf('restoreTemplate', store, from),
      ifOther = isAssignedType(type)
        ? null
        : lackOf('replaceTemplate', store, from, templateStem(type, ''))
    if (!ifGone && !ifOther) return null
    const { id } = await liveTheme(platform, of)
    const winner = await findTemplate(platform, of, id, type, variant.suffix)
    if (!winner || !ifOther) return winner ? null : ifGone
    const own = await findTemplate(platform, of, id, type, '')
    // A Liquid template has its own refusal.
    const isLiquid = own?.format === 'liquid' || winner.format === 'liquid'
    return isLiquid || own?.file.body === winner.file.body ? null : ifOther
  }

  /** The original can only be put back by writing its file, if we have replaced it before. */
  async function lackOfOriginal(
    { db }: Asking,
    { control_target: control, applied_arm }: TestRow,
  ): Promise<Lack | null> {
    const type = control?.templateType,
      lack = lackOf('themeFiles', store)
    if (!lack || applied_arm !== 'variant' || !type || isAssignedType(type)) return null
    const written = await db.kysely
      .selectFrom('journal')
      .select('seq')
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      .where('kind', '=', 'file')
      .executeTakeFirst()
    return written ? lack : null
  }
}
