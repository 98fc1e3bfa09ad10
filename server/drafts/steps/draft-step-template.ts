import { h } from 'preact'
import { TemplateStep } from '../../../views/drafts/steps/draft-step-template.tsx'
import { asksFirst, discardDialog, requireNoEdits } from '../draft-discard.ts'
import { keptTargets, restoreTargets } from '../draft-kept.ts'
import { postedList, postedText, refused, type StepModule } from './draft-step.ts'
import { swapArms } from '../draft-swap.ts'
import { copyForVariant, templateProps, typeOf } from '../draft-targets.ts'

export const templateStep: StepModule = {
  show: async context => {
    const { api, request, draft, posted, props } = context
    return {
      stage: h(TemplateStep, {
        ...props,
        ...(await templateProps(request, api, draft)),
        ticked: postedList(posted, 'granular'),
        suffix: postedText(posted, 'suffix'),
      }),
      ...discardDialog(context),
      kept: keptTargets(draft),
    }
  },
  acts: {
    restore: restoreTargets,
    control: async (context, argument) => {
      const {
          api,
          draft: { id, control, variant },
        } = context,
        [type, suffix = ''] = argument.split(':')
      const known = typeOf(type)
      if (!known) throw refused('type', 'Choose one of the templates that are listed.')
      // The copy stays when the template already is the control, and when it is the variant (then
      // both swap).
      const keepsCopy = [control, variant].some(
        target => target?.templateType === known && target.suffix === suffix,
      )
      const asks = keepsCopy ? null : await asksFirst(context)
      if (asks) return asks
      await api.setControl({ params: { id }, body: { type: known, suffix } })
    },
    copy: async context => {
      await requireNoEdits(context)
      const granular = postedList(context.posted, 'granular')
      await copyForVariant(context.api, {
        params: { id: context.draft.id },
        body: granular.length > 0 ? { granular } : {},
      })
    },
    existing: async context => {
      const { api, draft, posted } = context,
        suffix = postedText(posted, 'suffix')
      if (!suffix) throw refused('suffix', 'Choose one of the templates that are listed.')
      await requireNoEdits(context)
      await api.setVariant({ params: { id: draft.id }, body: { suffix } })
    },
    swap: swapArms,
    remove: async context => {
      const asks = await asksFirst(context)
      if (asks) return asks
      await context.api.removeVariant({ params: { id: context.draft.id } })
    },
    // Nothing to do: the next page reads the templates again.
    look: async () => {},
  },
}
