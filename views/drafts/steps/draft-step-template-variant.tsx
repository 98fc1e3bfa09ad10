import { formatCount } from '../../../domain/figures.ts'
import { named } from '../../../domain/drafts/draft-ready.ts'
import type { ArmState } from '../../../domain/tests/test-target.ts'
import { ArmPictures } from '../choice-picture.tsx'
import { DraftGroup, Problems } from '../draft-field.tsx'
import { lackOf } from '../../../domain/platform/kind-needs.ts'
import { Icon } from '../../icons.tsx'
import { MerchantCopySteps } from './merchant-copy-steps.tsx'
import { Lacking } from '../../lacking.tsx'
import { SwapControl } from '../swap-control.tsx'
import {
  isAssigned,
  templateLabel,
  type TemplateStepProps,
  typeLabels,
  unsupported,
} from './draft-step-template-props.ts'
import { TemplatePicture } from './draft-step-template-picture.tsx'

/**
 * The ways to make the variant: a copy for all or some of the pages that use the control, or a
 * template that exists already.
 */
export function NewVariant({
  draft,
  problems,
  templates,
  resources,
  ticked,
  suffix: chosen,
  pictures,
  copy,
  store,
}: TemplateStepProps) {
  const type = draft.control!.templateType!
  const others = templates.filter(
    template =>
      template.type === type && template.suffix && template.suffix !== draft.control!.suffix,
  )
  // Where the merchant makes the copy, the steps say how.
  const lack = copy ? null : lackOf('ownCopies', store)
  const canChoose =
    !lack && draft.templateKind !== 'Unsupported' && isAssigned(type) && resources.length > 1
  return (
    <section class="stack" aria-labelledby="make-variant">
      <h2 id="make-variant">Variant</h2>
      <Problems problems={problems} of={canChoose ? ['variant'] : ['variant', 'granular']} />
      {lack ? (
        <Lacking lack={lack} />
      ) : draft.templateKind === 'Unsupported' ? (
        <p class="banner" data-tone="warn">
          <Icon name="warning" />
          <span>
            <strong>This template is unsupported.</strong> {unsupported}
          </span>
        </p>
      ) : (
        <div class="stack-tight">
          {!copy && (
            <p>
              Make a copy, and change the copy in the next step or in your shop’s theme editor. The
              template in use is not touched.
            </p>
          )}
          {canChoose && (
            <DraftGroup
              name="granular"
              problems={problems}
              label="What takes part"
              help={`If you tick none, all ${resources.length} that use the template take part.`}
            >
              <details class="page-list" open={ticked.length > 0}>
                <summary>Choose only some of them</summary>
                <ul class="check-list">
                  {resources.map(({ id, title, path }) => (
                    <li key={id}>
                      <label class="check">
                        <input
                          type="checkbox"
                          name="granular"
                          value={id}
                          checked={ticked.includes(id)}
                        />
                        {title} <span class="note">{path}</span>
                      </label>
                    </li>
                  ))}
                </ul>
              </details>
            </DraftGroup>
          )}
          {copy ? (
            <MerchantCopySteps copy={copy} act="template.copy:" />
          ) : (
            <div class="row">
              <button name="act" value="template.copy:">
                Make a copy as the variant
              </button>
            </div>
          )}
        </div>
      )}
      {others.length > 0 && (
        <DraftGroup
          name="suffix"
          problems={problems}
          label={`${lack ? 'Choose' : 'Or choose'} a template that you already have`}
        >
          <div class="choice-grid">
            {others.map((template, i) => (
              <label key={template.suffix} class="choice-card choice-radio">
                <TemplatePicture {...{ template, pictures }} />
                <span class="check">
                  <input
                    type="radio"
                    name="suffix"
                    value={template.suffix}
                    checked={chosen ? template.suffix === chosen : i === 0}
                  />
                  {templateLabel(type, template.suffix)}
                  {template.kind === 'Unsupported' ? ' (Unsupported)' : ''}
                </span>
              </label>
            ))}
          </div>
          <div class="row">
            <button class="secondary" name="act" value="template.existing:">
              Use this template
            </button>
          </div>
        </DraftGroup>
      )}
    </section>
  )
}

const changeWords = {
  Unmodified: 'No changes yet',
  Modified: 'Changed since it was copied',
  Removed: 'No longer in the live theme',
} as const

/** The chosen variant, and the state of its file. */
export function Variant({
  draft,
  problems,
  states,
  editorOf,
  resources,
  templates,
  pictures,
}: TemplateStepProps) {
  const { control, variant, resourceIds } = draft as {
    control: NonNullable<typeof draft.control>
    variant: NonNullable<typeof draft.variant>
    resourceIds: string[]
  }
  const state = states?.variant,
    count = states?.control.assignedCount ?? null
  const chosen = resources.filter(({ id }) => resourceIds.includes(id)),
    page = chosen[0] ?? resources[0]
  return (
    <section class="stack" aria-labelledby="variant-template">
      <h2 id="variant-template">Variant</h2>
      <Problems problems={problems} of={['suffix', 'granular', 'variant']} />
      {(page || !isAssigned(control.templateType)) && (
        <ArmPictures {...{ control, variant, templates, pictures }} page={page?.id ?? ''} />
      )}
      <dl class="review">
        <div>
          <dt>Template</dt>
          <dd>
            <code>{named(variant)}</code>
            {variant.isOurs ? ', a copy made for this test' : ', already in your theme'}
          </dd>
          <dd>
            <a
              href={editorOf({ type: variant.templateType!, suffix: variant.suffix! })}
              target="_blank"
              rel="noopener"
            >
              Edit in your shop
              <Icon name="external" />
            </a>
          </dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>{state ? <State state={state} /> : 'Not known right now'}</dd>
          <dd>
            <button class="link" name="act" value="template.look:">
              Refresh
            </button>
          </dd>
        </div>
        <div>
          <dt>Takes part</dt>
          <dd>
            {resourceIds.length > 0 ? (
              <>
                {resourceIds.length} chosen:{' '}
                {chosen.map(({ title }) => title).join(', ') || 'no longer in the shop'}
              </>
            ) : count === null ? (
              typeLabels[control.templateType!]
            ) : (
              `All ${formatCount(count)} that use ${named(control)}`
            )}
          </dd>
          <dd />
        </div>
      </dl>
      {state?.changeState === 'Unmodified' && variant.isOurs && (
        <p class="note">Control and variant look the same until you change the copy.</p>
      )}
      <SwapControl draft={draft} step="template" variantNow={state ?? null} />
      <div class="row">
        <button class="danger small" name="act" value="template.remove:">
          Remove variant
        </button>
      </div>
    </section>
  )
}

/** Whether a template exists, and whether it was changed. */
export const State = ({ state: { target, exists, message, changeState } }: { state: ArmState }) =>
  exists ? (
    changeState === 'Unmodified' && target?.isOurs ? (
      <span class="tone" data-tone="warn">
        <Icon name="warning" /> {changeWords.Unmodified}
      </span>
    ) : (
      <span class="tone" data-tone="good">
        <Icon name="check" />{' '}
        {changeState === 'Modified' ? changeWords.Modified : 'In the live theme'}
      </span>
    )
  ) : (
    <span class="field-error">
      <Icon name="warning" />
      {changeState === 'Removed' ? `${changeWords.Removed}. ` : ''}
      {message}
    </span>
  )
