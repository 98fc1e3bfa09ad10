import { shopApiTypes } from '../../../domain/script/shop-api.ts'
import { StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { DraftField, DraftGroup } from '../draft-field.tsx'
import { Icon } from '../../icons.tsx'
import { SwapControl } from '../swap-control.tsx'

const modes = [
  {
    mode: 'automatic',
    label: 'Automatic',
    what: 'Every visitor is assigned on the first page they see. Choose this when your code can ask on any page.',
  },
  {
    mode: 'manual',
    label: 'Manual',
    what: 'A visitor is assigned when your code first asks. Choose this when only some visitors reach what you test.',
  },
] as const

/** An API test: how visitors are assigned, and what the shop's developer needs. */
export function CodeStep({ draft, form, problems }: DraftEditorProps) {
  const id = (arm: 'control' | 'variant') =>
    draft.hypotheses.find(each => each.arm === arm)?.id ?? ''
  const snippet = `if (window.twinshelf?.isActive?.('${id('variant')}')) {\n  // the variant\n} else {\n  // the control\n}`
  return (
    <StepCard>
      <DraftGroup
        name="apiMode"
        problems={problems}
        label="When a visitor is assigned"
        class="choice-grid goal-choices"
      >
        {modes.map(({ mode, label, what }) => (
          <label key={mode} class="choice">
            <input type="radio" name="apiMode" value={mode} checked={form.apiMode === mode} />
            <span class="choice-words">
              <span>{label}</span>
              <small>{what}</small>
            </span>
            <span class="choice-tick">
              <Icon name="check" />
            </span>
          </label>
        ))}
      </DraftGroup>
      <section class="stack-tight" aria-labelledby="for-developers">
        <h2 id="for-developers">For your shop’s developer</h2>
        <p>
          Put this where the shop shows what you test. Twinshelf’s script is already on every page.
          If the script is missing or late, everyone gets the control.
        </p>
        <DraftField
          name="snippet"
          label="Code to copy"
          problems={[]}
          control={bound => (
            <textarea {...bound} class="code" rows={5} readonly spellcheck={false}>
              {snippet}
            </textarea>
          )}
        />
        <div class="row">
          <button class="secondary small" type="button" data-copy="snippet" hidden>
            Copy the code
          </button>
        </div>
        <div class="field-pair">
          <DraftField
            name="controlId"
            label="Hypothesis id of the control"
            problems={[]}
            control={bound => <input {...bound} class="code" readonly value={id('control')} />}
          />
          <DraftField
            name="variantId"
            label="Hypothesis id of the variant"
            problems={[]}
            control={bound => <input {...bound} class="code" readonly value={id('variant')} />}
          />
        </div>
        <p class="note">
          The ids do not change when you launch the test. <code>window.twinshelf</code> also gives
          the visitor’s data (<code>visitor()</code>) and takes their consent (
          <code>setConsent(true)</code>).
        </p>
        <details>
          <summary>Types for TypeScript</summary>
          <DraftField
            name="types"
            label="Declarations to copy"
            problems={[]}
            control={bound => (
              <textarea {...bound} class="code" rows={12} readonly spellcheck={false}>
                {shopApiTypes}
              </textarea>
            )}
          />
        </details>
      </section>
      <SwapControl draft={draft} step="code" />
      <p class="banner" data-tone="neutral">
        <Icon name="info" />
        <span>
          <strong>Your developer builds in the winner.</strong> When the test ends, your code learns
          that neither arm is active and shows the control. Twinshelf has nothing to apply.
        </span>
      </p>
    </StepCard>
  )
}
