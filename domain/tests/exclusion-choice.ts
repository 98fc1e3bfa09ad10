import { fnv1a32 } from './assignment.ts'

/**
 * Which test of a layer a new visitor is assigned to: the one with the highest hash. So when a test
 * joins or leaves the layer, no visitor moves between the other tests. Both the script and the
 * engine use this function.
 */
export const reservedTest = (ids: readonly string[], visitor: string): string | undefined =>
  ids.reduce<string | undefined>(
    (best, id) =>
      best === undefined || reservation(id, visitor) > reservation(best, visitor) ? id : best,
    undefined,
  )

/**
 * Which tests of a layer a visitor stays in. `held`: the tests that the visitor has come into, in
 * that order. A test is dropped when an earlier test that stays disturbs it directly. Two tests
 * that do not disturb each other both stay, even if a third test joins them to one layer. Both the
 * script and the engine use this function.
 */
export const keptTests = (
  held: readonly string[],
  rivals: (id: string) => readonly string[],
): string[] =>
  held.reduce<string[]>(
    (kept, id) => (kept.some(one => rivals(one).includes(id)) ? kept : [...kept, id]),
    [],
  )

/** Independent of the hash that gives the arm: it hashes another text, and its scale is another. */
const reservation = (id: string, visitor: string): number =>
  fnv1a32(`${fnv1a32(`${visitor}/${id}`)}`)
