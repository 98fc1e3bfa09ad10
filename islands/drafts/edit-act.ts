import { drawnFields } from './edit-fields.ts'
import { noHistory } from './edit-history.ts'
import { keptOf, placeOf, versionOf } from './edit-place.ts'
import { type Going, keepSession, readSession, stepOf } from './edit-session.ts'

/**
 * The act for which this event sends the draft's form, or the form of one of its dialogs. Null for
 * other forms, and for forms that only ask.
 */
export function actOf(event: SubmitEvent, form: HTMLFormElement): (Going & { act: string }) | null {
  const { target, submitter, defaultPrevented } = event
  if (defaultPrevented || !(target instanceof HTMLFormElement)) return null
  const method = submitter?.getAttribute('formmethod') ?? target.method,
    action = submitter?.getAttribute('formaction') ?? target.action
  if (method === 'get') return null
  const { pathname } = new URL(action, location.href),
    own = new URL(form.action).pathname
  if (!pathname.startsWith(own)) return null
  const act =
    pathname === own
      ? (submitter?.getAttribute('value') ?? 'save')
      : pathname.endsWith('/delete')
        ? 'delete'
        : `${stepOf(placeOf(form))}.dialog:`
  // Not textContent: a button may have other words for people without scripts.
  const label = submitter?.getAttribute('aria-label') ?? (submitter?.innerText.trim() || 'Change')
  return { act, label }
}

/**
 * Remembers an act that comes before the code of undo (edit-watch.ts), as on a slow connection, so
 * that the next page can undo it. Marks the form (`data-acted`), because that code may still come
 * before the next page does.
 */
export function rememberActs(form: HTMLFormElement): void {
  const draft = new URL(form.action).pathname.split('/').at(-1)!,
    [drawn, at] = [drawnFields(form), placeOf(form)]
  document.addEventListener('submit', event => {
    if (!form.isConnected || document.querySelector('[data-undo=watching]')) return
    const going = actOf(event, form)
    if (!going) return
    const session = readSession(draft)
    form.dataset['acted'] = ''
    keepSession(draft, {
      history: new FormData(event.target as HTMLFormElement).has('discard')
        ? noHistory
        : (session?.history ?? noHistory),
      version: versionOf(form),
      pages: session?.pages ?? [],
      at,
      fields: drawn,
      kept: keptOf(form),
      going,
    })
  })
}
