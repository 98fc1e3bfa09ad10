import { buildApp } from './build/build-app.ts'
import { buildShopify } from './build/build-shopify.ts'
import { buildStorefront } from './build/build-storefront.ts'
import { bundlePrograms } from './build/bundle.ts'

// `npm run build`: builds the browsers' files and the programs of production. `--assets` builds
// only the browsers' files (npm run dev runs the sources).
process.chdir(new URL('..', import.meta.url).pathname)
const start = performance.now()
await Promise.all([buildStorefront().then(buildShopify), buildApp()])
if (!process.argv.includes('--assets')) await bundlePrograms()
console.log(`built in ${((performance.now() - start) / 1000).toFixed(1)} s`)
