import type { BrandStyle } from '../../domain/brand/brand-style.ts'
import { formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { Icon } from '../icons.tsx'
import { Notice } from '../notice.tsx'

export type ReadingProblem = {
  text: string
  /** Id of a request that failed on our side or the shop's. */ uuid: string | null
}

/** The page that explains the import, with the button that starts it. */
export function BrandImport({
  kept,
  timeZone,
  problem,
}: {
  kept: BrandStyle | null
  timeZone: string
  problem?: ReadingProblem
}) {
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.settings('brand-styles')}>
          Brand styles
        </a>
        <h1>Import brand styles</h1>
      </div>
      {problem && (
        <div class="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <div>
            <strong>Your shop could not be read.</strong> {problem.text} Nothing was changed.
            {problem.uuid && (
              <p class="note">
                Request <code>{problem.uuid}</code>
              </p>
            )}
          </div>
        </div>
      )}
      <div class="columns-wide-narrow">
        <section class="card" aria-labelledby="how">
          <div class="card-head">
            <h2 id="how">How your shop looks</h2>
          </div>
          <div class="card-body stack">
            <p>
              Twinshelf reads your live shop’s home page, a collection and a product, with their
              stylesheets, and works out from them:
            </p>
            <ul class="brand-list">
              <li>the fonts of titles, body text, labels and buttons,</li>
              <li>
                the colours and corners of its sections: content, product cards and highlights,
              </li>
              <li>the style and size of its buttons.</li>
            </ul>
            <p class="muted">
              It only reads: nothing in your shop changes, and nothing is saved before you have seen
              it. It takes a few seconds.
            </p>
            <form method="post" action={paths.brandStyles()}>
              <button>{problem ? 'Try again' : 'Read my shop'}</button>
            </form>
          </div>
        </section>
        {problem && !kept && <ByHand />}
        {kept && (
          <aside class="card" aria-labelledby="kept">
            <div class="card-head">
              <h2 id="kept">Saved now</h2>
            </div>
            <div class="card-body stack">
              <p>
                {kept.updatedAt && `Last changed on ${formatDate(kept.updatedAt, timeZone)}. `}Once
                you save an import, it replaces these styles.
              </p>
              <a href={paths.settings('brand-styles')}>See saved styles</a>
            </div>
          </aside>
        )}
      </div>
    </>
  )
}

/** The alternative when the shop cannot be read. */
const ByHand = () => (
  <aside class="card" aria-labelledby="by-hand">
    <div class="card-head">
      <h2 id="by-hand">Fill it in by hand</h2>
    </div>
    <div class="card-body stack">
      <p>
        Start from plain fonts, colours and buttons, and change each of them. You can import your
        shop’s own later.
      </p>
      <form method="post" action={paths.brandStyles()}>
        <button name="act" value="by-hand" class="secondary">
          Start from plain styles
        </button>
      </form>
    </div>
  </aside>
)

/** Shown where a brand style should be edited and none is saved. */
export const NoBrandStyle = ({ level }: { level: 1 | 2 }) => (
  <Notice
    level={level}
    title="No brand styles yet"
    actions={
      <a class="button" href={paths.brandStyles()}>
        Import brand styles
      </a>
    }
  >
    Fonts, colours and buttons of your shop, read from its live pages. You can change every one of
    them afterwards.
  </Notice>
)
