import { request } from 'undici'
import type { AssignedType } from '../../domain/themes/template.ts'
import { grants, tokenPath } from '../apps/token-endpoint.ts'
import { shop } from '../shop.ts'

/** What the shop's merchant does in the shop's own theme editor, outside the app. */
export type ShopFiles = {
  themes: () => Promise<{ id: string; role: string }[]>
  resources: (type: AssignedType) => Promise<{ id: string; handle: string }[]>
  read: (theme: string, name: string) => Promise<string>
  write: (theme: string, name: string, body: string) => Promise<void>
  remove: (theme: string, name: string) => Promise<void>
}

type Credentials = { appKey: string; appSecret: string }

/** An access token of the app for the shop's admin API, without a merchant's sign-in. */
export async function accessToken(
  shopOrigin: string,
  { appKey, appSecret }: Credentials,
): Promise<string> {
  const response = await request(shopOrigin + tokenPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: appKey,
      client_secret: appSecret,
      shop: shop.shop,
      grant_type: grants.own,
    }),
  })
  const said = (await response.body.json()) as { access_token?: string; message?: string }
  if (said.access_token === undefined) throw new Error(`No access token: ${said.message}`)
  return said.access_token
}

export function shopFiles(shopOrigin: string, credentials: Credentials): ShopFiles {
  async function ask<T>(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
    const response = await request(`${shopOrigin}/admin/api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await accessToken(shopOrigin, credentials)}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.body.text()
    if (response.statusCode >= 300)
      throw new Error(
        `${method} ${path} was answered ${response.statusCode}: ${text.slice(0, 300)}`,
      )
    return JSON.parse(text) as T
  }
  const file = (theme: string, name: string) =>
    `themes/${theme}/files.json?name=${encodeURIComponent(name)}`
  return {
    themes: () => ask('GET', 'themes.json'),
    resources: type => ask('GET', `resources.json?type=${type}`),
    read: async (theme, name) => (await ask<{ body: string }[]>('GET', file(theme, name)))[0]!.body,
    write: async (theme, name, body) =>
      void (await ask('PUT', `themes/${theme}/files.json`, { files: [{ name, body }] })),
    remove: async (theme, name) => void (await ask('DELETE', file(theme, name))),
  }
}

export const liveTheme = async (shop: ShopFiles): Promise<string> =>
  (await shop.themes()).find(({ role }) => role === 'live')!.id
