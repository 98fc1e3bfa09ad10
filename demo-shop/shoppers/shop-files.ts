import { request } from 'undici'
import type { AssignedType } from '../../domain/themes/template.ts'

/** What the shop's merchant does in the shop's own theme editor, outside the app. */
export type ShopFiles = {
  themes: () => Promise<{ id: string; role: string }[]>
  resources: (type: AssignedType) => Promise<{ id: string; handle: string }[]>
  read: (theme: string, name: string) => Promise<string>
  write: (theme: string, name: string, body: string) => Promise<void>
  remove: (theme: string, name: string) => Promise<void>
}

export function shopFiles(shopOrigin: string, appSecret: string): ShopFiles {
  async function ask<T>(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
    const response = await request(`${shopOrigin}/admin/api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${appSecret}`,
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
