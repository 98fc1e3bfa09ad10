import { templateStem } from '../../domain/themes/template.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import {
  type ArmState,
  type TargetKind,
  targetKind,
  type TestTarget,
  urlTarget,
} from '../../domain/tests/test-target.ts'
import { sentFrom, sentOnMessage } from '../../domain/tests/redirect-chains.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import type { DraftsTable } from '../db/schema.ts'
import type { Selectable } from 'kysely'
import { assignedCount, findTemplate, hashOf, kindOf, liveTheme } from '../themes/live-templates.ts'
import { sentNow } from '../script/script-winners.ts'
import { addressOn, type ShopHosts, shopPath } from '../drafts/redirect-urls.ts'

type Armed = Pick<
  Selectable<DraftsTable>,
  'store_id' | 'kind' | 'control_target' | 'variant_target' | 'control_url' | 'redirect_url'
>

/**
 * What each arm shows, in the form of the API contract. The arms of a redirect test are its two
 * addresses.
 */
export const targetsOf = (row: Armed): [control: TestTarget | null, variant: TestTarget | null] =>
  row.kind === 'UrlRedirect'
    ? ([row.control_url, row.redirect_url].map(url =>
        url.trim() ? urlTarget(url.trim()) : null,
      ) as [TestTarget | null, TestTarget | null])
    : [publicTarget(row.control_target), publicTarget(row.variant_target)]

/**
 * Asks the shop whether it has what each arm needs. Throws HttpProblem 502 when the shop does not
 * answer.
 */
export async function armStates(
  context: Pick<EngineContext, 'platform' | 'db'>,
  hosts: ShopHosts,
  row: Armed,
): Promise<{ control: ArmState; variant: ArmState }> {
  const kind = targetKind(row.kind)
  const [control, variant] = targetsOf(row)
  const sent = kind === 'url' ? await sentNow(context.db.kysely, row.store_id) : []
  const state = (target: TestTarget | null, hash: string | null, arm: string) => {
    const onFrom = target?.url ? sentFrom(target.url, sent) : undefined
    if (onFrom) return { ...without(sentOnMessage(target!.url!, onFrom)), target }
    return target
      ? stateOf[kind!](context.platform, hosts, target, hash)
      : Promise.resolve(
          without(
            kind
              ? `The ${arm} of a ${testKinds[row.kind].label.toLowerCase()} test has to be chosen.`
              : null,
          ),
        )
  }
  return {
    control: await state(control, row.control_target?.hash ?? null, 'control'),
    variant: await state(variant, row.variant_target?.hash ?? null, 'variant'),
  }
}

type Look = (
  platform: EngineContext['platform'],
  hosts: ShopHosts,
  target: TestTarget,
  hash: string | null,
) => Promise<ArmState>
const stateOf: Record<TargetKind, Look> = {
  template: async (platform, { shop }, target, hash) => {
    const type = target.templateType!,
      suffix = target.suffix!
    const theme = await liveTheme(platform, shop)
    const template = await findTemplate(platform, shop, theme.id, type, suffix)
    return {
      target,
      exists: template !== null,
      message: template
        ? null
        : `The live theme ${theme.name} has no template ${templateStem(type, suffix)}.`,
      templateKind: template && kindOf(template),
      changeState: !template
        ? 'Removed'
        : !hash || hashOf(template.file.body) === hash
          ? 'Unmodified'
          : 'Modified',
      assignedCount: await assignedCount(platform, shop, type, suffix),
    }
  },
  theme: async (platform, { shop }, target) => {
    const exists = (await platform.themes(shop)).some(each => each.id === target.themeId)
    return { ...without(exists ? null : 'This theme is no longer in the shop.'), target }
  },
  url: async (platform, hosts, target) => {
    const path = shopPath(target.url!, hosts)
    const exists = path !== null && (await isThere(platform, hosts, path))
    return { ...without(exists ? null : `The shop has no page at ${target.url}.`), target }
  },
}

/**
 * True if the shop has this page. When the home page does not answer either, we know nothing about
 * the page: throws HttpProblem 502.
 */
async function isThere(
  platform: EngineContext['platform'],
  hosts: ShopHosts,
  path: string,
): Promise<boolean> {
  const answers = (at: string) => platform.pageExists(hosts.shop, addressOn(hosts, at))
  if (await answers(path)) return true
  if (!(await answers('/'))) throw new HttpProblem(502, 'The shop does not answer just now.')
  return answers(path)
}

const without = (message: string | null): ArmState => ({
  target: null,
  exists: message === null,
  message,
  templateKind: null,
  changeState: null,
  assignedCount: null,
})

function publicTarget(stored: StoredTarget | null): TestTarget | null {
  if (!stored) return null
  const { hash: _, ...target } = stored
  return target
}
