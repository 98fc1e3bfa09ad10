import type { Arm } from '../domain/arm.ts'
import { HttpProblem } from '../domain/problem.ts'
import { templateFile } from '../domain/template.ts'
import type { EngineContext } from './context.ts'
import type { StoredTarget } from './db/lifecycle-schema.ts'
import { shopHosts } from './drafts.ts'
import { assignedTo, findTemplate, isAssignedType, liveTheme, templateName, templatesOf } from './live-templates.ts'
import { shopPath } from './redirect-urls.ts'
import type { TestRow } from './test-statuses.ts'

type ApplyContext = Pick<EngineContext, 'db' | 'platform' | 'journal' | 'clock'>
type ApplyTo = (context: ApplyContext, test: TestRow, arm: Arm) => Promise<void>

/** Publishes the arm's theme. */
export const applyTheme: ApplyTo = async ({ journal, platform, db }, { store_id: storeId, test_id: testId, ...test }, arm) => {
  const themeId = need(arm === 'control' ? test.control_target : test.variant_target, arm).themeId!
  const { shop } = await shopHosts(db.kysely, storeId)
  if (!(await platform.themes(shop)).some(each => each.id === themeId)) throw gone('The theme of this arm is no longer in the shop.')
  await journal.publishTheme({ storeId, testId, themeId })
}

/** The variant: the platform sends the page's visitors to it. Control: such a redirect of ours goes again. */
export const applyUrl: ApplyTo = async ({ journal, platform, db }, { store_id: storeId, test_id: testId, control_url, redirect_url }, arm) => {
  if (arm === 'control') return takeBack({ journal }, storeId, testId)
  const hosts = await shopHosts(db.kysely, storeId)
  const target = shopPath(redirect_url, hosts), from = shopPath(control_url, hosts)
  if (target === null || from === null || !await platform.pageExists(hosts.shop, new URL(target, hosts.origin).href)) throw gone('The variant’s page is no longer in the shop.')
  const path = new URL(from, hosts.origin).pathname
  if (new URL(target, hosts.origin).pathname === path) throw gone('Control and variant are one page that differs by its query: a redirect would lead it to itself. Change the page itself instead.')
  await journal.redirect({ storeId, testId, path, target })
}

/**
 * The variant: what the control draws, the variant's template draws from now on. Home, cart and search have no
 * assignment: their own file takes the variant's content, after the original is kept under a dated suffix. Control: all
 * of that is taken back.
 */
export const applyTemplate: ApplyTo = async (context, test, arm) => {
  const { platform, journal, db } = context
  const { store_id: storeId, test_id: testId } = test
  if (arm === 'control') return takeBack(context, storeId, testId)
  const control = need(test.control_target, 'control'), variant = need(test.variant_target, 'variant')
  const type = control.templateType!
  const { shop } = await shopHosts(db.kysely, storeId)
  const theme = await liveTheme(platform, shop)
  await putBack(context, test, shop, theme.id, variant)
  if (!isAssignedType(type)) return replaceOwn(context, test, shop, theme.id, control, variant)
  const assigned = await assignedTo(platform, shop, type, control.suffix!)
  const chosen = assigned.filter(each => test.resource_ids.length === 0 || test.resource_ids.includes(each.id))
  await journal.assignTemplates({ storeId, testId, assignments: chosen.map(({ id }) => ({ type, id, suffix: variant.suffix! })) })
}

/** The variant's own template went when the test ended: it comes back as we last wrote it. */
async function putBack({ platform, journal }: ApplyContext, { store_id: storeId, test_id: testId }: TestRow, shop: string, themeId: string, { templateType, suffix }: StoredTarget): Promise<void> {
  if (await findTemplate(platform, shop, themeId, templateType!, suffix!)) return
  const name = templateFile(templateType!, suffix!), body = await journal.lastWritten(storeId, testId, name)
  if (body === null) throw gone(`The live theme has no template ${templateName(templateType!, suffix!)}.`)
  await journal.writeFiles({ storeId, testId, themeId, files: [{ name, body }] })
}

async function replaceOwn({ platform, journal, clock }: ApplyContext, { store_id: storeId, test_id: testId }: TestRow, shop: string, themeId: string, control: StoredTarget, variant: StoredTarget): Promise<void> {
  const type = control.templateType!
  const templates = (await templatesOf(platform, shop, themeId)).filter(each => each.type === type)
  const own = templates.find(each => each.suffix === ''), winner = templates.find(each => each.suffix === variant.suffix)
  if (!winner) throw gone(`The live theme has no template ${templateName(type, variant.suffix!)}.`)
  if (own?.format === 'liquid' || winner.format === 'liquid') throw gone('A Liquid template cannot be exchanged for another from here.')
  const name = templateFile(type, '')
  if (own?.file.body === winner.file.body) return
  const suffix = freeSuffix(`before-${clock().toISOString().slice(0, 10)}`, new Set(templates.map(each => each.suffix)))
  // The original first: both are written, or neither.
  await journal.writeFiles({ storeId, testId, themeId, files: [...(own ? [{ name: templateFile(type, suffix), body: own.file.body }] : []), { name, body: winner.file.body }] })
}

/** What an earlier application changed, and the test itself, goes from the shop, as far as it still is as we left it. */
async function takeBack({ journal }: Pick<ApplyContext, 'journal'>, storeId: string, testId: string): Promise<void> {
  await journal.reopen(storeId, testId)
  await journal.restore(storeId, { testId })
}

function freeSuffix(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let n = 2; ; n++) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`
}

function need(target: StoredTarget | null, arm: Arm): StoredTarget {
  if (!target) throw gone(`The ${arm} of this test shows nothing that could be applied.`)
  return target
}
const gone = (message: string): HttpProblem => new HttpProblem(409, message)
