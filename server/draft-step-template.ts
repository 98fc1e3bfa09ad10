import { h } from 'preact'
import { HttpProblem } from '../domain/problem.ts'
import { TemplateStep } from '../views/draft-step-template.tsx'
import { postedList, postedText, type StepModule } from './draft-step.ts'
import { templateProps, typeOf } from './draft-targets.ts'

export const templateStep: StepModule = {
  show: async ({ api, request, draft, posted, props }) => ({
    stage: h(TemplateStep, { ...props, ...await templateProps(request, api, draft), ticked: postedList(posted, 'granular'), suffix: postedText(posted, 'suffix') }),
  }),
  acts: {
    control: async ({ api, draft }, argument) => {
      const [type, suffix = ''] = argument.split(':')
      const known = typeOf(type)
      if (!known) throw refused('type', 'Choose one of the templates that are listed.')
      await api.setControl({ params: { id: draft.id }, body: { type: known, suffix } })
    },
    copy: async ({ api, draft, posted }) => {
      const granular = postedList(posted, 'granular')
      await api.setVariant({ params: { id: draft.id }, body: granular.length > 0 ? { granular } : {} })
    },
    existing: async ({ api, draft, posted }) => {
      const suffix = postedText(posted, 'suffix')
      if (!suffix) throw refused('suffix', 'Choose one of the templates that are listed.')
      // "/" stands for the type's own, which has no suffix.
      await api.setVariant({ params: { id: draft.id }, body: { suffix: suffix === '/' ? '' : suffix } })
    },
    swap: async ({ api, draft: { id, variant } }) => {
      if (!variant?.templateType) throw refused('variant', 'There is no variant to swap with.')
      await api.setControl({ params: { id }, body: { type: variant.templateType, suffix: variant.suffix ?? '' } })
    },
    remove: async ({ api, draft }) => { await api.removeVariant({ params: { id: draft.id } }) },
    // The page that comes back has looked.
    look: async () => {},
  },
}

export const refused = (field: string, message: string): HttpProblem => new HttpProblem(400, message, [{ field, message }])
