import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { functions } from './build/build-shopify.ts'
import { appConfig } from './shopify/app-config.ts'
import { built, shopifyProblems } from './shopify/problems.ts'

// `npm run shopify`: puts what Shopify's own command deploys into dist/shopify, with the keys of
// the configuration filled in. Run `npm run build` first.
process.chdir(new URL('..', import.meta.url).pathname)
const to = 'dist/shopify'
const { SHOPIFY_API_KEY: clientId, PUBLIC_ORIGIN: origin } = process.env
if (!clientId || !origin?.startsWith('https://')) {
  console.error(
    'Set SHOPIFY_API_KEY to the client id of the app, and PUBLIC_ORIGIN to its https address.',
  )
  process.exit(1)
}
const problems = await shopifyProblems()
if (problems.length > 0) {
  for (const problem of problems) console.error(problem)
  process.exit(1)
}
rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
writeFileSync(
  `${to}/shopify.app.toml`,
  appConfig({
    clientId,
    origin,
    handle: process.env['SHOPIFY_APP_HANDLE'] ?? 'twinshelf',
    writesThemes: process.env['SHOPIFY_THEME_WRITES'] === 'on',
    readsRollouts: process.env['SHOPIFY_ROLLOUTS'] === 'on',
  }),
)
// The command takes an app's folder only with a package file, and looks for its own library there.
writeFileSync(
  `${to}/package.json`,
  `${JSON.stringify({ name: 'twinshelf-on-shopify', private: true, dependencies: { '@shopify/shopify_function': '~2.0.1' } }, null, 2)}\n`,
)
const bundle = (handle: string): string => readFileSync(`${built}${handle}.js`, 'utf8')
for (const handle of ['twinshelf-embed', 'twinshelf-pixel', ...functions.map(one => one.handle)])
  cpSync(`${built}${handle}`, `${to}/extensions/${handle}`, { recursive: true })
for (const { handle, name } of functions)
  // The bundle puts the function on globalThis.run; the command takes a module's export.
  writeFileSync(
    `${to}/extensions/${handle}/src/index.js`,
    `${bundle(handle)}export const ${name} = globalThis.run\n`,
  )
mkdirSync(`${to}/extensions/twinshelf-pixel/src`, { recursive: true })
writeFileSync(`${to}/extensions/twinshelf-pixel/src/index.js`, bundle('twinshelf-pixel'))
console.log(
  `Everything is in ${to}. Deploy it with: cd ${to} && npm install && npx @shopify/cli app deploy`,
)
