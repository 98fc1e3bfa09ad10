import type { PublishedChange } from '../domain/script/script-config.ts'
import { isRefused } from './consent.ts'
import { isTested, pathOf } from './core.ts'
import { guarded } from './guard.ts'
import { previewToken } from './preview/preview-link.ts'

type Changing = { id: string; changes?: PublishedChange[] }

/** Of these tests' changes those that are made on this page. */
export const changesHere = (tests: Changing[]): Changing[] =>
  tests.map(({ id, changes = [] }) => ({
    id,
    changes: changes.filter(
      ([, , , , pages]) => !pages || isTested({ pages }, pathOf(location.href)),
    ),
  }))

/**
 * Applied changes are everyone's: shown too to those who refuse, and in another site's frame, whom the tests leave out.
 * Everyone else gets them with the arms. A preview shows what it is asked for.
 */
export const showToAll = (show: () => unknown): void => {
  if (!window.twinshelf && !previewToken() && (isRefused() || (top !== self && !frameElement)))
    guarded(show)()
}
