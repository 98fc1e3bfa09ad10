import type { Posted } from '../../domain/drafts/draft-form-posted.ts'

/** Which page in a merchant's browser saves, and the sequence number of this save. */
export type PageSave = { page: string; turn: number }

type Last = PageSave & { from: number; made: number }
/** Drafts whose last such save is known; the oldest are forgotten first. */
const mostKnown = 1000
const lastOf = new Map<string, Last>()

/** "1234-5678.3" as the island sends it (islands/drafts/autosave-form.ts). */
export function savedBy({ savedBy: text }: Posted): PageSave | null {
  const [, page, turn] = /^([\w-]{1,64})\.(\d{1,6})$/.exec(String(text)) ?? []
  return page ? { page, turn: Number(turn) } : null
}

/**
 * The version that a save of a draft stands on. A page that is left saves again before it has heard which version its
 * last save made, and so does one whose form is on its way: they stand on that one. `isLate`: what the page sent after this is stored already.
 */
export function ownSave(
  draftId: string,
  by: PageSave | null,
  version: number | undefined,
  stored: number,
): { version: number | undefined; isLate: boolean } {
  const last = lastOf.get(draftId)
  if (
    !by ||
    !last ||
    by.page !== last.page ||
    version === undefined ||
    version < last.from ||
    last.made !== stored
  )
    return { version, isLate: false }
  return { version: Math.max(version, last.made), isLate: by.turn <= last.turn }
}

/** A page's save that stood on `version` has made `made`. */
export function pageSaved(
  draftId: string,
  by: PageSave | null,
  version: number | undefined,
  made: number,
): void {
  if (!by || version === undefined) return
  const last = lastOf.get(draftId)
  const from = last && last.page === by.page && last.made === version ? last.from : version
  lastOf.delete(draftId)
  lastOf.set(draftId, { ...by, from, made })
  if (lastOf.size > mostKnown) lastOf.delete(lastOf.keys().next().value!)
}

/** The page that made a version of a draft, where that is known: one that comes next in the same tab knows it for its own. */
export function pageOfVersion(draftId: string, version: number): string | null {
  const last = lastOf.get(draftId)
  return last?.made === version ? last.page : null
}
