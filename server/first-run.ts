import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type FirstRun = {
  /** Whether the demo data has yet to be made. */
  isDue: boolean
  /** An earlier start was killed while making it: what it left behind is incomplete. */
  isInterrupted: boolean
  begin: () => void
  end: () => void
  /** Removes what an interrupted first run left in the data folder. Nobody has used it: the app listens only afterwards. */
  wipe: () => void
}

/** Remembers in the data folder how far the first run came. */
export function firstRun(dataDir: string): FirstRun {
  const note = join(dataDir, 'demo-data')
  const state = existsSync(note) ? readFileSync(note, 'utf8') : ''
  return {
    isDue: state !== 'made',
    isInterrupted: state === 'being made',
    begin: () => {
      mkdirSync(dataDir, { recursive: true })
      writeFileSync(note, 'being made')
    },
    end: () => writeFileSync(note, 'made'),
    wipe: () =>
      ['pg', 'demo-shop'].forEach(name =>
        rmSync(join(dataDir, name), { recursive: true, force: true }),
      ),
  }
}
