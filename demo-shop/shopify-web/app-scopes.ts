import { HttpProblem } from '../../domain/problem.ts'
import type { SettingsStore } from '../shopify/app/face-settings.ts'

/** What the app asks for: always, and only when it needs it. */
export type DeclaredScopes = { required: readonly string[]; optional: readonly string[] }
/** What the app may do, as its merchant has agreed. */
export type AppScopes = {
  current: () => { granted: string[]; required: string[]; optional: string[] }
  /** Throws HttpProblem 422 for one that the app did not declare. */
  grant: (scopes: string[]) => void
  /** Throws HttpProblem 422 for one that is required. */
  revoke: (scopes: string[]) => void
  /** Takes some away in spite of the app's configuration, as an older installation lacks them. */
  withhold: (scopes: string[]) => void
}

/** `tell`: tells the app what it had, and what it has. */
export function openAppScopes(
  settings: SettingsStore,
  { required, optional }: DeclaredScopes,
  tell: (previous: readonly string[], current: readonly string[]) => void,
): AppScopes {
  const granted = (): readonly string[] => settings.current().scopes
  const set = (scopes: readonly string[]): void => {
    const before = granted()
    if (before.join() === scopes.join()) return
    settings.set({ scopes })
    tell(before, scopes)
  }
  const refuse = (scopes: string[], isKnown: (scope: string) => boolean, why: string): void => {
    const wrong = scopes.find(scope => !isKnown(scope))
    if (wrong !== undefined) throw new HttpProblem(422, `The scope “${wrong}” ${why}.`)
  }
  const without = (scopes: string[]) => set(granted().filter(scope => !scopes.includes(scope)))
  return {
    current: () => ({ granted: [...granted()], required: [...required], optional: [...optional] }),
    grant: scopes => {
      refuse(scopes, scope => [...required, ...optional].includes(scope), 'is not declared')
      set([...new Set([...granted(), ...scopes])])
    },
    revoke: scopes => {
      refuse(scopes, scope => optional.includes(scope), 'is not optional')
      without(scopes)
    },
    withhold: without,
  }
}
