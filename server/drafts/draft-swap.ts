import { neverSwapped, noVariantToSwap } from '../../domain/drafts/swap-control.ts'
import { type Act, refused } from './steps/draft-step.ts'

/**
 * Makes the variant the control, and the control the variant. The engine looks in the shop whether
 * it can be.
 */
export const swapArms: Act = async ({ api, draft: { id, kind, variant } }) => {
  if (!variant) throw refused('variant', neverSwapped[kind] ?? noVariantToSwap)
  const { templateType: type, suffix, themeId, url } = variant
  await api.setControl({
    params: { id },
    body: {
      ...(type && { type, suffix: suffix ?? '' }),
      ...(themeId && { themeId }),
      ...(url && { redirectTestUrl: url }),
    },
  })
}
