import type { Test } from '../domain/ab-test.ts'
import { formatChance, formatCount, formatRate } from '../domain/figures.ts'
import { differ } from '../domain/stage-check.ts'
import type { WithBots } from '../domain/summary.ts'
import { verdictBadge } from '../domain/verdict-words.ts'
import { notInFile, passed, waiting, type Outcome } from './report-check.tsx'
import { Lift } from './result.tsx'

export function botsOutcome({ isImported, summary: { bots, visitors, verdict, withBots } }: Test): Outcome {
  if (isImported) return notInFile
  const all = bots[0] + bots[1] + visitors[0] + visitors[1]
  if (all === 0) return waiting
  const share = `${formatRate((bots[0] + bots[1]) / all, 1)} of visitors`
  const isUneven = differ([bots[0], bots[0] + visitors[0]], [bots[1], bots[1] + visitors[1]])
  // Beside a verdict that was reached, what today's figures would say is another question.
  return isUneven || (withBots !== null && verdict.reachedAt === null && withBots.kind !== verdict.kind) ? { tone: 'warn', words: share } : passed(share)
}

/** Each arm's share of bots, and the verdict with and without them. */
export function Bots({ test }: { test: Test }) {
  const { bots, visitors, withBots } = test.summary
  if (test.isImported) return <p class="note">The file does not tell what browser a visitor had, so no bot could be told from a shopper.</p>
  if (bots[0] + bots[1] === 0) return <p class="note">None was met so far. Bots are flagged and left out.</p>
  const share = (i: 0 | 1) => formatRate(bots[i] / Math.max(1, bots[i] + visitors[i]), 1)
  return (
    <>
      <p class="note">{formatCount(bots[0] + bots[1])} flagged and left out: {share(0)} in control, {share(1)} in the variant.</p>
      {withBots && <BothWays test={test} withBots={withBots} />}
    </>
  )
}

function BothWays({ test: { goal, status, summary: { goals, visitors, verdict } }, withBots }: { test: Test; withBots: WithBots }) {
  const { lift, chanceToWin } = goals.find(result => result.goal === goal)!
  const rows = [
    { name: 'Without bots, as reported', visitors, lift, chanceToWin, words: verdictBadge(verdict, status).label },
    { name: 'With bots', ...withBots, words: verdictBadge(withBots, status).label },
  ]
  return (
    <section class="table-scroll" tabIndex={0} aria-label="Verdict with and without bots">
      <table class="table">
        <thead><tr><th scope="col">Verdict</th><th scope="col" class="num">Control</th><th scope="col" class="num">Variant</th><th scope="col" class="num">Lift</th><th scope="col" class="num">Chance to win</th><th scope="col">Reads</th></tr></thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th><td class="num">{formatCount(row.visitors[0])}</td><td class="num">{formatCount(row.visitors[1])}</td>
              <td class="num"><Lift value={row.lift} tone="neutral" /></td><td class="num">{row.chanceToWin === null ? '–' : formatChance(row.chanceToWin)}</td><td>{row.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
