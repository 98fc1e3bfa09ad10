export {}

/**
 * Shows the figures under the pointer on the staff's charts, or at the place that the arrow keys
 * chose. They are read from the table below the chart, which is also there without scripts.
 */
for (const chart of document.querySelectorAll<HTMLElement>('.staff-chart')) watchChart(chart)

function watchChart(chart: HTMLElement): void {
  const plot = chart.querySelector<HTMLElement>('.staff-chart-plot')!,
    svg = plot.querySelector('svg')!,
    tip = plot.querySelector<HTMLElement>('.staff-chart-tip')!
  const mark = plot.querySelector<HTMLElement>('.staff-chart-mark')!,
    dots = [...plot.querySelectorAll<HTMLElement>('.staff-chart-dot')]
  const labels = [...chart.querySelectorAll('thead th')].slice(1).map(cell => cell.textContent)
  // The table has the newest first, the chart the oldest.
  const places = [...chart.querySelectorAll('tbody tr')]
    .reverse()
    .map(row => [...row.children].map(cell => cell.textContent))
  const last = places.length - 1
  if (last < 1) return
  let shown = last

  const show = (place: number): void => {
    shown = Math.max(0, Math.min(last, place))
    const [name = '', ...figures] = places[shown]!
    const words = figures
      .map((figure, i) => (labels.length > 1 ? `${labels[i]} ${figure}` : figure))
      .join(', ')
    plot.setAttribute('aria-valuenow', String(shown))
    plot.setAttribute('aria-valuetext', `${name}: ${words}`)
    tip.replaceChildren(
      Object.assign(document.createElement('b'), { textContent: name }),
      ` ${words}`,
    )
    const { clientWidth: width } = svg.parentElement!,
      x = (shown / last) * width
    for (const part of [tip, mark]) part.hidden = false
    mark.style.left = `${x}px`
    tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, x - tip.offsetWidth / 2))}px`
    for (const dot of dots) {
      const y = heightAt(svg, dot.dataset['line']!, (shown / last) * svg.viewBox.baseVal.width)
      dot.hidden = y === null
      dot.style.left = `${x}px`
      dot.style.top = `${y ?? 0}px`
    }
  }
  const hide = (): void => {
    for (const part of [tip, mark, ...dots]) part.hidden = true
  }

  plot.tabIndex = 0
  plot.setAttribute('role', 'slider')
  plot.setAttribute('aria-label', `${chart.querySelector('h2')!.textContent}, place on the chart`)
  plot.setAttribute('aria-valuemin', '0')
  plot.setAttribute('aria-valuemax', String(last))
  plot.setAttribute('aria-valuenow', String(shown))
  plot.setAttribute('aria-valuetext', places[last]!.join(': '))
  const follow = ({ clientX }: PointerEvent): void => {
    const { left, width } = svg.getBoundingClientRect()
    show(Math.round(((clientX - left) / width) * last))
  }
  plot.addEventListener('pointermove', follow)
  plot.addEventListener('pointerdown', follow)
  plot.addEventListener('pointerleave', () => {
    if (document.activeElement !== plot) hide()
  })
  plot.addEventListener('focus', () => show(shown))
  plot.addEventListener('blur', hide)
  plot.addEventListener('keydown', event => {
    const to = {
      ArrowLeft: shown - 1,
      ArrowDown: shown - 1,
      ArrowRight: shown + 1,
      ArrowUp: shown + 1,
      Home: 0,
      End: last,
    }[event.key]
    if (event.key === 'Escape') hide()
    if (to === undefined) return
    event.preventDefault()
    show(to)
  })
}

/**
 * How far down a line is at a place, in the drawing's units, which are pixels in height; null when
 * the line has no value there.
 */
function heightAt(svg: SVGSVGElement, tone: string, x: number): number | null {
  for (const line of svg.querySelectorAll<SVGPolylineElement>(`polyline[data-line=${tone}]`))
    for (const point of line.points) if (Math.abs(point.x - x) < 0.2) return point.y
  return null
}
