import type { Test } from '../domain/ab-test.ts'
import { formatDate } from '../domain/figures.ts'
import { paths } from '../domain/paths.ts'
import { testKinds } from '../domain/test-kind.ts'
import { canMove } from '../domain/test-status.ts'
import { Confirm } from './confirm.tsx'
import { Icon } from './icons.tsx'
import { StatusBadge } from './result.tsx'

type HeadProps = { test: Test; timeZone: string; now: Date; rename?: { typed: string; problem: string } }

/** A report's name, state, facts and acts. Only the acts its state allows are there. */
export function ReportHead({ test, timeZone, now, rename }: HeadProps) {
  const may = (to: 'Active' | 'Paused' | 'Ended') => canMove('merchant', test.status, to)
  return (
    <div class="page-head">
      <a class="back-link" href={paths.home()}>← Tests</a>
      <h1>{test.title}</h1>
      <button class="quiet small icon-only" type="button" command="show-modal" commandfor="rename-test" aria-label="Rename test" title="Rename test"><Icon name="pencil" /></button>
      <StatusBadge status={test.status} />
      {test.isDemo && <span class="demo-label">Demo data</span>}
      <div class="page-actions">
        {test.status !== 'Ended' && (
          <details class="menu">
            <summary class="button quiet"><Icon name="eye" /><span class="label">Preview</span></summary>
            <ul class="menu-list">
              <li><a href={test.previewUrls[0]} target="_blank" rel="noopener"><span class="arm-mark arm-mark-control" />Control on the shop</a></li>
              <li><a href={test.previewUrls[1]} target="_blank" rel="noopener"><span class="arm-mark" />Variant on the shop</a></li>
            </ul>
          </details>
        )}
        {may('Paused') && <button class="secondary" type="button" command="show-modal" commandfor="pause-test"><Icon name="pause" />Pause</button>}
        {may('Active') && test.status !== 'Scheduled' && <form method="post" action={paths.resume(test.id)}><button><Icon name="play" />Resume</button></form>}
        {may('Ended') && <button class="secondary" type="button" command="show-modal" commandfor="end-test">End test</button>}
      </div>
      <p class="note page-facts">{facts(test, timeZone, now).join(' · ')}</p>
      {may('Paused') && (
        <Confirm id="pause-test" title={`Pause ${test.title}?`} action={paths.pause(test.id)} act="Pause test" keep="Keep running" tone="secondary">
          All visitors see the control at once, and nothing is counted until you resume. Each whole day of pause moves the planned end by a day.
        </Confirm>
      )}
      {may('Ended') && (
        <Confirm id="end-test" title={`End ${test.title}?`} action={paths.end(test.id)} act="End test" keep={test.status === 'Active' ? 'Keep running' : 'Keep it'}>
          All visitors see the control again. The result is kept; the test cannot be started again.
          {test.summary.verdict.reachedAt === null && ' No verdict has been reached yet, so it would end without one.'}
        </Confirm>
      )}
      <RenameDialog test={test} rename={rename} />
    </div>
  )
}

function RenameDialog({ test, rename }: { test: Test; rename: HeadProps['rename'] }) {
  return (
    <dialog id="rename-test" aria-labelledby="rename-title" open={rename !== undefined}>
      <form class="modal" method="post" action={paths.rename(test.id)}>
        <h2 id="rename-title">Rename this test</h2>
        <div class="field">
          <label for="new-title">Name</label>
          <input id="new-title" name="title" required maxLength={120} value={rename?.typed ?? test.title} autocomplete="off"
            aria-invalid={rename ? 'true' : undefined} aria-describedby={rename ? 'new-title-problem' : undefined} />
          {rename && <span class="field-error" id="new-title-problem"><Icon name="warning" />{rename.problem}</span>}
        </div>
        <footer>
          <button class="secondary" type="button" command="close" commandfor="rename-test">Cancel</button>
          <button>Rename test</button>
        </footer>
      </form>
    </dialog>
  )
}

const day = 86_400_000

function facts({ kind, pages, status, startAt, endsAt, endedAt, weights }: Test, timeZone: string, now: Date): string[] {
  const shown = pages.slice(0, 2).join(', ')
  const where = pages.length > 2 ? `${shown} and ${pages.length - 2} more` : shown
  const split = `${weights.map(w => Number((w * 100).toFixed(2))).join(' / ')} split`
  const what = `${testKinds[kind].label} test${where ? ` on ${where}` : ''}`
  if (!startAt) return [what, split]
  const started = formatDate(startAt, timeZone)
  const days = (until: number) => Math.max(1, Math.ceil((until - Date.parse(startAt)) / day))
  if (endedAt) return [what, `Ran ${started} to ${formatDate(endedAt, timeZone)}`, `${days(Date.parse(endedAt))} days`, split]
  const planned = endsAt ? Math.round((Date.parse(endsAt) - Date.parse(startAt)) / day) : null
  const today = days(now.getTime())
  return [
    what, `Started ${started}`,
    ...(status === 'Active' ? [planned !== null && today <= planned ? `Day ${today} of ${planned}` : `Day ${today}`] : []),
    ...(endsAt ? [`Planned end ${formatDate(endsAt, timeZone)}`] : []), split,
  ]
}
