/**
 * Makes a part of an open page equal to a newer version from the same address, without disturbing
 * what the person does in it. An element that is in both versions stays the same element, so it
 * keeps focus, scroll position, selection and listeners. What is open, typed, ticked or focused is
 * not touched. Islands are not touched either; an event gives them their new properties.
 */
export function patch(old: Element, fresh: Element): void {
  if (isHeld(old) || old.isEqualNode(fresh)) return
  if (old instanceof HTMLElement && old.dataset.island !== undefined)
    return patchIsland(old, fresh as HTMLElement)
  if (isTouched(old)) return
  patchAttributes(old, fresh)
  patchChildren(old, fresh)
}

/** The person is using this element, or it does not belong to the page. */
const isHeld = (element: Element): boolean =>
  element.matches(
    'dialog[open], details.menu[open], [popover]:popover-open, [hx-preserve], .content-waiting, [aria-busy=true], noscript, .live-note',
  )

/** Removing this element would disturb the person, so it stays until the next time. */
const isNeeded = (element: Element): boolean =>
  element.contains(document.activeElement) ||
  isHeld(element) ||
  element.querySelector('dialog[open], details.menu[open], [popover]:popover-open') !== null

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
/** A control that the person has changed, or that has the focus. */
function isTouched(element: Element): boolean {
  if (!element.matches('input:not([type=hidden]), textarea, select')) return false
  const control = element as Control
  if (control === document.activeElement) return true
  if (control instanceof HTMLSelectElement)
    return (
      [...control.options].some(option => option.selected !== option.defaultSelected) &&
      [...control.options].some(option => option.defaultSelected)
    )
  return (
    control.value !== control.defaultValue ||
    (control instanceof HTMLInputElement && control.checked !== control.defaultChecked)
  )
}

/** Attributes that scripts and the browser set on elements that the server drew. */
const notOurs = /^(data-htmx-|data-alive$|aria-busy$|open$)/

function patchAttributes(old: Element, fresh: Element): void {
  for (const { name, value } of fresh.attributes)
    if (!notOurs.test(name) && old.getAttribute(name) !== value) old.setAttribute(name, value)
  for (const name of old.getAttributeNames())
    if (!notOurs.test(name) && !fresh.hasAttribute(name)) old.removeAttribute(name)
}

/**
 * Once an island is alive, React owns its markup. Its properties are in the script element after
 * it.
 */
function patchIsland(island: HTMLElement, fresh: HTMLElement): void {
  if (!('alive' in island.dataset)) island.innerHTML = fresh.innerHTML
}
function tellIsland(script: Element): void {
  const island = script.previousElementSibling
  if (script.matches('script[type="application/json"]') && island?.matches('[data-island]'))
    island.dispatchEvent(
      new CustomEvent('live:props', { detail: JSON.parse(script.textContent), bubbles: true }),
    )
}

function patchChildren(parent: Element, fresh: Element): void {
  const left = new Set<ChildNode>(parent.childNodes)
  let place: ChildNode | null = parent.firstChild
  for (const node of fresh.childNodes) {
    const same = sameAs(node, left)
    if (!same) {
      parent.insertBefore(document.importNode(node, true), place)
      continue
    }
    left.delete(same)
    if (same === place) place = place.nextSibling
    else move(parent, same, place)
    if (same instanceof Element) {
      const text = same.textContent
      patch(same, node as Element)
      if (same instanceof HTMLScriptElement && same.textContent !== text) tellIsland(same)
    } else if (same.textContent !== node.textContent) same.textContent = node.textContent
  }
  for (const node of left) if (!(node instanceof Element && isNeeded(node))) node.remove()
}

/**
 * Finds the node that corresponds to this one among those that are left: the first of the same kind
 * and name.
 */
function sameAs(node: ChildNode, left: Set<ChildNode>): ChildNode | undefined {
  const name = nameOf(node),
    kind = kindOf(node)
  for (const each of left) if (kindOf(each) === kind && nameOf(each) === name) return each
  return undefined
}
const kindOf = (node: ChildNode): string =>
  node instanceof Element ? `${node.tagName} ${node.classList[0] ?? ''}` : node.nodeName

/**
 * What tells an element from its siblings: its id; for a row, what it is about; '' when nothing
 * does.
 */
function nameOf(node: ChildNode): string {
  if (!(node instanceof Element)) return ''
  if (node.id) return node.id
  if (node instanceof HTMLElement && node.dataset.island !== undefined) return node.dataset.island
  if (!node.matches('tr, li')) return ''
  const named = node.querySelector('[id]'),
    link = node.querySelector('a[href]')
  return named?.id ?? link?.getAttribute('href') ?? node.querySelector('th')?.textContent ?? ''
}

/** Moves an element and gives it the focus back, which moving takes away. */
function move(parent: Element, node: ChildNode, before: ChildNode | null): void {
  const active = document.activeElement
  parent.insertBefore(node, before)
  if (active instanceof HTMLElement && active !== document.activeElement)
    active.focus({ preventScroll: true })
}
