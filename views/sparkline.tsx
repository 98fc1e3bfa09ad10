import { formatCount } from '../domain/figures.ts'

const width = 56,
  height = 16

/**
 * Visitors a day as a line, which shows only the shape: the figure is next to it. Nothing before
 * there are two full days.
 */
export function Sparkline({ days }: { days: readonly number[] }) {
  if (days.length < 2) return null
  const most = Math.max(...days, 1)
  const label = `Visitors a day, last ${days.length} full days: ${formatCount(Math.min(...days))} to ${formatCount(Math.max(...days))}`
  const points = days
    .map(
      (visitors, i) =>
        `${Math.round((i / (days.length - 1)) * (width - 2)) + 1},${Math.round((1 - visitors / most) * (height - 3)) + 1}`,
    )
    .join(' ')
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      dangerouslySetInnerHTML={{ __html: `<polyline points="${points}"/>` }}
    />
  )
}
