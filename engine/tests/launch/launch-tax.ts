import { VendorProblem } from '../../../domain/problem.ts'
import type { EngineContext } from '../../context.ts'
import { shopHosts } from '../../drafts/draft-rows.ts'

/**
 * Whether a test that is launched now counts tax in prices as revenue, whatever the shop's setting
 * becomes later. Revenue is before tax. But in a shop whose prices are without tax, prices that
 * include it later must not lower the revenue of a test that is running. While the shop does not
 * answer, the rule is that of every test: before tax.
 */
export async function countsTaxFromNow(
  { db, platform }: Pick<EngineContext, 'db' | 'platform'>,
  storeId: string,
): Promise<boolean> {
  const { shop } = await shopHosts(db.kysely, storeId)
  try {
    return !(await platform.shop(shop)).taxesIncluded
  } catch (error) {
    if (error instanceof VendorProblem) return false
    throw error
  }
}
