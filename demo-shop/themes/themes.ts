import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'
import { checkedTheme, shownTheme, type Theme } from './shown-theme.ts'
import type { ThemeDrawing } from './theme-drawing.ts'
import { checkFile, fileLimits, refuse, startingFiles, type ThemeFiles } from './theme-files.ts'
import type { Outbox } from '../apps/webhooks.ts'

export type ThemeRecord = {
  id: string
  name: string
  role: 'live' | 'unpublished'
  createdAt: string
  updatedAt: string
}
export type ThemeFile = { name: string; body: string; updatedAt: string }
/**
 * The shop's themes: the files that they come with, and what was changed since. An unknown or
 * deleted id is a 404.
 */
export type Themes = {
  /** The published theme, to draw with. */
  readonly live: Theme
  byId: (id: string) => Theme | undefined
  list: () => ThemeRecord[]
  deleted: () => ThemeRecord[]
  record: (id: string) => ThemeRecord
  /**
   * The files with these exact names, and all files below a name that ends in "/"; without names,
   * all files. Sorted by name.
   */
  files: (id: string, names?: string[]) => ThemeFile[]
  /** Writes all of these files or none. Throws HttpProblem 422, which names the file. */
  write: (id: string, files: { name: string; body: string }[]) => Promise<void>
  remove: (id: string, names: string[]) => Promise<void>
  /** Makes an unpublished theme with the same files. Throws HttpProblem 422. */
  duplicate: (id: string, name: string) => ThemeRecord
  publish: (id: string) => void
  /** Throws HttpProblem 409 for the published theme. */
  removeTheme: (id: string) => void
  restoreTheme: (id: string) => void
  /**
   * Tells apps that something about a theme changed, by default the published one. Must be called
   * in the transaction that changes it.
   */
  touch: (at: Date, id?: string) => void
  /** Sends what `touch` has written, after the transaction. */
  tellApps: () => void
}

const first: First[] = [
  { id: '160001', name: 'Kiln', folder: 'kiln', createdAt: '2026-01-12T10:30:00.000Z' },
  { id: '160002', name: 'Harbour', folder: 'harbour', createdAt: '2026-03-05T15:10:00.000Z' },
]
/** The id of the first copy of a theme is a little above this. */
const firstCopy = 160_100
const maxThemes = 20
type State = { files: Map<string, ThemeFile>; starting: ThemeFiles; theme: Theme }
type First = { id: string; name: string; folder: string; createdAt: string }
type Changed = { theme_id: string; name: string; body: string | null; updated_at: string }

