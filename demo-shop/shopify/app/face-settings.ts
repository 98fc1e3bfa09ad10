import type { Database } from '../../database.ts'

export const plans = ['standard', 'advanced', 'plus', 'development'] as const
export type Plan = (typeof plans)[number]

/** What the platform allows the app and the shop. The back office and tests change it. */
export type FaceSettings = {
  plan: Plan
  /** Whether the app has the platform's exemption, without which no app may write to themes. */
  themeWrites: boolean
  /** Whether the platform has approved the app for customers' data. */
  isApprovedForCustomers: boolean
  /** The scopes that the merchant has granted. */
  scopes: readonly string[]
  /** Whether the platform runs experiments of its own, of which apps may ask (not confirmed). */
  rollouts: boolean
  /** Ids of themes that the platform is still making: nobody can write to them. */
  processingThemes: readonly string[]
  /**
   * Whether the platform's consent banner is on in a shop that must ask visitors of some countries.
   * Null: as the shop's own privacy API is.
   */
  consentBanner: boolean | null
}
export type SettingsStore = {
  current: () => FaceSettings
  set: (changed: Partial<FaceSettings>) => void
}

/** `first`: what holds until somebody changes it. */
export function openSettings(db: Database, first: FaceSettings): SettingsStore {
  db.exec(
    'create table if not exists shopify_settings (id integer primary key check (id = 1), json text not null) strict',
  )
  const write = db.prepare(
    'insert into shopify_settings (id, json) values (1, ?) on conflict (id) do update set json = excluded.json',
  )
  const row = db.prepare('select json from shopify_settings').get() as { json: string } | undefined
  let changed = (row ? JSON.parse(row.json) : {}) as Partial<FaceSettings>
  return {
    current: () => ({ ...first, ...changed }),
    set: more => {
      changed = { ...changed, ...more }
      write.run(JSON.stringify(changed))
    },
  }
}

/**
 * Whether one of the granted scopes gives `asked`: a scope to write gives the one to read.
 */
export const gives = (scopes: readonly string[], asked: string): boolean =>
  scopes.includes(asked) ||
  (asked.startsWith('read_') && scopes.includes(asked.replace('read_', 'write_')))
