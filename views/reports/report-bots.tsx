import type { Test } from '../../domain/tests/ab-test.ts'
import { formatChance, formatCount, formatRate } from '../../domain/figures.ts'
import { differ } from '../../domain/reports/stage-check.ts'
import type { WithBots } from '../../domain/reports/summary.ts'
import { verdictBadge } from '../../domain/reports/verdict-words.ts'
import { notInFile, passed, waiting, type Outcome } from './report-check.tsx'
import { Lift } from '../result.tsx'

export function botsOutcome({
  isImported,
  summary: { bots, visitors, verdict, withBots },
}: Test): Outcome {
  if (isImported) return notInFile
  const all = bots[0] + bots[1] + visitors[0] + visitors[1]
  if (all === 0) return waiting
  const words = `${formatRate(share(bots, visitors), 1)} of visitors`
  const isUneven = differ([bots[0], bots[0] + visitors[0]], [bots[1], bots[1] + visitors[1]])
  // A verdict that was reached stays, so it is not compared with what today's figures say with
  // bots.
  if (share(bots, visitors) > manyBots) return { tone: 'warn', words }
  return isUneven ||
    (withBots !== null && verdict.reachedAt === null && withBots.kind !== verdict.kind)
    ? { tone: 'warn', words }
    : passed(words)
}

/** Above this share of bots, the traffic itself is suspect. */
const manyBots = 0.3
const share = ([a, b]: Both, [control, variant]: Both): number =>
  (a + b) / Math.max(1, a + b + control + variant)
type Both = readonly [number, number]

/** Each arm's share of bots, and the verdict with and without them. */
export function Bots({ test }: { test: Test }) {
  const { bots, visitors, withBots } = test.summary
  if (test.isImported)
    return <p class="note">The imported file does not name browsers, so bots cannot be excluded.</p>
  if (bots[0] + bots[1] === 0) return <p class="note">Bots excluded: none so far.</p>
  const shareOf = (i: 0 | 1) => formatRate(bots[i] / Math.max(1, bots[i] + visitors[i]), 1),
    count = bots[0] + bots[1]
  return (
    <>
      <p class="note">
        Bots excluded: {formatCount(count)} {count === 1 ? 'visitor' : 'visitors'} ({shareOf(0)} of
        control, {shareOf(1)} of the variant).
        {share(bots, visitors) > manyBots &&
          ' That is unusually many: find out where this traffic comes from before you trust the figures.'}
      </p>
      {withBots && <BothWays test={test} withBots={withBots} />}
    </>
  )
}

function BothWays({
  test: {
    goal,
    status,
    summary: { goals, visitors, verdict },
  },
  withBots,
}: {
  test: Test
  withBots: WithBots
}) {
  const { lift, chanceToWin } = goals.find(result => result.goal === goal)!
  const rows = [
    {
      name: 'Without bots (as reported)',
      visitors,
      lift,
      chanceToWin,
      words: verdictBadge(verdict, status).label,
    },
    { name: 'With bots', ...withBots, words: verdictBadge(withBots, status).label },
  ]
  return (
    <section class="table-scroll" tabIndex={0} aria-label="Verdict with and without bots">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Figures</th>
            <th scope="col" class="num">
              Control
            </th>
            <th scope="col" class="num">
              Variant
            </th>
            <th scope="col" class="num">
              Lift
            </th>
            <th scope="col" class="num">
              Chance to win
            </th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td class="num">{formatCount(row.visitors[0])}</td>
              <td class="num">{formatCount(row.visitors[1])}</td>
              <td class="num">
                <Lift value={row.lift} tone="neutral" />
              </td>
              <td class="num">{row.chanceToWin === null ? '–' : formatChance(row.chanceToWin)}</td>
              <td>{row.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
