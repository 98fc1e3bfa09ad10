import type { Test } from '../../domain/tests/ab-test.ts'
import { formatCount } from '../../domain/figures.ts'
import {
  formatSpeed,
  rateSpeed,
  speedFinding,
  speedMetrics,
  speedRatings,
  speeds,
  type SpeedMetric,
} from '../../domain/reports/speed.ts'
import { Icon, type IconName } from '../icons.tsx'
import { armNames, notInFile, passed, type Outcome } from './report-check.tsx'

const findingOf = ({ summary: { speed, visitors } }: Test) => speedFinding(speed, visitors)

export function speedOutcome(test: Test): Outcome {
  if (test.isImported) return notInFile
  const finding = findingOf(test)
  switch (finding.kind) {
    case 'none':
      return { tone: 'neutral', words: 'Not measured yet' }
    case 'oneArm':
      return { tone: 'neutral', words: `Only measured in the ${armWords[finding.arm]}` }
    case 'tooFew':
      return { tone: 'neutral', words: 'Too few pages yet' }
    case 'fewBrowsers':
      return { tone: 'neutral', words: 'Measured in few browsers' }
    case 'slower': {
      const arms = new Set(finding.found.map(({ arm }) => arm))
      return {
        tone: 'warn',
        words:
          arms.size === 2 ? 'Differs' : arms.has(0) ? 'Control is slower' : 'Variant is slower',
      }
    }
    case 'alike':
      return passed(
        finding.metrics.length === speedMetrics.length
          ? 'Same in both arms'
          : `Same in both arms (${finding.metrics.map(metric => speeds[metric].short).join(', ')})`,
      )
  }
}
const armWords = ['control', 'variant'] as const

/**
 * Page speed per arm, as visitors' own browsers measure it. A slower arm may lose for this reason
 * alone.
 */
export function PageSpeed({ test }: { test: Test }) {
  if (test.isImported) return <p class="note">The file does not say how fast the pages were.</p>
  const finding = findingOf(test)
  if (finding.kind === 'none')
    return (
      <p class="note">Browsers report the speed of a page when the visitor leaves it. {notAll}</p>
    )
  return (
    <>
      <section class="table-scroll" tabIndex={0} aria-label="Page speed by arm">
        <table class="table speed-table">
          <thead>
            <tr>
              <th scope="col">
                <abbr title="As browsers report them. Pages of visitors who later turn out to be bots stay in.">
                  75% of pages are faster than
                </abbr>
              </th>
              {armNames.map(([name, mark]) => (
                <th key={name} scope="col">
                  <span class="arm">
                    <span class={mark} />
                    {name}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {test.summary.speed.map(({ metric, arms }) => (
              <tr key={metric}>
                <th scope="row">
                  <abbr title={speeds[metric].meaning}>{speeds[metric].short}</abbr>
                  <span class="cell-sub">{speeds[metric].label}</span>
                </th>
                {arms.map((arm, i) => (
                  <td key={i}>
                    {arm.p75 === null ? (
                      <span class="muted">–</span>
                    ) : (
                      <Rated metric={metric} value={arm.p75} pages={arm.pages} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {finding.kind === 'slower' &&
        finding.found.map(({ metric, arm }) => (
          <p key={metric} class="note">
            {slowerWords(
              metric,
              arm,
              test.summary.speed
                .find(row => row.metric === metric)!
                .arms.map(each => each.p75!) as [number, number],
            )}
          </p>
        ))}
      {(finding.kind === 'oneArm' || finding.kind === 'fewBrowsers') && (
        <p class="note">
          {finding.kind === 'oneArm'
            ? `No browser has reported the speed of the ${armWords[finding.arm === 0 ? 1 : 0]}, so the arms cannot be compared.`
            : 'Fewer than half of the visitors’ browsers report their speed. The others may differ.'}{' '}
          {notAll}
        </p>
      )}
    </>
  )
}

const notAll =
  'Not every browser does: Safari before version 26.2 reports nothing, and neither Safari nor Firefox reports layout shift.'

const looks: Record<keyof typeof speedRatings, { icon: IconName; tone: string }> = {
  good: { icon: 'check', tone: 'good' },
  middling: { icon: 'half', tone: 'warn' },
  poor: { icon: 'warning', tone: 'bad' },
}
function Rated({ metric, value, pages }: { metric: SpeedMetric; value: number; pages: number }) {
  const rating = rateSpeed(metric, value)
  return (
    <>
      <span class="row speed">
        <b class="figures">{formatSpeed(metric, value)}</b>
        <span class="status" data-tone={looks[rating].tone}>
          <Icon name={looks[rating].icon} />
          {speedRatings[rating]}
        </span>
      </span>
      <span class="cell-sub">
        {formatCount(pages)} {pages === 1 ? 'page' : 'pages'}
      </span>
    </>
  )
}

function slowerWords(metric: SpeedMetric, arm: 0 | 1, values: [number, number]): string {
  const [name, other] = arm === 0 ? ['control', 'variant'] : ['variant', 'control']
  const figures = `${formatSpeed(metric, values[arm])} against ${formatSpeed(metric, values[arm === 0 ? 1 : 0])}`
  const what = {
    lcp: `The ${name} shows its main content later than the ${other}`,
    cls: `Pages of the ${name} jump more while loading than those of the ${other}`,
    inp: `Pages of the ${name} answer more slowly than those of the ${other}`,
  }[metric]
  return `${what}: ${figures}. Slow pages sell less, so ${arm === 1 ? 'the change itself may be better than its figures' : 'part of the variant’s gain may be its speed'}.`
}
