import {
  startLines,
  type StartChecklist,
  type StartStep,
} from '../../domain/tests/start-checklist.ts'
import { scriptOffWords } from '../../domain/script/script-state.ts'
import { paths } from '../../domain/paths.ts'
import { Icon } from '../icons.tsx'
import { listPath } from '../list-links.tsx'

const where: Record<StartStep, string | null> = {
  script: null,
  draft: paths.draft(),
  launch: listPath({ tab: 'Draft' }),
  result: paths.home(),
}
const acts: Record<StartStep, string> = {
  script: scriptOffWords.action,
  draft: 'Create a test',
  launch: 'Open your drafts',
  result: 'See running tests',
}

/**
 * The first steps of a new store. What the store has decides which are ticked. Once dismissed, the
 * card is gone for everyone who works on the store.
 */
export function TestsStart({ done, back }: { done: StartChecklist; back: string }) {
  const lines = startLines(done)
  return (
    <section class="card start-card" aria-labelledby="start-title">
      <div class="card-head">
        <h2 id="start-title">First steps</h2>
        <span class="note">
          {lines.filter(({ isDone }) => isDone).length} of {lines.length} done
        </span>
        <form class="row" method="post" action={paths.dismissChecklist()}>
          <input type="hidden" name="back" value={back} />
          <button
            class="quiet small icon-only"
            aria-label="Dismiss the first steps"
            title="Dismiss"
          >
            <Icon name="close" />
          </button>
        </form>
      </div>
      <ol class="start-list plain-list">
        {lines.map(({ step, isDone, words, isNext, address }) => (
          <li key={step}>
            <Icon name={isDone ? 'check' : 'draft'} tone={isDone ? 'good' : 'neutral'} />
            <span class={isDone ? 'muted' : undefined}>
              {words}
              {isDone && <span class="visually-hidden">, done</span>}
            </span>
            {address && (
              <a class="button secondary small" href={address} target="_blank" rel="noopener">
                {acts[step]}
              </a>
            )}
            {isNext && where[step] && (
              <a class="button secondary small" href={where[step]}>
                {acts[step]}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
