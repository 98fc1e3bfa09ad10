type Task = { target: Element | null; fragment: DocumentFragment }

/**
 * Keeps the ticks of a list (`data-keeps-ticks`) that is replaced while somebody ticks: the new
 * list was requested before the last ticks. Ticks of rows that the new list does not show are kept
 * in hidden fields.
 */
export function watchTicks(): void {
  document.addEventListener('htmx:before:swap', event => {
    for (const { target, fragment } of (event as CustomEvent<{ tasks: Task[] }>).detail.tasks)
      if (target?.matches('[data-keeps-ticks]')) carry(target, fragment)
  })
}

function carry(old: Element, fragment: DocumentFragment): void {
  const fresh = fragment.firstElementChild
  for (const box of old.querySelectorAll<HTMLInputElement>('input[type=checkbox]')) {
    const same = [...fragment.querySelectorAll<HTMLInputElement>('input')].filter(
      ({ name, value }) => name === box.name && value === box.value,
    )
    for (const input of same)
      if (input.type === 'checkbox') input.checked = box.checked
      else if (!box.checked) input.remove()
    if (same.length === 0 && box.checked) fresh?.append(hidden(box))
  }
}

const hidden = ({ name, value }: HTMLInputElement): HTMLInputElement =>
  Object.assign(document.createElement('input'), { type: 'hidden', name, value })
