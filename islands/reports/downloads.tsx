/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../domain/figures.ts'
import { download, DownloadProblem, type Progress } from './download.ts'
import { Icon } from '../icon.tsx'
import { showToast } from '../page/toasts.ts'

export type DownloadsProps = {
  /** How many rows the table of orders has: all orders of the ledger. */
  orders: number
}
type Kind = 'results' | 'orders' | 'all'
type Wanted = {
  id: number
  kind: Kind
  href: string
  /** Gets the focus back: the link itself is in a menu that has closed. */ opener: HTMLElement
}

const titles: Record<Kind, string> = { results: 'Results', orders: 'Orders', all: 'Zip of all' }
const nothing: Progress = { bytes: 0, rows: 0, file: null }
/**
 * A download that is quicker than `timeout` shows no progress; a longer one updates it every
 * `beat`. Milliseconds.
 */
const timeout = 2_000,
  beat = 200

/**
 * Handles clicks on the page's links to files, so that a long download shows how far it is and can
 * be stopped.
 */
export function Downloads({ orders }: DownloadsProps) {
  const [wanted, setWanted] = useState<Wanted[]>([])
  useEffect(() => {
    let made = 0
    const click = (event: MouseEvent) => {
      const link =
        event.target instanceof Element
          ? event.target.closest<HTMLAnchorElement>('a[data-download]')
          : null
      if (
        !link ||
        event.button !== 0 ||
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey ||
        event.altKey
      )
        return
      event.preventDefault()
      const menu = link.closest('details')
      menu?.removeAttribute('open')
      const { href } = link,
        opener = menu?.querySelector('summary') ?? link,
        kind = link.dataset['download'] as Kind
      // A download that is running is not started again.
      setWanted(all =>
        all.some(each => each.kind === kind) ? all : [...all, { id: ++made, kind, href, opener }],
      )
    }
    document.addEventListener('click', click)
    return () => document.removeEventListener('click', click)
  }, [])
  return wanted.map(each => (
    <Download
      key={each.id}
      {...each}
      orders={orders}
      gone={() => setWanted(all => all.filter(({ id }) => id !== each.id))}
    />
  ))
}

function Download({
  kind,
  href,
  opener,
  orders,
  gone,
}: Wanted & { orders: number; gone: () => void }) {
  const [attempt, setAttempt] = useState(1)
  const [isLong, setLong] = useState(false)
  const [progress, setProgress] = useState(nothing)
  const [problem, setProblem] = useState<string | null>(null)
  const stop = useRef<AbortController>(null),
    box = useRef<HTMLElement>(null)
  const leave = () => {
    if (box.current?.contains(document.activeElement)) opener.focus()
    gone()
  }

  useEffect(() => {
    const own = (stop.current = new AbortController())
    let progress = () => nothing
    const isLate = setTimeout(() => setLong(true), timeout),
      beats = setInterval(() => setProgress(progress()), beat)
    const over = () => {
      clearTimeout(isLate)
      clearInterval(beats)
    }
    setProblem(null)
    setProgress(nothing)
    download(href, own.signal, read => {
      progress = read
    })
      .then(
        isSaved => {
          if (isSaved) showToast(`${titles[kind]}: downloaded`)
          leave()
        },
        (error: unknown) => {
          if (!own.signal.aborted)
            setProblem(
              error instanceof DownloadProblem ? error.message : 'The file could not be saved.',
            )
        },
      )
      .finally(over)
    return () => {
      over()
      own.abort()
    }
  }, [attempt])

  const title = titles[kind]
  if (problem)
    return (
      <section ref={box} className="download card" aria-label={`Download: ${title}`}>
        <p className="banner" data-tone="bad" role="alert">
          <Icon name="warning" />
          <span>
            <strong>{title}: not downloaded.</strong> {problem}
          </span>
        </p>
        <div className="row">
          <button className="small" type="button" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
          <button className="quiet small" type="button" onClick={leave}>
            Close
          </button>
        </div>
      </section>
    )
  if (!isLong) return null
  const { words, share } = reading(kind, progress, orders)
  return (
    <section ref={box} className="download card" aria-label={`Download: ${title}`}>
      <span className="visually-hidden" role="status">
        {title}: the file is being made
      </span>
      <div className="work">
        <div className="row">
          <span>
            {title}: {words}
          </span>
          {share !== null && <span className="figures">{Math.floor(share * 100)}%</span>}
        </div>
        <progress
          {...(share !== null && { value: Math.floor(share * 100) })}
          max={100}
          aria-label={`${title}, being downloaded`}
        />
      </div>
      <div className="row">
        <button
          className="secondary small"
          type="button"
          onClick={() => {
            stop.current?.abort()
            leave()
          }}
        >
          Cancel
        </button>
      </div>
    </section>
  )
}

/** What is being done, and which share of it is done; null when that is not known. */
function reading(
  kind: Kind,
  { bytes, rows, file }: Progress,
  orders: number,
): { words: string; share: number | null } {
  if (bytes === 0) return { words: 'waiting for the first rows', share: null }
  const size =
    bytes < 1_000_000
      ? `${formatCount(Math.ceil(bytes / 1000))} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`
  if (kind === 'results' || orders === 0) return { words: size, share: null }
  // Orders that arrived after the page was loaded are rows too.
  const all = Math.max(orders, rows),
    share = rows / all,
    counted = `${formatCount(rows)} of ${formatCount(all)}`
  return kind === 'orders'
    ? { words: counted, share }
    : {
        words:
          file === null || file === 'orders.csv'
            ? `orders.csv, ${counted} orders (${size})`
            : `${file} (${size})`,
        share,
      }
}
