import { themeParameter, viewParameter } from '../domain/events/page-facts.ts'
import { isAtPath, takeAlong } from '../domain/tests/redirect-url.ts'
import type { Rules } from './core.ts'

type PlaceOf = NonNullable<Rules['place']>

/** URL redirect tests. */
export const redirectPlace: PlaceOf = ({ to }, here, _, __, isMetHere) => {
  if (!to) return
  const target = new URL(to, here)
  // Whatever was launched, nobody is sent to another host.
  if (target.origin !== here.origin) return null
  if (isAtPath(target, here)) return { arm: 1 }
  // Most pages are neither of the two, and none of them waits for more addresses to be read.
  if (!isMetHere) return null
  takeAlong(target, here)
  // A page cannot be its own variant. Where the visitor's query would undo the target's query, the
  // visitor does not enter the test.
  return isAtPath(target, here) ? null : { arm: 0, other: target }
}

/**
 * Template, page content and theme tests: the platform shows the variant when a parameter of the
 * address asks for it.
 */
export const viewPlace: PlaceOf = (
  { id, view, only, theme },
  here,
  memory,
  { template, theme: shown, resource },
  _,
  { ignoresView },
) => {
  const names = view ?? theme
  if (!names?.[0]) return
  const parameter = view ? viewParameter : themeParameter
  const wanted = view ? view[1].replace(/^[^.]*\.?/, '') : theme![1]
  const isAsked = here.searchParams.get(parameter) === wanted
  if (only && !only.includes(resource!)) return null
  if ((view ? template : shown) === names[0])
    return { arm: 0, other: isAsked ? undefined : withParameter(here, parameter, wanted) }
  if ((view ? template : shown) !== names[1] || (view && !isAsked)) return null
  if (theme && memory.tests[id]?.[0]) memory.theme = wanted
  // The visitor may have got the variant's address from somebody else. They still see their own
  // arm, unless the flag `ignoresView` is set. A theme that an earlier test left in this browser is
  // not the visitor's choice either, so it is removed; a merchant's own preview of a theme is left
  // alone.
  if (theme)
    return {
      arm: 1,
      other:
        memory.theme === wanted && !memory.tests[id]
          ? withParameter(here, parameter, '')
          : undefined,
    }
  return { arm: 1, other: ignoresView ? undefined : withParameter(here, parameter) }
}

/**
 * Removes the variant of a theme or template test that is over from visitors' screens. The
 * publisher keeps such a test in the list for a while, with no place for its control. An address
 * that asks for the template is left alone for visitors who were never in the test and, with the
 * flag `ignoresView`, for everyone. A merchant's own preview of a theme is left alone too.
 */
export const restorePlace: PlaceOf = (
  { id, view, theme },
  here,
  memory,
  { template, theme: shown },
  _,
  { ignoresView },
) => {
  const names = view ?? theme
  if (!names || names[0]) return
  if (view)
    return template === view[1] &&
      here.searchParams.has(viewParameter) &&
      memory.tests[id] &&
      !ignoresView
      ? { arm: 1, other: withParameter(here, viewParameter), isForced: true }
      : null
  if (shown !== names[1] || memory.theme !== shown) return null
  delete memory.theme
  return { arm: 1, other: withParameter(here, themeParameter, ''), isForced: true }
}

/** Returns a copy of `here` with one query parameter set, or removed when `value` is undefined. */
export function withParameter(here: URL, name: string, value?: string): URL {
  const url = new URL(here)
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url
}
