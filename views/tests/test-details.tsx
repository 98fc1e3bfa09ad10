import type { Test } from '../../domain/tests/ab-test.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Close } from '../modal.tsx'

export const detailNames = [
  'title',
  'hypothesisDescription',
  'controlTitle',
  'variantTitle',
] as const
export type TestDetailsForm = Record<(typeof detailNames)[number], string>
type DetailsProps = {
  test: Pick<Test, 'id'> & TestDetailsForm
  typed?: TestDetailsForm
  problems?: FieldProblem[]
  /** A link asked for it. */
  isOpen?: boolean
}

/** The dialog for what can be changed in a launched test: its texts. */
export function TestDetails({
  test,
  typed = test,
  problems = [],
  isOpen = problems.length > 0,
}: DetailsProps) {
  const line = (name: (typeof detailNames)[number], label: string, isRequired = false) => (
    <DraftField
      name={name}
      label={label}
      problems={problems}
      control={bound => (
        <input
          {...bound}
          value={typed[name]}
          maxLength={120}
          required={isRequired}
          autocomplete="off"
        />
      )}
    />
  )
  return (
    <dialog id="test-details" aria-labelledby="details-title" open={isOpen}>
      <form class="modal" method="post" action={paths.rename(test.id)}>
        <h2 id="details-title">Name and hypothesis</h2>
        {line('title', 'Name', true)}
        <DraftField
          name="hypothesisDescription"
          label="Hypothesis"
          problems={problems}
          control={bound => (
            <textarea {...bound} rows={3} maxLength={2000}>
              {typed.hypothesisDescription}
            </textarea>
          )}
        />
        {line('controlTitle', 'Title of the control')}
        {line('variantTitle', 'Title of the variant')}
        <p class="note">
          You cannot change anything else after launch. To change more, duplicate the test into a
          new draft.
        </p>
        <footer>
          <Close href={paths.report(test.id)}>Cancel</Close>
          <button>Save</button>
        </footer>
      </form>
    </dialog>
  )
}
