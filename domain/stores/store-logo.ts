/** The types of a logo that the app shows. A shop with another type is shown by its initials. */
export const logoTypes = [
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
] as const
/** Every page of the app shows the logo, so it must be small. */
export const maxLogoBytes = 256 * 1024

/** Whether the app shows this picture as a shop's logo. `type` may have parameters (charset). */
export const canShowLogo = ({ type, byteCount }: { type: string; byteCount: number }): boolean =>
  byteCount > 0 &&
  byteCount <= maxLogoBytes &&
  (logoTypes as readonly string[]).includes(type.split(';')[0]!.trim().toLowerCase())

/**
 * The content security policy of a logo. Opened by itself, an SVG is a document of our origin, so
 * it gets no script, no address and no form.
 */
export const logoPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** The picture of a shop without a logo: the initials of its name. */
export const initialsPicture = (initials: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><style>rect{fill:#e4f0f4}text{fill:#0b5f7a;font:600 11px system-ui,sans-serif}@media (prefers-color-scheme:dark){rect{fill:#122a32}text{fill:#68c1d9}}</style><rect width="28" height="28" rx="6"/><text x="14" y="18" text-anchor="middle">${initials.replace(/[&<>]/g, mark => marks[mark]!)}</text></svg>`
