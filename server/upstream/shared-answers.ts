import type { JsonCallName } from '../../domain/api/contract.ts'
import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { read } from './upstream.ts'

/** What the API answered last, shared by all browsers of a store. */
export type SharedAnswers = {
  /** An answer that reads as the last one did is the same object: it need not be parsed, checked or drawn again. */
  known: (owner: string, call: string, name: JsonCallName, text: string) => unknown
  /** Several answers as one object, which is the same as long as each of them is. */
  together: <T extends Record<string, object>>(owner: string, parts: T) => T
  bytes: () => number
  size: () => number
}

/** An answer as text and as objects: measured, these take about three times as much again. */
const perTextByte = 2.5

/**
 * `owner` is the store that the asking token says it is for. What is given is always made of the text that the API has
 * just answered to that very token, so a browser can be given nothing that the API did not tell it: an answer is
 * shared only with those who were told the same, word for word, and never between owners.
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
