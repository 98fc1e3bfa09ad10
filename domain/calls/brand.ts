import * as Type from 'typebox'
import { BrandStyle, FontEntry, fontLimit } from '../brand/brand-style.ts'
import { type Call, closed } from '../api/call.ts'

const Fonts = Type.Array(FontEntry, { maxItems: fontLimit })
const unreadable = {
  409: 'The shop’s home page is not open to everybody, or there is no browser here that can show it.',
  429: 'The browser reads other shops just now.',
  502: 'The shop could not be read.',
  504: 'The shop took too long.',
}

export const brandCalls = {
  brandStyle: {
    method: 'GET',
    path: '/api/v0/brandstyles',
    about: 'The store’s brand style.',
    response: BrandStyle,
    none: [404],
  },
  brandFonts: {
    method: 'GET',
    path: '/api/v0/brandstyles/fonts',
    about:
      'Fonts to choose from: those the live theme has now, and those kept with the brand style.',
    response: Fonts,
    slow: true,
    errors: unreadable,
  },
  generateBrandStyle: {
    method: 'POST',
    path: '/api/v0/brandstyles/generate',
    about:
      'Reads the live shop’s pages and stylesheets into a brand style, with the browser of this server. Stores nothing.',
    response: Type.Object({ brandStyle: BrandStyle, fonts: Fonts }),
    slow: true,
    errors: unreadable,
  },
  saveBrandStyle: {
    method: 'PUT',
    path: '/api/v0/brandstyles',
    about:
      'Stores a brand style. With `update` it must have the id of the stored one and changes it; without, it replaces the stored one under a new id.',
    body: Type.Object(
      { brandStyle: BrandStyle, availableFonts: Fonts, update: Type.Boolean() },
      closed,
    ),
    response: BrandStyle,
    errors: {
      404: 'There are no saved brand styles to edit.',
      409: 'Another brand style was imported since.',
    },
  },
} as const satisfies Record<string, Call>
