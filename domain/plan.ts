import * as Type from 'typebox'

/** Plan levels with the numbers of spec §3. */
export const planLevels = { Grandfathered: 0, Core: 1, Advanced: 2, Pro: 3 } as const
export const unlimitedVisitors = 9_999_999

export const Plan = Type.Object({
  id: Type.String(), level: Type.Integer({ minimum: 0, maximum: 3 }), title: Type.String(),
  /** Monthly visitors. */
  limit: Type.Integer(), price: Type.Number(),
  isAnnual: Type.Boolean(), requireAppointment: Type.Boolean(), available: Type.Boolean(),
})
export type Plan = Type.Static<typeof Plan>

/** "100k", "2M", "1M+" for unlimited (spec §3). */
export function formatLimit(limit: number): string {
  if (limit === unlimitedVisitors) return '1M+'
  return limit >= 1_000_000 ? `${limit / 1_000_000}M` : `${limit / 1000}k`
}
