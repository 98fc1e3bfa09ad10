import type { AssignedType } from '../../domain/themes/template.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Trx } from '../db/types.ts'

/**
 * Everything the product changes in a shop is written down before it is changed (requirements 27.14), so that it can be
 * undone. An entry holds what stood there, what we wrote, and the test it was for.
 */
export type Kept = {
  /** In words for the merchant: "Template product.ts-story of theme Kiln". */
  what: string
  why: 'applied' | 'edited' | 'gone'
}
/** What a change is for: a store, and one of its tests or drafts. */
export type For = { storeId: string; testId: string | null }
/** The one way to change a shop: each call writes down what was there before. */
export type Journal = {
  /** Null as body takes the file away. */
  writeFiles: (
    change: For & { themeId: string; files: { name: string; body: string | null }[] },
  ) => Promise<void>
  /** A further change of a file: one entry holds them all. Throws HttpProblem 409 when the shop holds something else than `from`. */
  editFile: (
    change: For & { themeId: string; name: string; from: string; to: string },
  ) => Promise<void>
  assignTemplates: (
    change: For & { assignments: { type: AssignedType; id: string; suffix: string }[] },
  ) => Promise<void>
  setPrices: (
    change: For & { productId: string; prices: { variantId: string; price: number }[] },
  ) => Promise<void>
  publishTheme: (change: For & { themeId: string }) => Promise<void>
  redirect: (change: For & { path: string; target: string }) => Promise<void>
  /** Puts pictures that are kept on the shop's asset host. */
  putPictures: (change: For & { names: string[] }) => Promise<void>
  /** From here on these changes are the merchant's own: a winner was applied. */
  keep: (storeId: string, testId: string) => Promise<void>
  /** Takes that back: the next walk undoes them. */
  reopen: (storeId: string, testId: string, kind?: JournalTable['kind']) => Promise<void>
  /** What was a draft's is the test's that it was launched as. */
  adopt: (trx: Trx, storeId: string, draftId: string, testId: string) => Promise<void>
  /** What we last wrote into a file for a test or draft, undone or not; null when we never did. */
  lastWritten: (storeId: string, testId: string, name: string) => Promise<string | null>
  /** What we wrote that is neither undone nor the merchant's own, in their words: it stays when our access is gone. */
  remaining: (storeId: string) => Promise<string[]>
  /**
   * Walks backwards and undoes what we wrote, of one test (or one file or the pictures of it) or of the whole store: only where it was
   * not applied as a winner and the shop still holds what we wrote. May be called again after a crash. Answers what
   * stays and why. `onStep` is told the share that is done. `isWanted` is asked when its turn has come.
   */
  restore: (
    storeId: string,
    of: {
      testId?: string
      file?: string
      kind?: JournalTable['kind']
      onStep?: (done: number, what: string) => Promise<void>
      isWanted?: () => Promise<boolean>
    },
  ) => Promise<{ undone: number; kept: Kept[] }>
  /** Settles when the changes and walks of the store that have begun are over. */
  settled: (storeId: string) => Promise<void>
}
