import type { Test } from '../../domain/tests/ab-test.ts'
import { formatLift, formatNearDate } from '../../domain/figures.ts'
import { verdictWords } from '../../domain/reports/verdict-words.ts'
import { Icon } from '../icons.tsx'
import { resultOf } from './tabs/report-goals-result.ts'
import { verdictIcons } from '../result.tsx'

type VerdictProps = { test: Test; currency: string; timeZone: string; now: Date }

/**
 * Did it work? One sentence, why it can be said, and what to do next; always about the primary
 * goal.
 */
export function ReportVerdict({ test, currency, timeZone, now }: VerdictProps) {
  const { kind, reachedAt } = test.summary.verdict,
    reached = reachedAt === null ? null : test.summary.verdict.lift
  const words = verdictWords({ test, currency, timeZone, now })
  const { lift, interval } = resultOf(test, test.goal)
  const hasMoved = reached !== null && lift !== null && formatLift(reached) !== formatLift(lift)
  return (
    <section class="verdict" data-tone={words.tone} aria-label="Verdict">
      <span class="verdict-mark">
        <Icon name={verdictIcons[kind]} />
      </span>
      <div class="verdict-text">
        <b>{words.label}</b>
        <p>{words.headline}</p>
        <p>
          {words.reason} {words.next}
        </p>
        {words.cost && <p class="verdict-more">{words.cost}</p>}
        {words.since && <p class="verdict-more">{words.since}</p>}
      </div>
      {kind === 'splitBroken' ? (
        <a class="button secondary small" href="#trust">
          See where
        </a>
      ) : (
        lift !== null &&
        interval !== null && (
          <div class="num">
            {/* The figure with which the verdict was reached; today's is in the row. */}
            <b class="lift goal-figure">{formatLift(reached ?? lift)}</b>
            <span class="note">
              {hasMoved
                ? `when the verdict was reached on ${formatNearDate(reachedAt!, timeZone, now)}`
                : `90% interval ${formatLift(interval[0])} to ${formatLift(interval[1])}`}
            </span>
          </div>
        )
      )}
    </section>
  )
}
