import type { Audience } from '../../domain/audiences/audience.ts'
import type { AudienceForm } from '../../domain/audiences/audience-form.ts'
import type { Output } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { Confirm } from '../confirm.tsx'
import { AudienceConditions } from './draft-audience-conditions.tsx'
import { DraftField } from './draft-field.tsx'
import { Icon } from '../icons.tsx'

export type AudienceDialogProps = {
  draftId: string
  /** The one that is edited; null for a new one. */
  audience: Audience | null
  form: AudienceForm
  problems: FieldProblem[]
  /** What was refused without a field. */
  refusal: string | null
  /** A running test that uses it. */
  usedBy: Output<'audienceActiveTest'>['test']
  /** Whom the conditions would have met, in words, once that was asked. */
  reach: string | null
  /** The condition that was added last. */
  added: number | null
}

/** An audience of the store, met from a draft. The server opens it, so it needs no script; a script makes it a modal. */
export function AudienceDialog(props: AudienceDialogProps) {
  const { draftId, audience } = props
  return (
    <>
      <dialog id="audience" open aria-labelledby="audience-title">
        <AudienceDialogForm {...props} />
      </dialog>
      {audience && (
        <Confirm
          id="delete-audience"
          title={`Delete audience “${audience.name}”?`}
          action={paths.draftAudience(draftId, audience.id, 'delete')}
          act="Delete audience"
          keep="Keep it"
        >
          Its conditions are deleted, and drafts that use it need another audience. Ended tests keep
          their results.
        </Confirm>
      )}
    </>
  )
}

/** What stands in the dialog. */
export function AudienceDialogForm({
  draftId,
  audience,
  form,
  problems,
  refusal,
  usedBy,
  reach,
  added,
}: AudienceDialogProps) {
  const action = paths.draftAudience(draftId, audience?.id),
    back = `${paths.draft(draftId)}?step=split`
  return (
    <form class="modal modal-wide modal-audience" method="post" action={action} novalidate>
      {/* The first button is the one that Enter presses. */}
      <button hidden name="act" value="save" />
      <h2 id="audience-title">{audience ? `Edit audience “${audience.name}”` : 'New audience'}</h2>
      {usedBy && (
        <p class="banner" data-tone="warn">
          <Icon name="warning" />
          <span>
            <strong>
              The running test <a href={paths.report(usedBy.id)}>{usedBy.title}</a> uses this
              audience.
            </strong>{' '}
            Until it ends you may rename the audience; its conditions stay, and it cannot be
            deleted.
          </span>
        </p>
      )}
      {refusal && (
        <p class="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <span>{refusal}</span>
        </p>
      )}
      <DraftField
        name="name"
        label="Name"
        problems={problems}
        control={bound => (
          <input
            {...bound}
            value={form.name}
            maxLength={80}
            autocomplete="off"
            placeholder="German newsletter readers"
          />
        )}
      />
      <AudienceConditions {...{ form, problems, action, added, reach }} />
      <footer>
        {audience && (
          <button
            class="danger footer-start"
            type="button"
            command="show-modal"
            commandfor="delete-audience"
            disabled={usedBy !== null}
          >
            Delete audience
          </button>
        )}
        <a class="button secondary" href={back}>
          Cancel
        </a>
        <button name="act" value="save">
          {audience ? 'Save audience' : 'Create audience'}
        </button>
      </footer>
    </form>
  )
}
