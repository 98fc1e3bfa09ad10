import type { Picked } from '../domain/picker-message.ts'
import type { ChangeKind, ScriptChange } from '../domain/script-config.ts'

/** A change in the list, the group of pages it is made on, and the element it was picked from. */
export type Row = ScriptChange & { group?: number; key: number; picked?: Picked }

/** What stands on the page now, where a change of this kind begins with that. */
export function standing(kind: ChangeKind, name: string, { text, html, image, attributes }: Picked): string {
  switch (kind) {
    case 'text': return text
    case 'html': return html
    case 'image': return image
    case 'attribute': return attributes.find(each => each.name === name.trim())?.value ?? ''
    default: return ''
  }
}

/** A new change of an element that was picked: a picture gets another one, anything else another text. */
export function rowOf(picked: Picked, key: number): Row {
  const kind = picked.tag === 'img' || picked.tag === 'picture' ? 'image' : 'text'
  return { key, picked, selector: picked.selector, kind, name: '', value: standing(kind, '', picked) }
}

/** The row with a part of it changed. What was there for the kind before goes along only when somebody wrote it. */
export function edited(row: Row, part: Partial<Row>): Row {
  const next = { ...row, ...part }
  if (!row.picked || part.value !== undefined || (part.kind === undefined && part.name === undefined)) return next
  const isUntouched = row.value === '' || row.value === standing(row.kind, row.name, row.picked)
  return isUntouched ? { ...next, value: standing(next.kind, next.name, row.picked) } : next
}

/** The row about another element than before. */
export function pickedAgain(row: Row, picked: Picked): Row {
  const isUntouched = row.value === '' || (row.picked !== undefined && row.value === standing(row.kind, row.name, row.picked))
  return { ...row, picked, selector: picked.selector, value: isUntouched ? standing(row.kind, row.name, picked) : row.value }
}
