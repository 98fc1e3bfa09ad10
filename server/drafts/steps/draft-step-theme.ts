import { h } from 'preact'
import type { ThemeCompatibility } from '../../../domain/themes/theme.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { ThemeStep } from '../../../views/drafts/steps/draft-step-theme.tsx'
import { choicesShown } from '../draft-choices.ts'
import { keptTheme, restoreTheme } from '../draft-kept.ts'
import { copyGuide } from '../draft-targets.ts'
import { swapArms } from '../draft-swap.ts'
import type { Act, StepModule } from './draft-step.ts'
import { storeAddressesOf } from '../../page/shop-addresses.ts'

/** Without a theme, the variant is the copy that the merchant has made. */
const choose: Act = async ({ api, draft }, themeId) => {
  const params = { id: draft.id },
    live = (await api.themes({})).find(({ role }) => role === 'live')
  if (!live)
    throw new HttpProblem(400, 'Your shop has no live theme. Publish one first.', [
      { field: 'control', message: 'Your shop has no live theme. Publish one first.' },
    ])
  // The control is always the live theme, which may have changed since the draft was made.
  if (draft.control?.themeId !== live.id)
    await api.setControl({ params, body: { themeId: live.id } })
  await api.setVariant({ params, body: themeId ? { themeId } : {} })
}

export const themeStep: StepModule = {
  show: async ({ api, request, draft, props }) => {
    const [themes, pictures, copy] = await Promise.all([
        api.themes({}),
        choicesShown(api, draft.id),
        copyGuide(api, draft),
      ]),
      id = draft.variant?.themeId
    const compatibility =
      id && themes.some(theme => theme.id === id && theme.role !== 'live')
        ? await compatibilityOf(() => api.themeIsCompatible({ params: { id }, query: {} }))
        : null
    return {
      stage: h(ThemeStep, {
        ...props,
        themes,
        pictures,
        compatibility,
        themesUrl: storeAddressesOf(request).themes,
        copy,
      }),
      kept: keptTheme(draft),
    }
  },
  acts: {
    choose,
    copy: context => choose(context, ''),
    swap: swapArms,
    restore: restoreTheme(choose),
    check: async ({ api, draft }) => {
      if (draft.variant?.themeId)
        await api.themeIsCompatible({
          params: { id: draft.variant.themeId },
          query: { force: true },
        })
    },
    remove: async ({ api, draft }) => {
      await api.removeVariant({ params: { id: draft.id } })
    },
  },
}

/** Null when the theme was deleted while the page was being made (404). */
async function compatibilityOf(
  ask: () => Promise<ThemeCompatibility>,
): Promise<ThemeCompatibility | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return null
    throw error
  }
}
