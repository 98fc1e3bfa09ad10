import type { PublishedChange, ScriptChange } from './script-config.ts'

/**
 * Removes `!important`, only at the end: removing it from the middle could make a value that
 * domain/drafts/safe-html.ts has not checked.
 */
const withoutPriority = (value: string): string =>
  value.trimEnd().endsWith('!important')
    ? value.slice(0, value.lastIndexOf('!important')).trimEnd()
    : value

/**
 * A change in the form that the script reads. The script sets every CSS property as important, so
 * `!important` is removed.
 */
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
