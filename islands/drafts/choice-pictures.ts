import type { ChoiceAsk, ChoiceShown } from '../../domain/drafts/pictures/choice-picture.ts'

/** How often pictures that are being drawn are asked for, at first and at most, and for how long in all. Milliseconds. */
const first = 1_000,
  longest = 5_000,
  timeout = 180_000
/** Asked for at once at most, and attempts that may fail in a row. */
const most = 40,
  maxFailures = 4

const seen = new Set<HTMLElement>()
let wait = first,
  since = performance.now(),
  failures = 0,
  timer: ReturnType<typeof setTimeout> | undefined

/** Asks for pictures of the choices on the screen, and puts each in its place once it is drawn. */
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
    // One answer for all that came into view together.
    timer = setTimeout(() => void ask(), 50)
  },
  { rootMargin: '120px' },
)
for (const place of document.querySelectorAll<HTMLElement>('[data-choice]')) watch.observe(place)

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
    // Until the page is loaded again, what failed has failed.
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

/** Only once it is there: what it replaces stays until then. */
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
