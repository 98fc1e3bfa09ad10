import type { Updateable } from 'kysely'
import { samePageMessage } from '../../domain/drafts/draft.ts'
import { swapProblem } from '../../domain/drafts/swap-control.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { leadsElsewhere } from '../../domain/tests/redirect-url.ts'
import type { TemplateType } from '../../domain/themes/template.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import {
  isInUse,
  isSameTarget,
  notInUse,
  type TargetKind,
  targetKind,
  templateTarget,
  themeTarget,
} from '../../domain/tests/test-target.ts'
import { armStates } from '../tests/arm-states.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import type { DraftsTable } from '../db/schema.ts'
import { draftAnswer } from './draft-answer.ts'
import { type DraftRow, requireDraft, shopHosts } from './draft-rows.ts'
import {
  fileOf,
  isOurFile,
  refused,
  requireTemplate,
  templateVariant,
  type VariantInput,
} from './draft-target-templates.ts'
import { assignedCount, hashOf, kindOf } from '../themes/live-templates.ts'
import { isMadeByMerchant, themeByMerchant } from './merchant-copies.ts'
import type { Previews } from './previews.ts'
import { requireTestedPage } from './tested-page.ts'
import { type Caller, knownId, type Serve } from '../http/routes.ts'

type Columns = Updateable<DraftsTable>

