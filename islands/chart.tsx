/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { formatDay, formatRate } from '../domain/figures.ts'
import { raisePreloadError } from './preload-error.ts'
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
  type ChartUnit,
} from './chart-scale.ts'

export type ChartProps = {
  label: string
  unit: ChartUnit
  currency: string
  /** First day, YYYY-MM-DD, and how many there are up to the later of today and the planned end. */
  from: string
  days: number
  series: ChartSeries[]
  paused: ('no' | 'partly' | 'wholly')[]
  /** Planned end in days from the left edge; null once it lies in the past of an ended test. */
  plannedEnd: number | null
}
type Drawing = { series: ChartSeries[]; days: number; limit: number }
type Plot = {
  update: (drawing: Drawing) => void
  toggle: (series: number, on: boolean) => void
  destroy: () => void
}

/** Of the plot, in pixels; the words of the planned end stand above it, the days below. */
const top = 18,
  bottom = 200,
  height = bottom - top

/**
 * The drawing is SVG from the server on; the browser's plot lies over its lines and adds the read-out and the legend's
 * toggles. Axes, rules and shading stay SVG, so nothing moves when the plot arrives. Words come last, above every line.
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
  // Words never lie over a line: days to come have none, and without them there is a margin beside the plot.
  const hasRoom = past <= days * (1 - roomForWords),
    isNamed = series.length > 1 || unit === 'chance'
  const gutter = `${Math.max(...words.map(word => word.length)) > 5 ? ' chart-wide' : ''}${isNamed && !hasRoom ? ' chart-margin' : ''}`

  // The page may bring new figures (live-figures.ts): hover and legend stay as they are.
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
        // Without the plot the drawing and its table stay as they are.
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
          {/* What lies above the plot is cut off; a line on the floor keeps its whole width. */}
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

/** The share of the plot that the word takes on a narrow screen. */
const wordsOfPause = 0.2
/** Paused days, shaded from edge to edge; a day paused in part is shaded more lightly. Neighbours make one band. */
function Pauses({
  paused,
  days,
  x,
}: {
  paused: ChartProps['paused']
  days: number
  x: (d: number) => string
}) {
  const bands: { from: number; to: number; kind: string }[] = []
  paused.forEach((kind, day) => {
    if (kind === 'no') return
    const last = bands.at(-1)
    if (last && last.to === day && last.kind === kind) last.to = day + 1
    else bands.push({ from: day, to: day + 1, kind })
  })
  return bands.map(band => (
    <g key={band.from}>
      <rect
        className={`chart-pause chart-pause-${band.kind}`}
        x={x(band.from)}
        y={top}
        width={x(band.to - band.from)}
        height={height}
      >
        <title>{band.kind === 'wholly' ? 'Paused' : 'Paused for a part of the day'}</title>
      </rect>
      {band.kind === 'wholly' &&
        band.to - band.from > 1 &&
        band.to - band.from > days * wordsOfPause && (
          <text x={x((band.from + band.to) / 2)} y={bottom - 8} textAnchor="middle">
            Paused
          </text>
        )}
    </g>
  ))
}

function PlannedEnd({ at }: { at: number }) {
  const share = Math.min(at * 100, 99.9)
  return (
    <>
      <line
        className="chart-end"
        x1={`${round(share)}%`}
        x2={`${round(share)}%`}
        y1={top}
        y2={bottom}
      />
      <text
        className="chart-end-label"
        x={`${round(share)}%`}
        y={top - 7}
        textAnchor={share < 12 ? 'start' : share > 88 ? 'end' : 'middle'}
      >
        Planned end
      </text>
    </>
  )
}

/** The share of the plot that days to come need to have, so that words fit there on a narrow screen too. */
const roomForWords = 0.4

/** Of a chance: what it says there, and how far below the line the words stand in the plot. */
const rules: [value: number, words: string, gap: number][] = [
  [0.95, 'variant wins', 15],
  [0.05, 'control wins', -5],
  [0.5, 'no difference', -5],
]

/** Two lines of words in the margin, about a height of the plot. */
const Beside = ({
  y,
  words: [first, second],
  isStrong = false,
}: {
  y: number
  words: readonly [string, string]
  isStrong?: boolean
}) => (
  <text x="100%" y={y} className={isStrong ? 'chart-value' : undefined}>
    <tspan x="100%" dx="10" dy="-3">{`${first} `}</tspan>
    <tspan x="100%" dx="10" dy="13">
      {second}
    </tspan>
  </text>
)

/**
 * A dot at each line's last figure and, with two lines, its name and value: in the days to come, or in the margin. They are
 * kept their own height apart and within the plot.
 */
function Ends({
  series,
  unit,
  currency,
  x,
  y,
  hidden,
  hasRoom,
}: ChartProps & {
  x: (d: number) => string
  y: (v: number) => number
  hidden: number[]
  hasRoom: boolean
}) {
  const ends = series
    .flatMap((s, i) => {
      const line = s.trend ?? s.values,
        day = line.findLastIndex(v => v !== null)
      return day < 0 || hidden.includes(i)
        ? []
        : [{ ...s, day, value: line[day]!, top: y(line[day]!) }]
    })
    .sort((a, b) => a.top - b.top)
  const places = apart(
    ends.map(end => end.top),
    hasRoom ? 16 : 32,
    hasRoom ? 11 : 17,
  )
  // Of two lines that end on different days, the words of the shorter would lie on the other.
  const last = Math.max(...ends.map(end => end.day))
  return ends.map((end, i) => {
    const value =
      unit === 'rate' || unit === 'chance'
        ? formatRate(end.value, 1)
        : formatUnit(unit, end.value, currency, false)
    return (
      <g key={end.label}>
        <circle
          className={end.arm === 'control' ? 'chart-dot chart-dot-control' : 'chart-dot'}
          cx={x(end.day + 0.5)}
          cy={Math.max(top, end.top)}
          r="4.5"
        />
        {series.length > 1 &&
          (hasRoom ? (
            <text className="chart-value" x={x(last + 0.5)} dx="10" y={places[i]! + 4}>
              {end.label} {value}
            </text>
          ) : (
            <Beside y={places[i]!} words={[end.label, value]} isStrong />
          ))}
      </g>
    )
  })
}

/** Heights of words, from above, each at least `gap` below the one before and all of them `edge` within the plot. */
function apart(heights: number[], gap: number, edge: number): number[] {
  const close = heights.length > 1 && heights[1]! - heights[0]! < gap
  const middle = heights.reduce((sum, height) => sum + height, 0) / heights.length
  const wanted = close
    ? heights.map((_, i) => middle + (i - (heights.length - 1) / 2) * gap)
    : heights
  return wanted.map((height, i) =>
    Math.min(
      Math.max(height, top + edge + i * gap),
      bottom - edge - (heights.length - 1 - i) * gap,
    ),
  )
}
