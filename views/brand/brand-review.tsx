import type { BrandStyle, FontEntry } from '../../domain/brand/brand-style.ts'
import { formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { patternWords, sourceWords } from './brand-sample.tsx'
import { familiesOf, FontsTable, Patterns } from './brand-pattern.tsx'
import { Icon } from '../icons.tsx'

type ReviewProps = {
  style: BrandStyle
  fonts: FontEntry[]
  /** Hash of what is shown, so that nothing else is saved. */
  mark: string
  kept: BrandStyle | null
  timeZone: string
  /** The shop changed after the review was shown and before it was saved. */
  hasChanged: boolean
}

const keep = 'keep-brand-style'

/** The review of what was read from the shop, before it is saved. */
export function BrandReview({ style, fonts, mark, kept, timeZone, hasChanged }: ReviewProps) {
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.brandStyles()}>
          Import brand styles
        </a>
        <h1>Review brand styles</h1>
        <form class="page-actions" id={keep} method="post" action={paths.brandStyles('review')}>
          <input type="hidden" name="mark" value={mark} />
          <a class="button quiet" href={paths.settings('brand-styles')}>
            Cancel
          </a>
          <button>Save brand styles</button>
        </form>
      </div>
      {hasChanged && (
        <div class="banner" data-tone="warn" role="alert">
          <Icon name="warning" />
          <div>
            <strong>Your shop has changed since it was shown.</strong> This is how it looks now.
            Nothing is saved yet.
          </div>
        </div>
      )}
      {kept && (
        <div class="banner" data-tone="accent">
          <Icon name="info" />
          <div>
            This replaces the brand styles
            {kept.updatedAt && ` of ${formatDate(kept.updatedAt, timeZone)}`}, including the changes
            you made to them.
          </div>
        </div>
      )}
      <section class="card" aria-labelledby="fonts">
        <div class="card-head">
          <h2 id="fonts">Fonts</h2>
          <div class="row">
            <KeepAndEdit name="fonts" what="fonts" />
          </div>
        </div>
        <FontsTable style={style} />
        <details class="brand-found">
          <summary>
            {fonts.length === 1 ? 'The one font' : `All ${fonts.length} fonts`} your shop can use
          </summary>
          <FoundFonts fonts={fonts} />
        </details>
      </section>
      <h2>Patterns</h2>
      <Patterns
        style={style}
        action={name => <KeepAndEdit name={name} what={patternWords(name)} />}
      />
    </>
  )
}

/** Only saved styles can be edited, so this button saves first, and its label says so. */
const KeepAndEdit = ({ name, what }: { name: string; what: string }) => (
  <button
    class="secondary small"
    form={keep}
    name="edit"
    value={name}
    aria-label={`Save and edit ${what}`}
  >
    <Icon name="pencil" />
    Save and edit
  </button>
)

const FoundFonts = ({ fonts }: { fonts: FontEntry[] }) => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Font</th>
          <th scope="col">Weights and styles</th>
          <th scope="col">Source</th>
          <th scope="col">Stylesheet</th>
        </tr>
      </thead>
      <tbody>
        {familiesOf(fonts).map(({ family, weights, source, stylesheet }) => (
          <tr key={family}>
            <th scope="row">{family}</th>
            <td>{weights}</td>
            <td>{sourceWords[source]}</td>
            <td class="brand-sheet">{stylesheet ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
