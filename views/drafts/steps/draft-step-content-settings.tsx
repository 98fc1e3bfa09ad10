import type { JSX } from 'preact'
import { contentArgument, settingField, typedText } from '../../../domain/drafts/content-form.ts'
import {
  type ContentBlock,
  type ContentSection,
  type ContentSetting,
  longestText,
} from '../../../domain/themes/template-content.ts'
import { type Bound, DraftField } from '../draft-field.tsx'
import { ColourInput, isOffered, type Offers, OfferedField, Seen } from '../draft-content-field.tsx'
import { Island } from '../../island.tsx'
import type { ContentProps } from './draft-step-content-props.ts'

type SettingsProps = Pick<ContentProps, 'problems' | 'posted' | 'offers'> & {
  section: ContentSection
  part: ContentBlock
  block: string | null
}

/**
 * Each setting of a section or a block: the control's value, read-only, next to the variant's
 * field.
 */
export function ContentSettings({ section, part, block, problems, posted, offers }: SettingsProps) {
  if (part.settings.length === 0) return null
  return (
    <div class="content-settings">
      <div class="content-pair content-heads" aria-hidden="true">
        <span class="arm">
          <span class="arm-mark arm-mark-control" />
          Control
        </span>
        <span class="arm">
          <span class="arm-mark" />
          Variant
        </span>
      </div>
      {part.settings.map(setting => {
        const name = settingField(section.id, block, setting.id)
        return (
          <DraftField
            key={setting.id}
            name={name}
            problems={problems}
            label={setting.label}
            control={bound => (
              <>
                <div class="content-pair">
                  <div class="content-control">
                    <span class="visually-hidden">In the control: </span>
                    <ControlValue
                      setting={setting}
                      offers={offers}
                      isThere={part.isShownInControl !== null}
                    />
                  </div>
                  <span class="content-field">
                    <Field
                      setting={setting}
                      bound={bound}
                      text={typedText(posted, name, setting)}
                    />
                    {setting.kind === 'picture' ? (
                      <PictureOf
                        {...{ setting, bound, offers }}
                        text={typedText(posted, name, setting)}
                      />
                    ) : (
                      <span id={`seen-${name}`} class="content-seen" data-fresh>
                        <Seen {...offers} kind={setting.kind} value={setting.value} />
                      </span>
                    )}
                  </span>
                </div>
                <span class="content-reset" id={`reset-${name}`} data-fresh>
                  {setting.isChanged && (
                    <button
                      class="link"
                      name="act"
                      value={`content.reset:${contentArgument(section.id, block, setting.id)}`}
                      aria-label={`${setting.label}: as in the control`}
                    >
                      As in the control
                    </button>
                  )}
                </span>
              </>
            )}
          />
        )
      })}
    </div>
  )
}

/** The picture, and the upload of another one; without scripts only the picture. */
const PictureOf = ({
  setting: { label, kind, value },
  bound: { id },
  text,
  offers,
}: {
  setting: ContentSetting
  bound: Bound
  text: string
  offers: Offers
}) => (
  <span class="content-upload">
    <Island
      id={`upload-${id}`}
      name="content-picture"
      isLater
      props={{ to: offers.uploads, shop: offers.origin, label, field: id, address: text }}
    />
    <noscript>
      <Seen {...offers} kind={kind} value={value} />
    </noscript>
  </span>
)

function ControlValue({
  setting: { kind, control, choices },
  offers,
  isThere,
}: {
  setting: ContentSetting
  offers: Offers
  isThere: boolean
}) {
  if (!isThere) return <span class="note">Not in the control</span>
  if (kind === 'yesNo') return <>{control === true ? 'Yes' : 'No'}</>
  const text = choices.find(({ value }) => value === control)?.label ?? String(control ?? '')
  return text === '' ? (
    <span class="note">Empty</span>
  ) : (
    <>
      {kind !== 'colour' && text}
      <Seen {...offers} kind={kind} value={control}>
        {text}
      </Seen>
    </>
  )
}

/**
 * The field of a setting. The theme's texts may contain HTML for the shop; here they are plain text
 * and are not rendered.
 */
function Field({
  setting: { kind, value, choices },
  bound,
  text,
}: {
  setting: ContentSetting
  bound: Bound
  text: string
}): JSX.Element {
  if (isOffered(kind)) return <OfferedField {...{ kind, bound, text }} />
  switch (kind) {
    case 'colour':
      return <ColourInput {...{ bound, text }} />
    case 'yesNo':
      return (
        <span class="content-yes">
          <input type="hidden" name={bound.name} value="" />
          <label class="check">
            <input type="checkbox" {...bound} value="1" checked={text === '1'} />
            Yes
          </label>
        </span>
      )
    case 'choice':
      return (
        <select {...bound}>
          {!choices.some(choice => choice.value === text) && (
            <option value={text} selected>
              {text || 'None'}
            </option>
          )}
          {choices.map(choice => (
            <option key={choice.value} value={choice.value} selected={choice.value === text}>
              {choice.label}
            </option>
          ))}
        </select>
      )
    case 'number':
      return <input {...bound} inputmode="decimal" value={text} maxLength={40} autocomplete="off" />
    case 'other':
      return (
        <div class="content-control">
          <span class="note">A list, which the shop’s theme editor changes.</span>{' '}
          <code>{String(value)}</code>
        </div>
      )
    case 'text':
    case 'picture':
      return text.includes('\n') ? (
        <Lines {...{ bound, text }} />
      ) : (
        <input
          {...bound}
          class={kind === 'picture' ? 'code' : undefined}
          list={kind === 'picture' ? 'content-picture' : undefined}
          value={text}
          maxLength={longestText}
          autocomplete="off"
        />
      )
    case 'longText':
      return <Lines {...{ bound, text }} />
  }
}

/**
 * HTML parsers drop a line end at the beginning of a textarea, so a text that begins with one needs
 * another.
 */
const Lines = ({ bound, text }: { bound: Bound; text: string }) => (
  <textarea
    {...bound}
    rows={Math.min(12, Math.max(3, Math.ceil(text.length / 28) + 1))}
    maxLength={longestText}
  >
    {text.startsWith('\n') ? `\n${text}` : text}
  </textarea>
)
