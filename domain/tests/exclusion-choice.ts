import { fnv1a32 } from './assignment.ts'

/**
 * Which of a layer's tests a new visitor is given to: the one with the highest hash, so that a test that joins or leaves
 * the layer moves nobody between the others. Script and engine both ask this function.
 */
export const reservedTest = (ids: readonly string[], visitor: string): string | undefined =>
  ids.reduce<string | undefined>(
    (best, id) =>
      best === undefined || reservation(id, visitor) > reservation(best, visitor) ? id : best,
    undefined,
  )

/**
 * Which of a layer's tests stay a visitor's, of those that they came into, in that order: all but those that an earlier one
 * that stays disturbs itself. Two that run together freely both stay when a third joins them to one layer. Script and
 * engine both ask this function.
 */
export const keptTests = (
  held: readonly string[],
  rivals: (id: string) => readonly string[],
): string[] =>
  held.reduce<string[]>(
    (kept, id) => (kept.some(one => rivals(one).includes(id)) ? kept : [...kept, id]),
    [],
  )

/** Independent of the arm's hash: another text is hashed, and to another scale. */
const reservation = (id: string, visitor: string): number =>
  fnv1a32(`${fnv1a32(`${visitor}/${id}`)}`)
