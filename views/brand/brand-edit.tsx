import type { ComponentChildren } from 'preact'
import type { BrandStyle, FontEntry, Pattern } from '../../domain/brand/brand-style.ts'
import {
  colourFields,
  type ColourField,
  colourNames,
  fontKey,
  fontRoleNames,
  fontRoles,
  type FontRole,
  type PatternForm,
} from '../../domain/brand/brand-style-form.ts'
import { buttonStyles, fontSources, shapes } from '../../domain/brand/brand-style-look.ts'
import { buttonSizes } from '../../domain/drafts/button-size.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import {
  fontWords,
  FontSample,
  kindWords,
  patternWords,
  PatternSample,
  shapeWords,
  sizeWords,
  sourceWords,
} from './brand-sample.tsx'
import { DraftField, Problem } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'

type EditProps = {
  style: BrandStyle
  problems: FieldProblem[]
  /**
   * Another brand style was imported since the form was opened. The form still has what was typed.
   */
  isReplaced: boolean
}
type PatternEditProps = EditProps & {
  name: string
  form: PatternForm
  /** The pattern that the sample shows. */ shown: Pattern
}
type FontsEditProps = EditProps & {
  chosen: Record<FontRole, string>
  entries: FontEntry[]
  shown: Pick<BrandStyle, FontRole>
}

/** The form of one pattern, with a sample. */
export function PatternEdit({ style, name, form, shown, problems, isReplaced }: PatternEditProps) {
  return (
    <Editor
      title={`Edit ${patternWords(name)}`}
      action={paths.brandStyles('edit', name)}
      {...{ style, problems, isReplaced }}
      sample={<PatternSample fonts={style} pattern={shown} />}
    >
      <p class="note">{kindWords[shown.kind]}</p>
      <Choice
        name="shape"
        legend="Shape"
        help="Corners of the box or picture."
        chosen={form.shape}
        options={shapes.map(shape => [shape, shapeWords[shape]])}
        problems={problems}
      />
      <Choice
        name="buttonStyle"
        legend="Button style"
        chosen={form.buttonStyle}
        options={buttonStyles.map(style => [style, style])}
        problems={problems}
      />
      <Choice
        name="buttonSize"
        legend="Button size"
        chosen={form.buttonSize}
        options={buttonSizes.map(size => [size, sizeWords[size]])}
        problems={problems}
      />
      <fieldset class="brand-colours">
        <legend>Colours</legend>
        {colourNames.map(colour => (
          <Colour key={colour} name={colour} form={form} problems={problems} />
        ))}
      </fieldset>
    </Editor>
  )
}

/** The form of the fonts, with samples. */
export function FontsEdit({ style, chosen, entries, shown, problems, isReplaced }: FontsEditProps) {
  return (
    <Editor
      title="Edit fonts"
      action={paths.brandStyles('edit')}
      {...{ style, problems, isReplaced }}
      sample={
        <dl class="font-samples">
          {fontRoleNames.map(role => (
            <div key={role}>
              <dt class="note">{fontRoles[role]}</dt>
              <dd>
                <FontSample font={shown[role]} />
              </dd>
            </div>
          ))}
        </dl>
      }
    >
      <p class="note">The fonts your live theme has now, and those saved with the brand styles.</p>
      {fontRoleNames.map(role => (
        <DraftField
          key={role}
          name={role}
          label={fontRoles[role]}
          problems={problems}
          control={bound => (
            <select {...bound}>
              {!entries.some(entry => fontKey(entry) === chosen[role]) && (
                <option value={chosen[role]} selected>
                  {chosen[role] ? chosen[role].replaceAll('|', ', ') : 'Choose a font'}
                </option>
              )}
              {fontSources
                .map(source => ({
                  source,
                  fonts: entries.filter(entry => entry.source === source),
                }))
                .filter(({ fonts }) => fonts.length > 0)
                .map(({ source, fonts }) => (
                  <optgroup key={source} label={sourceWords[source]}>
                    {fonts.map(font => (
                      <option
                        key={fontKey(font)}
                        value={fontKey(font)}
                        selected={fontKey(font) === chosen[role]}
                      >
                        {fontWords(font)}
                      </option>
                    ))}
                  </optgroup>
                ))}
            </select>
          )}
        />
      ))}
    </Editor>
  )
}

function Editor({
  title,
  action,
  style,
  problems,
  isReplaced,
  sample,
  children,
}: EditProps & {
  title: string
  action: string
  sample: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.settings('brand-styles')}>
          Brand styles
        </a>
        <h1>{title}</h1>
      </div>
      {isReplaced && (
        <div class="banner" data-tone="warn" role="alert">
          <Icon name="warning" />
          <div>
            <strong>Another brand style was imported since you opened this.</strong> What you chose
            is still here and not saved. Saving puts it into the new one.
          </div>
        </div>
      )}
      {problems.length > 0 && (
        <div class="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <div>
            <strong>Nothing was saved.</strong>{' '}
            {problems.length === 1
              ? 'Fix 1 field to continue.'
              : `Fix ${problems.length} fields to continue.`}
          </div>
        </div>
      )}
      <div class="columns-wide-narrow brand-editor">
        <form class="card" method="post" action={action}>
          <input type="hidden" name="id" value={style.id ?? ''} />
          <div class="card-body stack">{children}</div>
          <div class="card-foot">
            <a class="button quiet" href={paths.settings('brand-styles')}>
              Cancel
            </a>
            <div class="row card-foot-end">
              <button class="secondary" name="act" value="show">
                Show without saving
              </button>
              <button name="act" value="save">
                Save
              </button>
            </div>
          </div>
        </form>
        <aside class="card" aria-labelledby="sample">
          <div class="card-head">
            <h2 id="sample">Sample</h2>
          </div>
          <div class="card-body">
            {sample}
            <p class="note">Fonts are shown where this device has them.</p>
          </div>
        </aside>
      </div>
    </>
  )
}

type ChoiceProps = {
  name: string
  legend: string
  help?: string
  chosen: string
  options: [value: string, label: string][]
  problems: FieldProblem[]
}
function Choice({ name, legend, help, chosen, options, problems }: ChoiceProps) {
  const problem = problems.find(({ field }) => field === name)
  const described =
    [problem && `${name}-problem`, help && `${name}-help`].filter(Boolean).join(' ') || undefined
  return (
    <fieldset class="field" aria-describedby={described}>
      <legend>{legend}</legend>
      <div class="segmented">
        {options.map(([value, label], at) => (
          <label key={value}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={value === chosen}
              aria-invalid={problem && at === 0 ? 'true' : undefined}
            />
            {label}
          </label>
        ))}
      </div>
      {problem && <Problem id={`${name}-problem`} message={problem.message} />}
      {help && (
        <span class="field-help" id={`${name}-help`}>
          {help}
        </span>
      )}
    </fieldset>
  )
}

function Colour({
  name,
  form,
  problems,
}: {
  name: ColourField
  form: PatternForm
  problems: FieldProblem[]
}) {
  const field: { label: string; without?: string } = colourFields[name]
  return (
    <DraftField
      name={name}
      label={field.label}
      problems={problems}
      control={bound => (
        <div class="row brand-colour">
          <input type="color" {...bound} value={form.colours[name]} />
          {field.without && (
            <label class="check">
              <input
                type="checkbox"
                name={`without.${name}`}
                checked={form.without.includes(name)}
              />
              {field.without}
            </label>
          )}
        </div>
      )}
    />
  )
}
