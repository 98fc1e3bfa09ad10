import type { Posted } from '../posted.ts'
import type { FormChange } from './draft-form-posted.ts'
import { changeKinds, type ChangeKind } from '../script/script-config.ts'

/**
 * Reads the list of changes from the posted fields `changes.0.selector` and so on. An unknown kind
 * becomes `text`.
 */
export function postedChanges(posted: Posted): FormChange[] {
  const changes: FormChange[] = []
  for (let i = 0; posted[`changes.${i}.kind`] !== undefined; i++) {
    const part = (name: string) => {
      const value = posted[`changes.${i}.${name}`]
      return typeof value === 'string' ? value.replace(/\r\n/g, '\n') : ''
    }
    const kind = part('kind'),
      group = /^[1-9]$/.test(part('group')) ? Number(part('group')) : 0
    changes.push({
      selector: part('selector'),
      value: part('value'),
      name: part('name'),
      kind: (changeKinds as readonly string[]).includes(kind) ? (kind as ChangeKind) : 'text',
      ...(group > 0 && { group }),
    })
  }
  return changes
}
