import type { Arm } from '../../domain/arm.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { isSamePage } from '../../domain/tests/redirect-url.ts'
import { type AssignedType, templateFile, templateStem } from '../../domain/themes/template.ts'
import type { TargetKind } from '../../domain/tests/test-target.ts'
import { circleProblem, sentFrom, sentOnMessage } from '../../domain/tests/redirect-chains.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import type { Kept, Step } from '../journal/journal-contract.ts'
import { findTemplate, isAssignedType, liveTheme, templatesOf } from '../themes/live-templates.ts'
import type { ShopResource } from '../platform/themes.ts'
import { resourcePages, resourcesById } from '../platform/resources.ts'
import { addressOn, shopPath } from '../drafts/redirect-urls.ts'
import { sentNow } from '../script/script-winners.ts'
import { keepApplying } from './apply-later.ts'
import { shopRedirectLack } from './apply-needs.ts'
import { redirectsOf } from './exclusion.ts'
import type { TestRow } from './test-statuses.ts'

type ApplyContext = Pick<EngineContext, 'db' | 'platform' | 'journal' | 'clock'>
/**
 * Names of things that we could not change, because they are `gone`, were `edited` in the shop
 * since, or because the shop `refused` to put them back.
 */
export type NotChanged = { gone?: string[]; edited?: string[]; refused?: string[] }
/** `isByScript`: the shop is unchanged, and our script makes the arm permanent. */
export type Applied = NotChanged & { isByScript?: boolean }
type ApplyTo = (context: ApplyContext, test: TestRow, arm: Arm) => Promise<Applied>

/**
 * Throws HttpProblem when an arm cannot be applied, before anything changes. So a running test
 * keeps running.
 */
export const requireApplicable: Record<TargetKind, (...of: Parameters<ApplyTo>) => Promise<void>> =
  {
    theme: async (context, test, arm) => {
      await themeOf(context, test, arm)
    },
    url: async (context, test, arm) => {
      if (arm === 'variant') await redirectOf(context, test)
    },
    template: async (context, test, arm) => {
      if (arm === 'control') return
      const variant = need(test.variant_target, 'variant'),
        type = need(test.control_target, 'control').templateType!
      const { shop } = await shopHosts(context.db.kysely, test.store_id)
      const theme = await liveTheme(context.platform, shop)
      const there = await findTemplate(context.platform, shop, theme.id, type, variant.suffix!)
      if (!there) await lastBody(context, test, variant)
      if (isAssignedType(type)) return void (await drawn(context, test, shop, type))
      const own = await findTemplate(context.platform, shop, theme.id, type, '')
      if (own?.format === 'liquid' || there?.format === 'liquid') throw noExchange()
    },
  }

/** Publishes the arm's theme. */
export const applyTheme: ApplyTo = async (context, test, arm) => {
  const themeId = await themeOf(context, test, arm)
  await context.journal.publishTheme({ storeId: test.store_id, testId: test.test_id, themeId })
  return {}
}

async function themeOf({ platform, db }: ApplyContext, test: TestRow, arm: Arm): Promise<string> {
  const themeId = need(arm === 'control' ? test.control_target : test.variant_target, arm).themeId!
  const { shop } = await shopHosts(db.kysely, test.store_id)
  if (!(await platform.themes(shop)).some(each => each.id === themeId))
    throw gone('The theme of this arm is no longer in the shop.')
  return themeId
}

/**
 * Variant: the platform redirects the page's visitors to the variant's page, or our script does
 * where the platform cannot. Control: that redirect is removed.
 */
export const applyUrl: ApplyTo = async (context, test, arm) => {
  const { store_id: storeId, test_id: testId } = test
  if (arm === 'control') return notGone(await takeBack(context, test))
  const redirect = await redirectOf(context, test)
  if (await shopRedirectLack(context, test)) return { isByScript: true }
  await context.journal.redirect({ storeId, testId, ...redirect })
  return {}
}

