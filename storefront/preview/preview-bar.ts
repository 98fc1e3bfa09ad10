import { previewParameter, type ScriptConfig } from '../../domain/script/script-config.ts'
import { endPreview } from './preview-link.ts'

const css = `
  div { box-sizing: border-box; position: fixed; inset: auto 0 0; z-index: 2147483647; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; padding: 9px 16px;
    background: #0f1213; color: #e8eced; font: 14px/1.45 -apple-system, "Segoe UI", Inter, Roboto, sans-serif; box-shadow: 0 -1px 0 #3c4649; }
  span { flex: 1 1 14em; min-width: 0; overflow-wrap: anywhere; } b { font-weight: 600; }
  a, button { padding: 4px 12px; border: 1px solid #6c777b; border-radius: 6px; background: none; color: inherit; font: inherit; text-decoration: none; cursor: pointer; }
  a:hover, button:hover { background: #1e2426; } :focus-visible { outline: 2px solid #7fd3ea; outline-offset: 2px; }
  @media (max-width: 480px) { span { flex-basis: 100%; } }
  @media print { div { display: none; } }`

/**
 * The bar at the bottom of a previewed page: which arm of which test this is, the way to the other
 * one, and out.
 */
export function showBar({
  arm,
  title,
  armTitles,
  otherUrl,
}: NonNullable<ScriptConfig['previewing']>): void {
  const host = document.createElement('twinshelf-preview')
  const shadow = host.attachShadow({ mode: 'open' })
  // A constructed sheet also works in a shop whose policy forbids inline styles.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  shadow.adoptedStyleSheets = [sheet]

  const bar = document.createElement('div')
  bar.setAttribute('role', 'region')
  bar.setAttribute('aria-label', 'Twinshelf preview')
  const text = document.createElement('span')
  const name = document.createElement('b')
  name.textContent = armTitles[arm]
  text.append(
    'Preview of ',
    name,
    ` in ${title ? `“${title}”` : 'a draft without a name'}. Nothing is counted.`,
  )
  bar.append(text)
  if (otherUrl) {
    const other = document.createElement('a')
    other.href = otherUrl
    other.textContent = `See ${armTitles[1 - arm]}`
    bar.append(other)
  }
  const close = document.createElement('button')
  close.type = 'button'
  close.textContent = 'Close preview'
  close.addEventListener('click', () => {
    endPreview()
    const url = new URL(location.href)
    url.searchParams.delete(previewParameter)
    location.replace(url.href)
  })
  bar.append(close)
  shadow.append(bar)
  document.body.append(host)
  // The shop's own footer must stay visible above the bar.
  document.body.style.setProperty('padding-bottom', `${bar.offsetHeight}px`)
}
