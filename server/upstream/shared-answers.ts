import type { JsonCallName } from '../../domain/api/contract.ts'
import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { read } from './upstream-calls.ts'

/** What the API answered last to a call, as the object that was made from it. */
export type KnownAnswer = { text: string; etag: string | null; value: unknown }
/** What the API answered last, shared by all browsers of a store. */
export type SharedAnswers = {
  /** What the store was answered last. Its etag may be sent with the same call. */
  last: (owner: string, call: string) => KnownAnswer | undefined
  /**
   * Returns the same object for the same text as the last time, so that it need not be parsed,
   * checked or rendered again.
   */
  known: (
    owner: string,
    call: string,
    name: JsonCallName,
    answer: { text: string; etag: string | null },
  ) => unknown
  /** Several answers as one object, which stays the same object as long as each of them does. */
  together: <T extends Record<string, object>>(owner: string, parts: T) => T
  bytes: () => number
  size: () => number
}

/** Memory that an answer takes, as text and as objects, for each byte of its text (measured). */
const perTextByte = 2.5

/**
 * `owner` is the store that the token of the request names. The answer is always what the API has
 * just sent to exactly this token, or said to be unchanged, so a browser cannot get anything that
 * the API did not tell it: an answer is shared only between requests that got the same text, and
 * never between owners.
 */
export function sharedAnswers(maxBytes: number): SharedAnswers {
  const answers = keptWithin<KnownAnswer>(maxBytes)
  return {
    last: (owner, call) => answers.get(`${owner} ${call}`),
    known: (owner, call, name, { text, etag }) => {
      const key = `${owner} ${call}`,
        answer = answers.get(key)
      if (answer?.text === text) return answer.value
      const value: unknown = read(name, text)
      answers.set(key, { text, etag, value }, bytesOfText(key) + bytesOfText(text) * perTextByte)
      return value
    },
    together: <T extends Record<string, object>>(owner: string, parts: T): T => {
      const key = `${owner} ${Object.keys(parts).join()}`,
        last = answers.get(key)?.value as T | undefined
      if (last && Object.entries(parts).every(([name, part]) => last[name] === part)) return last
      answers.set(key, { text: '', etag: null, value: parts }, bytesOfText(key) + 100)
      return parts
    },
    bytes: answers.bytes,
    size: answers.size,
  }
}
