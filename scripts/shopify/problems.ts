import { existsSync } from 'node:fs'
import { apiVersion } from '../../engine/platform/shopify/client/answer.ts'
import { functions } from '../build/build-shopify.ts'
import { appConfig, appConfigProblems } from './app-config.ts'
import {
  documentProblems,
  extensionProblems,
  liquidProblems,
  schemaIn,
} from './extension-problems.ts'

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url)
export const built = 'public/built/shopify/extensions/'
const extensions = ['twinshelf-embed', 'twinshelf-pixel', ...functions.map(({ handle }) => handle)]
/** The schema of what each function is asked by, and of the admin API. */
const schemas = {
  'twinshelf-cart-transform':
    'demo-shop/shopify-web/schema/functions_cart_transform_2026-10.json.gz',
  'twinshelf-discount': 'demo-shop/shopify-web/schema/functions_discount_2026-10.json.gz',
} as const

/**
 * Everything that is wrong with what we deploy to Shopify and ask it, found without network. The
 * build must have run. Documents of rollouts are in no published schema, so they are not checked.
 */
export async function shopifyProblems(): Promise<string[]> {
  if (!existsSync(at(`${built}twinshelf-embed/assets/core.js`)))
    return ['Nothing is built. Run npm run build first.']
  const example = {
    clientId: 'id',
    handle: 'twinshelf',
    origin: 'https://app.example',
    writesThemes: false,
    readsRollouts: false,
  }
  const admin = schemaIn(at('demo-shop/shopify/schema/admin-2026-10.json.gz'))
  return [
    ...appConfigProblems(appConfig(example), apiVersion).map(each => `shopify.app.toml: ${each}`),
    ...extensions.flatMap(name => extensionProblems(at(built), name, apiVersion)),
    ...functions.flatMap(({ handle }) =>
      documentProblems(schemaIn(at(schemas[handle])), at(`shopify/extensions/${handle}/`)),
    ),
    ...documentProblems(admin, at('engine/platform/shopify/documents/')).filter(
      each => !each.startsWith('rollouts.graphql'),
    ),
    ...(await liquidProblems(at(`${built}twinshelf-embed/`))),
  ]
}