/** The API to choose what the arms of a draft show: templates, themes or pages of the shop. */
export function draftTargets(serve: Serve, context: EngineContext, previews: Previews): void {
  const {
    db: { kysely },
    platform,
    clock,
    journal,
  } = context
  const answer = draftAnswer(context, previews)

  serve('draftTemplateStatus', async ({ params: { id } }, { storeId }) => {
    const draft = await requireDraft(kysely, storeId, id)
    const states = await armStates(context, await shopHosts(kysely, storeId), draft)
    const { changeState } = states.variant
    if (changeState !== draft.change_state && draft.variant_target)
      await kysely
        .updateTable('drafts')
        .set({ change_state: changeState })
        .where('store_id', '=', storeId)
        .where('draft_id', '=', draft.draft_id)
        .where('version', '=', draft.version)
        .execute()
    return states
  })

  serve('setControl', async ({ params: { id }, body }, caller) => {
    const draft = await requireDraft(kysely, caller.storeId, id)
    const kind = requireTargets(draft)
    if (kind === 'url') return setControlUrl(caller, draft, body.redirectTestUrl)
    const control =
      kind === 'theme'
        ? await chooseTheme(caller.shop, body.themeId)
        : await chooseControl(caller.shop, body.type, body.suffix ?? '')
    const { control_target: before, variant_target: variant } = draft
    if (variant && isSameTarget(variant, control.target)) {
      const problem = swapProblem({ kind: draft.kind, control: before, variant }, control)
      if (problem) throw refused(kind === 'theme' ? 'themeId' : 'suffix', problem)
      return write(caller, draft, {
        control_target: asJson(variant),
        variant_target: asJson(before),
        template_kind: control.templateKind,
        change_state: null,
        // A page content test stays on its page.
        resource_ids: draft.kind === 'PageContent' ? JSON.stringify(draft.resource_ids) : '[]',
      })
    }
    const isSame = before !== null && isSameTarget(before, control.target)
    // The variant does not fit if it has another type, or if it is our copy of the old control.
    const isUnfit =
      variant !== null &&
      (variant.templateType !== control.target.templateType || (variant.isOurs && !isSame))
    return write(caller, draft, {
      control_target: asJson(control.target),
      template_kind: control.templateKind,
      ...(!isSame && { resource_ids: '[]' }),
      ...(isUnfit && noVariant),
    })
  })

  serve('removeControl', async ({ params: { id } }, caller) => {
    const draft = await requireDraft(kysely, caller.storeId, id)
    if (requireTargets(draft) === 'url')
      throw refused('kind', 'A redirect test keeps its page. Name another page instead.')
    return write(caller, draft, { ...noVariant, control_target: null, template_kind: null })
  })

  serve('setVariant', async ({ params: { id }, body }, caller) => {
    const draft = await requireDraft(kysely, caller.storeId, id)
    const kind = requireTargets(draft)
    return write(caller, draft, {
      ...(await chooseVariant[kind](caller, draft, body)),
      variant_created_at: clock(),
    })
  })

  serve('removeVariant', async ({ params: { id } }, caller) => {
    const draft = await requireDraft(kysely, caller.storeId, id)
    requireTargets(draft)
    return write(caller, draft, {
      ...noVariant,
      ...(draft.kind === 'UrlRedirect' && { redirect_url: '' }),
    })
  })

  const chooseVariant: Record<
    TargetKind,
    (caller: Caller, draft: DraftRow, body: VariantInput) => Promise<Columns>
  > = {
    url: async ({ storeId }, draft, { redirectTestUrl }) => {
      if (redirectTestUrl === undefined)
        throw refused('redirectTestUrl', 'Name the page the variant goes to.')
      const redirect_url = await requireTestedPage(
        context,
        storeId,
        redirectTestUrl,
        'redirectTestUrl',
      )
      if (draft.control_url.trim() && !leadsElsewhere(draft.control_url, redirect_url))
        throw refused('redirectTestUrl', samePageMessage)
      return { redirect_url }
    },
    theme: async ({ shop }, draft, { themeId }) => {
      const isCopy = themeId === undefined && (await isMadeByMerchant(platform, shop))
      const { target } = await chooseTheme(
        shop,
        isCopy ? (await themeByMerchant(context, shop, draft)).id : themeId,
      )
      if (draft.control_target && isSameTarget(draft.control_target, target))
        throw refused('themeId', 'The variant must be another theme than the control.')
      return { variant_target: asJson(target), change_state: null }
    },
    template: async (caller, draft, body) => {
      const { storeId, shop } = caller
      const { target, origin, resourceIds } = await templateVariant(
        context,
        { storeId, shop, testId: draft.draft_id, isDraft: true },
        draft.control_target,
        body,
      )
      return {
        variant_target: asJson(target),
        change_state: 'Unmodified',
        resource_ids: JSON.stringify(resourceIds ?? draft.resource_ids),
        ...(draft.origin !== 'LiftAssist' && { origin }),
      }
    },
  }

  async function setControlUrl(caller: Caller, draft: DraftRow, written: string | undefined) {
    if (written === undefined) throw refused('redirectTestUrl', 'Name the page to test.')
    const control_url = await requireTestedPage(context, caller.storeId, written, 'redirectTestUrl')
    const isSwap = control_url === draft.redirect_url,
      other = isSwap ? draft.control_url : draft.redirect_url
    if (other.trim() && !leadsElsewhere(control_url, other))
      throw refused('redirectTestUrl', samePageMessage)
    return write(caller, draft, { control_url, ...(isSwap && { redirect_url: draft.control_url }) })
  }

  async function chooseTheme(
    shop: string,
    themeId: string | undefined,
  ): Promise<{ target: StoredTarget; templateKind: null; assignedCount: null }> {
    if (themeId === undefined) throw refused('themeId', 'Choose a theme.')
    if (!(await platform.themes(shop)).some(each => each.id === themeId))
      throw refused('themeId', 'The shop has no such theme.')
    return {
      target: { ...themeTarget(themeId), hash: null },
      templateKind: null,
      assignedCount: null,
    }
  }

  async function chooseControl(shop: string, type: TemplateType | undefined, suffix: string) {
    if (type === undefined) throw refused('type', 'Choose the type of template.')
    const template = await requireTemplate(context, shop, type, suffix)
    const target = templateTarget(type, suffix),
      count = await assignedCount(platform, shop, type, suffix)
    if (!isInUse({ target, assignedCount: count })) throw refused('suffix', notInUse)
    return {
      target: { ...target, hash: hashOf(template.file.body) },
      templateKind: kindOf(template),
      assignedCount: count,
    }
  }

  /**
   * Writes the draft if it still has the version that we read. Removes the template files that we
   * made for a variant which the draft no longer shows. Throws HttpProblem 409 when the draft was
   * changed meanwhile.
   */
  async function write({ storeId }: Caller, draft: DraftRow, columns: Columns) {
    const { draft_id: draftId, version } = draft
    const written = await kysely
      .updateTable('drafts')
      .set({ ...columns, version: version + 1, updated_at: clock() })
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draftId)
      .where('version', '=', version)
      .returning(['control_target', 'variant_target'])
      .executeTakeFirst()
    const shown = written
      ? [written.control_target, written.variant_target]
      : [draft.control_target, draft.variant_target]
    // If two writes collide, no draft shows the template that the loser made, so that file goes
    // too.
    const made = [
      draft.control_target,
      draft.variant_target,
      written ? null : parsed(columns.variant_target),
    ]
    for (const file of new Set(
      made
        .filter(isOurFile)
        .filter(old => !shown.some(now => now && isSameTarget(now, old)))
        .map(fileOf),
    ))
      await journal.restore(storeId, { testId: draftId, file })
    if (!written)
      throw new HttpProblem(409, 'This draft was changed elsewhere at the same moment. Try again.')
    return answer(storeId, knownId(draftId, 'draft'))
  }
}

function requireTargets(draft: Pick<DraftRow, 'kind'>): TargetKind {
  const kind = targetKind(draft.kind)
  if (!kind)
    throw refused(
      'kind',
      `${testKinds[draft.kind].label} tests have no template, theme or page of their own to choose.`,
    )
  return kind
}

const noVariant = {
  variant_target: null,
  variant_created_at: null,
  change_state: null,
  resource_ids: '[]',
} as const
const asJson = (target: StoredTarget | null): string | null =>
  target ? JSON.stringify(target) : null
const parsed = (json: unknown): StoredTarget | null =>
  typeof json === 'string' ? (JSON.parse(json) as StoredTarget) : null
