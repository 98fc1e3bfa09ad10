import t from 'tap'
import { bundleStorefront } from '../../../scripts/build/build-storefront.ts'
import { maxSizes, maxUsualGzip, scriptSizes } from '../../../scripts/build/script-sizes.ts'

t.test(
  'what a page fetches before its arm is applied, and after the paint, has limits',
  async t => {
    const { sources } = await bundleStorefront()
    const { usual, largest, none, afterPaint } = scriptSizes(sources)
    t.ok(usual.brotli <= maxSizes.usual, `three usual tests: ${usual.brotli}`)
    t.ok(usual.gzip <= maxUsualGzip, `three usual tests by gzip: ${usual.gzip}`)
    t.ok(largest.brotli <= maxSizes.largest, `${largest.names}: ${largest.brotli}`)
    t.ok(afterPaint.brotli <= maxSizes.afterPaint, `after the paint: ${afterPaint.brotli}`)
    t.ok(none.brotli < usual.brotli, 'a shop loads only the parts that its tests need')
  },
)
