import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'

/** What the app asks for: always, and only when it needs it. */
export type DeclaredScopes = { required: readonly string[]; optional: readonly string[] }
/** What the app may do, as its merchant has agreed. */
export type AppScopes = {
  current: () => { granted: string[]; required: string[]; optional: string[] }
  /** Adds optional ones. Throws HttpProblem 422 for one that the app did not declare. */
  grant: (scopes: string[]) => void
  /** Throws HttpProblem 422 for one that is required. */
  revoke: (scopes: string[]) => void
  /** Takes some away in spite of the app's configuration, as an older installation lacks them. */
  withhold: (scopes: string[]) => void
}

/** `tell`: tells the app. It is called in the transaction that makes the change. */
export function openAppScopes(
  db: Database,
  { required, optional }: DeclaredScopes,
  tell: (previous: string[], current: string[]) => void,
): AppScopes {
  db.exec(
    'create table if not exists shopify_scopes (scope text primary key, is_granted integer not null) strict',
  )
  const read = db.prepare('select scope, is_granted from shopify_scopes')
  const write = db.prepare(
    'insert into shopify_scopes (scope, is_granted) values (?, ?) on conflict (scope) do update set is_granted = excluded.is_granted',
  )
  const granted = (): string[] => {
    const changed = new Map(
      (read.all() as { scope: string; is_granted: number }[]).map(row => [
        row.scope,
        row.is_granted === 1,
      ]),
    )
    return [
      ...required.filter(scope => changed.get(scope) !== false),
      ...optional.filter(scope => changed.get(scope) === true),
    ]
  }
  const set = (scopes: string[], isGranted: boolean): void =>
    inTransaction(db, () => {
      const before = granted()
      for (const scope of scopes) write.run(scope, isGranted ? 1 : 0)
      const after = granted()
      if (before.join() !== after.join()) tell(before, after)
    })
  const refuse = (scopes: string[], isKnown: (scope: string) => boolean, why: string): void => {
    const wrong = scopes.find(scope => !isKnown(scope))
    if (wrong !== undefined) throw new HttpProblem(422, `The scope “${wrong}” ${why}.`)
  }
  return {
    current: () => ({ granted: granted(), required: [...required], optional: [...optional] }),
    grant: scopes => {
      refuse(scopes, scope => [...required, ...optional].includes(scope), 'is not declared')
      set(scopes, true)
    },
    revoke: scopes => {
      refuse(scopes, scope => optional.includes(scope), 'is not optional')
      set(scopes, false)
    },
    withhold: scopes => set(scopes, false),
  }
}
