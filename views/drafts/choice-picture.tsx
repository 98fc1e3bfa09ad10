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

/** The pictures that there are, and where the page's script asks for others. */
export type ChoicesShown = {
  to: string
  of: (name: string, version: string) => ChoiceShown & { isNeeded: boolean }
}
type ChoicePictureProps = {
  choice: Choice
  /** The version of what is chosen; a picture of another version is drawn again. */ version: string
  label: string
  pictures: ChoicesShown
}

const size = { width: choiceWindow.width * choiceScale, height: choiceWindow.height * choiceScale }

/** What a choice looks like in the shop. Its place has the same size before the picture is there, and without one. */
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
  /** A page that the control draws; '' where there is one alone. */ page: string
  templates: readonly Template[]
  pictures: ChoicesShown
}

/** One page of the shop by the control's template and by the variant's, beside each other. */
export function ArmPictures({ control, variant, page: id, templates, pictures }: ArmPicturesProps) {
  const type = control.templateType!,
    suffix = variant?.suffix
  const versionOf = (target: TestTarget): string =>
    templates.find(each => each.type === type && each.suffix === target.suffix)?.updatedAt ?? ''
  // The type's own template is shown by pages that use it alone.
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
