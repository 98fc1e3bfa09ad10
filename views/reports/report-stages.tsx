import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount, formatRate } from '../../domain/figures.ts'
import {
  keptShare,
  losesUnevenly,
  lostAt,
  stageNames,
  worstStep,
  type StageName,
} from '../../domain/reports/stage-check.ts'
import { armNames, notInFile, passed, waiting, type Outcome } from './report-check.tsx'

export function stagesOutcome({ isImported, summary: { stages } }: Test): Outcome {
  if (isImported) return notInFile
  if (stages[0].assigned + stages[1].assigned === 0) return waiting
  return losesUnevenly(stages) ? { tone: 'warn', words: 'Uneven' } : passed()
}

const meanings: Record<StageName, string> = {
  assigned: 'Given an arm on a tested page',
  applied: 'The page showed the arm',
  exposed: 'The visitor saw the tested part',
  recorded: 'Counted in the figures',
}
const label = (stage: StageName) => stage.charAt(0).toUpperCase() + stage.slice(1)

/**
 * The stage ledger: how many visitors of each arm reach each stage, and how many are lost on the
 * way.
 */
export function Stages({
  test: {
    isImported,
    summary: { stages, bothArms, setAside },
  },
}: {
  test: Test
}) {
  if (isImported)
    return (
      <p class="note">
        The imported file says who was in which arm, but not how their page changed.{' '}
        {[bothArmsWords(bothArms), setAsideWords(setAside)].filter(Boolean).join(' ')}
      </p>
    )
  return (
    <>
      <section class="table-scroll" tabIndex={0} aria-label="Visitors by stage">
        <table class="table stage-table">
          <thead>
            <tr>
              <th scope="col">Arm</th>
              {stageNames.map(stage => (
                <th key={stage} scope="col" class="num">
                  <abbr title={meanings[stage]}>{label(stage)}</abbr>
                </th>
              ))}
              <th scope="col" class="num">
                <abbr title="Recorded visitors, as a share of those assigned">Kept</abbr>
              </th>
            </tr>
          </thead>
          <tbody>
            {armNames.map(([name, mark], i) => {
              const counts = stages[i as 0 | 1],
                kept = keptShare(counts)
              return (
                <tr key={name}>
                  <th scope="row">
                    <span class="arm">
                      <span class={mark} />
                      {name}
                    </span>
                  </th>
                  {stageNames.map(stage => (
                    <td key={stage} class="num">
                      {formatCount(counts[stage])}
                      <Lost share={lostAt(counts, stage)} />
                    </td>
                  ))}
                  <td class="num">{kept === null ? '–' : formatRate(kept, 1)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      <p class="note">
        {[worstWords(stages), bothArmsWords(bothArms), setAsideWords(setAside)]
          .filter(Boolean)
          .join(' ')}
      </p>
    </>
  )
}

const Lost = ({ share }: { share: number | null }) =>
  share === null ? null : (
    <span class="cell-sub">{share === 0 ? 'none lost' : `${formatRate(share, 1)} lost`}</span>
  )

function worstWords(stages: Test['summary']['stages']): string {
  const worst = worstStep(stages)
  if (!worst) return ''
  const { from, to, arm } = worst
  const lost = (index: 0 | 1) => formatRate(lostAt(stages[index], to) ?? 0, 1)
  return `The gap opens between ${from} and ${to}: the ${arm === 0 ? 'control' : 'variant'} loses ${lost(arm)} of its visitors there, the ${arm === 0 ? 'variant' : 'control'} ${lost(arm === 0 ? 1 : 0)}. ${causes[to]}`
}
const causes: Record<StageName, string> = {
  assigned: '',
  applied:
    'The page could not show them the arm: check for elements, templates or addresses that are missing on some pages.',
  exposed:
    'They left before they saw the tested part: check how long the arm takes to appear, and where it leads.',
  recorded:
    'They saw the test but are not counted: bots, visitors seen in both arms, or events that never arrived.',
}

const bothArmsWords = (n: number) =>
  n === 0
    ? 'No visitor was seen in both arms.'
    : n === 1
      ? '1 visitor was seen in both arms and is counted in neither.'
      : `${formatCount(n)} visitors were seen in both arms and are counted in neither.`
const setAsideWords = (n: number) =>
  n === 0
    ? ''
    : `${formatCount(n)} ${n === 1 ? 'event was' : 'events were'} ignored: the arm did not match the visitor, the visitor belongs to another test, the time was impossible, or the test was not running.`
