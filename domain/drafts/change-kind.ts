import { styleFields } from './element-style.ts'
import type { ChangeKind, ScriptChange } from '../script/script-config.ts'

/**
 * The words of each kind of change in the editor. `value` and `name` are the labels of its fields;
 * null when it has no such field.
 */
export const changeKindWords: Record<
  ChangeKind,
  { label: string; value: string | null; name: string | null }
> = {
  text: { label: 'Text', value: 'New text', name: null },
  html: { label: 'Content as HTML', value: 'New HTML', name: null },
  style: { label: 'Style', value: 'CSS value', name: 'CSS property' },
  attribute: { label: 'Attribute', value: 'New value', name: 'Attribute' },
  class: { label: 'CSS classes', value: 'Classes to add', name: null },
  image: { label: 'Picture', value: 'Address of the new picture', name: null },
  insertBefore: { label: 'Insert before', value: 'HTML to insert', name: null },
  insertAfter: { label: 'Insert after', value: 'HTML to insert', name: null },
  move: { label: 'Move', value: 'Selector of the element it goes to', name: 'Place' },
  hide: { label: 'Hide', value: null, name: null },
  remove: { label: 'Remove', value: null, name: null },
}

/** "Text: Ships today", "Style: color #7a4a2b", "Hide": one line that names a change in a list. */
export function describeChange({
  kind,
  name,
  value,
}: Pick<ScriptChange, 'kind' | 'name' | 'value'>): string {
  const words = changeKindWords[kind]
  const what = [words.name && name.trim(), words.value && value.trim()].filter(Boolean).join(' ')
  return what ? `${words.label}: ${what}` : words.label
}

/** "3 changes: text, background, corner radius": sums up the changes of one element. */
export function countChanges(changes: readonly Pick<ScriptChange, 'kind' | 'name'>[]): string {
  if (changes.length === 0) return 'No changes yet'
  const words = new Set(changes.map(changeWord))
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${[...words].join(', ')}`
}
/** "text", "background", "corner radius": names what a change changes. */
export function changeWord({ kind, name }: Pick<ScriptChange, 'kind' | 'name'>): string {
  const property = name.trim()
  if (kind === 'style') return styleWords.get(property) ?? (property || 'style')
  if (kind === 'attribute') return attributeWords[property] ?? (property || 'attribute')
  return kind === 'insertBefore' || kind === 'insertAfter'
    ? 'new element'
    : changeKindWords[kind].label.toLowerCase()
}
const attributeWords: Record<string, string> = { href: 'link', alt: 'alt text' }
const styleWords = new Map<string, string>(
  Object.entries(styleFields).flatMap(([part, fields]) =>
    fields.map(
      ({ property, label }) =>
        [property, part === 'padding' || part === 'margin' ? part : label.toLowerCase()] as const,
    ),
  ),
)

/** The change that the editor adds to a list. */
export const emptyChange: ScriptChange = { selector: '', kind: 'text', value: '', name: '' }

/** Whether a change has all that it needs to be shown. An inserted picture needs an address. */
export const isComplete = ({ selector, kind, value, name }: ScriptChange): boolean =>
  selector.trim() !== '' &&
  !(kind.startsWith('insert') && /\ssrc=""/.test(value)) &&
  (changeKindWords[kind].value === null || value.trim() !== '') &&
  ((kind !== 'style' && kind !== 'attribute') || name.trim() !== '')

/**
 * Converts a field name of `setDomSelectors` to that of the editor's form:
 * "domSelectors.0.actions.2.value" → "changes.2.value".
 */
export const changeField = (field: string): string =>
  field.replace(/^domSelectors\.\d+\.actions\.(?=\d)/, 'changes.')
