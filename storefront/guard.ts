declare global {
  /** Of browsers that draw pages ahead. */
  interface Document {
    readonly prerendering?: boolean
  }
}

/** The same function, but nothing it throws reaches the page: a broken test must never break a shop. */
export const guarded =
  <A extends unknown[], R>(act: (...args: A) => R) =>
  (...args: A): R | void => {
    try {
      return act(...args)
    } catch {
      /* ours alone: the page's own errors are never inside */
    }
  }

/** Listens on window while events are captured, so that a page that stops its events does not hide them. Events of the document pass here too. */
export const on = <E extends Event>(type: string, act: (event: E) => void): void =>
  addEventListener(type, guarded(act) as (event: Event) => void, true)

/** Longest that a page stays covered. Milliseconds. */
const timeout = 8000

/** Keeps a page that is being left, or not yet in its arm, from being painted. Answers with what takes the cover off before its time. */
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
