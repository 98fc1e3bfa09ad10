import { partProblems } from '../../domain/drafts/safe-html.ts'
import { foundWords } from '../../domain/drafts/selector.ts'
import type { ScriptChange } from '../../domain/script/script-config.ts'
import type { FoundBySelector } from './picker/picker-store.ts'

export type Refused = Partial<Record<'selector' | 'name' | 'value', string>>

/**
 * The parts of a change that would be refused when it is saved, as far as this page can tell, by
 * field. The frame does not show such a change either. Only the engine judges markup: to parse it
 * on this page would already be a risk.
 */
export function refusedParts(
  { selector, kind, name, value }: ScriptChange,
  found: FoundBySelector,
): Refused {
  const refused: Refused = {}
  const say = (part: keyof Refused, message: string | null): void => {
    if (message) refused[part] ??= message
  }
  const counted = (text: string): string | null => {
    const known = found.get(text)
    const words = known && text.trim() ? foundWords(known) : null
    return words?.tone === 'bad' ? words.text : null
  }
  say('selector', counted(selector))
  if (kind === 'move') say('value', counted(value))
  for (const { field, message } of partProblems({ kind, name, value })) say(field, message)
  return refused
}
