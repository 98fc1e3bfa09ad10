import { digestLines, type DigestLine, type ListDigest } from '../../domain/tests/list-digest.ts'
import { formatCount } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { Icon, type IconName } from '../icons.tsx'
import { listPath } from '../list-links.tsx'

const looks: Record<DigestLine['kind'], { icon: IconName; tone: string }> = {
  winner: { icon: 'winner', tone: 'good' },
  loser: { icon: 'loser', tone: 'bad' },
  onHold: { icon: 'warning', tone: 'warn' },
  suspended: { icon: 'warning', tone: 'bad' },
  undecided: { icon: 'half', tone: 'neutral' },
}

/**
 * Where a line leads: for one test to its report, for several to their list with the clearest
 * first.
 */
const whereOf = ({ test, tab, order }: DigestLine): string =>
  test
    ? paths.report(test)
    : listPath(order ? { tab, sort: 'chanceToWin', descending: order === 'best' } : { tab })

/** One line that says what waits for the merchant. Nothing for a store without tests. */
export function TestsDigest({
  digest,
  hasTests,
  now,
}: {
  digest: ListDigest
  hasTests: boolean
  now: Date
}) {
  const lines = digestLines(digest, now)
  if (lines.length === 0 && !hasTests) return null
  return (
    <ul class="digest page-facts" aria-label="What waits for you">
      {lines.map(line => (
        <li key={line.tab + line.kind}>
          <Icon name={looks[line.kind].icon} tone={looks[line.kind].tone} />
          <a href={whereOf(line)}>
            <b>{formatCount(line.count)}</b> {line.words}
          </a>
        </li>
      ))}
      {lines.length === 0 && (
        <li>
          <Icon name="check" tone="good" />
          You’re all caught up
        </li>
      )}
    </ul>
  )
}
