import { createHash } from 'node:crypto'

/** The platform's id of a deployed function, which follows here from its handle. */
export const functionId = (handle: string): string =>
  createHash('sha256')
    .update(`function ${handle}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
