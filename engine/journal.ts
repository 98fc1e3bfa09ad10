/**
 * Everything the product changes in a shop is written down before it is changed (design.md §6), so that it can be
 * undone. An entry holds what stood there, what we wrote, and the test it was for.
 */
export type Kept = {
  /** In words for the merchant: "Template product.ts-story of theme Kiln". */
  what: string
  why: 'applied' | 'edited' | 'gone'
}
type For = { storeId: string; testId: string | null }
export type Journal = {
  /** Null as body takes the file away. */
  writeFiles: (change: For & { themeId: string; files: { name: string; body: string | null }[] }) => Promise<void>
  assignTemplates: (change: For & { assignments: { type: 'product' | 'collection' | 'page' | 'blog' | 'article'; id: string; suffix: string }[] }) => Promise<void>
  setPrices: (change: For & { productId: string; prices: { variantId: string; price: number }[] }) => Promise<void>
  publishTheme: (change: For & { themeId: string }) => Promise<void>
  redirect: (change: For & { path: string; target: string }) => Promise<void>
  /** From here on these changes are the merchant's own: a winner was applied. */
  keep: (storeId: string, testId: string) => Promise<void>
  /** What we wrote that is neither undone nor the merchant's own, in their words: it stays when our access is gone. */
  remaining: (storeId: string) => Promise<string[]>
  /**
   * Walks backwards and undoes what we wrote, of one test or of the whole store: only where it was not applied as a
   * winner and the shop still holds what we wrote. May be called again after a crash. Answers what stays and why.
   */
  restore: (storeId: string, of: { testId?: string; onStep?: (done: number, what: string) => Promise<void> }) => Promise<{ undone: number; kept: Kept[] }>
}
