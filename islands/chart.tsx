/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { formatDay, formatRate } from '../domain/figures.ts'
import { raisePreloadError } from './preload-error.ts'
import { dayAfter, formatUnit, highest, labelled, linePath, manyDays, round, ticks, type ChartSeries, type ChartUnit } from './chart-scale.ts'

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
type Plot = { toggle: (series: number, on: boolean) => void; destroy: () => void }

/** Of the plot, in pixels; the words of the planned end stand above it, the days below. */
const top = 18, bottom = 200, height = bottom - top

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
  const gutter = Math.max(...words.map(word => word.length)) > 5 ? ' chart-wide' : ''

  useEffect(() => {
    let gone = false
    import('./chart-plot.ts').then(({ drawPlot }) => {
      if (gone || !mount.current) return
      plot.current = drawPlot(mount.current, { series, days, limit, onDay: setDay })
      setReady(true)
      // Without the plot the drawing and its table stay as they are.
    }, (error: unknown) => raisePreloadError('Unable to load chart-plot', error))
    return () => { gone = true; plot.current?.destroy() }
  }, [])

  const toggle = (index: number) => {
    const on = hidden.includes(index)
    setHidden(on ? hidden.filter(i => i !== index) : [...hidden, index])
    plot.current?.toggle(index, on)
  }
  const x = (d: number) => `${round(100 * d / days)}%`
  const y = (value: number) => round(bottom - height * value / limit)
  const past = series[0]!.values.length
  return (
    <>
      <div className={`chart-figure${gutter}${ready ? ' chart-plotted' : ''}`}>
        <svg role="img" aria-label={label}>
          {marks.map(mark => <line key={mark} className={unit === 'chance' && mark === 0.5 ? 'chart-even' : 'chart-grid'} x2="100%" y1={y(mark)} y2={y(mark)} />)}
          {past < days && <rect className="chart-future" x={x(past)} y={top} width={x(days - past)} height={height} />}
          <Pauses paused={paused} days={days} x={x} />
          {unit === 'chance' && rules.map(([value]) => value !== 0.5 && <line key={value} className="chart-rule" x2="100%" y1={y(value)} y2={y(value)} />)}
          {plannedEnd !== null && <PlannedEnd at={plannedEnd / days} />}
          {/* What lies above the plot is cut off; a line on the floor keeps its whole width. */}
          <svg className="chart-lines" y={top - 2} viewBox={`0 ${top - 2} 1000 ${height + 4}`} preserveAspectRatio="none" width="100%" height={height + 4}>
            {series.map(s => s.trend && <Line key={s.label} arm={s.arm} values={s.values} days={days} y={y} isFaint />)}
            {series.map(s => <Line key={s.label} arm={s.arm} values={s.trend ?? s.values} days={days} y={y} />)}
          </svg>
          {marks.map((mark, i) => <text key={mark} x="-8" y={y(mark) + 4} textAnchor="end">{words[i]}</text>)}
          {labelled(from, days).map(({ day: d, label: name }) => <text key={d} x={x(d + 0.5)} y={bottom + 18} textAnchor="middle">{name}</text>)}
          {unit === 'chance' && rules.map(([value, name, gap]) => <text key={value} x="0" dx="6" y={y(value) + gap}>{name}</text>)}
          <Ends {...props} x={x} y={y} hidden={hidden} />
        </svg>
        <div className="chart-plot" ref={mount} aria-hidden="true" />
      </div>
      <div className="legend">
        {series.map((s, i) => {
          const mark = <span className={s.arm === 'control' ? 'arm-mark arm-mark-control' : 'arm-mark'} />
          return ready
            ? <button key={s.label} type="button" aria-pressed={!hidden.includes(i)} onClick={() => toggle(i)}>{mark}{s.label}</button>
            : <span key={s.label} className="legend-key">{mark}{s.label}</span>
        })}
        <output className="chart-reading">{day !== null && day < past && reading(props, day, hidden)}</output>
      </div>
    </>
  )
}

type LineProps = { arm: ChartSeries['arm']; values: (number | null)[]; days: number; y: (value: number) => number; isFaint?: boolean }
const Line = ({ arm, values, days, y, isFaint = false }: LineProps) => (
  <path className={`chart-line${arm === 'control' ? ' chart-line-control' : ''}${isFaint ? ' chart-line-faint' : ''}`} d={linePath(values, (d, v) => [1000 * (d + 0.5) / days, y(v)])} />
)

