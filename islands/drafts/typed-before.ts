type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
// A chosen file cannot be written back; the islands with such a field look for it themselves.
const fields =
  'input:not([type=hidden], [type=checkbox], [type=radio], [type=file]), textarea, select'

/**
 * Finds what was typed into an island's fields before the island started. React takes the values
 * that it finds for its own, and would overwrite them the next time it draws. So this resets the
 * fields to the values that were drawn, and returns functions that type everything again.
 */
export const typedBefore = (island: Element): (() => void)[] =>
  [...island.querySelectorAll<Field>(fields)]
    .filter(field => field.value !== drawn(field))
    .map(field => {
      const { value } = field,
        caret =
          'selectionStart' in field ? ([field.selectionStart, field.selectionEnd] as const) : null
      if (!(field instanceof HTMLSelectElement)) field.value = field.defaultValue
      return () => {
        // React intercepts the element's own property, so the prototype's setter is used.
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!.set!.call(
          field,
          value,
        )
        field.dispatchEvent(
          new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
        )
        if (caret && caret[0] !== null && field === document.activeElement)
          (field as HTMLInputElement).setSelectionRange(...caret)
      }
    })

function drawn(field: Field): string | undefined {
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue
  const options = [...field.options]
  return (options.find(option => option.defaultSelected) ?? options[0])?.value
}
