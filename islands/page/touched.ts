export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Whether a control has another value than the server drew. */
export function isTouched(control: Control): boolean {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options]
    const drawn =
      options.find(option => option.defaultSelected) ?? options.find(option => !option.disabled)
    return drawn !== undefined && control.selectedOptions[0] !== drawn
  }
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue
  // When radio buttons changed, only the one that is chosen now counts.
  if (control.type === 'radio') return control.checked && !control.defaultChecked
  return control.type === 'checkbox'
    ? control.checked !== control.defaultChecked
    : control.value !== control.defaultValue
}
