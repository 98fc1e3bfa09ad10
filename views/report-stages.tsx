import type { Test } from '../domain/ab-test.ts'
import { formatCount, formatRate } from '../domain/figures.ts'
import { keptShare, losesUnevenly, lostAt, stageNames, worstStep, type StageName } from '../domain/stage-check.ts'
import { armNames, notInFile, passed, waiting, type Outcome } from './report-check.tsx'

export function stagesOutcome({ isImported, summary: { stages } }: Test): Outcome {
  if (isImported) return notInFile
  if (stages[0].assigned + stages[1].assigned === 0) return waiting
  return losesUnevenly(stages) ? { tone: 'warn', words: 'Uneven' } : passed()
}

const meanings: Record<StageName, string> = {
  assigned: 'Given an arm on a tested page', applied: 'The arm was put on the page', exposed: 'The visitor met the difference', recorded: 'Counted in the figures',
}
const label = (stage: StageName) => stage.charAt(0).toUpperCase() + stage.slice(1)

/** The stage ledger: how many of each arm get how far, and what is lost on the way. */
export function Stages({ test: { isImported, summary: { stages, bothArms, setAside } } }: { test: Test }) {
  if (isImported) return <p class="note">The file says who was in which arm, not how the arm came onto their page. {[bothArmsWords(bothArms), setAsideWords(setAside)].filter(Boolean).join(' ')}</p>
  return (
    <>
      <section class="table-scroll" tabIndex={0} aria-label="Visitors by stage">
        <table class="table stage-table">
          <thead><tr><th scope="col">Arm</th>{stageNames.map(stage => <th key={stage} scope="col" class="num"><abbr title={meanings[stage]}>{label(stage)}</abbr></th>)}<th scope="col" class="num"><abbr title="Recorded of all that were assigned">Kept</abbr></th></tr></thead>
          <tbody>
            {armNames.map(([name, mark], i) => {
              const counts = stages[i as 0 | 1], kept = keptShare(counts)
              return (
                <tr key={name}>
                  <th scope="row"><span class="arm"><span class={mark} />{name}</span></th>
                  {stageNames.map(stage => <td key={stage} class="num">{formatCount(counts[stage])}<Lost share={lostAt(counts, stage)} /></td>)}
                  <td class="num">{kept === null ? '–' : formatRate(kept, 1)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      <p class="note">{[worstWords(stages), bothArmsWords(bothArms), setAsideWords(setAside)].filter(Boolean).join(' ')}</p>
    </>
  )
}

const Lost = ({ share }: { share: number | null }) => (share === null ? null : <span class="cell-sub">{share === 0 ? 'none lost' : `${formatRate(share, 1)} lost`}</span>)

function worstWords(stages: Test['summary']['stages']): string {
  const worst = worstStep(stages)
  if (!worst) return ''
  const { from, to, arm } = worst
  const lost = (index: 0 | 1) => formatRate(lostAt(stages[index], to) ?? 0, 1)
  return `The arms part between ${from} and ${to}: there the ${arm === 0 ? 'control' : 'variant'} loses ${lost(arm)} of its visitors and the ${arm === 0 ? 'variant' : 'control'} ${lost(arm === 0 ? 1 : 0)}. ${causes[to]}`
}
const causes: Record<StageName, string> = {
  assigned: '',
  applied: 'The arm could not be put on the page for them: look for elements, templates or addresses that are missing on some pages.',
  exposed: 'They went before they met the difference: look at how long the arm takes to show, and where it leads.',
  recorded: 'They met the difference but are not counted: bots, visitors seen in both arms, or messages that never arrived.',
}

const bothArmsWords = (n: number) => n === 0 ? 'No visitor was seen in both arms.'
  : n === 1 ? '1 visitor was seen in both arms and is counted in neither.' : `${formatCount(n)} visitors were seen in both arms and are counted in neither.`
const setAsideWords = (n: number) => n === 0 ? ''
  : `${formatCount(n)} ${n === 1 ? 'event was' : 'events were'} set aside: of an arm that does not fit the visitor, of a visitor who was given to another test, from a far-off time, or while the test did not run.`
