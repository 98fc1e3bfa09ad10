/** The types of pages that a theme draws by template files. Keep schemas out of this file. */
export const templateTypes = [
  'home',
  'product',
  'collection',
  'page',
  'blog',
  'article',
  'cart',
  'search',
] as const
export type TemplateType = (typeof templateTypes)[number]
/**
 * Types whose pages are assigned to a template. The others always use the file without a suffix.
 */
export const assignedTypes = [
  'product',
  'collection',
  'page',
  'blog',
  'article',
] as const satisfies TemplateType[]
export type AssignedType = (typeof assignedTypes)[number]

/**
 * The name of a theme's file: "templates/product.story.json". `suffix` is '' for the type's own
 * template.
 */
export const templateFile = (type: TemplateType, suffix: string): string =>
  `templates/${type === 'home' ? 'index' : type}${suffix && `.${suffix}`}.json`

/** "index.summer": what the shop's own admin calls a template. */
export const templateStem = (type: TemplateType, suffix: string): string =>
  templateFile(type, suffix).slice('templates/'.length, -'.json'.length)

/**
 * Reads a theme's file name. Null when the file is not a template of a type that can be tested.
 * Liquid templates count too, although we cannot edit them.
 */
export function templateOf(
  file: string,
): { type: TemplateType; suffix: string; format: 'json' | 'liquid' } | null {
  const [, stem = '', suffix = '', format] =
    /^templates\/([a-z]+)(?:\.([A-Za-z0-9_-]+))?\.(json|liquid)$/.exec(file) ?? []
  const type = stem === 'index' ? 'home' : stem
  return format && (templateTypes as readonly string[]).includes(type) && stem !== 'home'
    ? { type: type as TemplateType, suffix, format: format as 'json' | 'liquid' }
    : null
}
