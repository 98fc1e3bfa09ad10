/** The actions for tests or drafts that are selected in the list. */
export const chosenActs = ['end', 'delete', 'delete-drafts'] as const
export type ChosenAct = (typeof chosenActs)[number]
export type Refused = { title: string; message: string }

const words: Record<
  ChosenAct,
  { thing: string; done: [one: string, many: string]; after: string; not: string }
> = {
  end: {
    thing: 'test',
    done: ['has ended', 'have ended'],
    after: ' Everyone sees the control.',
    not: 'has not ended',
  },
  delete: { thing: 'test', done: ['is deleted', 'are deleted'], after: '', not: 'is not deleted' },
  'delete-drafts': {
    thing: 'draft',
    done: ['is deleted', 'are deleted'],
    after: '',
    not: 'is not deleted',
  },
}
/** Maximum number of failed tests or drafts that are named. */
const named = 5

/**
 * The message after the action: how many succeeded, and which failed, by name and with the reason.
 */
export function chosenOutcome(act: ChosenAct, done: number, refused: readonly Refused[]): string {
  const {
    thing,
    done: [one, many],
    after,
    not,
  } = words[act]
  const first =
    done === 0 && refused.length > 0
      ? []
      : [
          done === 1
            ? `One ${thing} ${one}.${after}`
            : `${done === 0 ? 'No' : done} ${thing}s ${many}.${done === 0 ? '' : after}`,
        ]
  const more = refused.length - named
  return [
    ...first,
    ...refused.slice(0, named).map(({ title, message }) => `“${title}” ${not}: ${message}`),
    ...(more > 0 ? [`${more} ${more === 1 ? thing : `${thing}s`} failed as well.`] : []),
  ].join(' ')
}
