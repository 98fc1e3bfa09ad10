import { h } from 'preact'
import { PageContentStep } from '../../../views/drafts/steps/draft-step-page.tsx'
import { asksFirst, discardDialog, requireNoEdits } from '../draft-discard.ts'
import { keptTargets, restoreTargets } from '../draft-kept.ts'
import { postedText, refused, type StepModule } from './draft-step.ts'
import { swapArms } from '../draft-swap.ts'
import { assignedTypeOf, copyForVariant, templateProps, typeOf } from '../draft-targets.ts'
import { queryOf } from '../../http/query.ts'

export const pageStep: StepModule = {
  show: async context => {
    const { api, request, draft, props } = context,
      query = queryOf(request)
    const type = typeOf(query.get('type') ?? undefined) ?? draft.control?.templateType ?? 'product',
      search = (query.get('search') ?? '').slice(0, 200)
    const assigned = assignedTypeOf(type)
    const [shared, found] = await Promise.all([
      templateProps(request, api, draft),
      assigned
        ? api.templateResources({ query: { type: assigned, search } })
        : { count: 0, items: [] },
    ])
    const { resources, ...rest } = shared
    const chosen = resources.find(({ id }) => id === draft.resourceIds[0]) ?? null
    return {
      stage: h(PageContentStep, { ...props, ...rest, type, search, found, chosen }),
      ...discardDialog(context),
      kept: keptTargets(draft),
    }
  },
  acts: {
    restore: restoreTargets,
    swap: swapArms,
    find: async ({ posted }) => ({
      type: typeOf(postedText(posted, 'pageType')) ?? 'product',
      search: postedText(posted, 'pageSearch').slice(0, 200),
    }),
    choose: async (context, argument) => {
      const {
          api,
          draft: { id: draftId, control },
        } = context,
        [type, suffix = '', ...rest] = argument.split(':'),
        id = rest.join(':')
      const known = typeOf(type),
        params = { id: draftId }
      if (!known || (assignedTypeOf(known) && !id))
        throw refused('resourceIds', 'Choose one of the pages that are listed.')
      const asks = await asksFirst(context)
      if (asks) return asks
      if (control?.templateType !== known || control.suffix !== suffix) {
        // The copy belongs to another template, so it does not fit this page.
        const { variant } = await api.setControl({ params, body: { type: known, suffix } })
        if (variant) await api.removeVariant({ params })
      }
      // Makes the new copy before the old one is deleted. Another page cannot use the old one.
      await copyForVariant(api, { params, body: assignedTypeOf(known) ? { granular: [id] } : {} })
    },
    copy: async context => {
      const { api, draft } = context
      if (
        draft.control?.templateType &&
        assignedTypeOf(draft.control.templateType) &&
        draft.resourceIds.length !== 1
      )
        throw refused('resourceIds', 'Choose the one page whose content is tested.')
      await requireNoEdits(context)
      await copyForVariant(api, {
        params: { id: draft.id },
        body: draft.resourceIds.length > 0 ? { granular: draft.resourceIds } : {},
      })
    },
    remove: async context => {
      const asks = await asksFirst(context)
      if (asks) return asks
      await context.api.removeVariant({ params: { id: context.draft.id } })
    },
  },
}
