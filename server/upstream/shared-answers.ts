import type { JsonCallName } from '../../domain/api/contract.ts'
import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { read } from './upstream-calls.ts'

/** What the API answered last, shared by all browsers of a store. */
export type SharedAnswers = {
  /**
   * Returns the same object for the same text as the last time, so that it need not be parsed,
   * checked or rendered again.
   */
  known: (owner: string, call: string, name: JsonCallName, text: string) => unknown
  /** Several answers as one object, which stays the same object as long as each of them does. */
  together: <T extends Record<string, object>>(owner: string, parts: T) => T
  bytes: () => number
  size: () => number
}

/** Memory that an answer takes, as text and as objects, for each byte of its text (measured). */
const perTextByte = 2.5

/**
 * `owner` is the store that the token of the request names. The text is always what the API has
 * just answered to exactly this token, so a browser cannot get anything that the API did not tell
 * it: an answer is shared only between requests that got the same text, and never between owners.
 */
export function sharedAnswers(maxBytes: number): SharedAnswers {
  const answers = keptWithin<{ text: string; value: unknown }>(maxBytes)
  return {
    known: (owner, call, name, text) => {
      const key = `${owner} ${call}`,
        answer = answers.get(key)
      if (answer?.text === text) return answer.value
      const value: unknown = read(name, text)
      answers.set(key, { text, value }, bytesOfText(key) + bytesOfText(text) * perTextByte)
      return value
    },
    together: <T extends Record<string, object>>(owner: string, parts: T): T => {
      const key = `${owner} ${Object.keys(parts).join()}`,
        last = answers.get(key)?.value as T | undefined
      if (last && Object.entries(parts).every(([name, part]) => last[name] === part)) return last
      answers.set(key, { text: '', value: parts }, bytesOfText(key) + 100)
      return parts
    },
    bytes: answers.bytes,
    size: answers.size,
  }
}
