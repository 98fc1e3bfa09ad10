import type { ChangeKind } from '../../../domain/script/script-config.ts'
import type { Row } from '../changes-state.ts'
import type { IconName } from '../../icon.tsx'

/** The icon of an element: that of its changes when all are of one kind. */
export function iconOf(rows: { row: Row }[]): IconName {
  const [first] = rows
  if (!first) return 'pick'
  return rows.every(({ row }) => row.kind === first.row.kind)
    ? changeIcons[first.row.kind]
    : 'style'
}
const changeIcons = {
  text: 'text',
  html: 'code',
  style: 'style',
  attribute: 'code',
  class: 'style',
  image: 'picture',
  insertBefore: 'plus',
  insertAfter: 'plus',
  move: 'move',
  hide: 'hide',
  remove: 'trash',
} as const satisfies Record<ChangeKind, IconName>
