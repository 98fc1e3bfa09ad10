import type { ChoiceAsk, ChoiceShown } from '../../domain/drafts/pictures/choice-picture.ts'

/**
 * How long to wait between requests for pictures that are being drawn, at first and at most, and
 * when to stop. Milliseconds.
 */
const first = 1_000,
  longest = 5_000,
  timeout = 180_000
/** How many pictures one request asks for at most, and how many requests in a row may fail. */
const most = 40,
  maxFailures = 4

const seen = new Set<HTMLElement>()
let wait = first,
  since = performance.now(),
  failures = 0,
  timer: ReturnType<typeof setTimeout> | undefined

/** Requests pictures of the choices that are on the screen, and shows each one once it is drawn. */
const watch = new IntersectionObserver(
  entries => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) seen.add(target as HTMLElement)
      else seen.delete(target as HTMLElement)
    }
    if (seen.size === 0) return
    wait = first
    since = performance.now()
    clearTimeout(timer)
    // One request for all choices that came into view together.
    timer = setTimeout(() => void ask(), 50)
  },
  { rootMargin: '120px' },
)
/** Call it for each page that the document shows. */
export function watchChoices(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-choice]')) watch.observe(place)
}

async function ask(): Promise<void> {
  const places = [...seen].filter(place => place.isConnected).slice(0, most)
  if (places.length === 0 || document.visibilityState === 'hidden') return
  const answers = await askFor(
    places[0]!.dataset.to!,
    places.map(({ dataset }) => ({ of: dataset.choice!, version: dataset.version! })),
  )
  failures = answers ? 0 : failures + 1
  for (const place of places) {
    const answer = answers?.find(({ of }) => of === place.dataset.choice)
    show(place, answer)
    // A picture that has failed is not requested again until the page is loaded again.
    if (answer && !answer.isDrawing) done(place)
  }
  const isLate = performance.now() - since > timeout || failures >= maxFailures
  for (const place of places)
    if (isLate && seen.has(place)) {
      done(place)
      if (!place.querySelector('img')) say(place, 'No picture yet')
    }
  clearTimeout(timer)
  if (seen.size > 0) timer = setTimeout(() => void ask(), wait)
  wait = Math.min(wait * 1.4, longest)
}
document.addEventListener('visibilitychange', () => void ask())

async function askFor(to: string, choices: ChoiceAsk[]): Promise<ChoiceShown[] | null> {
  try {
    const body = new URLSearchParams(
      choices.flatMap(({ of, version }) => [
        ['of', of],
        ['version', version],
      ]),
    )
    const answer = await fetch(to, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    })
    return answer.ok ? ((await answer.json()) as ChoiceShown[]) : null
  } catch {
    return null
  }
}

function done(place: HTMLElement): void {
  seen.delete(place)
  watch.unobserve(place)
}

function show(place: HTMLElement, answer: ChoiceShown | undefined): void {
  if (!answer) return
  if (answer.src && (place.querySelector('img')?.getAttribute('src') ?? null) !== answer.src)
    void put(place, answer.src)
  else if (!answer.src)
    say(place, answer.isDrawing ? 'Drawing the picture…' : (answer.problem ?? 'No picture yet'))
}

/** Shows a picture once it has loaded; what it replaces stays until then. */
async function put(place: HTMLElement, src: string): Promise<void> {
  const picture = new Image(640, 400)
  picture.alt = place.dataset.alt!
  picture.src = src
  await picture.decode().then(
    () => place.replaceChildren(picture),
    () => {},
  )
}

function say(place: HTMLElement, words: string): void {
  const blank = place.querySelector<HTMLElement>('.choice-blank'),
    said = blank?.querySelector('small')
  if (said && said.textContent !== words) said.textContent = words
  if (blank) blank.title = words
}
