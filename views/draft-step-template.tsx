import { formatCount } from '../domain/figures.ts'
import { named } from '../domain/draft-ready.ts'
import { paths } from '../domain/paths.ts'
import type { Template } from '../domain/template-record.ts'
import { assignedTypes, type TemplateType, templateTypes } from '../domain/template.ts'
import { type ArmState, isInUse } from '../domain/test-target.ts'
import { ArmPictures, ChoicePicture, type ChoicesShown } from './choice-picture.tsx'
import { StepCard, type DraftEditorProps } from './draft-editor.tsx'
import { DraftGroup, Problems } from './draft-field.tsx'
import { Icon } from './icons.tsx'

export type Resource = { id: string; title: string; path: string; suffix: string }
export type TemplateStepProps = DraftEditorProps & {
  /** Of the live theme, all types. */
  templates: Template[]
  /** Where both arms stand in the shop; null before a control is chosen. */
  states: { control: ArmState; variant: ArmState } | null
  /** What the control draws, as far as it can be chosen from. */
  resources: Resource[]
  pictures: ChoicesShown
  editorOf: (template: { type: TemplateType; suffix: string }) => string
  /** What was ticked and chosen on a page that was refused. */
  ticked: string[]
  suffix: string
}

export const typeLabels: Record<TemplateType, string> = {
  home: 'Home page',
  product: 'Products',
  collection: 'Collections',
  page: 'Pages',
  blog: 'Blogs',
  article: 'Articles',
  cart: 'Cart',
  search: 'Search',
}
/** "product.story" */
const templateLabel = (type: TemplateType, suffix: string): string =>
  suffix ? `${type}.${suffix}` : type
export const isAssigned = (type: TemplateType | null): boolean =>
  (assignedTypes as readonly string[]).includes(type ?? '')
export const unsupported =
  'A Liquid template, or one that cannot be read: it can be tested against, not copied or edited here. Make its variant in your shop’s theme editor and choose it below.'

/** The template in use that is tested, and the one that half of its visitors get instead. */
export function TemplateStep(props: TemplateStepProps) {
  const { draft, problems } = props
  return (
    <StepCard>
      <Problems problems={problems} of={['type', 'control']} />
      <ControlTemplates {...props} />
      {draft.control && (draft.variant ? <Variant {...props} /> : <NewVariant {...props} />)}
    </StepCard>
  )
}

const TemplatePicture = ({
  template: { type, suffix, updatedAt },
  pictures,
}: {
  template: Pick<Template, 'type' | 'suffix' | 'updatedAt'>
  pictures: ChoicesShown
}) => (
  <ChoicePicture
    choice={{ kind: 'template', type, suffix }}
    version={updatedAt}
    label={templateLabel(type, suffix)}
    pictures={pictures}
  />
)

function ControlTemplates({ draft: { control }, templates, pictures }: TemplateStepProps) {
  const isControl = ({ type, suffix }: Template) =>
    control?.templateType === type && control.suffix === suffix
  const used = templates.filter(
    template => template.assignedCount !== 0 && (isAssigned(template.type) || !template.suffix),
  )
  return (
    <details class="template-choice" open={!control}>
      <summary>
        <span>
          <b>Control:</b> {control ? <code>{named(control)}</code> : 'choose the template to test'}
        </span>
        {control && <span class="note">Choose another</span>}
      </summary>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Template in use</th>
              <th scope="col" class="num">
                Assigned
              </th>
              <th scope="col" class="num">
                Visitors, 28 days
              </th>
              <th scope="col">
                <span class="visually-hidden">Choose</span>
              </th>
            </tr>
          </thead>
          {templateTypes.map(type => {
            const own = used.filter(template => template.type === type)
            return (
              own.length > 0 && (
                <tbody key={type}>
                  {own.map(template => (
                    <tr key={template.file} aria-current={isControl(template) ? 'true' : undefined}>
                      <th scope="row">
                        <span class="choice-row">
                          <TemplatePicture {...{ template, pictures }} />
                          <span>
                            {templateLabel(type, template.suffix)}
                            <span class="cell-sub cell-sub-wrap">
                              {typeLabels[type]}
                              {template.kind === 'Unsupported' && (
                                <>
                                  ; <abbr title={unsupported}>Unsupported</abbr>
                                </>
                              )}
                              {template.test && (
                                <>
                                  ; tested by{' '}
                                  <a href={paths.report(template.test.id)}>{template.test.title}</a>
                                </>
                              )}
                            </span>
                          </span>
                        </span>
                      </th>
                      <td class="num">
                        {template.assignedCount === null
                          ? 'All'
                          : formatCount(template.assignedCount)}
                      </td>
                      <td class="num">
                        {template.visitors === null ? '–' : formatCount(template.visitors)}
                      </td>
                      <td>
                        {isControl(template) ? (
                          <span class="badge" data-tone="good">
                            <Icon name="check" />
                            Control
                          </span>
                        ) : (
                          <button
                            class="secondary small"
                            name="act"
                            value={`template.control:${type}:${template.suffix}`}
                            aria-label={`Test this: ${templateLabel(type, template.suffix)}`}
                          >
                            Test this
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              )
            )
          })}
        </table>
      </div>
      {used.some(({ kind }) => kind === 'Unsupported') && (
        <p class="note">
          <b>Unsupported:</b> {unsupported.charAt(0).toLowerCase()}
          {unsupported.slice(1)}
        </p>
      )}
    </details>
  )
}

/** Making the variant: a copy for all or some of what the control draws, or a template that is there already. */
function NewVariant({
  draft,
  problems,
  templates,
  resources,
  ticked,
  suffix: chosen,
  pictures,
}: TemplateStepProps) {
  const type = draft.control!.templateType!
  const others = templates.filter(
    template =>
      template.type === type && template.suffix && template.suffix !== draft.control!.suffix,
  )
  const canChoose = draft.templateKind !== 'Unsupported' && isAssigned(type) && resources.length > 1
  return (
    <section class="stack" aria-labelledby="make-variant">
      <h2 id="make-variant">Variant</h2>
      <Problems problems={problems} of={canChoose ? ['variant'] : ['variant', 'granular']} />
      {draft.templateKind === 'Unsupported' ? (
        <p class="banner" data-tone="warn">
          <Icon name="warning" />
          <span>
            <strong>This template is of the kind Unsupported.</strong> {unsupported}
          </span>
        </p>
      ) : (
        <div class="stack-tight">
          <p>
            Make a copy, and change the copy in the next step or in your shop’s theme editor. The
            template in use is not touched.
          </p>
          {canChoose && (
            <DraftGroup
              name="granular"
              problems={problems}
              label="What takes part"
              help={`With none ticked, all ${resources.length} that use the template do.`}
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
          <div class="row">
            <button name="act" value="template.copy:">
              Make a copy as the variant
            </button>
          </div>
        </div>
      )}
      {others.length > 0 && (
        <DraftGroup name="suffix" problems={problems} label="Or a template that is there already">
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

function Variant({
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
          <dd>{state ? <State state={state} /> : 'Your shop did not answer'}</dd>
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
      <div class="row">
        {state && isInUse(state) && control.suffix && (
          <button class="secondary small" name="act" value="template.swap:">
            Swap control and variant
          </button>
        )}
        <button class="danger small" name="act" value="template.remove:">
          Remove variant
        </button>
      </div>
    </section>
  )
}

/** Whether a template is there, and whether it was changed. */
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
