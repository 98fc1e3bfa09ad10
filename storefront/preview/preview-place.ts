import { themeParameter, viewParameter } from '../../domain/events/page-facts.ts'
import { isAt, takeAlong, targetOf } from '../../domain/tests/redirect-url.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import { isTested, pathOf } from '../core.ts'

/**
 * What the page says about itself. These facts are on the page's own script tag; the preview script
 * has another tag.
 */
export const pageFacts = (): DOMStringMap =>
  document.querySelector<HTMLElement>('script[data-template]')?.dataset ?? {}

/**
 * The address where the previewed arm of a redirect, template or theme test is shown; null when
 * that is this page. Unlike a visit, a preview ignores split and audience. An address that was
 * requested already is not requested again.
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
  // An empty theme name asks for the live theme. Leaving out the parameter asks for the assigned
  // template.
  if (arm === 0 && view) place.searchParams.delete(parameter)
  else place.searchParams.set(parameter, wanted)
  return place.href === here.href ? null : place
}
