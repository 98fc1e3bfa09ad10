import type { CDPSession, Page } from '@playwright/test'

/** A window: its size in CSS pixels, and the number of screen pixels per CSS pixel. */
export type Screen = { width: number; height: number; density: number }
/** A wide screen at 150%, a small laptop, and a phone. */
export const screens: readonly Screen[] = [
  { width: 1440, height: 900, density: 1.5 },
  { width: 1100, height: 800, density: 1 },
  { width: 390, height: 844, density: 2 },
]
/**
 * Every width at every density, for `npm run pictures`. All nine would take too long in the suite.
 */
export const allScreens: readonly Screen[] = screens.flatMap(screen =>
  [1, 1.5, 2].map(density => ({ ...screen, density })),
)

const sessions = new WeakMap<Page, Promise<CDPSession>>()
export function cdpOf(page: Page): Promise<CDPSession> {
  let session = sessions.get(page)
  if (!session) sessions.set(page, (session = page.context().newCDPSession(page)))
  return session
}

/** Gives the page another window size without a reload. `null` restores the first size. */
export async function showOn(page: Page, screen: Screen | null): Promise<void> {
  const cdp = await cdpOf(page)
  if (!screen) return void (await cdp.send('Emulation.clearDeviceMetricsOverride'))
  await cdp.send('Emulation.setDeviceMetricsOverride', {
    width: screen.width,
    height: screen.height,
    deviceScaleFactor: screen.density,
    mobile: false,
  })
}

/** Elements that are cut off, overlap or extend beyond the window on each screen, one per line. */
export async function boxFaults(page: Page, on: readonly Screen[] = screens): Promise<string[]> {
  const found: string[] = []
  const { pathname, search } = new URL(page.url())
  for (const screen of on) {
    await showOn(page, screen)
    await twoFrames(page)
    const faults = await page.evaluate(faultsOfPage)
    found.push(
      ...faults.map(
        fault => `${pathname}${search} at ${screen.width} px, density ${screen.density}: ${fault}`,
      ),
    )
  }
  await showOn(page, null)
  // What the next check sees must not be the phone's page.
  await twoFrames(page)
  return found
}

/** By then everything that draws by size (charts, scaled previews) has the window's new size. */
const twoFrames = (page: Page): Promise<unknown> =>
  page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )

