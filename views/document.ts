import type { AdminScript } from '../domain/platform/shop-addresses.ts'
import type { PageFrame } from '../domain/routes.ts'

const bodyClasses: Record<PageFrame, string> = {
  shell: 'shell',
  rail: 'shell shell-rail',
  bare: 'fullscreen',
}

/**
 * What a document is made of: its title and body, where its files are, and the nonce of its
 * scripts.
 */
export type Document = {
  title: string
  body: string
  frame: PageFrame
  nonce: string
  /** URL of a built file by its name; empty for a stylesheet without rules. */
  asset: (name: string) => string
  /** URLs of the scripts that these islands need. */
  scripts: (islands: readonly string[]) => string[]
  /** Stylesheets besides the common one: their names in public/sheets/. */
  sheets: readonly string[]
  /** The answer to a form: to load it again would send the form again. */
  isPosted?: boolean
  /** A page that is only read: nothing on it needs a script. */
  isText?: boolean
  /** The admin that frames the page; null when the page does not tell it anything. */
  host?: Host | null
  extras?: Extras
}

/**
 * Where the admin shows the app, and the type of the message in which a page tells the admin its
 * path.
 */
export type Host = {
  app: string
  addressMessage: string | null
  adminScript: AdminScript | null
}

/** Scripts of vendors. A page has none that is not configured. */
export type Extras = {
  tagManager?: { id: string; origin: string }
  /** `reload`: the function to call after each navigation, as a dotted name on `window`. */
  guidance?: { url: string; reload: string }
  /**
   * The meeting scheduler, only on a page that shows it: the address of the page in the frame, and
   * of its script.
   */
  scheduler?: Scheduler
}
export type Scheduler = { url: string; script?: string | undefined }

/**
 * Marks an element with an id, about where the first screen of a long page ends. The first paint
 * waits until this element has been read: otherwise browsers paint the navigation alone, then a few
 * rows, and lay out the page each time.
 */
export const firstScreenEnd = { 'data-first-screen-end': true }
const marked = / id="([^"]+)" data-first-screen-end/

/**
 * A whole HTML document. It is text, because the parts of the body are rendered and cached one by
 * one.
 */
export const documentHtml = ({
  title,
  body,
  frame,
  nonce,
  asset,
  scripts,
  sheets,
  isPosted,
  isText,
  host,
  extras = {},
}: Document): string => {
  const own = sheets.map(sheet => asset(`${sheet}.css`)).filter(Boolean),
    screenEnd = marked.exec(body)?.[1]
  return `<!doctype html>
<html lang="en"${isPosted ? ' data-posted' : ''}><head><meta charset="utf-8">${host?.adminScript ? adminScriptHtml(host.adminScript, { nonce, asset }) : ''}<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} | Twinshelf</title>
${screenEnd ? `<link rel="expect" href="#${screenEnd}" blocking="render">` : ''}<link rel="stylesheet" href="${asset('app.css')}">${own.map(url => `<link rel="stylesheet" href="${url}">`).join('')}<link rel="icon" href="${asset('logo.svg')}" type="image/svg+xml">
<meta name="htmx-config" content='{"includeIndicatorCSS":false,"defaultSettleDelay":0,"prefix":""}'>
${isText ? '' : ownScripts(body, { nonce, asset, scripts }, host)}${scriptsOf(extras, nonce)}
</head><body class="${bodyClasses[frame]}">
${body}
</body></html>`
}

/** The platform's script comes first, as platforms ask for. Ours runs once the page is read. */
const adminScriptHtml = (
  { address, metas, part }: AdminScript,
  { nonce, asset }: Pick<Document, 'nonce' | 'asset'>,
): string =>
  `${metas.map(({ name, content }) => `<meta name="${escapeHtml(name)}" content="${escapeHtml(content)}">`).join('')}<script src="${escapeHtml(address)}" nonce="${nonce}"></script>${asset(part) && `<script type="module" src="${asset(part)}" nonce="${nonce}"></script>`}`

/**
 * The page's own script. It is told the files of the islands in the body, which it loads once the
 * page is painted, or for islands that wait for a person, at the first sign of one.
 */
function ownScripts(
  body: string,
  { nonce, asset, scripts }: Pick<Document, 'nonce' | 'asset' | 'scripts'>,
  host: Host | null | undefined,
): string {
  const islands = [...body.matchAll(/ data-island="([^"]+)"( data-later)?/g)],
    filesOf = (isLater: boolean) =>
      scripts(islands.filter(([, , later]) => Boolean(later) === isLater).map(([, name]) => name!)),
    code = filesOf(false),
    codeLater = filesOf(true)
  const attributes = [
    ` data-islands="${asset('islands.js')}"`,
    code.length > 0 && ` data-code="${code.join(' ')}"`,
    codeLater.length > 0 && ` data-code-later="${codeLater.join(' ')}"`,
    host && ` data-admin="${escapeHtml(host.app)}"`,
    host?.addressMessage && ` data-says="${escapeHtml(host.addressMessage)}"`,
  ]
  return `<script type="module" src="${asset('page.js')}"${attributes.filter(Boolean).join('')} nonce="${nonce}"></script>`
}

/** The tag manager needs the time when it starts. islands/page.ts calls the guidance tool. */
function scriptsOf({ tagManager, guidance, scheduler }: Extras, nonce: string): string {
  return (
    (tagManager
      ? `
<script nonce="${nonce}">(window.dataLayer=window.dataLayer||[]).push({"gtm.start":Date.now(),event:"gtm.js"})</script><script async src="${escapeHtml(`${tagManager.origin}/gtm.js?id=${tagManager.id}`)}" nonce="${nonce}"></script>`
      : '') +
    (guidance
      ? `
<script async src="${escapeHtml(guidance.url)}" data-reload="${escapeHtml(guidance.reload)}" nonce="${nonce}"></script>`
      : '') +
    (scheduler?.script
      ? `
<script async src="${escapeHtml(scheduler.script)}" nonce="${nonce}"></script>`
      : '')
  )
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, c => entities[c]!)
