import type { Call } from '../../../../domain/api/call.ts'

type Schema = { required?: string[]; properties?: Record<string, { enum?: unknown[] }> }

/** A query with a valid value for each field that the call requires. */
export function queryOf({ query }: Pick<Call, 'query'>): string {
  const { required = [], properties = {} } = (query ?? {}) as Schema
  const fields = required.map(field => [field, String(properties[field]?.enum?.[0] ?? 'x')])
  return fields.length > 0 ? `?${new URLSearchParams(fields)}` : ''
}
