import { createHash } from 'node:crypto'
import type { ThemeFile } from '../../themes/themes.ts'

/** The facts about a file that reads and writes share. */
export const fileFacts = ({ name, body, updatedAt }: ThemeFile) => ({
  filename: name,
  checksumMd5: createHash('md5').update(body).digest('hex'),
  size: String(Buffer.byteLength(body)),
  createdAt: updatedAt,
  updatedAt,
})
