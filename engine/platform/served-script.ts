import { createHash } from 'node:crypto'
import type { ScriptFinding } from '../../domain/staff/staff-health.ts'
import type { Platform } from './adapter.ts'

/** For platforms on which the script is one file: looks whether the shop serves it. */
export const servedScript =
  (fetchPage: Platform['fetchPage']): Platform['scriptFinding'] =>
  async (shop, { url, etag }): Promise<ScriptFinding> => {
    try {
      const { status, text } = await fetchPage(shop, url)
      // This is trouble of the shop and tells nothing about the script.
      if (status >= 500) return 'unreachable'
      if (status !== 200) return 'missing'
      return createHash('sha256')
        .update(text)
        .digest('base64url')
        .startsWith(etag ?? '-')
        ? 'answers'
        : 'differs'
    } catch {
      return 'unreachable'
    }
  }
