/**
 * What the nightly comparison with the platform can find that no webhook has told us
 * (decision 083), with its words for one and for several.
 */
export const reconciledWords = {
  orders: ['order', 'orders'],
  refunds: ['refund or cancellation', 'refunds or cancellations'],
  orderChanges: ['other change of an order', 'other changes of orders'],
  products: ['changed product', 'changed products'],
  themes: ['change of the live theme', 'changes of the live theme'],
  tests: ['test that cannot continue', 'tests that cannot continue'],
  shopFacts: ['change of the shop’s details', 'changes of the shop’s details'],
  capabilities: ['change of what we may do', 'changes of what we may do'],
  subscriptions: ['change of the subscription', 'changes of the subscription'],
  uninstalls: ['uninstall', 'uninstalls'],
} as const satisfies Record<string, readonly [one: string, many: string]>
export type ReconciledThing = keyof typeof reconciledWords
export const reconciledThings = Object.keys(reconciledWords) as ReconciledThing[]
/** How many of each were found; a thing of which none was found may be missing. */
export type Reconciled = Partial<Record<ReconciledThing, number>>

/** "2 orders, 1 uninstall"; null when nothing was found. */
export function reconciledInWords(found: Reconciled): string | null {
  const parts = reconciledThings.flatMap(thing => {
    const count = found[thing] ?? 0
    return count > 0 ? [`${count} ${reconciledWords[thing][count === 1 ? 0 : 1]}`] : []
  })
  return parts.length > 0 ? parts.join(', ') : null
}

export const addReconciled = (a: Reconciled, b: Reconciled): Reconciled =>
  Object.fromEntries(
    reconciledThings.flatMap(thing => {
      const count = (a[thing] ?? 0) + (b[thing] ?? 0)
      return count > 0 ? [[thing, count]] : []
    }),
  )
