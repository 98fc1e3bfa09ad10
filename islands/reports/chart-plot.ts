import '../page/valid-language.ts'
import uPlot from 'uplot'
import { isAlone, type ChartSeries } from './chart-scale.ts'

const tokens = { control: '--control', variant: '--accent' }

type PlotOptions = {
  series: ChartSeries[]
  /** How many days the axis has, including the planned ones. */
  days: number
  limit: number
  /** Called with the day under the pointer, and with null when the pointer leaves. */
  onDay: (day: number | null) => void
}

/**
 * Draws the lines on a canvas over the SVG's own axes. Loaded on demand, because it is the one
 * heavy part of the report. Colours are read from the stylesheet at each drawing, so a change of
 * the colour scheme needs only a redraw.
 */
export function drawPlot(mount: HTMLElement, options: PlotOptions) {
  const hidden = new Set<number>()
  let plot = plotOf(mount, options)
  const resize = new ResizeObserver(() => {
    if (mount.clientWidth > 0) plot.fit()
  })
  resize.observe(mount)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const redraw = () => plot.redraw()
  scheme.addEventListener('change', redraw)
  const toggle = (index: number, on: boolean) => {
    if (on) hidden.delete(index)
    else hidden.add(index)
    plot.toggle(index, on)
  }
  return {
    toggle,
    /** Shows new figures. Hidden lines stay hidden, and the pointer stays where it is. */
    update: (drawing: Pick<PlotOptions, 'series' | 'days' | 'limit'>) => {
      const { left, top } = plot.pointer()
      plot.destroy()
      plot = plotOf(mount, { ...options, ...drawing })
      for (const index of hidden) plot.toggle(index, false)
      if (left >= 0) plot.point(left, top)
    },
    destroy: () => {
      resize.disconnect()
      scheme.removeEventListener('change', redraw)
      plot.destroy()
    },
  }
}

function plotOf(mount: HTMLElement, { series, days, limit, onDay }: PlotOptions) {
  const axis = Array.from({ length: days }, (_, day) => day)
  // Where there is a trend, the days are drawn faintly below it.
  const lines = series
    .flatMap((s, index) => [
      ...(s.trend ? [{ index, arm: s.arm, values: s.values, isFaint: true }] : []),
      { index, arm: s.arm, values: s.trend ?? s.values, isFaint: false },
    ])
    .sort((a, b) => Number(b.isFaint) - Number(a.isFaint))
  const values = lines.map(line => axis.map(day => line.values[day] ?? null))
  const size = () => ({ width: mount.clientWidth, height: mount.clientHeight })
  const plot = new uPlot(
    {
      ...size(),
      padding: [0, 0, 0, 0],
      legend: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: { x: { time: false, range: [-0.5, days - 0.5] }, y: { range: [0, limit] } },
      cursor: { drag: { x: false, y: false, setScale: false }, y: false },
      series: [
        {},
        ...lines.map(({ arm, isFaint }, i) => ({
          stroke: () => colour(mount, tokens[arm]),
          width: isFaint ? 1 : 2,
          alpha: isFaint ? 0.25 : 1,
          points: {
            show: true,
            size: 4,
            fill: () => colour(mount, tokens[arm]),
            filter: () => axis.filter(day => isAlone(values[i]!, day)),
          },
        })),
      ],
      hooks: { setCursor: [u => onDay(u.cursor.idx ?? null)] },
    },
    [axis, ...values],
    mount,
  )

  return {
    fit: () => plot.setSize(size()),
    redraw: () => plot.redraw(false),
    pointer: () => ({ left: plot.cursor.left ?? -1, top: plot.cursor.top ?? -1 }),
    point: (left: number, top: number) => plot.setCursor({ left, top }),
    toggle: (index: number, on: boolean) =>
      lines.forEach((line, i) => {
        if (line.index === index) plot.setSeries(i + 1, { show: on })
      }),
    destroy: () => plot.destroy(),
  }
}

/**
 * A token's present colour. A custom property itself returns its `light-dark()` text, so the colour
 * is computed on an element.
 */
function colour(within: HTMLElement, token: string): string {
  const probe = within.appendChild(document.createElement('span'))
  probe.style.color = `var(${token})`
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}
