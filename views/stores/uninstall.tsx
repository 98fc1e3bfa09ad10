import { Fragment } from 'preact'
import { formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import {
  type LastUninstall,
  longestReason,
  uninstallCategories,
} from '../../domain/stores/store-uninstall.ts'
import type { ScriptWinner } from '../../domain/script/script-winner.ts'
import type { StoreInfo } from '../../domain/stores/store.ts'
import { DraftField, Problem } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'
import { asking, Close } from '../modal.tsx'
import { SettingsNav } from '../settings-nav.tsx'
import { Remains } from './uninstall-remains.tsx'

type UninstallProps = {
  store: StoreInfo
  /** How many tests are running, scheduled, paused, on hold or suspended. */
  unfinished: number
  /** Applied winners that end with our script. */
  winners: readonly ScriptWinner[]
  last: LastUninstall | null
  typed?: { category: string; reason: string }
  problems?: FieldProblem[]
  /** The merchant asked to uninstall, and must confirm it. */
  isAsked?: boolean
}
const confirmId = 'confirm-uninstall'

/**
 * The page of an uninstall: the merchant's reason, what happens, and the dialog that confirms it.
 */
export function Uninstall({
  store,
  unfinished,
  winners,
  last,
  typed = { category: '', reason: '' },
  problems = [],
  isAsked = false,
}: UninstallProps) {
  const ending =
    unfinished === 0
      ? null
      : unfinished === 1
        ? 'One unfinished test ends.'
        : `${unfinished} unfinished tests end.`
  const problem = problems.find(({ field }) => field === 'category')
  return (
    <>
      <SettingsNav current="uninstall" />
      <div class="page-head">
        <h1>Uninstall</h1>
        <p class="note page-facts">
          Remove Twinshelf from {store.name} and restore what tests changed.
        </p>
      </div>
      <div class="columns-wide-narrow">
        <form class="card" method="post" action={paths.settings('uninstall')}>
          <div class="card-head">
            <h2>Why are you leaving?</h2>
          </div>
          <div class="card-body stack">
            <fieldset class="field" aria-describedby={problem && 'category-problem'}>
              <legend>Main reason</legend>
              <div class="choice-grid">
                {Object.entries(uninstallCategories).map(([key, words], i) => (
                  <label key={key} class="choice">
                    <input
                      type="radio"
                      name="category"
                      value={key}
                      checked={key === typed.category}
                      aria-invalid={problem && i === 0 ? 'true' : undefined}
                    />
                    {words}
                    <span class="choice-tick">
                      <Icon name="check" />
                    </span>
                  </label>
                ))}
              </div>
              {problem && <Problem id="category-problem" message={problem.message} />}
            </fieldset>
            <DraftField
              name="reason"
              label="What should we have done better?"
              help="Optional. We read all of it."
              problems={problems}
              control={bound => (
                <textarea {...bound} rows={4} maxLength={longestReason}>
                  {typed.reason}
                </textarea>
              )}
            />
            <div class="row">
              {/* It sends the form, so that without script the page comes back with what was typed. */}
              <button
                class="danger"
                formaction={asking(paths.settings('uninstall'), 'uninstall')}
                data-modal={confirmId}
                aria-haspopup="dialog"
              >
                Uninstall Twinshelf
              </button>
            </div>
          </div>
          <dialog id={confirmId} aria-labelledby="confirm-uninstall-title" open={isAsked}>
            <div class="modal">
              <h2 id="confirm-uninstall-title">Uninstall Twinshelf from {store.name}?</h2>
              <p class="muted">
                {ending && `${ending} `}Your visitors see the original shop, with the winners that
                are part of the shop itself.{' '}
                {winners.length > 0 &&
                  `${winners.length === 1 ? 'One applied winner needs' : `${winners.length} applied winners need`} our script and ${winners.length === 1 ? 'ends' : 'end'}: ${winners.map(({ title }) => `“${title}”`).join(', ')}. `}
                The subscription ends. This cannot be stopped half way.
              </p>
              <footer>
                <Close href={paths.settings('uninstall')}>Keep Twinshelf</Close>
                <button class="danger">Uninstall</button>
              </footer>
            </div>
          </dialog>
        </form>
        <div class="stack">
          <section class="card" aria-labelledby="happens">
            <div class="card-head">
              <h2 id="happens">What happens</h2>
            </div>
            <div class="card-body">
              <ul class="points">
                {ending && <li>{ending}</li>}
                <li>
                  We restore the templates, theme files, prices and redirects that tests changed.
                </li>
                <li>We remove our script from the shop.</li>
                {winners.length > 0 && (
                  <li>
                    These applied winners need our script and end with it:{' '}
                    {winners.map(({ id, title }, i) => (
                      <Fragment key={id}>
                        {i > 0 && ', '}
                        <a href={paths.report(id)}>{title}</a>
                      </Fragment>
                    ))}
                    .
                  </li>
                )}
                <li>The subscription ends.</li>
              </ul>
            </div>
          </section>
          <section class="card" aria-labelledby="stays">
            <div class="card-head">
              <h2 id="stays">What stays</h2>
            </div>
            <div class="card-body">
              <ul class="points">
                <li>
                  Applied winners that are part of the shop itself (themes, templates, redirects,
                  prices), and anything you edited yourself. We list them at the end.
                </li>
                <li>
                  Your tests and results. You see them again if you reinstall Twinshelf. Winners
                  that need our script stay off until you switch them on.
                </li>
              </ul>
            </div>
          </section>
          {last?.finishedAt && (
            <LastTime last={last} finishedAt={last.finishedAt} timeZone={store.timeZone} />
          )}
        </div>
      </div>
    </>
  )
}

const LastTime = ({
  last,
  finishedAt,
  timeZone,
}: {
  last: LastUninstall
  finishedAt: string
  timeZone: string
}) => (
  <section class="card" aria-labelledby="last-time">
    <div class="card-head">
      <h2 id="last-time">Last time</h2>
    </div>
    <div class="card-body stack">
      <p>
        Twinshelf was uninstalled {last.by === 'merchant' ? 'here' : 'in the shop’s admin'} on{' '}
        {formatMoment(finishedAt, timeZone)}.
      </p>
      <Remains last={last} />
    </div>
  </section>
)
