import type { StaffCall } from './staff.ts'

const codes = [
  { code: 'WELCOME20', valueType: 0, value: 20, planId: null, maxStores: 50 },
  { code: 'AUTUMN50', valueType: 1, value: 50, planId: 'advanced-100k-monthly', maxStores: null },
  { code: 'FAIR2025', valueType: 0, value: 15, planId: null, maxStores: null },
] as const
/**
 * Which store paid how much in a month, in dollars, and how many months ago it began. The platform
 * keeps 15%.
 */
const payers: [shop: string, planId: string, dollars: number, since: number][] = [
  ['halden-outdoor', 'advanced-500k-annual', 5391, 5],
  ['maple-and-moss', 'advanced-100k-monthly', 149, 4],
  ['saltwater-supply', 'advanced-250k-monthly', 359, 3],
  ['verso-books', 'core-50k-monthly', 47.2, 2],
  ['omas-pantry', 'core-50k-monthly', 59, 2],
  ['lantern-toys', 'core-50k-monthly', 59, 2],
]
const fee = 0.15

/**
 * What staff have done: discount codes, one of which has ended, and the platform's payouts of the
 * last months.
 */
export async function runOffice(office: StaffCall): Promise<void> {
  for (const code of codes) await office('addDiscount', { body: { ...code, expiresAt: null } })
  await office('endDiscount', { params: { code: 'FAIR2025' } })
  await office('uploadEarnings', {
    body: { fileName: 'payouts.csv', csv: earnings(new Date()), replace: false },
  })
}

/** The payouts of the months before this one, the oldest first. An annual plan is paid once. */
function earnings(now: Date): string {
  const rows = ['month,shop,plan,gross,fee,net']
  for (let ago = 5; ago >= 1; ago--) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1))
      .toISOString()
      .slice(0, 7)
    for (const [handle, plan, dollars, since] of payers) {
      if (plan.endsWith('-annual') ? ago !== since : ago > since) continue
      const gross = Math.round(dollars * 100),
        kept = Math.round(gross * fee)
      rows.push(
        [
          month,
          `${handle}.demo-shop.test`,
          plan,
          cents(gross),
          cents(kept),
          cents(gross - kept),
        ].join(','),
      )
    }
  }
  return rows.join('\n')
}

const cents = (amount: number): string => (amount / 100).toFixed(2)
