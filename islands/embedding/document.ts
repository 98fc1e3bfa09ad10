import { holdPictures } from './pictures.ts'

/** Milliseconds that a stylesheet may take before the page is shown without it. */
const timeout = 5_000

export const parsed = (html: string): Document => new DOMParser().parseFromString(html, 'text/html')

/** Loads the stylesheets of a page before the page is shown. */
export async function loadStyles({ head }: Document): Promise<void> {
  const known = new Set(stylesIn(document).map(addressOf))
  await Promise.all(
    stylesIn({ head })
      .filter(link => !known.has(addressOf(link)))
      .map(({ outerHTML }) => {
        document.head.insertAdjacentHTML('beforeend', outerHTML)
        const link = document.head.lastElementChild as HTMLLinkElement
        return new Promise<unknown>(resolve => {
          link.onload = link.onerror = resolve
          setTimeout(resolve, timeout)
        })
      }),
  )
}

/** Removes the stylesheets that only the page before had. */
export function dropStyles(fresh: Document): void {
  const needed = new Set(stylesIn(fresh).map(addressOf))
  for (const link of stylesIn(document)) if (!needed.has(addressOf(link))) link.remove()
}

const stylesIn = ({ head }: Pick<Document, 'head'>) => [
  ...head.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'),
]
const addressOf = (link: HTMLLinkElement) => link.getAttribute('href')

/** What a document says of itself on its root: whether it is the answer to a form. */
export function copyRoot({ documentElement: fresh }: Document): void {
  const root = document.documentElement
  if ('posted' in fresh.dataset) root.dataset['posted'] = ''
  else delete root.dataset['posted']
}

/** Makes new content ready for a page that runs scripts. */
export function prepare(content: ParentNode): void {
  holdPictures(content)
  for (const each of content.querySelectorAll('noscript')) each.remove()
}

const ownScript = 'script[data-islands]'
/**
 * Adds the scripts of a page that this document does not have yet. Its policy knows only its own
 * nonce. The page's own script stays; only what it says of the page is replaced.
 */
export function addScripts(fresh: Document, nonce: string): void {
  for (const script of fresh.head.querySelectorAll('script')) {
    const known = script.matches(ownScript)
      ? document.querySelector<HTMLScriptElement>(ownScript)
      : [...document.scripts].find(
          each => each.getAttribute('src') === script.getAttribute('src') && script.src !== '',
        )
    if (known) {
      for (const name of Object.keys(known.dataset)) delete known.dataset[name]
      Object.assign(known.dataset, script.dataset)
    } else if (script.src !== '' || !document.querySelector(ownScript)) {
      const own = document.createElement('script')
      for (const { name, value } of script.attributes) own.setAttribute(name, value)
      own.textContent = script.textContent
      own.nonce = nonce
      document.head.append(own)
    }
  }
}

/** Resolves when the page's own script, htmx with it, has run. */
export function ownScriptRun(): Promise<void> {
  const script = document.querySelector<HTMLScriptElement>(ownScript)
  if (!script || 'htmx' in window) return Promise.resolve()
  return new Promise(resolve => script.addEventListener('load', () => resolve(), { once: true }))
}

/** Puts a whole page into this document, which has shown none so far. */
export async function showFirst(fresh: Document, nonce: string): Promise<void> {
  await loadStyles(fresh)
  const config = fresh.querySelector('meta[name=htmx-config]')
  document.querySelector('meta[name=htmx-config]')?.remove()
  if (config) document.head.append(document.importNode(config))
  prepare(fresh)
  copyRoot(fresh)
  document.title = fresh.title
  document.body.className = fresh.body.className
  document.body.replaceChildren(...fresh.body.childNodes)
  dropStyles(fresh)
  addScripts(fresh, nonce)
}
