import type { Test } from '../domain/ab-test.ts'
import { formatCount } from '../domain/figures.ts'
import { canCompareSpeed, formatSpeed, rateSpeed, slowerArm, speedRatings, speeds, type SpeedMetric } from '../domain/speed.ts'
import { Icon, type IconName } from './icons.tsx'
import { armNames, notInFile, passed, type Outcome } from './report-check.tsx'

const isMeasured = ({ summary: { speed } }: Test): boolean => speed.some(({ arms }) => arms.some(({ p75 }) => p75 !== null))
const slower = ({ summary: { speed } }: Test) => speed.flatMap(({ metric, arms }) => { const arm = slowerArm(metric, arms); return arm === null ? [] : [{ metric, arm, arms }] })

export function speedOutcome(test: Test): Outcome {
  if (test.isImported) return notInFile
  if (!isMeasured(test)) return { tone: 'neutral', words: 'Not measured yet' }
  if (!test.summary.speed.some(({ arms }) => canCompareSpeed(arms))) return { tone: 'neutral', words: 'Too few pages yet' }
  const found = slower(test)
  if (found.length === 0) return passed('Alike in both arms')
  const inArms = new Set(found.map(({ arm }) => arm))
  return { tone: 'warn', words: inArms.size === 2 ? 'Differs' : found[0]!.arm === 0 ? 'Control is slower' : 'Variant is slower' }
}

/** Page speed per arm, as visitors' own browsers measure it. An arm that is slower may lose by that alone. */
export function PageSpeed({ test }: { test: Test }) {
  if (test.isImported) return <p class="note">The file does not tell how fast the pages were.</p>
  if (!isMeasured(test)) return <p class="note">Browsers tell the speed of a tested page when it is left; the first figures come with the first visits.</p>
  return (
    <>
      <section class="table-scroll" tabIndex={0} aria-label="Page speed by arm">
        <table class="table speed-table">
          <thead><tr><th scope="col"><abbr title="Of pages as browsers tell them: those of a visitor who only later turns out to be a bot stay in">Three quarters of pages keep below</abbr></th>{armNames.map(([name, mark]) => <th key={name} scope="col"><span class="arm"><span class={mark} />{name}</span></th>)}</tr></thead>
          <tbody>
            {test.summary.speed.map(({ metric, arms }) => (
              <tr key={metric}>
                <th scope="row"><abbr title={speeds[metric].meaning}>{speeds[metric].short}</abbr><span class="cell-sub">{speeds[metric].label}</span></th>
                {arms.map((arm, i) => <td key={i}>{arm.p75 === null ? <span class="muted">–</span> : <Rated metric={metric} value={arm.p75} pages={arm.pages} />}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {slower(test).map(({ metric, arm, arms }) => <p key={metric} class="note">{slowerWords(metric, arm, arms.map(each => each.p75!) as [number, number])}</p>)}
    </>
  )
}

const looks: Record<keyof typeof speedRatings, { icon: IconName; tone: string }> = { good: { icon: 'check', tone: 'good' }, middling: { icon: 'half', tone: 'warn' }, poor: { icon: 'warning', tone: 'bad' } }
function Rated({ metric, value, pages }: { metric: SpeedMetric; value: number; pages: number }) {
  const rating = rateSpeed(metric, value)
  return (
    <>
      <span class="row speed"><b class="figures">{formatSpeed(metric, value)}</b><span class="status" data-tone={looks[rating].tone}><Icon name={looks[rating].icon} />{speedRatings[rating]}</span></span>
      <span class="cell-sub">{formatCount(pages)} {pages === 1 ? 'page' : 'pages'}</span>
    </>
  )
}

function slowerWords(metric: SpeedMetric, arm: 0 | 1, values: [number, number]): string {
  const [name, other] = arm === 0 ? ['control', 'variant'] : ['variant', 'control']
  const figures = `${formatSpeed(metric, values[arm])} against ${formatSpeed(metric, values[arm === 0 ? 1 : 0])}`
  const what = { lcp: `The ${name} shows its main content later than the ${other}`, cls: `Pages of the ${name} jump about more than those of the ${other}`, inp: `Pages of the ${name} answer more slowly than those of the ${other}` }[metric]
  return `${what}: ${figures}. A slow page sells less by itself, so ${arm === 1 ? 'the change may be better than its figures' : 'a part of what the variant gains may be its speed'}.`
}
