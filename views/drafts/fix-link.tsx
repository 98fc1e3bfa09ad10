import { scriptOffWords } from '../../domain/script/script-state.ts'
import type { LaunchCheckName } from '../../domain/tests/launch-check.ts'

/** The link to the page of the shop's admin where a launch check is fixed, if there is one. */
export const FixLink = ({ check, fixAt }: { check: LaunchCheckName; fixAt: string | undefined }) =>
  fixAt ? (
    <a href={fixAt} target="_blank" rel="noopener">
      {check === 'script' ? scriptOffWords.action : 'Open your shop’s admin'}
    </a>
  ) : null
