import { formatCount } from '../../domain/figures.ts'

export type ChartLine = {
  label: string
  values: readonly (number | null)[]
  tone: 'accent' | 'plain' | 'warn' | 'bad'
}
export type StaffChartProps = {
  id: string
  title: string
  /** The newest figure in words, as the chart's headline. */
  figure: string
  note: string
  /** Names of the points in the table, oldest first. */
  names: readonly string[]
  lines: readonly ChartLine[]
  format?: (value: number) => string
}

const width = 600,
  height = 120,
  top = 6

/** Figures over time as lines from 0, with the same figures in a table below. */
export function StaffChart({
  id,
  title,
  figure,
  note,
  names,
  lines,
  format = formatCount,
}: StaffChartProps) {
  const most = niceMost(
    Math.max(0, ...lines.flatMap(({ values }) => values.map(value => value ?? 0))),
  )
  const x = (i: number) =>
    names.length < 2 ? width : Math.round((i / (names.length - 1)) * width * 10) / 10
  const y = (value: number) => Math.round((top + (1 - value / most) * (height - top - 1)) * 10) / 10
  return (
    <section class="card staff-chart" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        <span class="note">{note}</span>
      </div>
      <div class="card-body">
        <p class="staff-chart-figure">
          {figure}
          {lines.length > 1 && (
            <span class="staff-chart-key">
              {lines.map(({ label, tone }) => (
                <span key={label} data-line={tone}>
                  {label}
                </span>
              ))}
            </span>
          )}
        </p>
        <div class="staff-chart-plot">
          <span class="staff-chart-most">{format(most)}</span>
          <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            <line class="staff-chart-rule" x1="0" x2={width} y1={top} y2={top} />
            <line class="staff-chart-rule" x1="0" x2={width} y1={height - 1} y2={height - 1} />
            {lines.map(({ label, tone, values }) =>
              pieces(values).map((piece, i) => (
                <polyline
                  key={`${label} ${i}`}
                  class={piece.length === 1 ? 'is-single' : undefined}
                  data-line={tone}
                  points={(piece.length === 1 ? [piece[0]!, piece[0]!] : piece)
                    .map(([place, value]) => `${x(place)},${y(value)}`)
                    .join(' ')}
                />
              )),
            )}
          </svg>
          {/* The point under the pointer (islands/staff/staff-readout.ts) */}
          <span class="staff-chart-mark" hidden />
          <span class="staff-chart-tip" hidden />
          {lines.map(({ label, tone }) => (
            <span key={label} class="staff-chart-dot" data-line={tone} hidden />
          ))}
          <span class="staff-chart-ends">
            <span>{names[0]}</span>
            <span>{names.at(-1)}</span>
          </span>
        </div>
        <details class="staff-chart-table">
          <summary>Show figures</summary>
          <div class="table-scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  {lines.map(({ label }) => (
                    <th key={label} scope="col" class="num">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {names
                  .map((name, i) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      {lines.map(({ label, values }) => (
                        <td key={label} class="num">
                          {values[i] === null ? <span class="muted">–</span> : format(values[i]!)}
                        </td>
                      ))}
                    </tr>
                  ))
                  .reverse()}
              </tbody>
            </table>
          </div>
        </details>
      </div>
    </section>
  )
}

/**
 * A tile's figure over time, from 0 to its maximum. Nothing before there are two values in a row.
 */
export function TileTrend({ values }: { values: readonly (number | null)[] }) {
  const runs = pieces(values).filter(piece => piece.length > 1)
  if (runs.length === 0) return null
  const most = Math.max(1, ...values.map(value => value ?? 0))
  return (
    <svg class="tile-trend" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      {runs.map((run, i) => (
        <polyline
          key={i}
          points={run
            .map(
              ([place, value]) =>
                `${Math.round((place / (values.length - 1)) * 1000) / 10},${Math.round((22 - (value / most) * 20) * 10) / 10}`,
            )
            .join(' ')}
        />
      ))}
    </svg>
  )
}

/** Runs of points with a value. A missing value is a gap and is not drawn as 0. */
function pieces(values: readonly (number | null)[]): [place: number, value: number][][] {
  const found: [number, number][][] = []
  values.forEach((value, i) => {
    if (value === null) return
    if (i > 0 && values[i - 1] !== null) found.at(-1)!.push([i, value])
    else found.push([[i, value]])
  })
  return found
}

/** The axis's end: 1, 2 or 5 times a power of ten. */
export function niceMost(most: number): number {
  if (most <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= most)!
}
