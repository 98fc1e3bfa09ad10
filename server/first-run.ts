import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type FirstRun = {
  /** Whether the demo data has yet to be made. */
  isDue: boolean
  /** An earlier start was killed while making it, and nobody has used the folder since: what it left behind is incomplete. */
  isInterrupted: boolean
  /** From here on a start that is killed is an interrupted one; only where this start has made the folder's data itself. */
  begin: () => void
  end: () => void
  /** Puts what an interrupted first run left in the data folder aside, as `….interrupted`, in the place of what was there so before. */
  wipe: () => void
}

const made = 'made',
  beingMade = 'being made'
const noteIn = (dataDir: string): string => join(dataDir, 'demo-data')
const folders = ['pg', 'demo-shop']

/** Remembers in the data folder how far the first run came. To be asked before the folder is opened. */
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

/** For a folder that is used without demo data, or was restored: whatever a first run left there stays. */
export function endFirstRun(dataDir: string): void {
  if (existsSync(noteIn(dataDir))) writeFileSync(noteIn(dataDir), made)
}
