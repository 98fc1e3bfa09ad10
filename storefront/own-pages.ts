import type { PublishedChange } from '../domain/script/script-config.ts'
import { isRefused } from './consent.ts'
import { isTested, pathOf } from './core.ts'
import { guarded } from './guard.ts'
import { previewToken } from './preview/preview-link.ts'

type Changing = { id: string; changes?: PublishedChange[] }

/** The changes of these tests that are made on this page. */
export const changesHere = (tests: Changing[]): Changing[] =>
  tests.map(({ id, changes = [] }) => ({
    id,
    changes: changes.filter(
      ([, , , , pages]) => !pages || isTested({ pages }, pathOf(location.href)),
    ),
  }))

/**
 * Applied changes are for everyone. This shows them to the visitors that the tests leave out: those
 * who refuse, and those who see the page in a frame of another site. Everyone else gets them
 * together with the arms. A preview shows only what it was asked for.
 */
export const showToAll = (show: () => unknown): void => {
  if (!window.twinshelf && !previewToken() && (isRefused() || (top !== self && !frameElement)))
    guarded(show)()
}
