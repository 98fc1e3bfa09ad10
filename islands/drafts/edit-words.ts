import { changeWord } from '../../domain/drafts/change-kind.ts'
import type { FormChange } from '../../domain/drafts/draft-form-posted.ts'

/**
 * Names what an edit did to the list of changes: "Text of Add to cart", "New element", "3 changes".
 */
export function changesLabel(
  before: readonly FormChange[],
  after: readonly FormChange[],
  nameOf: (selector: string) => string,
): string {
  const gone = without(before, after),
    come = without(after, before)
  if (come.length === 0 && gone.length > 0)
    return `Removed ${gone.length === 1 ? about(gone[0]!, nameOf) : `${gone.length} changes`}`
  const isAimed =
    gone.length === come.length &&
    come.every(
      (change, i) => key({ ...change, selector: '' }) === key({ ...gone[i]!, selector: '' }),
    )
  if (isAimed && come.length > 0)
    return `Element of ${come.length === 1 ? '1 change' : `${come.length} changes`}`
  if (come.length === 1) return sentence(about(come[0]!, nameOf))
  return come.length === 0 ? 'Order of changes' : `${come.length} changes`
}

function about(change: FormChange, nameOf: (selector: string) => string): string {
  const word = changeWord(change),
    name = nameOf(change.selector)
  if (word === 'new element') return name ? `new element beside ${name}` : word
  return name ? `${word} of ${name}` : word
}

/**
 * The changes of a list that the other list does not have. A change that occurs several times is
 * counted each time.
 */
function without(list: readonly FormChange[], other: readonly FormChange[]): FormChange[] {
  const left = other.map(key)
  return list.filter(change => {
    const at = left.indexOf(key(change))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
const key = ({ selector, kind, name, value, group = 0 }: FormChange): string =>
  JSON.stringify([selector, kind, name, value, group])
const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
