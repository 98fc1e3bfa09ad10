/** @jsxImportSource react */
import { type ChartProps, top, bottom, height } from './chart-frame.ts'
import { round } from './chart-scale.ts'

/** The share of the plot that the word "Paused" takes on a narrow screen. */
const wordsOfPause = 0.2

/**
 * Paused days, shaded over the plot's whole height; a day that was paused in part is shaded more
 * lightly. Neighbouring days make one band.
 */
export function Pauses({
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

/** A line at the planned end of the test, named above the plot. */
export function PlannedEnd({ at }: { at: number }) {
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
