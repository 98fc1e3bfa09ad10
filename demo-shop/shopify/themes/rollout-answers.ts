import { connection, type PageArgs } from '../api/connection.ts'
import { gid } from '../api/gid.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

/** Experiments that the platform runs in the shop, in words that no published schema has. */
export const rolloutAnswers = (
  { state: { experiments } }: FaceParts,
  themeById: (id: string) => object | null,
): Answers => ({
  query: {
    rollouts: (page: PageArgs) =>
      connection(
        experiments.running(),
        page,
        ({ id }) => id,
        ({ id, name, themeId, since }) => ({
          id: gid('Rollout', id),
          name,
          status: 'ACTIVE',
          startedAt: since,
          themes: [themeById(gid('OnlineStoreTheme', themeId))].filter(theme => theme !== null),
        }),
      ),
  },
})
