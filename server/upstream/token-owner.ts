/**
 * The store that a token names, which is not verified. A token that names none is its own owner, so
 * that it shares nothing.
 */
export const ownerOf = (token: string): string => claimsOf(token).sub || token

/** What a token says of its store: its id, shop and platform. Nothing of it is verified. */
export function claimsOf(token: string): { sub?: string; shop?: string; platform?: string } {
  try {
    const { sub, shop, platform } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>
    return {
      ...(typeof sub === 'string' && { sub }),
      ...(typeof shop === 'string' && shopForm.test(shop) && { shop }),
      ...(typeof platform === 'string' && platformName.test(platform) && { platform }),
    }
  } catch {
    return {}
  }
}

/** A shop's name: its domain on its platform. */
export const shopForm = /^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9-]{1,63}){1,4}$/
const platformName = /^[a-z][a-z0-9-]{0,30}$/
