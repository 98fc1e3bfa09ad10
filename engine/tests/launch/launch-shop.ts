import type { Capabilities } from '../../../domain/platform/capabilities.ts'
import { controlRemains } from '../../../domain/tests/apply-words.ts'
import { kindLack, redirectLack, winnerLack } from '../../../domain/platform/kind-needs.ts'
import { type LaunchCheck, launchCheck } from '../../../domain/tests/launch-check.ts'
import type { DraftRow } from '../../drafts/draft-rows.ts'
import { isAssignedType } from '../../themes/live-templates.ts'

/**
 * Prevents the launch of a kind of test that the shop cannot run, and warns when a variant that
 * wins could not be made permanent from here, or only by our script. The page of a redirect test's
 * control is there at a launch, which has its own check.
 */
export function shopChecks(
  { kind, control_target }: Pick<DraftRow, 'kind' | 'control_target'>,
  store: Capabilities,
): LaunchCheck[] {
  const lack = kindLack(kind, store)
  if (lack) return [launchCheck('shop', 'bad', lack.reason, { remedy: lack.remedy })]
  const byScript = kind === 'UrlRedirect' && redirectLack(store, true)
  if (byScript)
    return [
      launchCheck(
        'shop',
        'warn',
        `${byScript.reason} If the variant wins, our script sends everyone to its page.`,
        { remedy: `${controlRemains} ${byScript.remedy}` },
      ),
    ]
  const type = control_target?.templateType
  const ofWinner = winnerLack(kind, store, { hasOwnFile: Boolean(type && !isAssignedType(type)) })
  if (!ofWinner) return []
  const { reason, remedy } = ofWinner
  return [
    launchCheck('shop', 'warn', `${reason} You can launch all the same.`, {
      remedy: `If the variant wins: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`,
    }),
  ]
}
