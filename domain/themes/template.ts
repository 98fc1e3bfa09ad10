/** Page types that a theme draws by template files. Types alone where shared; no schema here. */
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
/** Types whose pages are assigned to a template; the others always use the file without a suffix. */
export const assignedTypes = [
  'product',
  'collection',
  'page',
  'blog',
  'article',
] as const satisfies TemplateType[]
export type AssignedType = (typeof assignedTypes)[number]

/** "templates/product.story.json": a theme's file for a type and suffix ('' for the type's own). */
export const templateFile = (type: TemplateType, suffix: string): string =>
  `templates/${type === 'home' ? 'index' : type}${suffix && `.${suffix}`}.json`

/** The reverse; null when the file is no template of a testable type. Liquid templates count: they are kept, but not edited. */
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
