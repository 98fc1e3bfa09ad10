/** "GTM-" followed by upper-case letters or digits (requirements 15.11). */
export const tagManagerPattern = '^GTM-[A-Z0-9]+$'

/** Returns the id unchanged; throws an Error when its form is wrong (requirements 25.15). */
export function tagManagerId(text: string): string {
  if (!new RegExp(tagManagerPattern).test(text))
    throw new Error('A tag manager id is GTM- followed by upper-case letters or digits.')
  return text
}
