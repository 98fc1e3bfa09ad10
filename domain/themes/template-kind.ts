import type { TemplateKind } from '../tests/test-target.ts'

/**
 * Whether we can duplicate and edit a template: it must be a JSON template with readable sections
 * and order.
 */
export function templateKind(format: 'json' | 'liquid', body: string): TemplateKind {
  if (format === 'liquid') return 'Unsupported'
  try {
    // The platform's own editor writes a comment at the beginning of the file.
    const parsed: unknown = JSON.parse(body.replace(/^\s*\/\*[\s\S]*?\*\//, ''))
    const { sections, order } = (parsed ?? {}) as { sections?: unknown; order?: unknown }
    return isRecord(sections) &&
      Array.isArray(order) &&
      order.every(key => typeof key === 'string' && Object.hasOwn(sections, key))
      ? 'Simple'
      : 'Unsupported'
  } catch {
    return 'Unsupported'
  }
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
