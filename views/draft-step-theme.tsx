import type { Theme, ThemeCompatibility } from '../domain/theme.ts'
import { formatDate, formatMoment } from '../domain/figures.ts'
import { StepCard, type DraftEditorProps } from './draft-editor.tsx'
import { Problems } from './draft-field.tsx'
import { Icon } from './icons.tsx'

type ThemeStepProps = DraftEditorProps & {
  themes: Theme[]
  /** Whether the variant's theme, once there is one, can show the shop. */
  compatibility: ThemeCompatibility | null
  /** Where the shop's own admin keeps its themes. */
  admin: string
}

/** Which of the shop's other themes half of the visitors get. */
export function ThemeStep({ draft, problems, themes, compatibility, admin, timeZone }: ThemeStepProps) {
  const live = themes.find(({ role }) => role === 'live'), others = themes.filter(({ role }) => role !== 'live')
  const variant = draft.variant?.themeId ?? null, isGone = variant !== null && !themes.some(({ id }) => id === variant)
  return (
    <StepCard>
      <Problems problems={problems} of={['themeId', 'control', 'variant']} />
      <div class="stack-tight"><h2>Control</h2><p><span class="arm"><span class="arm-mark arm-mark-control" />{live ? <b>{live.name}</b> : 'The shop names no live theme.'}</span> <span class="note">The theme that is live. Every page of the shop is tested.</span></p></div>
      <section class="stack-tight" aria-labelledby="variant-theme">
        <h2 id="variant-theme">Variant</h2>
        {isGone && <p class="banner" data-tone="bad"><Icon name="warning" /><span><strong>The variant’s theme is gone.</strong> Choose another one.</span></p>}
        {others.length === 0
          ? <p class="note">Your shop has no other theme. Add or duplicate one in <a href={`${admin}/themes`} target="_blank" rel="noopener">your shop’s themes</a>, change it there, and reload this page.</p>
          : <ul class="pick-list">
            {others.map(theme => {
              const isChosen = theme.id === variant
              return (
                <li key={theme.id} aria-current={isChosen ? 'true' : undefined}>
                  <span class="pick-words"><b>{theme.name}</b><small>Changed {formatDate(theme.updatedAt, timeZone)}</small></span>
                  <a href={`${admin}/themes/${encodeURIComponent(theme.id)}`} target="_blank" rel="noopener" aria-label={`Edit ${theme.name} in your shop`}>Edit<Icon name="external" /></a>
                  {isChosen ? <span class="badge" data-tone="good"><Icon name="check" />Variant</span> : <button class="secondary small" name="act" value={`theme.choose:${theme.id}`} aria-label={`Test this theme: ${theme.name}`}>Test this theme</button>}
                </li>
              )
            })}
          </ul>}
      </section>
      {compatibility && <Compatibility {...{ compatibility, timeZone }} />}
      {draft.variant && <div class="row"><button class="danger small" name="act" value="theme.remove:">Remove variant</button></div>}
    </StepCard>
  )
}

function Compatibility({ compatibility: { isCompatible, missing, checkedAt }, timeZone }: { compatibility: ThemeCompatibility; timeZone: string }) {
  return (
    <div class="banner" data-tone={isCompatible ? 'good' : 'bad'}>
      <Icon name={isCompatible ? 'check' : 'warning'} />
      <div>
        <strong>{isCompatible ? 'This theme can show every page of your shop.' : 'This theme cannot show every page of your shop.'}</strong>
        {!isCompatible && <> It lacks these templates:
          <ul class="banner-list">{missing.map(({ type, suffix, assignedCount, titles }) => (
            <li key={`${type} ${suffix}`}><code>{suffix ? `${type}.${suffix}` : type}</code>{assignedCount > 0 && <>, used by {assignedCount}: {titles.join(', ')}{assignedCount > titles.length && ' and others'}</>}</li>
          ))}</ul>
          Add them to the theme in your shop’s theme editor, or assign those pages to another template.</>}
        <span class="note"> Checked {formatMoment(checkedAt, timeZone)}.</span>
      </div>
      <div class="row"><button class="secondary small" name="act" value="theme.check:">Check again</button></div>
    </div>
  )
}
