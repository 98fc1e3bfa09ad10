type Task = { target: Element | null; fragment: DocumentFragment }

/**
 * A list that is replaced while somebody ticks (`data-keeps-ticks`): what is ticked in it is so in its successor too,
 * which was asked for before. What that does not show is carried along unseen.
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
