/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { formatDay, formatRate } from '../../domain/figures.ts'
import { bottom, type ChartProps, height, roomForWords, top } from './chart-frame.ts'
import { Pauses, PlannedEnd } from './chart-marks.tsx'
import {
  dayAfter,
  formatUnit,
  highest,
  labelled,
  linePath,
  manyDays,
  round,
  ticks,
  type ChartSeries,
} from './chart-scale.ts'
import { Beside, Ends, rules } from './chart-words.tsx'
import { raisePreloadError } from '../page/preload-error.ts'

type Drawing = { series: ChartSeries[]; days: number; limit: number }
type Plot = {
  update: (drawing: Drawing) => void
  toggle: (series: number, on: boolean) => void
  destroy: () => void
}

/**
 * The server draws the chart as SVG. In the browser, a plot is drawn over its lines and adds the
 * read-out and the legend's toggles. Axes, rules and shading stay SVG, so nothing moves when the
 * plot arrives. Texts come last, above every line.
 */
export function Chart(props: ChartProps) {
  const { label, unit, currency, from, days, series, paused, plannedEnd } = props
  const mount = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot | null>(null)
  const [ready, setReady] = useState(false)
  const [hidden, setHidden] = useState<number[]>([])
  const [day, setDay] = useState<number | null>(null)
  const marks = ticks(unit, highest(series))
  const limit = marks.at(-1)!
  const words = marks.map(mark => formatUnit(unit, mark, currency, true))
  const past = series[0]!.values.length
  // Texts never go over a line. They are in the days to come, where there are no lines, or else in
  // a margin beside the plot.
  const hasRoom = past <= days * (1 - roomForWords),
    isNamed = series.length > 1 || unit === 'chance'
  const gutter = `${Math.max(...words.map(word => word.length)) > 5 ? ' chart-wide' : ''}${isNamed && !hasRoom ? ' chart-margin' : ''}`

  // The page may bring new figures (live-figures.ts). Hover and legend stay as they are then.
  const latest = useRef<Drawing>({ series, days, limit })
  useEffect(() => {
    latest.current = { series, days, limit }
    plot.current?.update(latest.current)
  }, [series, days, limit])

  useEffect(() => {
    let gone = false
    import('./chart-plot.ts').then(
      ({ drawPlot }) => {
        if (gone || !mount.current) return
        plot.current = drawPlot(mount.current, { ...latest.current, onDay: setDay })
        setReady(true)
        // If the plot cannot be loaded, the drawing and its table stay as they are.
      },
      (error: unknown) => raisePreloadError('Unable to load chart-plot', error),
    )
    return () => {
      gone = true
      plot.current?.destroy()
    }
  }, [])

  const toggle = (index: number) => {
    const on = hidden.includes(index)
    setHidden(on ? hidden.filter(i => i !== index) : [...hidden, index])
    plot.current?.toggle(index, on)
  }
  const x = (d: number) => `${round((100 * d) / days)}%`
  const y = (value: number) => round(bottom - (height * value) / limit)
  return (
    <>
      <div className={`chart-figure${gutter}${ready ? ' chart-plotted' : ''}`}>
        <svg role="img" aria-label={label}>
          {marks.map(mark => (
            <line
              key={mark}
              className={unit === 'chance' && mark === 0.5 ? 'chart-even' : 'chart-grid'}
              x2="100%"
              y1={y(mark)}
              y2={y(mark)}
            />
          ))}
          {past < days && (
            <rect
              className="chart-future"
              x={x(past)}
              y={top}
              width={x(days - past)}
              height={height}
            />
          )}
          <Pauses paused={paused} days={days} x={x} />
          {unit === 'chance' &&
            rules.map(
              ([value]) =>
                value !== 0.5 && (
                  <line key={value} className="chart-rule" x2="100%" y1={y(value)} y2={y(value)} />
                ),
            )}
          {plannedEnd !== null && <PlannedEnd at={plannedEnd / days} />}
          {/* Cuts off what is above the plot. A line at the bottom keeps its whole width. */}
          <svg
            className="chart-lines"
            y={top - 2}
            viewBox={`0 ${top - 2} 1000 ${height + 4}`}
            preserveAspectRatio="none"
            width="100%"
            height={height + 4}
          >
            {series.map(
              s =>
                s.trend && (
                  <Line key={s.label} arm={s.arm} values={s.values} days={days} y={y} isFaint />
                ),
            )}
            {series.map(s => (
              <Line key={s.label} arm={s.arm} values={s.trend ?? s.values} days={days} y={y} />
            ))}
          </svg>
          {marks.map((mark, i) => (
            <text key={mark} x="-8" y={y(mark) + 4} textAnchor="end">
              {words[i]}
            </text>
          ))}
          {labelled(from, days).map(({ day: d, label: name }, i) => (
            <text
              key={d}
              className={i % 2 === 1 ? 'chart-day-between' : undefined}
              x={x(d + 0.5)}
              y={bottom + 18}
              textAnchor="middle"
            >
              {name}
            </text>
          ))}
          {unit === 'chance' &&
            rules.map(([value, name, gap]) =>
              hasRoom ? (
                <text
                  key={value}
                  x="100%"
                  dx="-6"
                  y={y(value) + gap}
                  textAnchor="end"
                >{`${formatRate(value, 0)} ${name}`}</text>
              ) : (
                <Beside key={value} y={y(value)} words={[formatRate(value, 0), name]} />
              ),
            )}
          <Ends {...props} x={x} y={y} hidden={hidden} hasRoom={hasRoom} />
        </svg>
        <div className="chart-plot" ref={mount} aria-hidden="true" />
      </div>
      <div className="legend">
        {series.map((s, i) => {
          const mark = (
            <span className={s.arm === 'control' ? 'arm-mark arm-mark-control' : 'arm-mark'} />
          )
          return ready ? (
            <button
              key={s.label}
              type="button"
              aria-pressed={!hidden.includes(i)}
              onClick={() => toggle(i)}
            >
              {mark}
              {s.label}
            </button>
          ) : (
            <span key={s.label} className="legend-key">
              {mark}
              {s.label}
            </span>
          )
        })}
        <output className="chart-reading">
          {day !== null && day < past && reading(props, day, hidden)}
        </output>
      </div>
    </>
  )
}

type LineProps = {
  arm: ChartSeries['arm']
  values: (number | null)[]
  days: number
  y: (value: number) => number
  isFaint?: boolean
}
const Line = ({ arm, values, days, y, isFaint = false }: LineProps) => (
  <path
    className={`chart-line${arm === 'control' ? ' chart-line-control' : ''}${isFaint ? ' chart-line-faint' : ''}`}
    d={linePath(values, (d, v) => [(1000 * (d + 0.5)) / days, y(v)])}
  />
)

function reading(
  { from, days, series, unit, currency, paused }: ChartProps,
  day: number,
  hidden: number[],
): string {
  const figures = series
    .filter((_, i) => !hidden.includes(i))
    .map(s => {
      const value = s.values[day]
      return `${series.length > 1 ? `${s.label} ` : ''}${value == null ? '–' : formatUnit(unit, value, currency, false)}`
    })
  const pause = { no: '', partly: ' · paused for a part of the day', wholly: ' · paused' }[
    paused[day] ?? 'no'
  ]
  return `${formatDay(dayAfter(from, day), days > manyDays)}: ${figures.join(', ')}${pause}`
}
