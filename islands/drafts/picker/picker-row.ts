import type { FormChange } from '../../../domain/drafts/draft-form-posted.ts'
import type { Picked } from '../../../domain/drafts/picker-message.ts'
import type { ChangeKind } from '../../../domain/script/script-config.ts'

/**
 * What is on the page now, for the kinds of change that begin with the present value; '' for the
 * other kinds.
 */
export function standing(
  kind: ChangeKind,
  name: string,
  { text, html, image, attributes }: Picked,
): string {
  switch (kind) {
    case 'text':
      return text
    case 'html':
      return html
    case 'image':
      return image
    case 'attribute':
      return attributes.find(each => each.name === name.trim())?.value ?? ''
    default:
      return ''
  }
}

/**
 * The first change of a picked element: another picture for a picture, another text for anything
 * else.
 */
export function changeOf(picked: Picked): FormChange {
  const kind = picked.tag === 'img' || picked.tag === 'picture' ? 'image' : 'text'
  return { selector: picked.selector, kind, name: '', value: standing(kind, '', picked) }
}

/**
 * The part of a change that is edited. When kind or name change, the value becomes what is on the
 * page now, unless somebody wrote it.
 */
export function edited(
  row: FormChange,
  part: Partial<FormChange>,
  picked: Picked | undefined,
): Partial<FormChange> {
  if (!picked || part.value !== undefined || (part.kind === undefined && part.name === undefined))
    return part
  const next = { ...row, ...part }
  const isUntouched = row.value === '' || row.value === standing(row.kind, row.name, picked)
  return isUntouched ? { ...part, value: standing(next.kind, next.name, picked) } : part
}

/**
 * Points a change at another element. A value that nobody wrote becomes what that element has now.
 */
export function pickedAgain(
  row: FormChange,
  before: Picked | undefined,
  picked: Picked,
): Partial<FormChange> {
  const isUntouched =
    row.value === '' || (before !== undefined && row.value === standing(row.kind, row.name, before))
  return {
    selector: picked.selector,
    value: isUntouched ? standing(row.kind, row.name, picked) : row.value,
  }
}
