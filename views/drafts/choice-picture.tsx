import {
  choiceName,
  choiceScale,
  choiceWindow,
  type Choice,
  type ChoiceShown,
} from '../../domain/drafts/pictures/choice-picture.ts'
import type { Template } from '../../domain/themes/template-record.ts'
import type { TestTarget } from '../../domain/tests/test-target.ts'
import { Icon } from '../icons.tsx'

/** The pictures that exist, and the address at which the page's script requests others. */
export type ChoicesShown = {
  to: string
  of: (name: string, version: string) => ChoiceShown & { isNeeded: boolean }
}
type ChoicePictureProps = {
  choice: Choice
  /** The version of the choice. A picture of another version is taken again. */ version: string
  label: string
  pictures: ChoicesShown
}

const size = { width: choiceWindow.width * choiceScale, height: choiceWindow.height * choiceScale }

/** A picture of a choice in the shop. Its place has the same size without a picture. */
export function ChoicePicture({ choice, version, label, pictures }: ChoicePictureProps) {
  const name = choiceName(choice),
    { src, problem, isNeeded } = pictures.of(name, version),
    alt = `Picture of ${label}`
  return (
    <span
      class="choice-picture"
      {...(isNeeded && {
        'data-choice': name,
        'data-version': version,
        'data-to': pictures.to,
        'data-alt': alt,
      })}
    >
      {src ? (
        <img src={src} alt={alt} {...size} loading="lazy" decoding="async" />
      ) : (
        <span class="choice-blank" title={problem ?? undefined}>
          <Icon name="picture" />
          <small>{problem ?? (isNeeded ? 'No picture yet' : 'No picture')}</small>
        </span>
      )}
    </span>
  )
}

type ArmPicturesProps = {
  control: TestTarget
  variant: TestTarget | null
  /** Id of a page that uses the control's template; '' for a type with only one page. */
  page: string
  templates: readonly Template[]
  pictures: ChoicesShown
}

/** The same page of the shop in the control's template and in the variant's, side by side. */
export function ArmPictures({ control, variant, page: id, templates, pictures }: ArmPicturesProps) {
  const type = control.templateType!,
    suffix = variant?.suffix
  const versionOf = (target: TestTarget): string =>
    templates.find(each => each.type === type && each.suffix === target.suffix)?.updatedAt ?? ''
  // The type's default template, which has no suffix, is shown on a page that uses it.
  const choice: Choice = suffix
    ? { kind: 'view', type, suffix, id }
    : { kind: 'template', type, suffix: '' }
  return (
    <div class="choice-grid choice-arms">
      <div class="choice-card">
        <ChoicePicture
          choice={{ kind: 'page', type, id }}
          version={versionOf(control)}
          label="the control"
          pictures={pictures}
        />
        <span class="arm">
          <span class="arm-mark arm-mark-control" />
          Control
        </span>
      </div>
      {variant && (
        <div class="choice-card">
          <ChoicePicture
            choice={choice}
            version={versionOf(variant)}
            label="the variant"
            pictures={pictures}
          />
          <span class="arm">
            <span class="arm-mark" />
            Variant
          </span>
        </div>
      )}
    </div>
  )
}