/** Runs in the page, so it may use nothing from this module. */
function faultsOfPage(): string[] {
  type Box = { left: number; top: number; right: number; bottom: number }
  const faults = new Set<string>()
  const name = (element: Element): string => {
    const words = (element.getAttribute('aria-label') ?? element.textContent ?? '')
      .replace(/\s+/g, ' ')
      .trim()
    const classes =
      typeof element.className === 'string' && element.className
        ? `.${element.className.trim().split(/\s+/).join('.')}`
        : ''
    return `${element.localName}${classes} “${words.slice(0, 40)}”`
  }
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
  const root = dialog ?? document.body
  // Only elements that float over the page on purpose may cover others.
  const floats = (element: Element): boolean => {
    for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
      const { position } = getComputedStyle(at)
      if (
        position === 'fixed' ||
        position === 'sticky' ||
        at.matches('[popover], .toasts, .menu > :not(summary)')
      )
        return true
    }
    return false
  }
  const isHiddenText = (element: Element): boolean => {
    for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
      const style = getComputedStyle(at)
      if (
        style.clipPath !== 'none' ||
        (style.clip !== 'auto' && style.position === 'absolute') ||
        style.opacity === '0'
      )
        return true
      if (at.getAttribute('aria-hidden') === 'true' && at.localName === 'svg') return false
    }
    return false
  }
  /** The part of a box that its ancestors do not clip. */
  const clipped = (box: Box, of: Element): Box => {
    let { left, top, right, bottom } = box
    for (
      let at: Element | null = of;
      at && at !== document.documentElement;
      at = at.parentElement
    ) {
      const style = getComputedStyle(at)
      if (at !== of && style.overflow !== 'visible' && at.localName !== 'body') {
        const clip = at.getBoundingClientRect()
        left = Math.max(left, clip.left)
        top = Math.max(top, clip.top)
        right = Math.min(right, clip.right)
        bottom = Math.min(bottom, clip.bottom)
      }
      if (style.position === 'fixed') break
    }
    return { left, top, right, bottom }
  }
  const isSeen = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true })

  const pageWidth = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > pageWidth + 1) {
    const widest = [...root.querySelectorAll('*')]
      .filter(element => isSeen(element) && element.getBoundingClientRect().right > pageWidth + 1)
      .slice(0, 3)
    faults.add(
      `the page is ${document.documentElement.scrollWidth} px wide, by ${widest.map(name).join(', ') || 'nothing that is seen'}`,
    )
  }

  // Its own tables scroll; a dialog that scrolls sideways itself hides its buttons.
  const modal = dialog?.querySelector('.modal')
  if (modal && modal.scrollWidth > modal.clientWidth + 1)
    faults.add(
      `the content of the dialog is ${modal.scrollWidth} px wide, the dialog ${modal.clientWidth}`,
    )

  // Every visible line of text, with the element whose ancestors may clip it.
  const lines: { box: Box; element: Element }[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode,
      element = node.parentElement
    if (
      !element ||
      !node.nodeValue?.trim() ||
      element.closest('script, style, noscript, option, iframe, template') ||
      !isSeen(element) ||
      isHiddenText(element)
    )
      continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const { left, top, right, bottom } of range.getClientRects()) {
      if (right - left < 1 || bottom - top < 1) continue
      const box = { left, top, right, bottom }
      let isScrolled = false,
        isCut = false
      for (
        let at: Element | null = element;
        at && at !== document.documentElement;
        at = at.parentElement
      ) {
        const style = getComputedStyle(at),
          clip = at.getBoundingClientRect()
        if (/auto|scroll/.test(style.overflowX + style.overflowY)) isScrolled = true
        if (!isScrolled && /hidden|clip/.test(style.overflowX) && at.localName !== 'svg') {
          const isEllipsis =
            style.textOverflow === 'ellipsis' && (at.hasAttribute('title') || at.closest('[title]'))
          if (!isEllipsis && (right > clip.right + 2 || left < clip.left - 2)) isCut = true
        }
        if (style.position === 'fixed') break
      }
      if (isCut) faults.add(`cut off: ${name(element)}`)
      else if (!isScrolled && (left < -1 || right > pageWidth + 1))
        faults.add(`outside of the window: ${name(element)}`)
      if (!isScrolled && !floats(element)) {
        const own =
          getComputedStyle(element).overflow !== 'visible' ? element.getBoundingClientRect() : null
        const seen = clipped(
          own
            ? { left: Math.max(left, own.left), top, right: Math.min(right, own.right), bottom }
            : box,
          element,
        )
        if (seen.right > seen.left && seen.bottom > seen.top) lines.push({ box: seen, element })
      }
      if (
        parseFloat(getComputedStyle(element).fontSize) < 10.5 &&
        !element.closest('svg, canvas, sup, sub')
      )
        faults.add(`too small to read: ${name(element)}`)
    }
  }
  const overlap = (a: Box, b: Box, by: number): boolean =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > by &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by
  // Lines of one element may touch. Lines of different elements must not overlap.
  const sorted = lines.toSorted((a, b) => a.box.top - b.box.top)
  sorted.forEach((one, i) => {
    for (let j = i + 1; j < sorted.length && sorted[j]!.box.top < one.box.bottom; j++) {
      const other = sorted[j]!
      if (one.element === other.element || !overlap(one.box, other.box, 3)) continue
      faults.add(`overlap: ${name(one.element)} and ${name(other.element)}`)
    }
  })

  const controls = [
    ...root.querySelectorAll(
      'a[href], button, input:not([type=hidden]), select, textarea, summary',
    ),
  ]
    .filter(
      element =>
        isSeen(element) && !isHiddenText(element) && !floats(element) && !element.closest('svg'),
    )
    // A link may begin at the end of one line and end in the next: each part is a separate box.
    .flatMap(element =>
      [
        ...(getComputedStyle(element).display === 'inline'
          ? element.getClientRects()
          : [element.getBoundingClientRect()]),
      ].map(rect => ({ element, box: clipped(rect, element) })),
    )
    .filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1)
  controls.forEach((one, i) => {
    for (const other of controls.slice(i + 1)) {
      if (
        one.element.contains(other.element) ||
        other.element.contains(one.element) ||
        !overlap(one.box, other.box, 2)
      )
        continue
      // The radio button of a tile or segment is under its label's text on purpose.
      if (
        one.element.closest('label') &&
        one.element.closest('label') === other.element.closest('label')
      )
        continue
      faults.add(`controls overlap: ${name(one.element)} and ${name(other.element)}`)
    }
  })

  for (const canvas of root.querySelectorAll('canvas')) {
    const plot = canvas.closest('.chart-plot, .u-wrap')?.getBoundingClientRect(),
      box = canvas.getBoundingClientRect()
    if (plot && (box.right > plot.right + 2 || box.bottom > plot.bottom + 2))
      faults.add(
        `a chart is drawn ${Math.round(box.width)} px wide in a plot of ${Math.round(plot.width)} px`,
      )
  }
  return [...faults]
}
