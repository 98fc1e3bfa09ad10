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
  takeAlong(target, here)
  // A page cannot be its own variant: where the visitor's query would undo the target's, the test is not met at all.
  return isMetHere && !isAtPath(target, here) ? { arm: 0, other: target } : null
}

/** Template, page content and theme tests, by the platform's own ways of showing them. */
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
  // Somebody passed the variant's address on: unless a flag says otherwise, each arm continues seeing its own. A theme that an
  // earlier test left here is no choice of the visitor's either; a merchant's own preview of it is left alone.
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
 * Of a theme or template test that is over nothing stays on a visitor's screen: the publisher keeps such a test among the
 * others for a while, with no place for its control. An address that asks for the template is left to who was never in
 * the test, as are a merchant's own preview of a theme and, by the flag, every address.
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

/** `here` with one query parameter set, or taken out. Everything else of the address stays as it is. */
export function withParameter(here: URL, name: string, value?: string): URL {
  const url = new URL(here)
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url
}
