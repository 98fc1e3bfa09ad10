/** @jsxImportSource react */
import { formatRate } from '../../domain/figures.ts'
import { type ChartProps, top, bottom } from './chart-frame.ts'
import { formatUnit } from './chart-scale.ts'

/**
 * Levels of the chance to win: the text of each, and how far below its line the text is in the plot
 * (pixels).
 */
export const rules: [value: number, words: string, gap: number][] = [
  [0.95, 'variant wins', 15],
  [0.05, 'control wins', -5],
  [0.5, 'no difference', -5],
]

/** Two lines of text in the margin, centred on a height of the plot. */
export const Beside = ({
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
 * A dot at each line's last figure and, with two lines, its name and value: in the days to come, or
 * in the margin. These texts are kept at least their own height apart, and inside the plot.
 */
export function Ends({
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
  // When two lines end on different days, the text of the shorter one would be over the longer
  // line. So both texts start at the later day.
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

/**
 * Heights of the texts, from above: each at least `gap` below the one before, and all of them at
 * least `edge` inside the plot.
 */
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
