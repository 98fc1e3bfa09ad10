import type { ComponentChildren } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import { whyNotApplied } from '../../domain/tests/apply-words.ts'
import { formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { plannedDays } from '../../domain/tests/planned-end.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { canMove } from '../../domain/tests/test-status.ts'
import { day } from '../../domain/time-units.ts'
import { Icon } from '../icons.tsx'
import { asking, opens } from '../modal.tsx'
import { StatusBadge } from '../result.tsx'
import { applyAct } from '../tests/test-apply.tsx'
import { TestDetails } from '../tests/test-details.tsx'
import { DeleteTest, EndTest, PauseTest, StartTest } from '../tests/test-dialogs.tsx'
import { TestMore } from '../tests/test-more.tsx'
import { TestSchedule } from '../tests/test-schedule.tsx'
import { SampleLabel } from '../sample-label.tsx'

/** The dialogs that every report has, closed, if the test's status allows their act. */
export const headDialogs = ['details', 'schedule', 'pause', 'start', 'end', 'delete'] as const
/**
 * A dialog that is open when the page arrives, because a link asked for its act or its form was
 * refused. `view` replaces the closed dialog of the same name.
 */
export type OpenDialog =
  | { name: (typeof headDialogs)[number]; view?: ComponentChildren }
  | { name: 'apply' | 'variant' | 'phone' | 'orders'; view: ComponentChildren }
type HeadProps = { test: Test; timeZone: string; now: Date; dialog?: OpenDialog | undefined }

/** A report's name, status, facts and acts. It has only the acts that the status allows. */
export function ReportHead({ test, timeZone, now, dialog }: HeadProps) {
  const may = (to: 'Active' | 'Paused' | 'Ended') => canMove('merchant', test.status, to)
  const isScheduled = test.status === 'Scheduled'
  const asks = (ask: string) => asking(paths.report(test.id), ask),
    isAsked = (name: OpenDialog['name']) => dialog?.name === name
  return (
    <div class="page-head">
      <a class="back-link" href={paths.home()}>
        ← Tests
      </a>
      <h1>{test.title}</h1>
      <a
        class="button quiet small icon-only"
        {...opens('test-details', asks('details'))}
        aria-label="Edit name and hypothesis"
        title="Edit name and hypothesis"
      >
        <Icon name="pencil" />
      </a>
      <StatusBadge status={test.status} />
      {test.appliedArm && test.appliedAt && (
        <span class="badge" data-tone="good">
          <Icon name="check" />
          {test.appliedArm === 'variant' ? 'Variant' : 'Control'} applied{' '}
          {formatDate(test.appliedAt, timeZone)}
        </span>
      )}
      <SampleLabel isDemo={test.isDemo} />
      {test.isImported && (
        <span class="origin-label" title="Imported from a file of a past experiment">
          Imported
        </span>
      )}
      <div class="page-actions">
        {test.status !== 'Ended' && (
          <details class="menu">
            <summary class="button quiet">
              <Icon name="eye" />
              <span class="label">Preview</span>
            </summary>
            <ul class="menu-list">
              <li>
                <a href={test.previewUrls[0]} target="_blank" rel="noopener">
                  <span class="arm-mark arm-mark-control" />
                  Control on the shop
                </a>
              </li>
              <li>
                <a href={test.previewUrls[1]} target="_blank" rel="noopener">
                  <span class="arm-mark" />
                  Variant on the shop
                </a>
              </li>
              <li>
                <a href={asks('phone')}>
                  <Icon name="phone" />
                  On your phone…
                </a>
              </li>
            </ul>
          </details>
        )}
        {may('Paused') && (
          <a class="button secondary" {...opens('pause-test', asks('pause'))}>
            <Icon name="pause" />
            Pause
          </a>
        )}
        {/* A test on hold is resumed next to its cause (test-stopped.tsx). */}
        {test.status === 'Paused' && (
          <form method="post" action={paths.resume(test.id)}>
            <button>
              <Icon name="play" />
              Resume
            </button>
          </form>
        )}
        {isScheduled && (
          <a class="button secondary" {...opens('start-test', asks('start'))}>
            <Icon name="play" />
            Start now
          </a>
        )}
        {may('Ended') && (
          <a class="button secondary" {...opens('end-test', asks('end'))}>
            End test
          </a>
        )}
        {mayApply(test) && (
          <a class={isWinner(test) ? 'button' : 'button secondary'} href={asks('apply-variant')}>
            <Icon name="check" />
            {applyAct(test.status, 'variant')}
          </a>
        )}
        <TestMore test={test} />
      </div>
      <p class="note page-facts">{facts(test, timeZone, now).join(' · ')}</p>
      {may('Paused') && <PauseTest test={test} isOpen={isAsked('pause')} />}
      {isScheduled && <StartTest test={test} isOpen={isAsked('start')} />}
      {may('Ended') && <EndTest test={test} isOpen={isAsked('end')} />}
      <DeleteTest test={test} isOpen={isAsked('delete')} />
      {!(dialog?.view && dialog.name === 'details') && (
        <TestDetails test={test} isOpen={isAsked('details')} />
      )}
      {test.status !== 'Ended' && !(dialog?.view && dialog.name === 'schedule') && (
        <TestSchedule test={test} timeZone={timeZone} isOpen={isAsked('schedule')} />
      )}
      {dialog?.view}
    </div>
  )
}

const isWinner = (test: Test): boolean => test.summary.verdict.kind === 'winner'
/**
 * Whether the button that applies the variant is on the page: for a winner, and for every ended
 * test. Otherwise it is in the menu.
 */
const mayApply = (test: Test): boolean =>
  (isWinner(test) || test.status === 'Ended') &&
  test.appliedArm === null &&
  whyNotApplied(test) === null

function facts(
  { kind, pages, status, startAt, endsAt, endedAt, weights }: Test,
  timeZone: string,
  now: Date,
): string[] {
  const shown = pages.slice(0, 2).join(', ')
  const where = pages.length > 2 ? `${shown} and ${pages.length - 2} more` : shown
  const split = `${weights.map(w => Number((w * 100).toFixed(2))).join(' / ')} split`
  const what = `${testKinds[kind].label} test${where && where !== '*' ? ` on ${where}` : ''}`
  if (!startAt) return [what, split]
  const started = formatDate(startAt, timeZone)
  const days = (until: number) => Math.max(1, Math.ceil((until - Date.parse(startAt)) / day))
  if (endedAt)
    return [
      what,
      `Ran ${started} to ${formatDate(endedAt, timeZone)}`,
      days(Date.parse(endedAt)) === 1 ? '1 day' : `${days(Date.parse(endedAt))} days`,
      split,
    ]
  const planned = endsAt === null ? null : plannedDays(startAt, endsAt)
  const today = days(now.getTime())
  return [
    what,
    `Started ${started}`,
    ...(status === 'Active'
      ? [planned !== null && today <= planned ? `Day ${today} of ${planned}` : `Day ${today}`]
      : []),
    ...(endsAt ? [`Planned end ${formatDate(endsAt, timeZone)}`] : []),
    split,
  ]
}
