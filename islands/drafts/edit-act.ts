import { drawnFields, fieldsLabel, readFields } from './edit-fields.ts'
import { fieldChange, moved, nextEdit, noHistory, record } from './edit-history.ts'
import { keptOf, placeOf, versionOf } from './edit-place.ts'
import { arrive, type Going, keepSession, readSession, stepOf } from './edit-session.ts'

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

/** What the server tells undo about the page (undo-redo.tsx). */
type Told = { by: string | null; isConflict: boolean; isRefused: boolean }

/**
 * Remembers an act that comes before the code of undo (edit-watch.ts), as on a slow connection, so
 * that the next page can undo it. First it does what that code does when a page arrives. Marks the
 * form (`data-acted`), because the code may still come before the next page does.
 */
export function rememberActs(form: HTMLFormElement): void {
  const props = document.getElementById('history')?.nextElementSibling?.textContent
  if (!props) return
  const { by, isConflict, isRefused } = JSON.parse(props) as Told
  const draft = new URL(form.action).pathname.split('/').at(-1)!,
    page = { at: placeOf(form), version: versionOf(form), kept: keptOf(form) }
  const drawn = drawnFields(form)
  const remember = (event: SubmitEvent): void => {
    if (!form.isConnected) return document.removeEventListener('submit', remember)
    // A second press would note again what was typed before the first.
    if ('acted' in form.dataset || document.querySelector('[data-undo=watching]')) return
    const going = actOf(event, form)
    if (!going) return
    const session = readSession(draft)
    const arrival = arrive(session, { ...page, fields: drawn, by, isConflict, isRefused })
    let { history } = arrival
    if (arrival.done && nextEdit(history, arrival.done)) history = moved(history, arrival.done)
    const fields = readFields(form),
      typed = fieldChange(drawn, fields)
    if (typed)
      history = record(history, {
        label: fieldsLabel(form, Object.keys(typed)),
        at: page.at,
        fields: typed,
      })
    // The dialog said that what is discarded cannot be restored.
    if (new FormData(event.target as HTMLFormElement).has('discard')) history = noHistory
    form.dataset['acted'] = ''
    keepSession(draft, { ...page, history, pages: session?.pages ?? [], fields, going })
  }
  document.addEventListener('submit', remember)
}
