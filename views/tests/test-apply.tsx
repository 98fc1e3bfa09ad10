import type { Arm } from '../../domain/arm.ts'
import { applyCaution, applyWords, type ApplyFacts } from '../../domain/tests/apply-words.ts'
import { paths } from '../../domain/paths.ts'
import { Confirm } from '../confirm.tsx'
import { Icon } from '../icons.tsx'
import { Close } from '../modal.tsx'

type ApplyProps = { id: string; title: string; arm: Arm; facts: ApplyFacts }

/** Says in words what applying an arm changes in the shop, before it is done. */
export function ApplyTest({ id, title, arm, facts }: ApplyProps) {
  const act = applyAct(facts.test.status, arm)
  const refusal = facts.missing
    ? { reason: facts.missing, remedy: 'Restore it in your shop and try again.' }
    : facts.lack
  if (refusal)
    return (
      <dialog id="apply-test" aria-labelledby="apply-title" open>
        <div class="modal">
          <h2 id="apply-title">The {arm} cannot be applied</h2>
          <div class="banner" data-tone="bad">
            <Icon name="warning" />
            <div>{refusal.reason}</div>
          </div>
          <p class="muted">{refusal.remedy} The test does not change.</p>
          <footer>
            <Close href={paths.report(id)}>Close</Close>
          </footer>
        </div>
      </dialog>
    )
  const { changes, later } = applyWords(facts, arm),
    caution = applyCaution(facts, arm)
  return (
    <Confirm
      id="apply-test"
      title={`${act} of ${title}?`}
      action={paths.testAct(id, 'apply')}
      closed={paths.report(id)}
      act={act}
      keep="Not now"
      tone={facts.test.status === 'Ended' ? 'primary' : 'danger'}
      fields={{ arm }}
      isOpen
      more={
        <>
          {caution && (
            <div class="banner" data-tone="warn">
              <Icon name="warning" />
              <div>{caution}</div>
            </div>
          )}
          <ul>
            {changes.map(change => (
              <li key={change}>{change}</li>
            ))}
          </ul>
          <p class="note">{later}</p>
        </>
      }
    >
      What changes in your shop:
    </Confirm>
  )
}

/** The label of the act, such as "End and apply variant" for a test that has not ended. */
export const applyAct = (status: ApplyFacts['test']['status'], arm: Arm): string =>
  `${status === 'Ended' ? 'Apply' : 'End and apply'} ${arm}`