async function redirectOf(
  { platform, db }: ApplyContext,
  { store_id: storeId, test_id, control_url, redirect_url }: TestRow,
): Promise<{ path: string; target: string }> {
  const hosts = await shopHosts(db.kysely, storeId)
  const target = shopPath(redirect_url, hosts),
    from = shopPath(control_url, hosts)
  if (
    target === null ||
    from === null ||
    !(await platform.pageExists(hosts.shop, addressOn(hosts, target)))
  )
    throw gone('The variant’s page is no longer in the shop.')
  const path = new URL(from, hosts.origin).pathname
  if (isSamePage(from, target))
    throw gone(
      'Control and variant are the same page with a different query, so a redirect would lead the page to itself. Change the page itself instead.',
    )
  const onFrom = sentFrom(target, await sentNow(db.kysely, storeId))
  if (onFrom) throw gone(`${sentOnMessage(target, onFrom)} Apply the control of that test first.`)
  const others = (await redirectsOf(db.kysely, storeId)).filter(({ id }) => id !== test_id)
  const circle = circleProblem({ control: from, variant: target }, others, false)
  if (circle) throw gone(circle)
  return { path, target }
}

/**
 * Variant: everything that uses the control's template gets the variant's template. Home, cart and
 * search have no assignment: their own file gets the variant's content, after we saved the original
 * under a dated suffix. Control: all of that is undone.
 */
export const applyTemplate: ApplyTo = async (context, test, arm) => {
  const { platform, journal, db } = context
  const { store_id: storeId, test_id: testId } = test
  if (arm === 'control') return notGone(await takeBack(context, test))
  const control = need(test.control_target, 'control'),
    variant = need(test.variant_target, 'variant')
  const type = control.templateType!
  const { shop } = await shopHosts(db.kysely, storeId)
  const theme = await liveTheme(platform, shop)
  if (!isAssignedType(type)) {
    await journal.makeAll(
      { storeId, testId },
      await variantFile(context, test, shop, theme.id, variant),
    )
    await replaceOwn(context, test, shop, theme.id, control, variant)
    return {}
  }
  const { found, missing } = await drawn(context, test, shop, type)
  const own = await variantFile(context, test, shop, theme.id, variant)
  await journal.makeAll({ storeId, testId }, stepsOf(own, found, type, variant.suffix!))
  return { gone: missing }
}

/**
 * The test's resources that still use the control's template, or use the variant's already, because
 * an interrupted application continues. `missing`: names of the chosen resources that use neither.
 * Throws HttpProblem 409 when no resource is found.
 */
async function drawn(
  { platform }: Pick<ApplyContext, 'platform'>,
  { control_target, variant_target, resource_ids: wanted }: TestRow,
  shop: string,
  type: AssignedType,
): Promise<{ found: Iterable<ShopResource[]> | AsyncIterable<ShopResource[]>; missing: string[] }> {
  const control = need(control_target, 'control'),
    variant = need(variant_target, 'variant')
  if (wanted.length === 0) {
    const uses = await platform.templateUses(shop, type)
    if (uses.some(({ suffix }) => suffix === control.suffix || suffix === variant.suffix))
      return {
        found: resourcePages(platform, shop, type, { suffix: control.suffix! }),
        missing: [],
      }
  }
  const all = await resourcesById(platform, shop, type, wanted)
  const found = all.filter(({ suffix }) => suffix === control.suffix || suffix === variant.suffix)
  if (found.length === 0)
    throw gone(
      `No page of this test uses the template ${templateStem(type, control.suffix!)} any more, so the variant cannot be applied.`,
    )
  const missing = wanted.filter(id => !found.some(each => each.id === id))
  return {
    found: [found],
    missing: missing.map(id => all.find(each => each.id === id)?.title ?? `${type} ${id}`),
  }
}

