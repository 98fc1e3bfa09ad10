import { randomUUID } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import type { ShopCapabilities } from '../admin/capabilities.ts'
import type { Outbox } from '../apps/webhooks.ts'
import { inTransaction, type Database } from '../database.ts'
import type { Themes } from './themes.ts'

export type Experiment = { id: string; name: string; themeId: string; since: string }
/**
 * The experiments that the shop itself runs, each between the published theme and another one. The
 * shop only keeps that they run: it divides no visitors.
 */
export type Experiments = {
  isOffered: () => boolean
  running: () => Experiment[]
  /** Throws HttpProblem 404 and 422. */
  start: (name: string, themeId: string) => Experiment
  /** Throws HttpProblem 404. */
  end: (id: string) => void
}

export function openExperiments(
  db: Database,
  outbox: Outbox,
  clock: () => Date,
  { capabilities, themes }: { capabilities: ShopCapabilities; themes: Themes },
): Experiments {
  db.exec(
    'create table if not exists experiments (id text primary key, name text not null, theme_id text not null, since text not null) strict',
  )
  const read = db.prepare(
    'select id, name, theme_id as themeId, since from experiments order by since, id',
  )
  const insert = db.prepare(
    'insert into experiments (id, name, theme_id, since) values (?, ?, ?, ?)',
  )
  const remove = db.prepare('delete from experiments where id = ?')
  const isOffered = (): boolean => capabilities.current().nativeExperiments
  const change = (id: string, write: () => unknown): void => {
    inTransaction(db, () => {
      write()
      outbox.write('experiments/update', { id }, clock())
    })
    outbox.wake()
  }
  return {
    isOffered,
    running: () => (isOffered() ? (read.all() as Experiment[]) : []),
    start: (name, themeId) => {
      if (!isOffered()) throw new HttpProblem(422, 'This shop has no experiments of its own.')
      if (name === '' || name.length > 100)
        throw new HttpProblem(422, 'The experiment needs a name of at most 100 characters.', [
          { field: 'name', message: 'A name of at most 100 characters.' },
        ])
      const theme = themes.record(themeId)
      const experiment = {
        id: randomUUID(),
        name,
        themeId: theme.id,
        since: clock().toISOString(),
      }
      change(experiment.id, () => insert.run(experiment.id, name, theme.id, experiment.since))
      return experiment
    },
    end: id => {
      if (!(read.all() as Experiment[]).some(each => each.id === id))
        throw new HttpProblem(404, 'There is no such experiment.')
      change(id, () => remove.run(id))
    },
  }
}

/** An experiment as apps get it. */
export const experimentJson = ({ themeId, ...experiment }: Experiment) => ({
  ...experiment,
  theme_ids: [themeId],
})
