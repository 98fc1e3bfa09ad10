import type { Kept } from '../journal/journal-contract.ts'

const whys = {
  applied: 'applied as a winner',
  edited: 'edited since',
  gone: 'no longer there',
  refused: 'the shop refused to put it back',
} satisfies Record<Kept['why'], string>

/** Says what stayed in the shop, and why. */
export const inWords = ({ what, why }: Kept): string => `${what} (${whys[why]})`

/** `kept`: what stayed in the shop. `ended`: titles of winners that needed the script. */
export type Outcome = { kept: string[]; ended: string[] }

const maxListed = 20

const listed = (things: string[]): string =>
  things.slice(0, maxListed).join('; ') +
  (things.length > maxListed ? ` and ${things.length - maxListed} more` : '')

/** The message at the end of an uninstall. */
export const doneMessage = ({ kept, ended }: Outcome): string =>
  [
    kept.length === 0
      ? 'Uninstalled. Nothing of Twinshelf is left in the shop.'
      : `Uninstalled. This stays in the shop: ${listed(kept)}.`,
    ...(ended.length > 0
      ? [`These winners needed our script and ended with it: ${listed(ended)}.`]
      : []),
  ].join(' ')
