import type { FastifyInstance } from 'fastify'
import { openAppTokens, type AppTokens, type TokenLife } from '../apps/app-tokens.ts'
import type { ShopState } from '../shop-state.ts'
import { openBucket, planRates, type Bucket } from './api/bucket.ts'
import { openFaults, type Faults } from './api/faults.ts'
import { gid } from './api/gid.ts'
import { graphqlEndpoint } from './api/graphql-endpoint.ts'
import { appAnswers, installationId } from './app/app-answers.ts'
import { type FaceSettings, gives, openSettings, type SettingsStore } from './app/face-settings.ts'
import { idToken, type AppKeys } from './app/id-token.ts'
import { openShopifyInstallation, type ShopifyInstallation } from './app/installation.ts'
import { billingAnswers } from './app/billing-answers.ts'
import { pixelAnswers } from './app/pixel-answers.ts'
import { webhookAnswers } from './app/webhook-answers.ts'
import { faceSwitches } from './face-switches.ts'
import { fileAnswers } from './files/file-answers.ts'
import { openShopFiles } from './files/shop-files.ts'
import { fileRoutes, openStagedUploads } from './files/staged-uploads.ts'
import { functionAnswers } from './prices/function-answers.ts'
import { marketAnswers } from './prices/market-answers.ts'
import { privacyAnswers } from './shop/privacy-answers.ts'
import { metafieldMutations } from './app/metafield-answers.ts'
import { openMetafields, type Metafields } from './app/metafields.ts'
import { tokenEndpoint } from './app/token-endpoint.ts'
import { contentAnswers } from './content/content-answers.ts'
import { redirectAnswers } from './content/redirect-answers.ts'
import { orderAnswers } from './orders/order-answers.ts'
import { productAnswers } from './catalogue/product-answers.ts'
import type { Answers, FaceParts } from './face-parts.ts'
import { adminSchema, apiVersion } from './schema/admin-schema.ts'
import { rolloutAnswers } from './themes/rollout-answers.ts'
import { shopAnswers } from './shop/shop-answers.ts'
import { themeAnswers } from './themes/theme-answers.ts'

export type ShopifyFaceOptions = {
  keys: AppKeys
  appHandle: string
  origin: string
  adminOrigin?: string
  tokenLife?: TokenLife | undefined
  /** For tests: a token that the API accepts from the beginning. */
  knownToken?: string | undefined
  /** Whether a new shop has the app installed; by default it has. */
  startsInstalled?: boolean | undefined
  /** What the platform allows until somebody changes it. */
  settings?: Partial<FaceSettings> | undefined
}
/** The second face of the shop: what an app on this platform sees of it. */
export type ShopifyFace = {
  settings: SettingsStore
  installation: ShopifyInstallation
  metafields: Metafields
  tokens: AppTokens
  bucket: Bucket
  faults: Faults
  /** The version of the API that answers. A test moves it on. */
  served: { version: string }
  /** What the app has deployed, as far as the face has been told. */
  deployed: { functions: readonly { handle: string; target: string }[] }
  /** A sign-in token of a merchant, as the admin gives it to the app's page. */
  idToken: (user?: string) => Promise<string>
}

/** Scopes that the app has until the merchant changes that: those that it asks for. */
export const usualScopes = [
  'write_products',
  'read_themes',
  'read_orders',
  'write_content',
  'write_online_store_navigation',
  'read_markets',
  'write_files',
  'write_cart_transforms',
  'write_discounts',
  'write_pixels',
  'read_privacy_settings',
  'read_customer_events',
]
const merchantId = '70001'

/**
 * Adds the platform's token endpoint and admin API to the shop's server, over the shop's own state.
 */
