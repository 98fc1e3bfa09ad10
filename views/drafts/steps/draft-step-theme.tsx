import type { MerchantCopy } from '../../../domain/themes/merchant-copy.ts'
import type { Theme, ThemeCompatibility } from '../../../domain/themes/theme.ts'
import { formatDate, formatMoment } from '../../../domain/figures.ts'
import { sameArms } from '../../../domain/tests/launch-check.ts'
import { ChoicePicture, type ChoicesShown } from '../choice-picture.tsx'
import { StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { Problems } from '../draft-field.tsx'
import { Icon } from '../../icons.tsx'
import { MerchantCopySteps } from './merchant-copy-steps.tsx'
import { SwapControl } from '../swap-control.tsx'

type ThemeStepProps = DraftEditorProps & {
  themes: Theme[]
  pictures: ChoicesShown
  /** Whether the variant's theme can show the shop; null without a variant. */
  compatibility: ThemeCompatibility | null
  /** How the merchant copies the live theme; null where that is not guided. */
  copy: MerchantCopy | null
  /** The list of themes in the shop's admin. */
  themesUrl: string
}

/** The step that chooses the theme that half of the visitors see. */
export function ThemeStep(props: ThemeStepProps) {
  const { draft, problems, themes, compatibility, themesUrl, copy, timeZone } = props
  const live = themes.find(({ role }) => role === 'live'),
    control = themes.find(({ id }) => id === draft.control?.themeId) ?? live,
    others = themes.filter(
      theme => theme !== control && (theme !== live || theme.id === draft.variant?.themeId),
    )
  const variant = draft.variant?.themeId ?? null,
    // After another theme was published, choosing the variant again makes that theme the control.
    isCurrent = draft.control?.themeId === live?.id,
    isGone = variant !== null && !themes.some(({ id }) => id === variant)
  return (
    <StepCard>
      <Problems problems={problems} of={['themeId', 'control', 'variant']} />
      {isGone && (
        <p class="banner" data-tone="bad">
          <Icon name="warning" />
          <span>
            <strong>The variant’s theme is gone.</strong> Choose another one.
          </span>
        </p>
      )}
      {live && control && control !== live && (
        <p class="banner" data-tone="warn">
          <Icon name="warning" />
          <span>
            <strong>The control must be your live theme, {live.name}.</strong> Publish{' '}
            {control.name} in your shop before you launch, or swap control and variant.
          </span>
        </p>
      )}
      {compatibility && <Compatibility {...{ compatibility, timeZone }} />}
      <div class="theme-choice">
        <section class="stack-tight" aria-labelledby="control-theme">
          <h2 id="control-theme">
            <span class="arm-mark arm-mark-control" />
            Control
          </h2>
          {control ? (
            <div class="choice-card">
              <ThemePicture {...props} theme={control} />
              <span class="pick-words">
                <b>{control.name}</b>
                <small>
                  {control === live
                    ? 'Your live theme. Every page of the shop is tested.'
                    : 'Not your live theme. Every page of the shop is tested.'}
                </small>
              </span>
            </div>
          ) : (
            <p class="note">Your shop has no live theme. Publish one first.</p>
          )}
        </section>
        <section class="stack-tight" aria-labelledby="variant-theme">
          <h2 id="variant-theme">
            <span class="arm-mark" />
            Variant
          </h2>
          {copy && <MerchantCopySteps copy={copy} act="theme.copy:" />}
          {others.length === 0 ? (
            <p class="note">
              Your shop has no other theme. Add or duplicate one in{' '}
              <a href={themesUrl} target="_blank" rel="noopener">
                your shop’s themes
              </a>
              , change it there, and reload this page.
            </p>
          ) : (
            <ul class="choice-grid plain-list">
              {others.map(theme => (
                <li key={theme.id}>
                  <ThemeCard
                    {...props}
                    theme={theme}
                    isChosen={isCurrent && theme.id === variant}
                  />
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
      {draft.variant && (
        <>
          <SwapControl draft={draft} step="theme" />
          <div class="row">
            <button class="danger small" name="act" value="theme.remove:">
              Remove variant
            </button>
          </div>
        </>
      )}
    </StepCard>
  )
}

const ThemePicture = ({
  theme: { id, name, updatedAt },
  pictures,
}: {
  theme: Theme
  pictures: ChoicesShown
}) => (
  <ChoicePicture
    choice={{ kind: 'theme', id }}
    version={updatedAt}
    label={name}
    pictures={pictures}
  />
)

/** The whole card is the button. */
function ThemeCard({
  theme,
  isChosen,
  pictures,
  timeZone,
}: ThemeStepProps & { theme: Theme; isChosen: boolean }) {
  return (
    <div class="choice-card" aria-current={isChosen ? 'true' : undefined}>
      <ThemePicture theme={theme} pictures={pictures} />
      <span class="pick-words">
        <b>{theme.name}</b>
        <small>Changed {formatDate(theme.updatedAt, timeZone)}</small>
      </span>
      <div class="row">
        {isChosen ? (
          <span class="badge" data-tone="good">
            <Icon name="check" />
            Variant
          </span>
        ) : (
          <button
            class="secondary small"
            name="act"
            value={`theme.choose:${theme.id}`}
            aria-label={`Test this theme: ${theme.name}`}
          >
            Test this theme
          </button>
        )}
        <a
          href={theme.adminUrl}
          target="_blank"
          rel="noopener"
          aria-label={`Edit ${theme.name} in your shop`}
        >
          Edit
          <Icon name="external" />
        </a>
      </div>
    </div>
  )
}

function Compatibility({
  compatibility: { isCompatible, isSameAsLive, missing, checkedAt },
  timeZone,
}: {
  compatibility: ThemeCompatibility
  timeZone: string
}) {
  if (isCompatible && isSameAsLive)
    return (
      <div class="banner" data-tone="bad">
        <Icon name="warning" />
        <div>
          <strong>This theme is the same as your live theme.</strong>{' '}
          {sameArms('Theme', false).message}{' '}
          <span class="note">Checked {formatMoment(checkedAt, timeZone)}.</span>
        </div>
        <div class="row">
          <button class="secondary small" name="act" value="theme.check:">
            Check again
          </button>
        </div>
      </div>
    )
  return (
    <div class="banner" data-tone={isCompatible ? 'good' : 'bad'}>
      <Icon name={isCompatible ? 'check' : 'warning'} />
      <div>
        <strong>
          {isCompatible
            ? 'This theme can show every page of your shop.'
            : 'This theme cannot show every page of your shop.'}
        </strong>
        {!isCompatible && (
          <>
            {' '}
            It lacks these templates:
            <ul class="banner-list">
              {missing.map(({ type, suffix, assignedCount, titles }) => (
                <li key={`${type} ${suffix}`}>
                  <code>{suffix ? `${type}.${suffix}` : type}</code>
                  {assignedCount > 0 && (
                    <>
                      , used by {assignedCount}: {titles.join(', ')}
                      {assignedCount > titles.length && ' and others'}
                    </>
                  )}
                </li>
              ))}
            </ul>
            Add them to the theme in your shop’s theme editor, or assign those pages to another
            template.
          </>
        )}
        <span class="note"> Checked {formatMoment(checkedAt, timeZone)}.</span>
      </div>
      <div class="row">
        <button class="secondary small" name="act" value="theme.check:">
          Check again
        </button>
      </div>
    </div>
  )
}
