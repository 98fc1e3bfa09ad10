import type { ShopifyGlobal } from '@shopify/app-bridge-types'
import { type Unsaved, unsavedEvent } from '../../domain/embedding/admin-link.ts'

/*
 * Our part beside Shopify's App Bridge, in every merchant's page that its admin frames
 * (views/document.ts). It gives the page tokens, and gives the admin what it draws for us: the
 * navigation menu, the way back in its title bar, and the save bar. Without App Bridge, and outside
 * the admin, it does nothing: the page has all of this itself.
 */

/** Drafts save themselves, so the bar comes only when that takes longer. Milliseconds. */
const barAfter = 2_000

/** Makes an element that only the admin reads. */
function hiddenElement<K extends string>(name: K, ...content: Node[]): HTMLElement {
  const element = document.createElement(name)
  element.hidden = true
  element.append(...content)
  return element
}

const link = (href: string, label: string, isHome = false): HTMLAnchorElement =>
  Object.assign(document.createElement('a'), {
    href,
    textContent: label,
    ...(isHome && { rel: 'home' }),
  })

/** The links of our own navigation; null on a page without one. */
function menu(): HTMLElement | null {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sidenav .nav-list a')]
  const [first] = links
  if (!first) return null
  const labelOf = (each: HTMLAnchorElement) =>
    each.getAttribute('aria-label') ?? each.textContent.trim()
  return hiddenElement(
    'ui-nav-menu',
    link(first.href, labelOf(first), true),
    ...links.map(each => link(each.getAttribute('href')!, labelOf(each))),
  )
}

/** The page's name, and its own link back as the button before it. */
function titleBar(): HTMLElement {
  const back = document.querySelector<HTMLAnchorElement>('.back-link'),
    bar = hiddenElement('ui-title-bar')
  bar.setAttribute('title', document.title.replace(/ \| [^|]*$/, ''))
  if (back) {
    const button = document.createElement('button')
    button.setAttribute('variant', 'breadcrumb')
    button.textContent = back.textContent.trim()
    button.onclick = () => back.click()
    bar.append(button)
  }
  return bar
}

/** Shows what this page has in the admin; again after another page has taken its place. */
function tellAdmin(): void {
  for (const old of document.querySelectorAll('body > :is(ui-nav-menu, ui-title-bar)')) old.remove()
  document.body.append(...[menu(), titleBar()].filter(each => each !== null))
}

const barId = 'unsaved-draft'
let timer: ReturnType<typeof setTimeout> | undefined

/** The admin's save bar, while something that was typed is not stored for long. */
function tellUnsaved({ saveBar }: ShopifyGlobal, { isUnsaved, save, discard }: Unsaved): void {
  clearTimeout(timer)
  const button = (isSave: boolean, label: string, press: () => void) => {
    const made = document.createElement('button')
    if (isSave) made.setAttribute('variant', 'primary')
    made.textContent = label
    made.onclick = press
    return made
  }
  const old = document.getElementById(barId)
  if (!isUnsaved) {
    if (old) void saveBar.hide(barId).then(() => old.remove())
    return
  }
  const buttons = [button(true, 'Save', save), button(false, 'Discard', discard)]
  if (old) return old.replaceChildren(...buttons)
  timer = setTimeout(() => {
    const bar = hiddenElement('ui-save-bar', ...buttons)
    bar.id = barId
    document.body.append(bar)
    void saveBar.show(barId)
  }, barAfter)
}

const bridge = (globalThis as { shopify?: ShopifyGlobal }).shopify
if (bridge && parent !== self) {
  window.adminLink = { idToken: () => bridge.idToken() }
  document.addEventListener('page:arrived', tellAdmin)
  document.addEventListener(unsavedEvent, event =>
    tellUnsaved(bridge, (event as CustomEvent<Unsaved>).detail),
  )
  tellAdmin()
}
