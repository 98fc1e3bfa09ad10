declare global {
  /** Exists in browsers that prerender pages. */
  interface Document {
    readonly prerendering?: boolean
  }
}

/**
 * Returns the same function, but no error that it throws reaches the page: a broken test must never
 * break a shop.
 */
export const guarded =
  <A extends unknown[], R>(act: (...args: A) => R) =>
  (...args: A): R | void => {
    try {
      return act(...args)
    } catch {
      /* only our own errors arrive here, never the page's */
    }
  }

/**
 * Listens on window while events are captured, so that a page that stops its events does not hide
 * them. Events of the document pass here too.
 */
export const on = <E extends Event>(type: string, act: (event: E) => void): void =>
  addEventListener(type, guarded(act) as (event: Event) => void, true)

/** How long a page stays covered at most. Milliseconds. */
const timeout = 8000

/**
 * Prevents a page that is being left, or that does not show its arm yet, from being painted.
 * Returns a function that uncovers it before the timeout.
 */
export function cover(): () => void {
  const { style } = document.documentElement
  hide(style)
  const uncover = (): void => {
    style.display = ''
  }
  setTimeout(uncover, timeout)
  return uncover
}

export const hide = (style: CSSStyleDeclaration): void =>
  style.setProperty('display', 'none', 'important')
