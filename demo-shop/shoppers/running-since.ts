import { asMerchant, type MerchantOptions } from './merchant.ts'

/** Since when each running test has run without a break, according to the engine. */
export async function runningSince(
  options: MerchantOptions,
  tests: readonly string[],
): Promise<Record<string, Date>> {
  const call = await asMerchant(options)
  return Object.fromEntries(
    await Promise.all(
      tests.map(async id => {
        const { statusHistory } = await call('test', { params: { id } })
        return [
          id,
          new Date(statusHistory.findLast(change => change.status === 'Active')!.appliedOn),
        ] as const
      }),
    ),
  )
}
