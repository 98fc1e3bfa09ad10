import type { JSX } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { TargetKind } from '../../domain/tests/test-target.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Close } from '../modal.tsx'

export type VariantForm = {
  choice: 'anew' | 'other'
  suffix: string
  themeId: string
  redirectTestUrl: string
}
export type VariantChoices = {
  suffixes: string[]
  themes: { id: string; name: string }[]
  /** The shop did not answer, so these are only what was chosen before. */
  isUnread?: true
}
type VariantProps = {
  test: Pick<Test, 'id' | 'controlUrl'>
  kind: TargetKind
  form: VariantForm
  choices: VariantChoices
  problems?: FieldProblem[]
}

/** The dialog that gives a test on hold its variant again: recreates it, or chooses another one. */
export function TestVariant({ test, kind, form, choices, problems = [] }: VariantProps) {
  return (
    <dialog id="variant-test" aria-labelledby="variant-title" open>
      <form class="modal" method="post" action={paths.testAct(test.id, 'variant')}>
        <h2 id="variant-title">
          {kind === 'url'
            ? 'Another page for the variant'
            : kind === 'theme'
              ? 'Another theme for the variant'
              : 'The variant’s template'}
        </h2>
        {fields[kind](form, choices, problems)}
        <p class="note">
          The test stays on hold until you resume it. Figures so far are kept, so only choose a
          variant that looks the same. Otherwise start a new test.
        </p>
        <footer>
          <Close href={paths.report(test.id)}>Cancel</Close>
          <button>Set variant</button>
        </footer>
      </form>
    </dialog>
  )
}

const fields: Record<
  TargetKind,
  (form: VariantForm, choices: VariantChoices, problems: FieldProblem[]) => JSX.Element
> = {
  url: (form, _, problems) => (
    <DraftField
      name="redirectTestUrl"
      label="Where the variant goes"
      problems={problems}
      help="A page of your shop, for example /pages/gift-guide."
      control={bound => (
        <input
          {...bound}
          value={form.redirectTestUrl}
          required
          maxLength={2048}
          autocomplete="off"
        />
      )}
    />
  ),
  theme: (form, { themes, isUnread }, problems) => (
    <DraftField
      name="themeId"
      label="Theme"
      problems={problems}
      help={
        isUnread
          ? 'Your shop does not answer, so its themes cannot be listed.'
          : themes.length === 0
            ? 'Your shop has no other theme. Add one in your shop’s admin first.'
            : undefined
      }
      control={bound => (
        <select {...bound} required>
          {themes.map(({ id, name }) => (
            <option key={id} value={id} selected={id === form.themeId}>
              {name}
            </option>
          ))}
        </select>
      )}
    />
  ),
  template: (form, { suffixes, isUnread }, problems) => (
    <>
      <fieldset>
        <label class="check">
          <input type="radio" name="choice" value="anew" checked={form.choice === 'anew'} />
          <span>
            Recreate it as we last saved it, or as a copy of the control if we never saved it
          </span>
        </label>
        <label class="check">
          <input
            type="radio"
            name="choice"
            value="other"
            checked={form.choice === 'other'}
            disabled={suffixes.length === 0}
          />
          <span>Choose another template</span>
        </label>
      </fieldset>
      <DraftField
        name="suffix"
        label="Template"
        problems={problems}
        help={
          isUnread
            ? 'Your shop does not answer, so its templates cannot be listed.'
            : suffixes.length === 0
              ? 'The live theme has no other template of this type.'
              : 'Only for another template.'
        }
        control={bound => (
          <select {...bound} disabled={suffixes.length === 0}>
            {suffixes.map(suffix => (
              <option key={suffix} value={suffix} selected={suffix === form.suffix}>
                {suffix}
              </option>
            ))}
          </select>
        )}
      />
    </>
  ),
}
