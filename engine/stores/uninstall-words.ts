import type { Kept } from '../journal/journal-contract.ts'

const whys = {
  applied: 'applied as a winner',
  edited: 'edited since',
  gone: 'no longer there',
} satisfies Record<Kept['why'], string>

/** What stayed in the shop, and why. */
export const inWords = ({ what, why }: Kept): string => `${what} (${whys[why]})`

/** `ended`: titles of winners that the script showed. */
export type Outcome = { kept: string[]; ended: string[] }

const maxListed = 20

const listed = (things: string[]): string =>
  things.slice(0, maxListed).join('; ') +
  (things.length > maxListed ? ` and ${things.length - maxListed} more` : '')

/** What an uninstall says at its end. */
export const doneMessage = ({ kept, ended }: Outcome): string =>
  [
    kept.length === 0
      ? 'Uninstalled. Nothing of Twinshelf is left in the shop.'
      : `Uninstalled. This stays in the shop: ${listed(kept)}.`,
    ...(ended.length > 0
      ? [`These winners needed our script and ended with it: ${listed(ended)}.`]
      : []),
  ].join(' ')
