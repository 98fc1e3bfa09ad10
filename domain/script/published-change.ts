import type { PublishedChange, ScriptChange } from './script-config.ts'

/** At its end alone: taken out of the middle, it would leave a value that nobody has looked at (domain/drafts/safe-html.ts). */
const withoutPriority = (value: string): string =>
  value.trimEnd().endsWith('!important')
    ? value.slice(0, value.lastIndexOf('!important')).trimEnd()
    : value

/** A change as the script reads it. Each CSS property is set as an important one, whether its value says so or not. */
export function publishedChange({
  selector,
  kind,
  value: written,
  name,
  pages,
}: ScriptChange): PublishedChange {
  const value = kind === 'style' ? withoutPriority(written) : written
  return pages
    ? [selector, kind, value, name, pages]
    : name
      ? [selector, kind, value, name]
      : [selector, kind, value]
}
