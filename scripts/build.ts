import { buildApp } from './build/build-app.ts'
import { buildStorefront } from './build/build-storefront.ts'
import { bundlePrograms } from './build/bundle.ts'

// `npm run build`: what browsers load, then what production runs. With --assets only the former (npm run dev runs the sources).
process.chdir(new URL('..', import.meta.url).pathname)
const start = performance.now()
await Promise.all([buildStorefront(), buildApp()])
if (!process.argv.includes('--assets')) await bundlePrograms()
console.log(`built in ${((performance.now() - start) / 1000).toFixed(1)} s`)
