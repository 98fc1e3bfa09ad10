type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
const fields = 'input:not([type=hidden], [type=checkbox], [type=radio]), textarea, select'

/**
 * What was typed into these fields before their island was there to hear it. React takes what it finds for what it drew
 * itself, and would put its own in place of it at the next drawing: so the fields are as they were drawn for now, and
 * what this answers with types it all again.
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
        // React watches the element's own property; nobody types through that.
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
