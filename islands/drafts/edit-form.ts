import { postedChanges } from '../../domain/drafts/form-changes.ts'
import { changesNames, fieldsLabel } from './edit-fields.ts'
import type { FieldChange, Fields } from './edit-history.ts'
import { changesLabel } from './edit-words.ts'
import { picker } from './picker/picker-store.ts'

/** Names an edit after the fields, or the page elements, that it changed. */
export function labelOf(
  form: HTMLFormElement,
  changed: FieldChange,
  before: Fields,
  after: Fields,
): string {
  const names = Object.keys(changed).filter(name => !changesNames.test(name))
  const nameOf = (selector: string) =>
    picker.now().known.get(selector)?.label ?? selector.slice(0, 40)
  if (names.length === 0) return changesLabel(changesIn(before), changesIn(after), nameOf)
  return fieldsLabel(form, names)
}

/** The list of changes to the page that these fields hold. */
export const changesIn = (fields: Record<string, string[] | null>) =>
  postedChanges(
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value[0]]] : [])),
    ),
  )
