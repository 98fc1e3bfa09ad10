import { gid } from '../api/gid.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { shopifyShop } from '../shop-names.ts'
import { metafieldAnswers } from './metafield-answers.ts'

export const installationId = gid('AppInstallation', shopifyShop.installationId)
const scopeAnswer = (handle: string) => ({ handle, description: handle.replaceAll('_', ' ') })

/** The app itself, its installation and its end. `subscriptions`: what billing says about it. */
export function appAnswers(parts: FaceParts, subscriptions: object): Answers {
  const { settings, keys, appHandle, adminOrigin, installation } = parts
  const launchUrl = `${adminOrigin}/admin/apps/${appHandle}`
  const app = () => ({
    __typename: 'App',
    id: gid('App', shopifyShop.appId),
    apiKey: keys.apiKey,
    handle: appHandle,
    title: 'Twinshelf',
    embedded: true,
    installation: current,
    requestedAccessScopes: settings.current().scopes.map(scopeAnswer),
  })
  const current = () => ({
    __typename: 'AppInstallation',
    ...metafieldAnswers(parts, installationId),
    ...subscriptions,
    id: installationId,
    launchUrl,
    uninstallUrl: null,
    accessScopes: settings.current().scopes.map(scopeAnswer),
    app,
  })
  return {
    query: {
      app: ({ id }: { id?: string | null }) =>
        id == null || id === gid('App', shopifyShop.appId) ? app() : null,
      currentAppInstallation: current,
    },
    mutation: {
      appUninstall: () => {
        const gone = app()
        installation.uninstall()
        return { app: gone, userErrors: [] }
      },
    },
  }
}
