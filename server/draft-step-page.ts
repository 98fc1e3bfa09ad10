import { h } from 'preact'
import { PageContentStep } from '../views/draft-step-page.tsx'
import { postedText, type StepModule } from './draft-step.ts'
import { refused } from './draft-step-template.ts'
import { assignedTypeOf, templateProps, typeOf } from './draft-targets.ts'
import { queryOf } from './query.ts'

export const pageStep: StepModule = {
  show: async ({ api, request, draft, props }) => {
    const query = queryOf(request)
    const type = typeOf(query.get('type') ?? undefined) ?? draft.control?.templateType ?? 'product', search = (query.get('search') ?? '').slice(0, 200)
    const assigned = assignedTypeOf(type)
    const [shared, found] = await Promise.all([templateProps(request, api, draft), assigned ? api.templateResources({ query: { type: assigned, search } }) : { count: 0, items: [] }])
    const { resources, ...rest } = shared
    const chosen = resources.find(({ id }) => id === draft.resourceIds[0]) ?? null
    return { stage: h(PageContentStep, { ...props, ...rest, type, search, found, chosen }) }
  },
  acts: {
    find: async ({ posted }) => ({ type: typeOf(postedText(posted, 'pageType')) ?? 'product', search: postedText(posted, 'pageSearch').slice(0, 200) }),
    choose: async ({ api, draft }, argument) => {
      const [type, suffix = '', ...rest] = argument.split(':'), id = rest.join(':')
      const known = typeOf(type), params = { id: draft.id }
      if (!known || (assignedTypeOf(known) && !id)) throw refused('resourceIds', 'Choose one of the pages that are listed.')
      // One page's copy is of no use to another.
      if (draft.variant) await api.removeVariant({ params })
      await api.setControl({ params, body: { type: known, suffix } })
      await api.setVariant({ params, body: assignedTypeOf(known) ? { granular: [id] } : {} })
    },
    copy: async ({ api, draft }) => {
      if (draft.control?.templateType && assignedTypeOf(draft.control.templateType) && draft.resourceIds.length !== 1) throw refused('resourceIds', 'Choose the one page whose content is tested.')
      await api.setVariant({ params: { id: draft.id }, body: draft.resourceIds.length > 0 ? { granular: draft.resourceIds } : {} })
    },
    remove: async ({ api, draft }) => { await api.removeVariant({ params: { id: draft.id } }) },
  },
}
