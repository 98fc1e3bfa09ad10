import { auditPages, medianOf } from '../bench/lighthouse.ts'

/**
 * `npm run lighthouse`: Lighthouse's performance score of the demo shop's pages, with and without
 * the app embed and three usual tests, in both themes. It needs the network. Run `npm run build`
 * first.
 */
/** How much each page counts when Shopify judges an app. */
const weights: Record<string, number> = {
  '/': 0.17,
  '/products/ash-glaze-mug': 0.4,
  '/collections/all': 0.43,
}
process.chdir(new URL('..', import.meta.url).pathname)
const sums: Record<string, { without: number; with: number }> = {}
await auditPages(Object.keys(weights), Number(process.argv[2] ?? 3), (theme, path, ways) => {
  const sum = (sums[theme] ??= { without: 0, with: 0 })
  for (const way of ['without', 'with'] as const) {
    console.log(theme, path, way, ways[way].map(({ score }) => score).join(' '))
    sum[way] += weights[path]! * medianOf(ways[way], 'score')
  }
})
for (const [theme, sum] of Object.entries(sums))
  console.log(
    `${theme}: ${sum.without.toFixed(1)} without the embed, ${sum.with.toFixed(1)} with it`,
  )
