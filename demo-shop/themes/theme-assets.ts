import { createHash } from 'node:crypto'
import type { ThemeFiles } from './theme-files.ts'

/** `version` changes with the content. */
export type Asset = { body: Buffer; type: string; version: string }

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
}

/** A theme's assets by the name of their file. */
export const assetsOf = (files: ThemeFiles): Map<string, Asset> =>
  new Map(
    [...files]
      .filter(([name]) => name.startsWith('assets/'))
      .map(([name, body]) => [
        name.slice('assets/'.length),
        {
          body: Buffer.from(body),
          type: types[name.split('.').at(-1)!]!,
          version: createHash('sha256').update(body).digest('hex').slice(0, 8),
        },
      ]),
  )
