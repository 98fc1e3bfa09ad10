const minute = 60_000
import { patch } from './live-patch.ts'

/**
 * How often the revision of the figures is requested, and the longest wait when the server does not
 * answer. Milliseconds.
 */
const every = 5_000,
  longest = minute
/** How often a screen reader is told at most. Milliseconds. */
const toldEvery = minute

/** The part of the page that shows figures; null on pages without any. */
const shown = () => document.querySelector<HTMLElement>('main[data-figures]')
let failures = 0,
  updatedAt = 0,
  toldAt = 0,
  timer: ReturnType<typeof setTimeout> | undefined,
  isLooking = false

/** Keeps the figures of an open page up to date, as long as the page is visible and not idle. */
async function look(): Promise<void> {
  clearTimeout(timer)
  const main = shown()
  if (
    main &&
    !isLooking &&
    document.visibilityState === 'visible' &&
    !('idle' in document.documentElement.dataset)
  ) {
    isLooking = true
    failures = await update(main).then(
      () => 0,
      () => failures + 1,
    )
    isLooking = false
  }
  say()
  timer = setTimeout(
    () => void look(),
    Math.min(every * 2 ** failures, longest) * (0.9 + Math.random() / 5),
  )
}

async function update(main: HTMLElement): Promise<void> {
  const { href } = location
  const asked = new URL(main.dataset.asksFigures!, href),
    shop = new URLSearchParams(location.search).get('shop')
  if (shop) asked.searchParams.set('shop', shop)
  const answer = await fetch(asked),
    revision = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status}`)
  if (revision === main.dataset.figures) return
  // A dialog that the address asked for is open already and stays open, so do not ask for it again.
  const page = new URL(href)
  page.searchParams.delete('ask')
  const response = await fetch(page, {
    headers: {
      'hx-request': 'true',
      'hx-request-type': 'partial',
      'hx-current-url': href,
      'twinshelf-figures': revision,
    },
  })
  const fresh =
    response.status === 200 &&
    new DOMParser()
      .parseFromString(await response.text(), 'text/html')
      .querySelector<HTMLElement>('main[data-figures]')
  if (!fresh) throw new Error(`${response.status}`)
  await released(main)
  // The merchant may have left the page meanwhile, or htmx may have replaced this part.
  if (location.href !== href || !main.isConnected) return
  patch(main, fresh)
  window.htmx.process(main)
  updatedAt = Date.now()
}
declare global {
  interface Window {
    htmx: { process: (element: Element) => void }
  }
}

/**
 * Resolves when nothing in this part is pressed. If a button changed between press and release, its
 * click would be lost.
 */
async function released(part: Element): Promise<void> {
  while (part.querySelector('a:active, button:active, summary:active, label:active, input:active'))
    await new Promise(resolve => setTimeout(resolve, 50))
}

/**
 * Shows how old the figures are. Tells a screen reader now and then that there are new figures, and
 * nothing else.
 */
function say(): void {
  const [age, news] = document.querySelectorAll('.live-note > span')
  if (!age || !news || updatedAt === 0) return
  const minutes = Math.floor((Date.now() - updatedAt) / minute)
  age.textContent =
    minutes === 0
      ? 'Updated just now'
      : `Updated ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
  if (updatedAt <= toldAt || Date.now() - toldAt < toldEvery) return
  toldAt = Date.now()
  // A screen reader would not read the same text again.
  news.textContent = ''
  setTimeout(() => {
    news.textContent = 'The figures were updated.'
  }, 100)
}

// A merchant who comes back to the page sees new figures at once.
document.addEventListener('visibilitychange', () => void look())
void look()
