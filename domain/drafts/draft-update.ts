import * as Type from 'typebox'
import { IdParam } from '../api/call.ts'
import { Prices } from '../products/product.ts'
import { ScheduleInput } from '../tests/schedule-input.ts'
import { changeLimits, DomSelector } from './dom-selector.ts'
import { draftFields, partial } from './draft.ts'
import type { FieldProblem } from '../problem.ts'

/**
 * `page`: the page in the merchant's browser that saves. `turn`: the sequence number of this save.
 */
const PageSave = Type.Object(
  {
    page: Type.String({ minLength: 1, maxLength: 64 }),
    turn: Type.Integer({ minimum: 1, maximum: 999_999 }),
  },
  { additionalProperties: false },
)
export type PageSave = Type.Static<typeof PageSave>

/** What one save can change in a draft. Fields that are left out keep their values. */
export const DraftUpdate = Type.Object(
  {
    ...partial(draftFields),
    /**
     * The version that the client read. When the stored version is another, the answer is 409 and
     * nothing is stored.
     */
    version: Type.Optional(Type.Integer({ maximum: 2 ** 31 - 1 })),
    /** Page element: replaces the changes of the variant. */
    domSelectors: Type.Optional(Type.Array(DomSelector, { maxItems: changeLimits.sets })),
    schedule: Type.Optional(ScheduleInput),
    /** Price test: prices set by hand. `id` is that of the product's row in the draft. */
    products: Type.Optional(
      Type.Array(Type.Object({ id: IdParam, prices: Prices }, { additionalProperties: false }), {
        maxItems: 100,
      }),
    ),
    /**
     * Set by a page that saves automatically, so that its saves are applied in the order in which
     * it sent them.
     */
    savedBy: Type.Optional(PageSave),
    /**
     * When true, valid fields are stored even if others are not. A field that is not valid keeps
     * its value, and the answer names it in `problems`.
     */
    storeRest: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type DraftUpdate = Type.Static<typeof DraftUpdate>

/** The fields of a draft that are columns of its row. */
export type DraftFields = Pick<DraftUpdate, keyof typeof draftFields>

/**
 * The last save of a draft with `savedBy`. `from`: the version before the page's unbroken row of
 * saves. `made`: the version after this save.
 */
export type LastSave = PageSave & { from: number; made: number }

/**
 * The version that a save is based on. A page that the merchant leaves, or that submits its form,
 * may save again before it knows the version that its last save made. If nobody else has saved
 * since, its save is based on that version.
 * `isLate`: a later save of the same page is stored already.
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

/** The record to store of a save that was based on `version` and made version `made`. */
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
 * The given changes without the parts that `problems` name ("domSelectors.0.actions.2.value"). Such
 * a part keeps its stored value, or is empty when the change is new. A problem with anything else,
 * for example with the pages of a set, keeps all sets as they are stored.
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