/** First the template, then page by page the resources that get it. */
async function* stepsOf(
  own: readonly Step[],
  found: Iterable<ShopResource[]> | AsyncIterable<ShopResource[]>,
  type: AssignedType,
  suffix: string,
): AsyncGenerator<Step> {
  yield* own
  for await (const page of found)
    yield { assignments: page.map(({ id }) => ({ type, id, suffix })) }
}

/**
 * The step that writes the variant's own template again, as we last wrote it, because it was
 * removed when the test ended; none when it is there.
 */
async function variantFile(
  context: ApplyContext,
  test: TestRow,
  shop: string,
  themeId: string,
  variant: StoredTarget,
): Promise<Step[]> {
  const { templateType, suffix } = variant
  if (await findTemplate(context.platform, shop, themeId, templateType!, suffix!)) return []
  const body = await lastBody(context, test, variant)
  return [{ themeId, files: [{ name: templateFile(templateType!, suffix!), body }] }]
}

async function lastBody(
  { journal }: ApplyContext,
  { store_id: storeId, test_id: testId }: TestRow,
  { templateType, suffix }: StoredTarget,
): Promise<string> {
  const body = await journal.lastWritten(storeId, testId, templateFile(templateType!, suffix!))
  if (body === null)
    throw gone(`The live theme has no template ${templateStem(templateType!, suffix!)}.`)
  return body
}

async function replaceOwn(
  { platform, journal, clock }: ApplyContext,
  { store_id: storeId, test_id: testId }: TestRow,
  shop: string,
  themeId: string,
  control: StoredTarget,
  variant: StoredTarget,
): Promise<void> {
  const type = control.templateType!
  const templates = (await templatesOf(platform, shop, themeId)).filter(each => each.type === type)
  const own = templates.find(each => each.suffix === ''),
    winner = templates.find(each => each.suffix === variant.suffix)
  if (!winner) throw gone(`The live theme has no template ${templateStem(type, variant.suffix!)}.`)
  if (own?.format === 'liquid' || winner.format === 'liquid') throw noExchange()
  const name = templateFile(type, '')
  if (own?.file.body === winner.file.body) return
  const suffix = freeSuffix(
    `before-${clock().toISOString().slice(0, 10)}`,
    new Set(templates.map(each => each.suffix)),
  )
  // The copy of the original comes first. Both files are written or neither.
  await journal.writeFiles({
    storeId,
    testId,
    themeId,
    files: [
      ...(own ? [{ name: templateFile(type, suffix), body: own.file.body }] : []),
      { name, body: winner.file.body },
    ],
  })
}

/**
 * Applies control: undoes what an earlier application and the test itself changed in the shop, as
 * far as the shop still holds what we wrote. Undoes nothing if control is not being applied any
 * more.
 */
export async function takeBack(
  context: Pick<ApplyContext, 'journal' | 'db'>,
  test: TestRow,
): Promise<Required<NotChanged>> {
  const { store_id: storeId, test_id: testId } = test
  const { journal } = context
  await journal.reopen(storeId, testId)
  const isWanted = () => keepApplying(context, test, 'control')
  const { kept } = await journal.restore(storeId, {
    testId,
    isWanted,
    onStep: async () => void (await isWanted()),
  })
  const named = (wanted: Kept['why']) =>
    kept.filter(({ why }) => why === wanted).map(({ what }) => what)
  return { gone: named('gone'), edited: named('edited'), refused: named('refused') }
}
/** What is gone needs no name where control is applied: it was ours. */
const notGone = ({ edited, refused }: Required<NotChanged>): NotChanged => ({ edited, refused })

function freeSuffix(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let n = 2; ; n++) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`
}

function need(target: StoredTarget | null, arm: Arm): StoredTarget {
  if (!target) throw gone(`The ${arm} of this test shows nothing that could be applied.`)
  return target
}
const noExchange = () =>
  gone('A Liquid template cannot be replaced from here. Replace it in the theme’s code.')
const gone = (message: string): HttpProblem => new HttpProblem(409, message)
