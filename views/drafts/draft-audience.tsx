import type { Audience } from '../../domain/audiences/audience.ts'
import type { AudienceForm } from '../../domain/audiences/audience-form.ts'
import type { Output } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { Confirm } from '../confirm.tsx'
import { AudienceConditions } from './draft-audience-conditions.tsx'
import { DraftField } from './draft-field.tsx'
import { Icon } from '../icons.tsx'
import { asking, Close, opens } from '../modal.tsx'

export type AudienceDialogProps = {
  draftId: string
  /** The one that is edited; null for a new one. */
  audience: Audience | null
  form: AudienceForm
  problems: FieldProblem[]
  /** The message of a refusal that names no field. */
  refusal: string | null
  /** A running test that uses it. */
  usedBy: Output<'audienceActiveTest'>['test']
  /** How many visitors the conditions would have matched, in words, once the merchant has asked. */
  reach: string | null
  /** The condition that was added last. */
  added: number | null
  /** A link asked whether to delete it. */
  isDeleting?: boolean
}

/**
 * The dialog of an audience of the store, in a draft. The server sends it open, so it works without
 * scripts; a script makes it modal.
 */
export function AudienceDialog(props: AudienceDialogProps) {
  const { draftId, audience, isDeleting = false, usedBy } = props
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
          closed={audiencePage(draftId, audience)}
          act="Delete audience"
          keep="Keep it"
          isOpen={isDeleting && usedBy === null}
        >
          Its conditions are deleted, and drafts that use it need another audience. Ended tests keep
          their results.
        </Confirm>
      )}
    </>
  )
}

/** The contents of the dialog. */
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
      {/* Enter presses the first button of the form. */}
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
          <DeleteButton draftId={draftId} audience={audience} isUsed={usedBy !== null} />
        )}
        <Close href={back}>Cancel</Close>
        <button name="act" value="save">
          {audience ? 'Save audience' : 'Create audience'}
        </button>
      </footer>
    </form>
  )
}

type Named = Pick<Audience, 'id'>
/** The address of the editor with the audience's dialog open. */
const audiencePage = (draftId: string, { id }: Named): string =>
  `${paths.draft(draftId)}?step=split&audience=${encodeURIComponent(id)}`

type DeleteButtonProps = { draftId: string; audience: Named; isUsed: boolean }
const DeleteButton = ({ draftId, audience, isUsed }: DeleteButtonProps) =>
  isUsed ? (
    <button class="danger footer-start" type="button" disabled>
      Delete audience
    </button>
  ) : (
    <a
      class="button danger footer-start"
      {...opens('delete-audience', asking(audiencePage(draftId, audience), 'delete-audience'))}
    >
      Delete audience
    </a>
  )
