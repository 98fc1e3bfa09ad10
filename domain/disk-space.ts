/** In bytes. */
export type DiskSpace = { free: number; size: number }

/**
 * Bytes that a database checkpoint, and the changes until the next one, may need. They stay free
 * even on a small disk.
 */
export const leastFree = 64 * 1024 * 1024

/** `reserve`: percent of the disk that is kept free for everything other than raw events. */
export const isNearlyFull = ({ free, size }: DiskSpace, reserve: number): boolean =>
  free < Math.max((size * reserve) / 100, leastFree)

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** "1.2 GB of 20 GB are free". */
export const spaceWords = ({ free, size }: DiskSpace): string =>
  `${bytesWords(free)} of ${bytesWords(size)} are free`

export function bytesWords(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)),
    figure = bytes / 1000 ** power
  return `${figure >= 10 || power === 0 ? Math.round(figure) : Math.round(figure * 10) / 10} ${units[power]}`
}
