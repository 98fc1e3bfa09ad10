import type { BrandStyle } from '../../domain/brand/brand-style.ts'
import { formatDate, formatTime } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { NoBrandStyle } from './brand-import.tsx'
import { FontsTable, Patterns } from './brand-pattern.tsx'
import { patternWords } from './brand-sample.tsx'
import { Icon } from '../icons.tsx'
import { SettingsNav } from '../settings-nav.tsx'

/** The settings page with the saved brand style. */
export const BrandSettings = ({
  style,
  timeZone,
}: {
  style: BrandStyle | null
  timeZone: string
}) => (
  <>
    <SettingsNav current="brand-styles" />
    <div class="page-head">
      <h1>Brand styles</h1>
      {style && (
        <div class="page-actions">
          <a class="button secondary" href={paths.brandStyles()}>
            Import again
          </a>
        </div>
      )}
      {style?.updatedAt && (
        <p class="note page-facts">
          Last changed on {formatDate(style.updatedAt, timeZone)} at{' '}
          {formatTime(style.updatedAt, timeZone)}.
        </p>
      )}
    </div>
    {style && (
      <p class="muted">
        The editor uses these styles: what you insert into a page takes them, and its colour pickers
        offer your colours first.
      </p>
    )}
    {style ? <Kept style={style} /> : <NoBrandStyle level={2} />}
  </>
)

const Kept = ({ style }: { style: BrandStyle }) => (
  <>
    <section class="card" aria-labelledby="fonts">
      <div class="card-head">
        <h2 id="fonts">Fonts</h2>
        <div class="row">
          <EditLink what="fonts" />
        </div>
      </div>
      <FontsTable style={style} />
    </section>
    <h2>Patterns</h2>
    <Patterns style={style} action={name => <EditLink name={name} what={patternWords(name)} />} />
  </>
)

const EditLink = ({ name, what }: { name?: string; what: string }) => (
  <a
    class="button secondary small"
    href={paths.brandStyles('edit', name)}
    aria-label={`Edit ${what}`}
  >
    <Icon name="pencil" />
    Edit
  </a>
)