export async function shopifyFace(
  app: FastifyInstance,
  state: ShopState,
  options: ShopifyFaceOptions,
): Promise<ShopifyFace> {
  // The schema takes a second, which the first caller should not wait for.
  adminSchema()
  const { keys, appHandle, origin, adminOrigin = origin, tokenLife, knownToken } = options
  const { db, clock } = state
  const settings = openSettings(db, {
    plan: 'development',
    themeWrites: false,
    isApprovedForCustomers: true,
    rollouts: false,
    processingThemes: [],
    consentBanner: null,
    // With these the app asks for their scopes, too.
    scopes: [
      ...usualScopes,
      ...(options.settings?.themeWrites ? ['write_themes'] : []),
      ...(options.settings?.rollouts ? ['read_rollouts'] : []),
    ],
    ...options.settings,
  })
  const installation = openShopifyInstallation(db, options.startsInstalled ?? true)
  const tokens = openAppTokens(db, clock, tokenLife, knownToken, {
    table: 'shopify_tokens',
    access: 'shpat_',
    refresh: 'shprt_',
  })
  const metafields = openMetafields(db, clock, owner => owners.some(has => has(owner)))
  installation.onUninstall(() => {
    tokens.end()
    metafields.removeOf(installationId)
  })
  const bucket = openBucket(() => {
    const { plan } = settings.current()
    return plan === 'development' ? planRates.standard : planRates[plan]
  })
  const faults = openFaults()
  const served = { version: apiVersion }
  const deployed: ShopifyFace['deployed'] = { functions: [] }
  const files = openShopFiles(db, clock),
    uploads = openStagedUploads()

  const parts: FaceParts = {
    state,
    keys,
    appHandle,
    origin,
    adminOrigin,
    settings,
    installation,
    metafields,
    functionTarget: handle =>
      deployed.functions.length === 0
        ? undefined
        : (deployed.functions.find(one => one.handle === handle)?.target ?? null),
  }
  const products = productAnswers(parts)
  const themes = themeAnswers(parts)
  const content = contentAnswers(parts, ids =>
    ids.flatMap(id => products.one(gid('Product', id)) ?? []),
  )
  const redirects = redirectAnswers(parts)
  const orders = orderAnswers(parts, { product: products.one, variant: products.variantById })
  const billing = billingAnswers(parts)
  const features = [
    products,
    themes,
    content,
    redirects,
    orders,
    billing,
    webhookAnswers(parts),
    pixelAnswers(parts),
    functionAnswers(parts),
    marketAnswers(parts, products.variantById),
    fileAnswers(parts, files, uploads),
  ]
  const nodes = Object.assign({}, ...features.map(feature => feature.nodes)) as Record<
    string,
    (id: string) => object | null
  >
  const nodeOf = (id: string): object | null => nodes[id.split('/')[3] ?? '']?.(id) ?? null
  const shop = shopAnswers(parts)
  const owners = [
    (owner: string) => owner === installationId,
    (owner: string) => owner.startsWith('gid://shopify/Shop/'),
    (owner: string) => nodeOf(owner) !== null,
  ]
  const all: Answers[] = [
    shop,
    ...features.map(({ answers }) => answers),
    metafieldMutations(parts),
    privacyAnswers(parts),
    rolloutAnswers(parts, themes.nodes.OnlineStoreTheme),
    appAnswers(parts, billing.ofInstallation),
    {
      query: {
        node: ({ id }: { id: string }) => nodeOf(id),
        nodes: ({ ids }: { ids: string[] }) => ids.map(nodeOf),
        // Whatever takes a job here is done when it is answered.
        job: ({ id }: { id: string }) => ({ __typename: 'Job', id, done: true }),
      },
    },
  ]
  await app.register(tokenEndpoint, { keys, tokens, installation, settings, faults, clock })
  await app.register(faceSwitches, { settings, faults, served, bucket })
  await app.register(fileRoutes, { uploads, files })
  await app.register(graphqlEndpoint, {
    roots: {
      query: Object.assign({}, ...all.map(({ query }) => query)) as object,
      mutation: Object.assign({}, ...all.map(({ mutation }) => mutation)) as object,
    },
    bucket,
    faults,
    served,
    schema: () => adminSchema(settings.current().rollouts),
    accepts: token => installation.isInstalled() && tokens.accept(token),
    access: () => {
      const { scopes, isApprovedForCustomers } = settings.current()
      return { has: scope => gives(scopes, scope), isApprovedForCustomers }
    },
  })
  return {
    settings,
    installation,
    metafields,
    tokens,
    bucket,
    faults,
    served,
    deployed,
    idToken: (user = merchantId) => idToken(keys, clock(), user),
  }
}
