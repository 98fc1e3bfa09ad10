import type { Test } from '../../domain/tests/ab-test.ts'
import { metricNames, metrics, metricSlug } from '../../domain/reports/metric.ts'
import { paths } from '../../domain/paths.ts'
import { overviewQuery, type Overview } from './report-links.ts'

type ChooserProps = {
  test: Pick<Test, 'id' | 'goal'>
  shown: Overview
  carried?: Record<string, string>
}

/**
 * The choice between twelve metrics to show by day. It takes effect at once; without scripts a
 * button submits it.
 */
export function MetricChooser({ test, shown, carried = {} }: ChooserProps) {
  const path = paths.report(test.id),
    metric = shown.metric ?? shown.goal
  const kept = {
    ...carried,
    ...Object.fromEntries(overviewQuery(test, { ...shown, metric: null })),
  }
  return (
    <form
      class="metric-chooser"
      action={path}
      hx-get={path}
      hx-trigger="change, submit"
      hx-target="#result"
      hx-select="#result"
      hx-swap="outerHTML show:none"
      hx-push-url="true"
      hx-sync="#panel:replace"
    >
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label class="visually-hidden" for="metric">
        Metric by day
      </label>
      <select id="metric" name="metric">
        {metricNames.map(name => (
          <option key={name} value={metricSlug(name)} selected={name === metric}>
            {metrics[name].label}
          </option>
        ))}
      </select>
      <noscript>
        <button class="secondary small">Show</button>
      </noscript>
    </form>
  )
}
