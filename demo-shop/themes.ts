import { loadTheme, type Theme } from './theme.ts'

export type Themes = { live: Theme; byId: (id: string) => Theme | undefined }

/** The shop's themes; the first is the published one. */
export function loadThemes(): Themes {
  const all = [loadTheme('160001', 'kiln'), loadTheme('160002', 'harbour')]
  return { live: all[0]!, byId: id => all.find(theme => theme.id === id) }
}
