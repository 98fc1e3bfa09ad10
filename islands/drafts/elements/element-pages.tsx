/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { checkedWords, missingWords } from '../../../domain/tests/page-check.ts'
import type { ScriptChange } from '../../../domain/script/script-config.ts'
import { matchesPattern } from '../../../domain/tests/url-pattern.ts'
import { Icon } from '../../icon.tsx'
import { openSession } from '../picker/picker-session.ts'
import { picker, usePicker } from '../picker/picker-store.ts'

/** A page of the shop that the test is about, and a signed link to it as the control. */
export type CheckedPage = { path: string; url: string }

/** The timeout for one page. Milliseconds. */
const timeout = 8000

/**
 * Opens the tested pages one after another in a hidden frame, and counts what the changes'
 * selectors find on each. It exchanges the same messages with the page as the preview does, so
 * parts that the shop's own code draws are counted too.
 */
export function PagesCheck({ pages }: { pages: CheckedPage[] }) {
  const { changes, missing, unopened } = usePicker()
  const [at, setAt] = useState<number | null>(null)
  const selectors = [
    ...new Set((changes ?? []).map(({ selector }) => selector).filter(selector => selector.trim())),
  ]
  const page = at === null ? undefined : pages[at]

  const done = (found: ReadonlyMap<string, number> | null): void => {
    if (!page || at === null) return
    const { missing: before, unopened: closed } = picker.now()
    const next = new Map(before)
    for (const selector of selectors) {
      const isMeant = (changes ?? []).some(
        change => change.selector === selector && isOn(change, page.path),
      )
      if (found && isMeant && found.get(selector) === 0)
        next.set(selector, [...(next.get(selector) ?? []), page.path])
      else if (!next.has(selector)) next.set(selector, [])
    }
    picker.set({ missing: next, unopened: found ? closed : [...closed, page.path] })
    setAt(at + 1 < pages.length ? at + 1 : null)
  }
  const start = (): void => {
    picker.set({ missing: new Map(), unopened: [] })
    setAt(0)
  }
  if (pages.length === 0 || selectors.length === 0) return null
  const lost = selectors.filter(selector => (missing.get(selector)?.length ?? 0) > 0).length
  const isChecked = at === null && selectors.every(selector => missing.has(selector))
  return (
    <div className="pages-check">
      <button
        type="button"
        className="secondary small needs-script"
        disabled={at !== null}
        onClick={start}
      >
        <Icon name="check" />
        {pages.length === 1 ? 'Check on the page' : `Check on ${pages.length} pages`}
      </button>
      <span className="field-help" role="status">
        {at !== null
          ? `Checking page ${at + 1} of ${pages.length}`
          : isChecked
            ? checkedWords(lost, pages.length, unopened)
            : ''}
      </span>
      {page && <PageCount key={page.url} page={page} selectors={selectors} onDone={done} />}
    </div>
  )
}

const isOn = ({ pages }: ScriptChange, path: string): boolean =>
  !pages || pages.some(pattern => matchesPattern(pattern, path))

type PageCountProps = {
  page: CheckedPage
  selectors: string[]
  onDone: (found: ReadonlyMap<string, number> | null) => void
}
function PageCount({ page, selectors, onDone }: PageCountProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    let isDone = false
    const end = (found: ReadonlyMap<string, number> | null): void => {
      if (isDone) return
      isDone = true
      onDone(found)
    }
    const session = openSession(new URL(page.url).origin, {
      changes: () => [],
      place: () => null,
      onAlive: () => session.send({ type: 'count', selectors }),
      onMessage: message => {
        if (message.type === 'counted')
          end(new Map(message.found.map(({ selector, count }) => [selector, count])))
      },
    })
    session.look(frame.current!.contentWindow)
    const timer = setTimeout(() => end(null), timeout)
    return () => {
      isDone = true
      clearTimeout(timer)
      session.close()
    }
  }, [])
  return (
    <iframe
      ref={frame}
      className="pages-check-frame"
      src={page.url}
      title={`Checks ${page.path}`}
      tabIndex={-1}
      aria-hidden="true"
      sandbox="allow-scripts allow-same-origin"
    />
  )
}

/** Names the tested pages on which an element was not found at the last check. */
export function MissingOn({ selectors }: { selectors: string[] }) {
  const { missing } = usePicker()
  const paths = [...new Set(selectors.flatMap(selector => missing.get(selector) ?? []))]
  if (paths.length === 0) return null
  return (
    <p className="field-help element-warning">
      <Icon name="warning" />
      {missingWords(paths)}
    </p>
  )
}
