import { formatCount } from '../../../domain/figures.ts'
import { named } from '../../../domain/drafts/draft-ready.ts'
import { paths } from '../../../domain/paths.ts'
import type { Template } from '../../../domain/themes/template-record.ts'
import { templateTypes } from '../../../domain/themes/template.ts'
import { StepCard } from '../draft-editor.tsx'
import { Problems } from '../draft-field.tsx'
import { Icon } from '../../icons.tsx'
import {
  isAssigned,
  templateLabel,
  type TemplateStepProps,
  typeLabels,
  unsupported,
} from './draft-step-template-props.ts'
import { NewVariant, Variant } from './draft-step-template-variant.tsx'
import { TemplatePicture } from './draft-step-template-picture.tsx'

/** The step that chooses the tested template, and the one that half of its visitors see instead. */
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
