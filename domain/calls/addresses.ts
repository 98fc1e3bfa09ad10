import * as Type from 'typebox'
import { type Call, closed, Maybe } from '../api/call.ts'
import { PlatformEntrance, ShopAddresses } from '../platform/shop-addresses.ts'

export const addressCalls = {
  storeAddresses: {
    method: 'GET',
    path: '/api/v0/stores/addresses',
    about:
      'Where the store’s platform has its admin, who may frame the app, and where the app’s pages load pictures, frames and scripts from.',
    response: ShopAddresses,
  },
  addresses: {
    method: 'GET',
    path: '/api/v0/addresses',
    about:
      'The same for a shop before anyone has signed in, by its name on its platform; null when no platform of ours hosts such a shop. Says nothing about whether the shop has the app.',
    token: false,
    query: Type.Object({ shop: Type.Optional(Type.String({ maxLength: 300 })) }, closed),
    response: Type.Object({
      shop: Maybe(ShopAddresses),
      /** For a merchant whose shop is not known: one for each platform. */
      entrances: Type.Array(PlatformEntrance),
    }),
  },
} as const satisfies Record<string, Call>
