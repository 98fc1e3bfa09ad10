import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount } from '../../domain/figures.ts'
import { networksId, paths } from '../../domain/paths.ts'
import type { AsideCounts } from '../../domain/reports/summary.ts'
import { passed, type Outcome } from './report-check.tsx'

/** Null when no network stood out: the report then has no such check. */
export function networksOutcome({ summary: { aside } }: Test): Outcome | null {
  if (!aside || (asideVisitors(aside) === 0 && aside.warned === 0)) return null
  return aside.warned > 0
    ? {
        tone: 'warn',
        words: aside.warned === 1 ? 'One stands out' : `${formatCount(aside.warned)} stand out`,
      }
    : passed(`${formatCount(asideVisitors(aside))} set aside`)
}

const asideVisitors = ({ visitors: [control, variant] }: AsideCounts): number => control + variant

/** Visitors who were set aside with their network, and networks that were only warned about. */
export function Networks({ aside }: { aside: AsideCounts }) {
  const count = asideVisitors(aside),
    { networks, warned } = aside
  return (
    <>
      {count > 0 && (
        <p class="note">
          {formatCount(count)} {count === 1 ? 'visitor' : 'visitors'} from{' '}
          {networks === 1 ? 'one network' : `${formatCount(networks)} networks`}{' '}
          {count === 1 ? 'was' : 'were'} set aside. They are in no arm and do not use up your plan.
        </p>
      )}
      {warned > 0 && (
        <p class="note">
          {warned === 1 ? 'One network' : `${formatCount(warned)} networks`} brought far more new
          visitors within an hour than is usual for your shop.{' '}
          {warned === 1 ? 'Its visitors' : 'Their visitors'} ordered too, so they are counted.
        </p>
      )}
      <p class="note screen-only">
        Within 48 hours you can change this in{' '}
        <a href={`${paths.settings('preferences')}#${networksId}`}>Preferences</a>.
      </p>
    </>
  )
}
