import type { Fields } from './edit-history.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Fields of the form that are not part of the draft: what a save is based on, where in the step the
 * merchant is, and what only a button of the step reads.
 */
const notOfDraft =
  /^(version|savedBy|act|restore|content\.(version|was)|products(Page|Variants)|page(Type|Search)|granular|suffix|rule\..*)$/
/**
 * Fields of the list of changes. Undo treats the list as one value, because its island draws these
 * fields.
 */
export const changesNames = /^changes(\.|$)/

/**
 * Reads the draft's fields from the form. A box that is not ticked, and a group without a choice,
 * has an empty list.
 */
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

/** The fields as the page was loaded, before anybody typed. */
export function drawnFields(form: HTMLFormElement): Fields {
  const drawn = form.cloneNode(true) as HTMLFormElement
  drawn.reset()
  return readFields(drawn)
}

/**
 * Fills fields of the form and returns the controls that it filled. Returns null, and fills
 * nothing, when one of the fields is not on this page.
 */
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
    // A hidden field before boxes, with the value '', means that no box is ticked.
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
  // A colour field can hold only a colour. For any other value it becomes a text field, as the
  // server would draw it.
  if (control.type === 'color' && !/^#[0-9a-f]{6}$/i.test(value))
    (control as HTMLInputElement).type = 'text'
  control.value = value
}

/** The label of a field, as the page shows it; '' when there is none. */
function fieldLabel(form: HTMLFormElement, name: string): string {
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

/** Names an edit after its fields. */
export function fieldsLabel(form: HTMLFormElement, names: readonly string[]): string {
  const labels = [...new Set(names.map(name => fieldLabel(form, name)).filter(Boolean))]
  return labels.length > 1 ? `${labels[0]} and ${labels.length - 1} more` : (labels[0] ?? 'Change')
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
      // Controls of other islands, such as the zoom of the preview, are not part of the draft
      // either.
      (!each.closest('[data-island]') || changesNames.test(each.name)),
  )