export function openThemes(
  db: Database,
  outbox: Outbox,
  clock: () => Date,
  drawing: ThemeDrawing,
): Themes {
  db.exec(`
    create table if not exists theme_files (theme_id text not null, name text not null, body text, updated_at text not null, primary key (theme_id, name)) strict;
    create table if not exists theme_states (theme_id text primary key, is_deleted integer not null, updated_at text not null) strict;
    create table if not exists theme_copies (id text primary key, name text not null, folder text not null, created_at text not null) strict;
    create table if not exists live_theme (id integer primary key check (id = 1), theme_id text not null) strict;
    insert into live_theme (id, theme_id) values (1, '${first[0]!.id}') on conflict do nothing`)
  const changed = db.prepare('select * from theme_files where theme_id = ?')
  const writeFile =
    db.prepare(`insert into theme_files (theme_id, name, body, updated_at) values (?, ?, ?, ?)
    on conflict (theme_id, name) do update set body = excluded.body, updated_at = excluded.updated_at`)
  const state = db.prepare('select is_deleted, updated_at from theme_states where theme_id = ?')
  const writeState =
    db.prepare(`insert into theme_states (theme_id, is_deleted, updated_at) values (?, ?, ?)
    on conflict (theme_id) do update set is_deleted = excluded.is_deleted, updated_at = excluded.updated_at`)
  const readLive = db.prepare('select theme_id from live_theme')
  const writeLive = db.prepare('update live_theme set theme_id = ?')

  const insertCopy = db.prepare(
    'insert into theme_copies (id, name, folder, created_at) values (?, ?, ?, ?)',
  )
  const all: First[] = [
    ...first,
    ...(db
      .prepare('select id, name, folder, created_at as createdAt from theme_copies order by id')
      .all() as First[]),
  ]

  const states = new Map(
    all.map(({ id, folder, createdAt }): [string, State] => {
      const starting = startingFiles(folder)
      const files = new Map(
        [...starting].map(([name, body]) => [name, { name, body, updatedAt: createdAt }]),
      )
      for (const { name, body, updated_at } of changed.all(id) as Changed[]) {
        if (body === null) files.delete(name)
        else files.set(name, { name, body, updatedAt: updated_at })
      }
      return [id, { files, starting, theme: shownTheme(id, bodiesOf(files), starting, drawing) }]
    }),
  )
  let liveId = (readLive.get() as { theme_id: string }).theme_id
  const recordOf = ({ id, name, createdAt }: First): ThemeRecord & { isDeleted: boolean } => {
    const { is_deleted = 0, updated_at = createdAt } =
      (state.get(id) as { is_deleted: number; updated_at: string } | undefined) ?? {}
    return {
      id,
      name,
      role: id === liveId ? 'live' : 'unpublished',
      createdAt,
      updatedAt: updated_at,
      isDeleted: is_deleted === 1,
    }
  }
  const themesThat = (isDeleted: boolean): ThemeRecord[] =>
    all
      .map(recordOf)
      .filter(theme => theme.isDeleted === isDeleted)
      .map(({ isDeleted: _, ...theme }) => theme)
  const record = (id: string): ThemeRecord => {
    const found = themesThat(false).find(theme => theme.id === id)
    if (!found) throw new HttpProblem(404, 'There is no such theme.')
    return found
  }
  const tell = (
    id: string,
    at: Date,
    topic: 'themes/update' | 'themes/create' = 'themes/update',
  ): void => {
    writeState.run(id, 0, at.toISOString())
    outbox.write(topic, themeJson(record(id)), at)
  }
  /** Stores these bodies (null deletes a file) if the result is a theme. */
  const change = async (id: string, bodies: Map<string, string | null>): Promise<void> => {
    if (bodies.size === 0) return
    const at = clock()
    const { starting, files: before } = states.get(id)!
    const files = new Map(before)
    for (const [name, body] of bodies) {
      if (body === null) files.delete(name)
      else files.set(name, { name, body, updatedAt: at.toISOString() })
    }
    const templates = [...files.keys()].filter(name => name.startsWith('templates/')).length
    if (templates > fileLimits.templates)
      throw refuse('templates/', `A theme has at most ${fileLimits.templates} templates.`)
    const theme = await checkedTheme(id, bodiesOf(files), starting, drawing)
    record(id)
    inTransaction(db, () => {
      for (const [name, body] of bodies) writeFile.run(id, name, body, at.toISOString())
      tell(id, at)
    })
    states.set(id, { files, starting, theme })
    outbox.wake()
  }
  // One change after the other: each starts from what the one before has left.
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = turn.then(work)
    turn = mine.catch(() => {})
    return mine
  }

  return {
    get live() {
      return states.get(liveId)!.theme
    },
    byId: id =>
      themesThat(false).some(theme => theme.id === id) ? states.get(id)!.theme : undefined,
    list: () => themesThat(false),
    deleted: () => themesThat(true),
    record,
    files: (id, names) => {
      record(id)
      const exact = new Set(names),
        folders = names?.filter(name => name.endsWith('/')) ?? ['']
      return [...states.get(id)!.files.values()]
        .filter(({ name }) => exact.has(name) || folders.some(folder => name.startsWith(folder)))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    write: async (id, files) => {
      record(id)
      if (files.length > fileLimits.atOnce)
        throw new HttpProblem(422, `At most ${fileLimits.atOnce} files at once.`)
      const bodies = new Map(files.map(({ name, body }) => [name, body]))
      if (bodies.size < files.length) throw new HttpProblem(422, 'A file is named twice.')
      for (const { name, body } of files) checkFile(name, body)
      await inTurn(() => {
        const before = states.get(id)!.files
        return change(
          id,
          new Map([...bodies].filter(([name, body]) => before.get(name)?.body !== body)),
        )
      })
    },
    remove: async (id, names) => {
      record(id)
      await inTurn(() => {
        const before = states.get(id)!.files
        return change(id, new Map(names.filter(name => before.has(name)).map(name => [name, null])))
      })
    },
    duplicate: (id, name) => {
      record(id)
      const { folder } = all.find(theme => theme.id === id)!
      if (name === '' || name.length > 100 || all.some(theme => theme.name === name))
        throw new HttpProblem(422, 'The copy needs a name of its own, of at most 100 characters.', [
          { field: 'name', message: 'A name of its own.' },
        ])
      if (all.length >= maxThemes)
        throw new HttpProblem(422, `A shop has at most ${maxThemes} themes.`)
      const at = clock(),
        createdAt = at.toISOString(),
        copy: First = { id: String(firstCopy + all.length), name, folder, createdAt }
      const { files, starting } = states.get(id)!
      all.push(copy)
      try {
        inTransaction(db, () => {
          insertCopy.run(copy.id, name, folder, createdAt)
          for (const { name: file, body } of files.values())
            if (starting.get(file) !== body) writeFile.run(copy.id, file, body, createdAt)
          for (const file of starting.keys())
            if (!files.has(file)) writeFile.run(copy.id, file, null, createdAt)
          tell(copy.id, at)
        })
      } catch (error) {
        all.pop()
        throw error
      }
      states.set(copy.id, {
        files,
        starting,
        theme: shownTheme(copy.id, bodiesOf(files), starting, drawing),
      })
      outbox.wake()
      return record(copy.id)
    },
    publish: id => {
      record(id)
      if (id === liveId) return
      const before = liveId
      try {
        inTransaction(db, () => {
          writeLive.run(id)
          liveId = id
          outbox.write('themes/publish', themeJson(record(id)), clock())
        })
      } catch (error) {
        liveId = before
        throw error
      }
      outbox.wake()
    },
    removeTheme: id => {
      if (record(id).role === 'live')
        throw new HttpProblem(
          409,
          'The published theme cannot be deleted. Publish another one first.',
        )
      const at = clock()
      inTransaction(db, () => {
        writeState.run(id, 1, at.toISOString())
        outbox.write('themes/delete', { id }, at)
      })
      outbox.wake()
    },
    restoreTheme: id => {
      if (!themesThat(true).some(theme => theme.id === id)) return void record(id)
      // It is there again, and apps know nothing of it any more.
      inTransaction(db, () => tell(id, clock(), 'themes/create'))
      outbox.wake()
    },
    touch: (at, id = liveId) => tell(id, at),
    tellApps: outbox.wake,
  }
}

const bodiesOf = (files: Map<string, ThemeFile>): ThemeFiles =>
  new Map([...files].map(([name, { body }]) => [name, body]))

/** A theme as apps get it, in webhooks and in the admin API. */
export const themeJson = ({ id, name, role, createdAt, updatedAt }: ThemeRecord) => ({
  id,
  name,
  role,
  created_at: createdAt,
  updated_at: updatedAt,
})
