import { themeParameter, viewParameter } from '../../domain/events/page-facts.ts'
import { isAt, takeAlong, targetOf } from '../../domain/tests/redirect-url.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { isTested, pathOf } from '../core.ts'

/** What the page says of itself stands at its own tag of the script; the preview's tag is another. */
export const pageFacts = (): DOMStringMap =>
  document.querySelector<HTMLElement>('script[data-template]')?.dataset ?? {}

/**
 * Where the previewed arm of a redirect, template or theme test is shown, when that is not here. Unlike a visit it asks
 * neither split nor audience; an address that has been asked for already is not asked for again.
 */
export function placeToBe(
  { to, view, theme, ...test }: ScriptTest,
  arm: 0 | 1,
  here: URL,
  facts: DOMStringMap,
): URL | null {
  if (to) {
    const target = arm === 1 && isTested(test, pathOf(here.href)) ? targetOf(to, here) : null
    if (target?.origin !== here.origin) return null
    takeAlong(target, here)
    return isAt(target, here) ? null : target
  }
  const names = view ?? theme
  const shown = view ? facts['template'] : facts['theme']
  if (!names || shown === names[arm] || shown !== names[1 - arm]) return null
  const parameter = view ? viewParameter : themeParameter
  const wanted = arm === 0 ? '' : view ? view[1].replace(/^[^.]*\.?/, '') : names[1]
  const place = new URL(here)
  // The live theme is asked for by an empty name, the assigned template by none at all.
  if (arm === 0 && view) place.searchParams.delete(parameter)
  else place.searchParams.set(parameter, wanted)
  return place.href === here.href ? null : place
}
