import * as Type from 'typebox'
import { IdParam } from '../api/call.ts'
import { Prices } from '../products/product.ts'
import { ScheduleInput } from '../tests/schedule-input.ts'
import { changeLimits, DomSelector } from './dom-selector.ts'
import { draftFields, partial } from './draft.ts'
import type { FieldProblem } from '../problem.ts'

/** Which page in a merchant's browser saves, and the sequence number of this save. */
const PageSave = Type.Object(
  {
    page: Type.String({ minLength: 1, maxLength: 64 }),
    turn: Type.Integer({ minimum: 1, maximum: 999_999 }),
  },
  { additionalProperties: false },
)
export type PageSave = Type.Static<typeof PageSave>

/** All that one save may change of a draft. What is left out stays as it is. */
export const DraftUpdate = Type.Object(
  {
    ...partial(draftFields),
    /** The version that the writer read; when another one is there now, the answer is 409 and nothing is stored. */
    version: Type.Optional(Type.Integer({ maximum: 2 ** 31 - 1 })),
    /** Page element: replaces the changes of the variant. */
    domSelectors: Type.Optional(Type.Array(DomSelector, { maxItems: changeLimits.sets })),
    schedule: Type.Optional(ScheduleInput),
    /** Price: prices that are set by hand, by the product's row in the draft. */
    products: Type.Optional(
      Type.Array(Type.Object({ id: IdParam, prices: Prices }, { additionalProperties: false }), {
        maxItems: 100,
      }),
    ),
    /** A page that saves by itself: its saves are taken in the order in which it sent them. */
    savedBy: Type.Optional(PageSave),
    /** What is wrong keeps nothing else from being stored: it stays as it was, and the answer names it in `problems`. */
    storeRest: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type DraftUpdate = Type.Static<typeof DraftUpdate>

/** The fields of a draft that are columns of its row. */
export type DraftFields = Pick<DraftUpdate, keyof typeof draftFields>

/** The last save of a draft that a page signed: it began from version `from`, and `made` was the version after it. */
export type LastSave = PageSave & { from: number; made: number }

/**
 * The version that a save stands on. A page that is left saves again before it has heard which version its last save
 * made, and so does one whose form is on its way: they stand on that one. `isLate`: what the page sent after this one is
 * stored already.
 */
export function saveOrder(
  last: LastSave | null,
  by: PageSave | undefined,
  version: number | undefined,
  stored: number,
): { version: number | undefined; isLate: boolean } {
  const isOwn =
    by !== undefined &&
    last !== null &&
    by.page === last.page &&
    version !== undefined &&
    version >= last.from &&
    last.made === stored
  if (!isOwn) return { version, isLate: false }
  return { version: Math.max(version, last.made), isLate: by.turn <= last.turn }
}

/** What is kept of a save that stood on `version` and left the draft at version `made`. */
export function lastSave(
  last: LastSave | null,
  by: PageSave,
  version: number,
  made: number,
): LastSave {
  const goesOn = last !== null && last.page === by.page && last.made === version
  return { ...by, from: goesOn ? last.from : version, made }
}

/**
 * Changes without what `problems` name ("domSelectors.0.actions.2.value"): of a change that part stays as it is stored,
 * or empty where the change is new. What is wrong with the pages of a set, or with more than one part, leaves all sets as
 * they are stored.
 */
export function soundSelectors(
  given: readonly DomSelector[],
  stored: readonly DomSelector[],
  problems: readonly FieldProblem[],
): readonly DomSelector[] {
  const own = problems.filter(({ field }) => field.startsWith('domSelectors'))
  const parts = own.map(({ field }) =>
    /^domSelectors\.(\d+)\.actions\.(\d+)\.(selector|value|name)$/.exec(field),
  )
  if (parts.includes(null)) return stored
  const isWrong = (i: number, j: number, part: string) =>
    parts.some(found => found![1] === String(i) && found![2] === String(j) && found![3] === part)
  return given.map((set, i) => ({
    ...set,
    actions: set.actions.map((action, j) => {
      const before =
        stored[i]?.actions.length === set.actions.length ? stored[i].actions[j] : undefined
      const sound = (part: 'selector' | 'value' | 'name') =>
        !isWrong(i, j, part) ? action[part] : before?.kind === action.kind ? before[part] : ''
      return { ...action, selector: sound('selector'), value: sound('value'), name: sound('name') }
    }),
  }))
}
