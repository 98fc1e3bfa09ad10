import { stepOf } from './edit-session.ts'

/** The version of the draft that the form was made from. */
export const versionOf = (form: HTMLFormElement): number =>
  Number(form.querySelector<HTMLInputElement>('[name=version]')?.value ?? 0)

/** What the step stores besides its fields, as the page gives it; null when there is nothing. */
export const keptOf = (form: HTMLFormElement): string | null =>
  form.querySelector('#draft-kept')?.textContent ?? null

/**
 * The query that leads back to what the form shows: its step and, for a list, the page of the list.
 */
export function placeOf(form: HTMLFormElement): string {
  const value = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value
  const query = new URLSearchParams({ step: stepOf(new URL(form.action).search) }),
    page = value('productsPage'),
    of = value('productsVariants')
  if (page) query.set('page', page)
  if (of) query.set('of', of)
  return `?${query}`
}
