import type { PublishedChange, ScriptChange } from './script-config.ts'

/** A change as the script reads it. Each CSS property is set as an important one, whether its value says so or not. */
export function publishedChange({
  selector,
  kind,
  value: written,
  name,
  pages,
}: ScriptChange): PublishedChange {
  const value = kind === 'style' ? written.replace('!important', '') : written
  return pages
    ? [selector, kind, value, name, pages]
    : name
      ? [selector, kind, value, name]
      : [selector, kind, value]
}
