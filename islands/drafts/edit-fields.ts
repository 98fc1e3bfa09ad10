import type { Fields } from './edit-history.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** What the form holds besides the draft: what a save stands on, where on the step one is, and what only a button of the step takes. */
const notOfDraft =
  /^(version|savedBy|act|restore|content\.(version|was)|products(Page|Variants)|page(Type|Search)|granular|suffix|rule\..*)$/
/** The list of changes is one value: its island draws its fields. */
export const changesNames = /^changes(\.|$)/

/** The draft's fields of the form. A box that is not ticked and a group without a choice have no value. */
export function readFields(form: HTMLFormElement): Fields {
  const fields: Fields = {},
    own = controls(form),
    names = new Set(own.map(({ name }) => name))
  for (const control of own) if (isTicked(control)) fields[control.name] = []
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && names.has(name)) (fields[name] ??= []).push(value)
  }
  return fields
}

/** The fields as the page came, before anybody typed. */
export function drawnFields(form: HTMLFormElement): Fields {
  const drawn = form.cloneNode(true) as HTMLFormElement
  drawn.reset()
  return readFields(drawn)
}

/** Fills fields of the form; null, and nothing is filled, where one of them is not on this page. Answers the controls that it filled. */
export function fillFields(
  form: HTMLFormElement,
  values: Record<string, string[] | null>,
): Control[] | null {
  const filled: [Control, () => void][] = []
  for (const [name, given] of Object.entries(values)) {
    const own = controls(form).filter(control => control.name === name)
    const choices = own.filter(isTicked),
      texts = own.filter(control => !isTicked(control))
    const left = [...(given ?? [])]
    // A hidden field before boxes stands for none of them.
    const typed = texts.map(() =>
      choices.length > 0
        ? left.splice(left.indexOf(''), left.includes('') ? 1 : 0)[0]
        : left.shift(),
    )
    if (own.length === 0 || typed.includes(undefined)) return null
    if (left.some(value => !choices.some(choice => choice.value === value))) return null
    for (const choice of choices)
      filled.push([
        choice,
        () => {
          ;(choice as HTMLInputElement).checked = left.includes(choice.value)
        },
      ])
    texts.forEach((control, i) => filled.push([control, () => write(control, typed[i]!)]))
  }
  for (const [, fill] of filled) fill()
  return filled.map(([control]) => control)
}

function write(control: Control, value: string): void {
  // A colour field holds nothing but a colour; the server draws a text field for anything else.
  if (control.type === 'color' && !/^#[0-9a-f]{6}$/i.test(value))
    (control as HTMLInputElement).type = 'text'
  control.value = value
}

/** What a field is called, in the words beside it. */
export function fieldLabel(form: HTMLFormElement, name: string): string {
  const own = controls(form).filter(each => each.name === name)
  const control = own.find(each => each.type !== 'hidden')
  if (!control) return ''
  const isGroup = control.type === 'radio' || (isTicked(control) && own.filter(isTicked).length > 1)
  const label = control.labels?.[0]
  const words =
    control.getAttribute('aria-label') ??
    (isGroup
      ? control.closest('fieldset')?.querySelector('legend')?.textContent
      : label?.contains(control)
        ? label.firstElementChild?.textContent || label.textContent
        : label?.textContent)
  return (words ?? '').replace(/\s+/g, ' ').trim()
}

export const isTextField = (
  target: EventTarget | null,
): target is HTMLInputElement | HTMLTextAreaElement =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement &&
    !/^(checkbox|radio|range|color|button|submit|file|hidden)$/.test(target.type))

const isTicked = (control: Control): boolean =>
  control.type === 'checkbox' || control.type === 'radio'
const controls = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter(
    (each): each is Control =>
      (each instanceof HTMLInputElement ||
        each instanceof HTMLTextAreaElement ||
        each instanceof HTMLSelectElement) &&
      each.name !== '' &&
      each.type !== 'file' &&
      !each.matches('[readonly]') &&
      !notOfDraft.test(each.name) &&
      // How the preview is looked at is nothing of the draft either.
      (!each.closest('[data-island]') || changesNames.test(each.name)),
  )
