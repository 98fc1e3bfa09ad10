import { inTransaction, type Database } from '../database.ts'
import type { Themes } from '../themes/themes.ts'
import type { ShopCapabilities } from './capabilities.ts'

/** `notNeeded`: the shop puts the app's script into every page by itself. */
export type SwitchState = 'on' | 'off' | 'notNeeded'
/** The switch of the app's script in each theme. It is off until the merchant turns it on. */
export type ScriptSwitches = {
  stateOf: (themeId: string) => SwitchState
  /** Throws HttpProblem 404. */
  set: (themeId: string, isOn: boolean) => void
  /** Turns it off in every theme. Must be called in a transaction. */
  reset: () => void
  /** A copy of a theme has the settings of its original. Must be called in a transaction. */
  copy: (from: string, to: string) => void
}

export function openScriptSwitches(
  db: Database,
  {
    capabilities,
    themes,
    clock,
  }: { capabilities: ShopCapabilities; themes: Themes; clock: () => Date },
): ScriptSwitches {
  db.exec('create table if not exists script_switches (theme_id text primary key) strict')
  const read = db.prepare('select 1 from script_switches where theme_id = ?')
  const turnOn = db.prepare(
    'insert into script_switches (theme_id) values (?) on conflict do nothing',
  )
  const turnOff = db.prepare('delete from script_switches where theme_id = ?')
  const isOn = (themeId: string): boolean => read.get(themeId) !== undefined
  return {
    stateOf: themeId =>
      capabilities.current().scriptWay === 'uploaded' ? 'notNeeded' : isOn(themeId) ? 'on' : 'off',
    set: (themeId, wanted) => {
      themes.record(themeId)
      if (isOn(themeId) === wanted) return
      inTransaction(db, () => {
        ;(wanted ? turnOn : turnOff).run(themeId)
        themes.touch(clock(), themeId)
      })
      themes.tellApps()
    },
    reset: () => db.exec('delete from script_switches'),
    copy: (from, to) => {
      if (isOn(from)) turnOn.run(to)
    },
  }
}
