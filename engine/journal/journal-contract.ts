import { HttpProblem } from '../../domain/problem.ts'
import type { AssignedType } from '../../domain/themes/template.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Reader, Trx } from '../db/types.ts'

/**
 * We record everything that we change in a shop before we change it (requirements 27.14), so that
 * we can undo it. An entry holds the old value, what we wrote, and the test it was for. `Kept` is a
 * change that stays in the shop.
 */
export type Kept = {
  /** In words for the merchant: "Template product.ts-story of theme Kiln". */
  what: string
  why: 'applied' | 'edited' | 'gone' | 'refused'
}
/**
 * The shop refused a step of a change that has several, or a part of one that it makes only partly.
 * What was done before was undone, except `notUndone`, in words for the merchant. The message says
 * all of this.
 */
export class StepRefused extends HttpProblem {
  readonly notUndone: string[]
  constructor(status: number, message: string, notUndone: string[]) {
    super(status, message)
    this.notUndone = notUndone
  }
}
/** A plan that nobody waited for any more and that the shop refused. */
export type RefusedPlan = { testId: string | null; message: string; notUndone: string[] }
/** One part of a change: places of one kind that are written together (journal-steps.ts). */
export type Step =
  | { themeId: string; files: { name: string; body: string | null }[] }
  | { assignments: { type: AssignedType; id: string; suffix: string }[] }
  | { productId: string; prices: { variantId: string; price: number }[] }
/**
 * What a change is for: a store, and one of its tests or drafts. With `isDraft`, `testId` is a
 * draft, which the merchant may launch or delete at this moment: the change is made only if the
 * draft is still there, otherwise HttpProblem 409.
 */
export type For = { storeId: string; testId: string | null; isDraft?: boolean }
/** The only way to change a shop: each call records what was there before. */
export type Journal = {
  /** A null body deletes the file. */
  writeFiles: (
    change: For & { themeId: string; files: { name: string; body: string | null }[] },
  ) => Promise<void>
  /**
   * Changes a file again; one entry holds all such changes. Throws HttpProblem 409 when the shop
   * holds something else than `from`.
   */
  editFile: (
    change: For & { themeId: string; name: string; from: string; to: string },
  ) => Promise<void>
  assignTemplates: (
    change: For & { assignments: { type: AssignedType; id: string; suffix: string }[] },
  ) => Promise<void>
  setPrices: (
    change: For & { productId: string; prices: { variantId: string; price: number }[] },
  ) => Promise<void>
  /**
   * Makes all of these changes or none, in steps that are as large as one call to the shop may be
   * (decision 079). All steps are recorded before the first is made. After a crash the same call
   * continues, or `resume`. Throws StepRefused when the shop refuses one.
   */
  makeAll: (of: For, steps: AsyncIterable<Step> | Iterable<Step>) => Promise<void>
  /**
   * Finishes plans whose process died: makes the steps that are left, or undoes those that were
   * made before the shop refused one. Returns the plans that were refused.
   */
  resume: (storeId: string) => Promise<RefusedPlan[]>
  publishTheme: (change: For & { themeId: string }) => Promise<void>
  redirect: (change: For & { path: string; target: string }) => Promise<void>
  /** Puts stored pictures on the shop's asset host. */
  putPictures: (change: For & { names: string[] }) => Promise<void>
  /**
   * Makes a test's changes the merchant's own, because a winner was applied: `restore` no longer
   * undoes them.
   */
  keep: (storeId: string, testId: string) => Promise<void>
  /** Reverts `keep`: the next `restore` undoes the changes. */
  reopen: (storeId: string, testId: string, kind?: JournalTable['kind']) => Promise<void>
  /**
   * Describes the files that we have written for a draft. If a launch finds another answer than
   * when it read the draft, the content that it checked has changed.
   */
  filesOf: (reader: Reader, storeId: string, draftId: string) => Promise<string | null>
  /** Moves a draft's entries to the test that it was launched as. */
  adopt: (trx: Trx, storeId: string, draftId: string, testId: string) => Promise<void>
  /** What we last wrote into a file for a test or draft, undone or not; null when we never did. */
  lastWritten: (storeId: string, testId: string, name: string) => Promise<string | null>
  /**
   * Our changes that are neither undone nor the merchant's own, in words for the merchant. They
   * stay in the shop when our access ends.
   */
  remaining: (storeId: string) => Promise<string[]>
  /**
   * Undoes our changes from the newest to the oldest: of one test (or only one file or one kind of
   * it), or of the whole store. It undoes a change only if it was not applied as a winner and the
   * shop still holds what we wrote. It may run again after a crash. Returns what stays in the shop,
   * and why. `onStep` gets the share that is done, from 0 to 1.
   * `isWanted` is asked when the turn of this call has come; if it answers false, nothing is
   * undone.
   */
  restore: (
    storeId: string,
    of: {
      testId?: string
      file?: string
      kind?: JournalTable['kind']
      /** Only the steps of this plan. */
      plan?: string
      onStep?: (done: number, what: string) => Promise<void>
      isWanted?: () => Promise<boolean>
    },
  ) => Promise<{ undone: number; kept: Kept[] }>
  /** Resolves when the store's changes and restores that began before this call are over. */
  settled: (storeId: string) => Promise<void>
}