function reading({ from, days, series, unit, currency, paused }: ChartProps, day: number, hidden: number[]): string {
  const figures = series.filter((_, i) => !hidden.includes(i)).map(s => {
    const value = s.values[day]
    return `${series.length > 1 ? `${s.label} ` : ''}${value == null ? '–' : formatUnit(unit, value, currency, false)}`
  })
  const pause = { no: '', partly: ' · paused for a part of the day', wholly: ' · paused' }[paused[day] ?? 'no']
  return `${formatDay(dayAfter(from, day), days > manyDays)}: ${figures.join(', ')}${pause}`
}

/** Paused days, shaded from edge to edge; a day paused in part is shaded more lightly. Neighbours make one band. */
function Pauses({ paused, days, x }: { paused: ChartProps['paused']; days: number; x: (d: number) => string }) {
  const bands: { from: number; to: number; kind: string }[] = []
  paused.forEach((kind, day) => {
    if (kind === 'no') return
    const last = bands.at(-1)
    if (last && last.to === day && last.kind === kind) last.to = day + 1
    else bands.push({ from: day, to: day + 1, kind })
  })
  return bands.map(band => (
    <g key={band.from}>
      <rect className={`chart-pause chart-pause-${band.kind}`} x={x(band.from)} y={top} width={x(band.to - band.from)} height={height}>
        <title>{band.kind === 'wholly' ? 'Paused' : 'Paused for a part of the day'}</title>
      </rect>
      {band.to - band.from > 1 && band.to - band.from > days * 0.06 && <text x={x((band.from + band.to) / 2)} y={bottom - 8} textAnchor="middle">Paused</text>}
    </g>
  ))
}

function PlannedEnd({ at }: { at: number }) {
  const share = Math.min(at * 100, 99.9)
  return (
    <>
      <line className="chart-end" x1={`${round(share)}%`} x2={`${round(share)}%`} y1={top} y2={bottom} />
      <text className="chart-end-label" x={`${round(share)}%`} y={top - 7} textAnchor={share < 12 ? 'start' : share > 88 ? 'end' : 'middle'}>Planned end</text>
    </>
  )
}

/** Of a chance: what it says there, and how far below the line the words stand. At the left edge, where lines begin, not where they end. */
const rules: [value: number, words: string, gap: number][] = [[0.95, '95% variant wins', 15], [0.05, '5% control wins', -5], [0.5, '50% no difference', -5]]

const lineHeight = 16
/** A dot at each line's last figure and, with two lines, its name and value beside it, kept a text's height apart and within the plot. */
function Ends({ series, days, unit, currency, x, y, hidden }: ChartProps & { x: (d: number) => string; y: (v: number) => number; hidden: number[] }) {
  const ends = series.flatMap((s, i) => {
    const line = s.trend ?? s.values, day = line.findLastIndex(v => v !== null)
    return day < 0 || hidden.includes(i) ? [] : [{ ...s, day, value: line[day]!, top: y(line[day]!) }]
  }).sort((a, b) => a.top - b.top)
  const tight = ends.length > 1 && ends[1]!.top - ends[0]!.top < 16
  const least = top + 11, most = bottom - 6
  return ends.map((end, i) => {
    // Beside the dot where the days to come leave room for it, else over the line.
    const inside = end.day + 0.5 > days * 0.75
    const shift = tight ? (i === 0 ? -6 : 14) : inside ? -8 : 4
    // Room is left for the other's words above or below.
    const place = Math.min(Math.max(end.top + shift, least + i * lineHeight), most - (ends.length - 1 - i) * lineHeight)
    return (
      <g key={end.label}>
        <circle className={end.arm === 'control' ? 'chart-dot chart-dot-control' : 'chart-dot'} cx={x(end.day + 0.5)} cy={end.top} r="4.5" />
        {series.length > 1 && (
          <text className="chart-value" x={x(end.day + 0.5)} dx={inside ? -8 : 10} y={place} textAnchor={inside ? 'end' : 'start'}>
            {end.label} {unit === 'rate' || unit === 'chance' ? formatRate(end.value, 1) : formatUnit(unit, end.value, currency, false)}
          </text>
        )}
      </g>
    )
  })
}
