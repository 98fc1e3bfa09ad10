import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type FirstRun = {
  /** Whether the sample data must still be made. */
  isDue: boolean
  /**
   * An earlier start was killed while it made the sample data, and the folder was not used since.
   * The data in it is incomplete.
   */
  isInterrupted: boolean
  /**
   * Notes that making the data has begun: a start that is killed from here on counts as
   * interrupted. Does nothing when the folder had data that no interrupted start left behind.
   */
  begin: () => void
  end: () => void
  /**
   * Moves the data of an interrupted first run to `….interrupted`, and deletes what was there
   * before.
   */
  wipe: () => void
}

const made = 'made',
  beingMade = 'being made'
const noteIn = (dataDir: string): string => join(dataDir, 'demo-data')
const folders = ['pg', 'demo-shop']

/**
 * Keeps a note in the data folder about how far the first run came. Call it before anything opens
 * the folder.
 */
export function firstRun(dataDir: string): FirstRun {
  const note = noteIn(dataDir)
  const state = existsSync(note) ? readFileSync(note, 'utf8') : ''
  const isInterrupted = state === beingMade,
    isNew = !folders.some(name => existsSync(join(dataDir, name)))
  return {
    isDue: state !== made,
    isInterrupted,
    begin: () => {
      if (!isNew && !isInterrupted) return
      mkdirSync(dataDir, { recursive: true })
      writeFileSync(note, beingMade)
    },
    end: () => writeFileSync(note, made),
    wipe: () => {
      for (const folder of folders.map(name => join(dataDir, name))) {
        rmSync(`${folder}.interrupted`, { recursive: true, force: true })
        if (existsSync(folder)) renameSync(folder, `${folder}.interrupted`)
      }
    },
  }
}

/**
 * Notes that the first run has ended, for a folder that is used without sample data or was
 * restored. The data in the folder stays.
 */
export function endFirstRun(dataDir: string): void {
  if (existsSync(noteIn(dataDir))) writeFileSync(noteIn(dataDir), made)
}
