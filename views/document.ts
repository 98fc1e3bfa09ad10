/** `shell` has the navigation beside the content, `rail` folded to icons; `bare` has none. */
export type PageFrame = 'shell' | 'rail' | 'bare'
const bodyClasses: Record<PageFrame, string> = { shell: 'shell', rail: 'shell shell-rail', bare: 'fullscreen' }

/** What a document needs besides its body: the page's title, where its files are, and the nonce its scripts go by. */
export type Document = {
  title: string
  body: string
  frame: PageFrame
  nonce: string
  /** URL of a built file by its name. */
  asset: (name: string) => string
}

/** A whole HTML document. Text, because the body's parts are drawn apart and kept. */
export const documentHtml = ({ title, body, frame, nonce, asset }: Document): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} | Twinshelf</title>
<link rel="stylesheet" href="${asset('app.css')}"><link rel="icon" href="${asset('logo.svg')}" type="image/svg+xml">
<meta name="htmx-config" content='{"includeIndicatorCSS":false}'>
<script type="module" src="${asset('page.js')}" nonce="${nonce}"></script>${body.includes(' data-island="') ? `<script type="module" src="${asset('islands.js')}" nonce="${nonce}"></script>` : ''}
</head><body class="${bodyClasses[frame]}">
${body}
</body></html>`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, c => entities[c]!)
