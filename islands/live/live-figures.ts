const minute = 60_000
import { patch } from './live-patch.ts'

/** How often the figures' revision is asked for, and how long at most when the server does not answer. Milliseconds. */
const every = 5_000,
  longest = minute
/** How often at most a screen reader is told. */
const toldEvery = minute

/** The page whose figures are shown; none on pages that show none. */
const shown = () => document.querySelector<HTMLElement>('main[data-figures]')
let failures = 0,
  updatedAt = 0,
  toldAt = 0,
  timer: ReturnType<typeof setTimeout> | undefined,
  isLooking = false

/** Keeps the figures of an open page as they are now, as long as somebody can see it. */
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
  // A dialog that the address asked for is open, and stays so.
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
  // It was left for another meanwhile, or htmx has just brought a part of it.
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

/** A click whose button changes between press and release would be nobody's. */
async function released(part: Element): Promise<void> {
  while (part.querySelector('a:active, button:active, summary:active, label:active, input:active'))
    await new Promise(resolve => setTimeout(resolve, 50))
}

/** How old the figures are in sight; to a screen reader now and then, and only that there are new ones. */
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
  // The same words again would not be read out.
  news.textContent = ''
  setTimeout(() => {
    news.textContent = 'The figures were updated.'
  }, 100)
}

// Who comes back to the page sees what is new at once.
document.addEventListener('visibilitychange', () => void look())
void look()
